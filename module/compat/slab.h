/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kmem_cache_alloc_bulk() returns a bool from 7.2 on, of which a register's
 * low byte is defined; the number of objects, an int, before.
 * alloc_pages_bulk() had an array in its name until 6.14, and beside it a list.
 */
#ifndef _ALLOCPROF_COMPAT_SLAB_H
#define _ALLOCPROF_COMPAT_SLAB_H

#include <linux/gfp.h>
#include <linux/slab.h>

#ifdef HAVE_KMEM_CACHE_ALLOC_BULK_BOOL
#define compat_bulk_succeeded(result) ((u8)(result) != 0)
#else
#define compat_bulk_succeeded(result) ((u32)(result) != 0)
#endif

#if defined(HAVE_ALLOC_PAGES_BULK_ARRAY) && !defined(HAVE_ALLOC_PAGES_BULK)
#define HAVE_ALLOC_PAGES_BULK 1
#define alloc_pages_bulk alloc_pages_bulk_array
#endif

/* Where alloc_pages_bulk_noprof(gfp, nid, nodemask, nr_pages, [list,] array) has its array. */
#ifdef HAVE_ALLOC_PAGES_BULK_LIST
#define COMPAT_BULK_LIST(args)	((struct list_head *)(args)[4])
#define COMPAT_BULK_ARRAY(args)	((struct page **)(args)[5])
#else
#define COMPAT_BULK_LIST(args)	((struct list_head *)NULL)
#define COMPAT_BULK_ARRAY(args)	((struct page **)(args)[4])
#endif

#endif /* _ALLOCPROF_COMPAT_SLAB_H */
