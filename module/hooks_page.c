// SPDX-License-Identifier: GPL-2.0
/*
 * The page hooks: where blocks leave the buddy allocator, change shape, and
 * come back.
 *
 * All single allocations, folios included, end in __alloc_pages(); bulk ones
 * take pages beside it.  Every free, whatever function it came through, passes
 * the event mm_page_free; the function around it is inlined into its callers.
 *
 * alloc_pages_exact() and split_page() turn one block into single pages; each
 * page counts as one allocation from then on, as in-tree.  On some kernels the
 * one calls the other.
 */
#include <linux/gfp.h>
#include <linux/migrate.h>
#include <linux/mm.h>

#include "hooks.h"
#include "hooks_proof.h"
#include "hooks_stubs.h"
#include "pfntable.h"

static bool ours(const struct page *page)
{
	return proof_is_ours(pfntable_owner(page));
}

static void pages_exit(unsigned long result, unsigned long ret, unsigned long *frame,
		       const unsigned long args[HOOK_ARGS])
{
	pfntable_alloc((struct page *)result, args[1], ret, frame);
}

#ifdef HAVE_ALLOC_PAGES_NOLOCK
/* alloc_frozen_pages_nolock(gfp, nid, order) */
void allocprof_pages_nolock_exit(unsigned long result, unsigned long ret, unsigned long *frame,
				 const unsigned long args[HOOK_ARGS])
{
	pfntable_alloc((struct page *)result, args[2], ret, frame);
}

/* It may decline: then all that is proven is that the hook was passed. */
static bool prove_pages_nolock(void)
{
	struct page *page = alloc_pages_nolock(0, NUMA_NO_NODE, 0);
	bool seen = page && ours(page);

	if (!page)
		return true;
	__free_page(page);
	return seen && !ours(page);
}

/* 7.3 comes by __alloc_frozen_pages().  What declines every time has shown nothing. */
static bool covered_pages_nolock(void)
{
	struct page *page = NULL;
	int tries;
	bool seen;

	for (tries = 0; tries < 100 && !page; tries++)
		page = alloc_pages_nolock(0, NUMA_NO_NODE, 0);
	seen = page && ours(page);
	if (page)
		__free_page(page);
	return seen;
}
#endif

/*
 * alloc_pages_bulk(gfp, nid, nodemask, nr_pages, array).  An array may
 * come partly filled.  Pages in it that have a record keep it; those without
 * get one that counts for nobody, so that what has no record afterwards is
 * new.  (The single page that the kernel may fall back to has been recorded
 * by __alloc_pages() then.)
 */
void allocprof_pages_bulk_enter(const unsigned long args[HOOK_ARGS])
{
	struct page **array = COMPAT_BULK_ARRAY(args);
	int i;

	for (i = 0; array && i < (int)args[3]; i++)
		if (array[i])
			pfntable_mark_uncounted(array[i]);
}

void allocprof_pages_bulk_exit(unsigned long result, unsigned long ret, unsigned long *frame,
			       const unsigned long args[HOOK_ARGS])
{
	struct list_head *list = COMPAT_BULK_LIST(args);
	struct page **array = COMPAT_BULK_ARRAY(args);
	struct page *page;
	int i, new = result;

	for (i = 0; array && i < (int)args[3]; i++)
		if (array[i] && !pfntable_recorded(array[i]))
			pfntable_alloc(array[i], 0, ret, frame);
	if (!list)
		return;
	/* New pages are put in front, and the result says how many. */
	list_for_each_entry(page, list, lru) {
		if (new-- <= 0)
			break;
		if (!pfntable_recorded(page))
			pfntable_alloc(page, 0, ret, frame);
	}
}

/* alloc_pages_exact(size, gfp): what it did not give back is single pages. */
void allocprof_pages_exact_exit(unsigned long result, unsigned long ret, unsigned long *frame,
				const unsigned long args[HOOK_ARGS])
{
	if (result)
		pfntable_split(PHYS_PFN(__pa(result)), DIV_ROUND_UP(args[0], PAGE_SIZE), 0);
}

/* split_page(page, order) */
void allocprof_split_page_enter(const unsigned long args[HOOK_ARGS])
{
	pfntable_split(page_to_pfn((struct page *)args[0]), 1UL << (u32)args[1], 0);
}

/* folio_split_memcg_refs(folio, old_order, new_order): no folio is split without it. */
void allocprof_split_folio_enter(const unsigned long args[HOOK_ARGS])
{
	unsigned long pfn = page_to_pfn((struct page *)args[0]);

	if (COMPAT_SPLIT_FOLIO_BY_ORDER)
		pfntable_split(pfn, 1UL << (u32)args[1], args[2]);
	else
		pfntable_split(pfn, (u32)args[1], 0);
}

/* folio_migrate_flags(new, old): the last step of moving a folio. */
void allocprof_migrate_enter(const unsigned long args[HOOK_ARGS])
{
	struct page *new = (struct page *)args[0], *old = (struct page *)args[1];

	/* A device's memory is not the page allocator's; what leaves ours is freed there. */
	if (is_zone_device_page(new) || is_zone_device_page(old))
		return;
	pfntable_swap(page_to_pfn(new), page_to_pfn(old), compound_order(old));
}

/* alloc_contig_range(start, end, migratetype, gfp): 0, and the range is the caller's. */
void allocprof_contig_exit(unsigned long result, unsigned long ret, unsigned long *frame,
			   const unsigned long args[HOOK_ARGS])
{
	if (!(int)result)
		pfntable_alloc_range(args[0], args[1] - args[0], ret, frame);
}

static bool prove_pages(void)
{
	struct page *page = alloc_pages(GFP_KERNEL, 1);
	bool seen = page && ours(page);

	if (!page)
		return false;
	__free_pages(page, 1);
	return seen && !ours(page);
}

/* Also where alloc_pages() is not hooked: then the record is made here. */
static bool prove_page_free(void)
{
	struct page *page = alloc_pages(GFP_KERNEL, 1);
	bool seen;

	if (!page)
		return false;
	if (!ours(page))
		pfntable_alloc(page, 1, _THIS_IP_, NULL);
	seen = ours(page);
	__free_pages(page, 1);
	return seen && !ours(page);
}

#ifdef HAVE_ALLOC_PAGES_BULK
static bool prove_pages_bulk(void)
{
	struct page *pages[4] = {};
	bool seen = true;
	int i, n;

	n = alloc_pages_bulk(GFP_KERNEL, ARRAY_SIZE(pages), pages);
	for (i = 0; i < n; i++)
		seen &= ours(pages[i]);
	for (i = 0; i < n; i++)
		__free_page(pages[i]);
	for (i = 0; i < n; i++)
		seen &= !ours(pages[i]);
	return n && seen;
}
#endif

static bool prove_pages_exact(void)
{
	void *p = alloc_pages_exact(2 * PAGE_SIZE, GFP_KERNEL);
	bool seen;

	if (!p)
		return false;
	seen = ours(virt_to_page(p)) && ours(virt_to_page(p) + 1);
	free_pages_exact(p, 2 * PAGE_SIZE);
	return seen;
}

static bool prove_split_page(void)
{
	struct page *page = alloc_pages(GFP_KERNEL, 1);
	bool seen;

	if (!page)
		return false;
	split_page(page, 1);
	seen = ours(page) && ours(page + 1);
	__free_page(page);
	__free_page(page + 1);
	return seen;
}

/* Names, newest kernel first; only those that this kernel exports are here. */
static const struct hook_symbol pages_symbols[] = {
	HOOK_SYMBOL(__alloc_frozen_pages_noprof)
	HOOK_SYMBOL(__alloc_pages_noprof)
	HOOK_SYMBOL(__alloc_pages)
	HOOK_SYMBOL(__alloc_pages_nodemask)
	{} };
static const struct hook_symbol pages_exact_symbols[] = {
	HOOK_SYMBOL(alloc_pages_exact_noprof)
	HOOK_SYMBOL(alloc_pages_exact)
	{} };
static const struct hook_symbol split_page_symbols[] = { HOOK_SYMBOL(split_page) {} };
static const struct hook_symbol split_folio_symbols[] = {
	COMPAT_SPLIT_FOLIO_SYMBOL
	{} };
static const struct hook_symbol migrate_symbols[] = {
	HOOK_SYMBOL(folio_migrate_flags)
	HOOK_SYMBOL(migrate_page_states)
	{} };
static const struct hook_symbol contig_symbols[] = {
	HOOK_SYMBOL(alloc_contig_frozen_range_noprof)
	HOOK_SYMBOL(alloc_contig_range_noprof)
	HOOK_SYMBOL(alloc_contig_range)
	{} };

/* Paths that not every kernel has. */
#ifdef HAVE_ALLOC_PAGES_BULK
static const struct hook_symbol pages_bulk_symbols[] = {
	HOOK_SYMBOL(alloc_pages_bulk_noprof)
	HOOK_SYMBOL(__alloc_pages_bulk)
	{} };
#endif
#ifdef HAVE_ALLOC_PAGES_NOLOCK
static const struct hook_symbol pages_nolock_symbols[] = {
	HOOK_FOUND_PAST(alloc_frozen_pages_nolock_noprof)
	{} };
#elif defined(HAVE_ALLOC_PAGES_NOLOCK_2)
/* alloc_pages_nolock(nid, order) of 6.15 to 6.17, where nothing was tried: named as lost. */
static const struct hook_symbol pages_nolock_symbols[] = { {} };
#endif

struct allocprof_hook allocprof_page_hooks[] = {
	{ .id = HOOK_PAGES, .event = "pages", .symbols = pages_symbols, .exit = pages_exit,
	  .prove = prove_pages, .loss = "pages and folios, one block at a time" },
#ifdef HAVE_ALLOC_PAGES_NOLOCK
	{ .id = HOOK_PAGES_NOLOCK, .event = "pages_nolock", .symbols = pages_nolock_symbols,
	  .exit = allocprof_pages_nolock_exit, .covered = covered_pages_nolock,
	  .prove = prove_pages_nolock,
	  .loss = "alloc_pages_nolock(): BPF" },
#elif defined(HAVE_ALLOC_PAGES_NOLOCK_2)
	{ .id = HOOK_PAGES_NOLOCK, .event = "pages_nolock", .symbols = pages_nolock_symbols,
	  .exit = pages_exit, .loss = "alloc_pages_nolock(): BPF" },
#endif
#ifdef HAVE_ALLOC_PAGES_BULK
	{ .id = HOOK_PAGES_BULK, .event = "pages_bulk", .symbols = pages_bulk_symbols,
	  .enter = allocprof_pages_bulk_enter, .exit = allocprof_pages_bulk_exit,
	  .prove = prove_pages_bulk, .loss = "pages in bulk: vmalloc(), page pools, splice" },
#endif
	{ .id = HOOK_PAGES_EXACT, .event = "pages_exact", .symbols = pages_exact_symbols,
	  .exit = allocprof_pages_exact_exit, .covered = prove_pages_exact,
	  .prove = prove_pages_exact,
	  .loss = "calls of alloc_pages_exact() (its bytes are seen)" },
	{ .id = HOOK_SPLIT_PAGE, .event = "split_page", .symbols = split_page_symbols,
	  .enter = allocprof_split_page_enter, .prove = prove_split_page,
	  .loss = "calls after split_page() (its bytes are seen)" },
	{ .id = HOOK_SPLIT_FOLIO, .event = "split_folio", .symbols = split_folio_symbols,
	  .enter = allocprof_split_folio_enter,
	  .prove = COMPAT_SPLIT_PAGE_TOO ? prove_split_page : NULL,
	  .loss = "calls after the split of a large folio (its bytes are seen)" },
	/* Neither of the next two is proven: there is no folio of ours that may be moved. */
	{ .id = HOOK_MIGRATE, .event = "migrate", .symbols = migrate_symbols,
	  .enter = allocprof_migrate_enter,
	  .loss = "whose memory it is that compaction and the like have moved" },
	/* And a range would have to be emptied, at the cost of seconds. */
	{ .id = HOOK_CONTIG, .event = "contig", .symbols = contig_symbols,
	  .exit = allocprof_contig_exit,
	  .loss = "alloc_contig_range(): CMA, huge pages of a gigabyte, virtio-mem" },
	{ .id = HOOK_PAGE_FREE, .event = "page_free", .tracepoint = "mm_page_free",
	  .probe = pfntable_free_event, .prove = prove_page_free, .fatal = true,
	  .loss = "frees: live counts would only grow" },
};

const unsigned int allocprof_page_hooks_count = ARRAY_SIZE(allocprof_page_hooks);
