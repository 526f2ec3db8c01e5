/* SPDX-License-Identifier: GPL-2.0 */
/* The stubs of trampoline_x86.S, and what they call. */
#ifndef _ALLOCPROF_HOOKS_STUBS_H
#define _ALLOCPROF_HOOKS_STUBS_H

#include "hooks.h"

/*
 * An entry of a list of names, if this kernel exports the function.  One that
 * is not exported is looked for when the kernel runs: HOOK_FOUND() for its
 * entry, HOOK_FOUND_PAST() if a stub has to call it.
 */
#ifdef CONFIG_X86_64
#define __HOOK_STUB(function)	.stub = (unsigned long)&allocprof_stub_##function
#define __HOOK_AIM(function)	.aim = allocprof_aim_##function
#else
#define __HOOK_STUB(function)	.stub = 0
#define __HOOK_AIM(function)	.aim = NULL
#endif
#define __HOOK_SYMBOL_1(function) \
	{ .name = #function, .addr = (unsigned long)&function, __HOOK_STUB(function) },
#define __HOOK_SYMBOL_0(function)
#define __HOOK_SYMBOL(there, function) __HOOK_SYMBOL_##there(function)
#define _HOOK_SYMBOL(there, function) __HOOK_SYMBOL(there, function)
#define HOOK_SYMBOL(function) _HOOK_SYMBOL(__is_defined(HAVE_SYM_##function), function)
#define HOOK_FOUND(function) { .name = #function, __HOOK_STUB(function) },
#define HOOK_FOUND_PAST(function) \
	{ .name = #function, __HOOK_STUB(function), __HOOK_AIM(function) },

#define DECLARE_STUB(function) extern void allocprof_stub_##function(void)

DECLARE_STUB(__kmalloc_noprof);
DECLARE_STUB(__kmalloc);
DECLARE_STUB(__kmalloc_node_noprof);
DECLARE_STUB(__kmalloc_node);
DECLARE_STUB(__kmalloc_node_track_caller_noprof);
DECLARE_STUB(__kmalloc_node_track_caller);
DECLARE_STUB(__kmalloc_track_caller);
DECLARE_STUB(__kmalloc_cache_noprof);
DECLARE_STUB(kmalloc_trace_noprof);
DECLARE_STUB(kmalloc_trace);
DECLARE_STUB(kmem_cache_alloc_trace);
DECLARE_STUB(__kmalloc_cache_node_noprof);
DECLARE_STUB(kmalloc_node_trace_noprof);
DECLARE_STUB(kmalloc_node_trace);
DECLARE_STUB(kmem_cache_alloc_node_trace);
DECLARE_STUB(_kmalloc_nolock_noprof);
DECLARE_STUB(kmalloc_nolock_noprof);
DECLARE_STUB(__kvmalloc_node_noprof);
DECLARE_STUB(kmem_cache_alloc_noprof);
DECLARE_STUB(kmem_cache_alloc);
DECLARE_STUB(kmem_cache_alloc_lru_noprof);
DECLARE_STUB(kmem_cache_alloc_lru);
DECLARE_STUB(kmem_cache_alloc_node_noprof);
DECLARE_STUB(kmem_cache_alloc_node);
DECLARE_STUB(kmem_cache_alloc_bulk_noprof);
DECLARE_STUB(kmem_cache_alloc_bulk);
DECLARE_STUB(__kmalloc_flags_noprof);
DECLARE_STUB(kmem_cache_alloc_from_sheaf_noprof);
DECLARE_STUB(__kfree_rcu_sheaf);
DECLARE_STUB(kfree);
DECLARE_STUB(kfree_nolock);
DECLARE_STUB(kmem_cache_free);
DECLARE_STUB(kmem_cache_free_bulk);
DECLARE_STUB(__alloc_frozen_pages_noprof);
DECLARE_STUB(__alloc_pages_noprof);
DECLARE_STUB(__alloc_pages);
DECLARE_STUB(__alloc_pages_nodemask);
DECLARE_STUB(alloc_frozen_pages_nolock_noprof);
DECLARE_STUB(alloc_pages_bulk_noprof);
DECLARE_STUB(__alloc_pages_bulk);
DECLARE_STUB(alloc_pages_exact_noprof);
DECLARE_STUB(alloc_pages_exact);
DECLARE_STUB(split_page);
DECLARE_STUB(split_page_memcg);
DECLARE_STUB(folio_split_memcg_refs);
DECLARE_STUB(folio_migrate_flags);
DECLARE_STUB(migrate_page_states);
DECLARE_STUB(alloc_contig_frozen_range_noprof);
DECLARE_STUB(alloc_contig_range_noprof);
DECLARE_STUB(alloc_contig_range);
DECLARE_STUB(pcpu_alloc_noprof);
DECLARE_STUB(__alloc_percpu);
DECLARE_STUB(__alloc_percpu_gfp);
DECLARE_STUB(free_percpu);
DECLARE_STUB(end);

/* The stub's call goes to this address. */
void allocprof_aim___kmalloc_flags_noprof(unsigned long addr);
void allocprof_aim_kmem_cache_alloc_from_sheaf_noprof(unsigned long addr);
void allocprof_aim_alloc_frozen_pages_nolock_noprof(unsigned long addr);

void allocprof_objects_exit(unsigned long result, unsigned long ret, unsigned long *frame,
			    const unsigned long args[HOOK_ARGS]);
void allocprof_objects_enter_free(const unsigned long args[HOOK_ARGS]);
void allocprof_object_enter_free(const unsigned long args[HOOK_ARGS]);
void allocprof_split_folio_enter(const unsigned long args[HOOK_ARGS]);
void allocprof_pages_nolock_exit(unsigned long result, unsigned long ret, unsigned long *frame,
				 const unsigned long args[HOOK_ARGS]);
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
