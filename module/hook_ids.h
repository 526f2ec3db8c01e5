/* SPDX-License-Identifier: GPL-2.0 */
/* One number a hook, shared by the C tables and the assembly stubs. */
#ifndef _ALLOCPROF_HOOK_IDS_H
#define _ALLOCPROF_HOOK_IDS_H

#define HOOK_KMALLOC		0
#define HOOK_KMALLOC_NODE	1
#define HOOK_KMALLOC_TRACK	2
#define HOOK_KMALLOC_CACHE	3
#define HOOK_KMALLOC_CACHE_NODE	4
#define HOOK_CACHE_ALLOC	5
#define HOOK_CACHE_ALLOC_LRU	6
#define HOOK_CACHE_ALLOC_NODE	7
#define HOOK_CACHE_ALLOC_BULK	8
#define HOOK_KFREE		9
#define HOOK_CACHE_FREE		10
#define HOOK_CACHE_FREE_BULK	11
#define HOOK_PAGES		12
#define HOOK_PAGES_BULK		13
#define HOOK_PAGES_EXACT	14
#define HOOK_SPLIT_PAGE		15
#define HOOK_PAGE_FREE		16
#define HOOK_SPLIT_FOLIO	17
#define HOOK_MIGRATE		18
#define HOOK_CONTIG		19
#define HOOK_PERCPU		20
#define HOOK_PERCPU_GFP		21
#define HOOK_PERCPU_FREE	22
#define HOOK_COUNT		23

#endif /* _ALLOCPROF_HOOK_IDS_H */
