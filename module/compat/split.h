/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every split of a folio passes: the memory controller's part of it.
 * folio_split_memcg_refs(folio, old_order, new_order) is that from 6.18 on;
 * before, split_page_memcg(), which split_page() passes too: (page, old_order,
 * new_order) from 6.9 on, (page, pages), to single ones, until then.
 */
#ifndef _ALLOCPROF_COMPAT_SPLIT_H
#define _ALLOCPROF_COMPAT_SPLIT_H

#if defined(HAVE_FOLIO_SPLIT_MEMCG_REFS)
#define COMPAT_SPLIT_FOLIO_SYMBOL	HOOK_FOUND(folio_split_memcg_refs)
#define COMPAT_SPLIT_FOLIO_BY_ORDER	true
#define COMPAT_SPLIT_PAGE_TOO		false
#elif defined(HAVE_SPLIT_PAGE_MEMCG_ORDERS)
#define COMPAT_SPLIT_FOLIO_SYMBOL	HOOK_FOUND(split_page_memcg)
#define COMPAT_SPLIT_FOLIO_BY_ORDER	true
#define COMPAT_SPLIT_PAGE_TOO		true
#elif defined(HAVE_SPLIT_PAGE_MEMCG_PAGES)
#define COMPAT_SPLIT_FOLIO_SYMBOL	HOOK_FOUND(split_page_memcg)
#define COMPAT_SPLIT_FOLIO_BY_ORDER	false
#define COMPAT_SPLIT_PAGE_TOO		true
#else	/* none that is known */
#define COMPAT_SPLIT_FOLIO_SYMBOL
#define COMPAT_SPLIT_FOLIO_BY_ORDER	true
#define COMPAT_SPLIT_PAGE_TOO		false
#endif

#endif /* _ALLOCPROF_COMPAT_SPLIT_H */
