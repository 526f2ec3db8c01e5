/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The direct stubs: ftrace calls one from the entry of a hooked function.
 *
 *	caller:		call function
 *	function:	call stub		(the fentry site)
 *	stub:		call function + past its site
 *
 * On entry the stack holds the address behind the fentry site, then the
 * caller's return address; all argument registers are live.
 *
 * An allocator's stub calls the function itself, records the result, and goes
 * straight back to the function's caller.  It leaves by returns only, as many
 * as there were calls: dropping the fentry address from the stack instead
 * would put the CPU's return predictor one off for every caller above.  So
 * that address is replaced by one of a plain return.
 *
 * The call to the function is direct and lands behind its site, so it needs
 * no retpoline, and no ENDBR where the kernel has them.  hook_direct.c checks
 * the bytes at the site before it attaches a stub.
 *
 * Only functions with all arguments in registers can be hooked like this.
 */
#include "compat/asm.h"
#include "hook_ids.h"

#ifdef CONFIG_X86_KERNEL_IBT
#define PAST_SITE	9	/* endbr64, then the five bytes of the site */
#else
#define PAST_SITE	5
#endif

/* struct hook_count: entered, left */
#define COUNT_SIZE	16
#define ENTERED(id)	PER_CPU_VAR(allocprof_hook_counts + (id) * COUNT_SIZE)
#define LEFT(id)	PER_CPU_VAR(allocprof_hook_counts + (id) * COUNT_SIZE + 8)

/*
 * Where an allocator's stub sends its return: one more return, to the caller.
 * The unwinder looks a return address up one byte before it; that byte is ours.
 */
SYM_FUNC_START_LOCAL(return_to_caller)
	nop
.Lreturn_to_caller:
	COMPAT_NOENDBR
	RET
SYM_FUNC_END(return_to_caller)

/* No ENDBR: ftrace reaches a stub by a direct call or by a return. */
.macro STUB_START name
SYM_START(\name, SYM_L_GLOBAL, SYM_A_ALIGN)
	COMPAT_NOENDBR
.endm

.macro LEAVE_TO_CALLER id
	incq	LEFT(\id)
	movq	$.Lreturn_to_caller, (%rsp)
	RET
.endm

/* An object: the handler gets (result, caller, slot) and gives the result back. */
.macro OBJECT_STUB function callee id
STUB_START allocprof_stub_\function
	incq	ENTERED(\id)
	call	\callee
	movq	%rax, %rdi
	movq	8(%rsp), %rsi
	leaq	8(%rsp), %rdx
	call	objtable_alloc
	LEAVE_TO_CALLER \id
SYM_FUNC_END(allocprof_stub_\function)
.endm

/* A page: the order, second argument, is kept; the result is saved here. */
.macro PAGE_STUB function callee id
STUB_START allocprof_stub_\function
	incq	ENTERED(\id)
	pushq	%rsi
	call	\callee
	popq	%rsi
	movq	%rax, %rdi
	movq	8(%rsp), %rdx
	leaq	8(%rsp), %rcx
	call	pfntable_alloc
	LEAVE_TO_CALLER \id
SYM_FUNC_END(allocprof_stub_\function)
.endm

/*
 * Anything rarer: all arguments are kept in an array for the handlers,
 * enter(args) if there is one and exit(result, caller, slot, args).
 */
.macro GENERAL_STUB function callee id exit enter
STUB_START allocprof_stub_\function
	incq	ENTERED(\id)
	pushq	%r9
	pushq	%r8
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
.ifnb \enter
	movq	%rsp, %rdi
	call	\enter
	movq	(%rsp), %rdi
	movq	8(%rsp), %rsi
	movq	16(%rsp), %rdx
	movq	24(%rsp), %rcx
	movq	32(%rsp), %r8
	movq	40(%rsp), %r9
.endif
	call	\callee
	movq	%rsp, %rcx
	pushq	%rax
	movq	%rax, %rdi
	movq	64(%rsp), %rsi
	leaq	64(%rsp), %rdx
	call	\exit
	popq	%rax
	addq	$48, %rsp
	LEAVE_TO_CALLER \id
SYM_FUNC_END(allocprof_stub_\function)
.endm

/*
 * A free: the function goes on when the stub returns, so its arguments are
 * kept, as many as it has.  \object is the register that holds the object.
 */
.macro FREE1_STUB function callee id handler
STUB_START allocprof_stub_\function
	incq	ENTERED(\id)
	pushq	%rdi
	call	\handler
	popq	%rdi
	RET
SYM_FUNC_END(allocprof_stub_\function)
.endm

.macro FREE2_STUB function callee id handler
STUB_START allocprof_stub_\function
	incq	ENTERED(\id)
	pushq	%rdi
	pushq	%rsi
	movq	%rsi, %rdi
	call	\handler
	popq	%rsi
	popq	%rdi
	RET
SYM_FUNC_END(allocprof_stub_\function)
.endm

.macro ENTER_STUB function callee id enter
STUB_START allocprof_stub_\function
	incq	ENTERED(\id)
	pushq	%r9
	pushq	%r8
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
	movq	%rsp, %rdi
	call	\enter
	popq	%rdi
	popq	%rsi
	popq	%rdx
	popq	%rcx
	popq	%r8
	popq	%r9
	RET
SYM_FUNC_END(allocprof_stub_\function)
.endm

/* One for each name that this kernel exports: it was probed when this was built. */
#define STUB_1(macro, function, args...) macro function, function+PAST_SITE, args
#define STUB_0(macro, function, args...)
#define __STUB(there, args...) STUB_##there(args)
#define _STUB(there, args...) __STUB(there, args)
#define STUB(macro, function, args...) \
	_STUB(__is_defined(HAVE_SYM_##function), macro, function, args)

/*
 * One for a function that is not exported: the call is a static call, which
 * hook_direct.c aims when it has found the address.  (objtool wants to see the
 * key of it; C code has the same line.)
 */
.macro NEEDS_KEY function
	.pushsection .discard.addressable, "aw"
	.quad __SCK__allocprof_past_\function
	.popsection
.endm
#define STUB_FOUND(macro, function, args...) \
	NEEDS_KEY function; macro function, __SCT__allocprof_past_##function, args
/* Of which nothing but the entry is wanted: nothing is called. */
#define ENTER_STUB_FOUND(function, args...) ENTER_STUB function, 0, args

STUB(OBJECT_STUB, __kmalloc_noprof, HOOK_KMALLOC)
STUB(OBJECT_STUB, __kmalloc, HOOK_KMALLOC)
STUB(OBJECT_STUB, __kmalloc_node_noprof, HOOK_KMALLOC_NODE)
STUB(OBJECT_STUB, __kmalloc_node, HOOK_KMALLOC_NODE)
STUB(OBJECT_STUB, __kmalloc_node_track_caller_noprof, HOOK_KMALLOC_TRACK)
STUB(OBJECT_STUB, __kmalloc_node_track_caller, HOOK_KMALLOC_TRACK)
STUB(OBJECT_STUB, __kmalloc_track_caller, HOOK_KMALLOC_TRACK_CALLER)
STUB(OBJECT_STUB, __kmalloc_cache_noprof, HOOK_KMALLOC_CACHE)
STUB(OBJECT_STUB, kmalloc_trace_noprof, HOOK_KMALLOC_CACHE)
STUB(OBJECT_STUB, kmalloc_trace, HOOK_KMALLOC_CACHE)
STUB(OBJECT_STUB, kmem_cache_alloc_trace, HOOK_KMALLOC_CACHE)
STUB(OBJECT_STUB, __kmalloc_cache_node_noprof, HOOK_KMALLOC_CACHE_NODE)
STUB(OBJECT_STUB, kmalloc_node_trace_noprof, HOOK_KMALLOC_CACHE_NODE)
STUB(OBJECT_STUB, kmalloc_node_trace, HOOK_KMALLOC_CACHE_NODE)
STUB(OBJECT_STUB, kmem_cache_alloc_node_trace, HOOK_KMALLOC_CACHE_NODE)
STUB(OBJECT_STUB, _kmalloc_nolock_noprof, HOOK_KMALLOC_NOLOCK)
STUB(OBJECT_STUB, kmalloc_nolock_noprof, HOOK_KMALLOC_NOLOCK)
STUB(OBJECT_STUB, __kvmalloc_node_noprof, HOOK_KVMALLOC)
STUB(OBJECT_STUB, kmem_cache_alloc_noprof, HOOK_CACHE_ALLOC)
STUB(OBJECT_STUB, kmem_cache_alloc, HOOK_CACHE_ALLOC)
STUB(OBJECT_STUB, kmem_cache_alloc_lru_noprof, HOOK_CACHE_ALLOC_LRU)
STUB(OBJECT_STUB, kmem_cache_alloc_lru, HOOK_CACHE_ALLOC_LRU)
STUB(OBJECT_STUB, kmem_cache_alloc_node_noprof, HOOK_CACHE_ALLOC_NODE)
STUB(OBJECT_STUB, kmem_cache_alloc_node, HOOK_CACHE_ALLOC_NODE)
STUB(GENERAL_STUB, kmem_cache_alloc_bulk_noprof, HOOK_CACHE_ALLOC_BULK, allocprof_objects_exit)
STUB(GENERAL_STUB, kmem_cache_alloc_bulk, HOOK_CACHE_ALLOC_BULK, allocprof_objects_exit)
#ifdef HAVE_SLAB_SHEAVES
STUB_FOUND(OBJECT_STUB, __kmalloc_flags_noprof, HOOK_KMALLOC_FLAGS)
STUB_FOUND(OBJECT_STUB, kmem_cache_alloc_from_sheaf_noprof, HOOK_CACHE_ALLOC_SHEAF)
#endif

STUB(FREE1_STUB, kfree, HOOK_KFREE, objtable_free)
STUB(FREE1_STUB, kfree_nolock, HOOK_KFREE_NOLOCK, objtable_free)
STUB(FREE2_STUB, kmem_cache_free, HOOK_CACHE_FREE, objtable_free)
#ifdef HAVE_SLAB_SHEAVES
ENTER_STUB_FOUND(__kfree_rcu_sheaf, HOOK_KFREE_RCU_SHEAF, allocprof_object_enter_free)
#endif
STUB(ENTER_STUB, kmem_cache_free_bulk, HOOK_CACHE_FREE_BULK, allocprof_objects_enter_free)

STUB(PAGE_STUB, __alloc_frozen_pages_noprof, HOOK_PAGES)
STUB(PAGE_STUB, __alloc_pages_noprof, HOOK_PAGES)
STUB(PAGE_STUB, __alloc_pages, HOOK_PAGES)
STUB(PAGE_STUB, __alloc_pages_nodemask, HOOK_PAGES)
#ifdef HAVE_ALLOC_PAGES_NOLOCK
STUB_FOUND(GENERAL_STUB, alloc_frozen_pages_nolock_noprof, HOOK_PAGES_NOLOCK,
	   allocprof_pages_nolock_exit)
#endif
STUB(GENERAL_STUB, alloc_pages_bulk_noprof, HOOK_PAGES_BULK, allocprof_pages_bulk_exit,
     allocprof_pages_bulk_enter)
STUB(GENERAL_STUB, __alloc_pages_bulk, HOOK_PAGES_BULK, allocprof_pages_bulk_exit,
     allocprof_pages_bulk_enter)
STUB(GENERAL_STUB, alloc_pages_exact_noprof, HOOK_PAGES_EXACT, allocprof_pages_exact_exit)
STUB(GENERAL_STUB, alloc_pages_exact, HOOK_PAGES_EXACT, allocprof_pages_exact_exit)
STUB(ENTER_STUB, split_page, HOOK_SPLIT_PAGE, allocprof_split_page_enter)
ENTER_STUB_FOUND(folio_split_memcg_refs, HOOK_SPLIT_FOLIO, allocprof_split_folio_enter)
ENTER_STUB_FOUND(split_page_memcg, HOOK_SPLIT_FOLIO, allocprof_split_folio_enter)
STUB(ENTER_STUB, folio_migrate_flags, HOOK_MIGRATE, allocprof_migrate_enter)
STUB(ENTER_STUB, migrate_page_states, HOOK_MIGRATE, allocprof_migrate_enter)
STUB(GENERAL_STUB, alloc_contig_frozen_range_noprof, HOOK_CONTIG, allocprof_contig_exit)
STUB(GENERAL_STUB, alloc_contig_range_noprof, HOOK_CONTIG, allocprof_contig_exit)
STUB(GENERAL_STUB, alloc_contig_range, HOOK_CONTIG, allocprof_contig_exit)

STUB(GENERAL_STUB, pcpu_alloc_noprof, HOOK_PERCPU, allocprof_percpu_exit)
STUB(GENERAL_STUB, __alloc_percpu, HOOK_PERCPU, allocprof_percpu_exit)
STUB(GENERAL_STUB, __alloc_percpu_gfp, HOOK_PERCPU_GFP, allocprof_percpu_exit)
STUB(ENTER_STUB, free_percpu, HOOK_PERCPU_FREE, allocprof_percpu_enter_free)

/* Not called: what lies before it is in a stub. */
STUB_START allocprof_stub_end
	RET
SYM_FUNC_END(allocprof_stub_end)

	.section .note.GNU-stack, "", @progbits
