/* SPDX-License-Identifier: GPL-2.0 */
/* The stubs of trampoline_x86.S, and what they call. */
#ifndef _ALLOCPROF_HOOKS_STUBS_H
#define _ALLOCPROF_HOOKS_STUBS_H

#include "hooks.h"

#ifdef CONFIG_X86_64
#define HOOK_SYMBOL(function)						\
	{ .name = #function, .addr = (unsigned long)&function,		\
	  .stub = (unsigned long)&allocprof_stub_##function }
#else
#define HOOK_SYMBOL(function)						\
	{ .name = #function, .addr = (unsigned long)&function }
#endif

/* Of a function that is not exported: its entry can be hooked by name. */
#define HOOK_NAME(function) { .name = function }

#define DECLARE_STUB(function) extern void allocprof_stub_##function(void)

DECLARE_STUB(__kmalloc_noprof);
DECLARE_STUB(__kmalloc);
DECLARE_STUB(__kmalloc_node_noprof);
DECLARE_STUB(__kmalloc_node);
DECLARE_STUB(__kmalloc_node_track_caller_noprof);
DECLARE_STUB(__kmalloc_node_track_caller);
DECLARE_STUB(__kmalloc_cache_noprof);
DECLARE_STUB(kmalloc_trace);
DECLARE_STUB(__kmalloc_cache_node_noprof);
DECLARE_STUB(kmalloc_node_trace);
DECLARE_STUB(kmem_cache_alloc_noprof);
DECLARE_STUB(kmem_cache_alloc);
DECLARE_STUB(kmem_cache_alloc_lru_noprof);
DECLARE_STUB(kmem_cache_alloc_lru);
DECLARE_STUB(kmem_cache_alloc_node_noprof);
DECLARE_STUB(kmem_cache_alloc_node);
DECLARE_STUB(kmem_cache_alloc_bulk_noprof);
DECLARE_STUB(kmem_cache_alloc_bulk);
DECLARE_STUB(kfree);
DECLARE_STUB(kmem_cache_free);
DECLARE_STUB(kmem_cache_free_bulk);
DECLARE_STUB(__alloc_pages_noprof);
DECLARE_STUB(__alloc_pages);
DECLARE_STUB(alloc_pages_bulk_noprof);
DECLARE_STUB(__alloc_pages_bulk);
DECLARE_STUB(alloc_pages_exact_noprof);
DECLARE_STUB(alloc_pages_exact);
DECLARE_STUB(split_page);
DECLARE_STUB(folio_migrate_flags);
DECLARE_STUB(alloc_contig_range_noprof);
DECLARE_STUB(alloc_contig_range);
DECLARE_STUB(pcpu_alloc_noprof);
DECLARE_STUB(__alloc_percpu);
DECLARE_STUB(__alloc_percpu_gfp);
DECLARE_STUB(free_percpu);

void allocprof_objects_exit(unsigned long result, unsigned long ret, unsigned long *frame,
			    const unsigned long args[HOOK_ARGS]);
void allocprof_objects_enter_free(const unsigned long args[HOOK_ARGS]);
void allocprof_pages_bulk_enter(const unsigned long args[HOOK_ARGS]);
void allocprof_pages_bulk_exit(unsigned long result, unsigned long ret, unsigned long *frame,
			       const unsigned long args[HOOK_ARGS]);
void allocprof_pages_exact_exit(unsigned long result, unsigned long ret, unsigned long *frame,
				const unsigned long args[HOOK_ARGS]);
void allocprof_split_page_enter(const unsigned long args[HOOK_ARGS]);
void allocprof_migrate_enter(const unsigned long args[HOOK_ARGS]);
void allocprof_contig_exit(unsigned long result, unsigned long ret, unsigned long *frame,
			   const unsigned long args[HOOK_ARGS]);
void allocprof_percpu_exit(unsigned long result, unsigned long ret, unsigned long *frame,
			   const unsigned long args[HOOK_ARGS]);
void allocprof_percpu_enter_free(const unsigned long args[HOOK_ARGS]);

#endif /* _ALLOCPROF_HOOKS_STUBS_H */
