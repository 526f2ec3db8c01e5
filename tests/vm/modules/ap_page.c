// SPDX-License-Identifier: GPL-2.0
/*
 * ap_paths: every way to pages and back.
 */
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/vmalloc.h>

#include "ap.h"

#define AP_NP	8

/*
 * AP_PAGE(name, order, n, allocate, free): function `name` allocates n blocks
 * of the given order, `free` frees block p.
 */
#define AP_PAGE(nm, order, n, allocate, free)				\
static void *nm##_obj[n];						\
static AP_FN void *nm(void)						\
{									\
	return ap_keep((void *)(allocate));				\
}									\
static int nm##_alloc(void)						\
{									\
	int i;								\
									\
	for (i = 0; i < (n); i++) {					\
		nm##_obj[i] = nm();					\
		if (!nm##_obj[i])					\
			return -ENOMEM;					\
		ap_pages(#nm, 1, 1L << (order));			\
	}								\
	return 0;							\
}									\
static int nm##_free(void)						\
{									\
	int i;								\
									\
	for (i = 0; i < (n); i++) {					\
		void *p = nm##_obj[i];					\
									\
		free;							\
		ap_pages(#nm, -1, -(1L << (order)));			\
	}								\
	return 0;							\
}

#define AP_PAGE2(nm)	{ #nm, "page", 0, { nm##_alloc, nm##_free } }

/* The largest order; its name changed between releases, its value did not. */
#define AP_MAX_ORDER	10

AP_PAGE(ap_page_0, 0, AP_NP, alloc_page(GFP_KERNEL), __free_page(p))
AP_PAGE(ap_page_1, 1, AP_NP, alloc_pages(GFP_KERNEL, 1), __free_pages(p, 1))
AP_PAGE(ap_page_2, 2, AP_NP, alloc_pages(GFP_KERNEL, 2), __free_pages(p, 2))
AP_PAGE(ap_page_3, 3, AP_NP, alloc_pages(GFP_KERNEL, 3), __free_pages(p, 3))
AP_PAGE(ap_page_4, 4, AP_NP, alloc_pages(GFP_KERNEL, 4), __free_pages(p, 4))
AP_PAGE(ap_page_9, 9, 1, alloc_pages(GFP_KERNEL, 9), __free_pages(p, 9))
AP_PAGE(ap_page_max, AP_MAX_ORDER, 1, alloc_pages(GFP_KERNEL, AP_MAX_ORDER),
	__free_pages(p, AP_MAX_ORDER))
AP_PAGE(ap_page_var, 2, AP_NP, alloc_pages(GFP_KERNEL, ap_var(2)), __free_pages(p, 2))
AP_PAGE(ap_page_user, 0, AP_NP, alloc_page(GFP_HIGHUSER), put_page(p))
AP_PAGE(ap_page_acct, 1, AP_NP, alloc_pages(GFP_KERNEL_ACCOUNT, 1),
	__free_pages(p, 1))
AP_PAGE(ap_page_node, 1, AP_NP, alloc_pages_node(0, GFP_KERNEL, 1),
	__free_pages(p, 1))
AP_PAGE(ap_page_dma, 0, AP_NP, alloc_page(GFP_KERNEL | GFP_DMA32), __free_page(p))
AP_PAGE(ap_page_comp, 3, AP_NP, alloc_pages(GFP_KERNEL | __GFP_COMP, 3),
	__free_pages(p, 3))
/* A compound block goes with its last reference, whoever drops it. */
AP_PAGE(ap_page_comp_put, 3, AP_NP, alloc_pages(GFP_KERNEL | __GFP_COMP, 3),
	put_page(p))
#ifdef HAVE_ALLOC_PAGES_NOLOCK
AP_PAGE(ap_page_nolock, 1, AP_NP, alloc_pages_nolock(0, NUMA_NO_NODE, 1), __free_pages(p, 1))
#endif
#ifdef HAVE_FOLIO_ALLOC
AP_PAGE(ap_folio, 2, AP_NP, folio_alloc(GFP_KERNEL, 2), folio_put(p))
AP_PAGE(ap_folio_0, 0, AP_NP, folio_alloc(GFP_KERNEL, 0), folio_put(p))
#endif
AP_PAGE(ap_gfp, 0, AP_NP, __get_free_page(GFP_KERNEL), free_page((unsigned long)p))
AP_PAGE(ap_gfps, 3, AP_NP, __get_free_pages(GFP_KERNEL, 3),
	free_pages((unsigned long)p, 3))
AP_PAGE(ap_get_zeroed, 0, AP_NP, get_zeroed_page(GFP_KERNEL),
	free_page((unsigned long)p))

/* release_pages(): many references dropped in one call. */
static struct page *ap_release_obj[64];

static AP_FN struct page *ap_release(unsigned int order)
{
	return ap_keep(alloc_pages(GFP_KERNEL | __GFP_COMP, order));
}

static int ap_release_alloc(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ap_release_obj); i++) {
		unsigned int order = i % 4 ? 0 : 2;

		ap_release_obj[i] = ap_release(order);
		if (!ap_release_obj[i])
			return -ENOMEM;
		ap_pages("ap_release", 1, 1 << order);
	}
	return 0;
}

static int ap_release_free(void)
{
	release_pages(ap_release_obj, ARRAY_SIZE(ap_release_obj));
	ap_pages("ap_release", -64, -(48 + 16 * 4));
	return 0;
}

#ifdef HAVE_ALLOC_PAGES_BULK
/* alloc_pages_bulk: k pages are k calls. It may give fewer than asked. */
static struct page *ap_bulkp_obj[100];
static unsigned long ap_bulkp_nr;

static AP_FN unsigned long ap_bulkp(unsigned long n, struct page **array)
{
	unsigned long got = alloc_pages_bulk(GFP_KERNEL, n, array);

	barrier();
	return got;
}

static int ap_bulkp_alloc(void)
{
	memset(ap_bulkp_obj, 0, sizeof(ap_bulkp_obj));
	ap_bulkp_nr = ap_bulkp(ARRAY_SIZE(ap_bulkp_obj), ap_bulkp_obj);
	ap_pages("ap_bulkp", ap_bulkp_nr, ap_bulkp_nr);
	return ap_bulkp_nr > 1 ? 0 : -ENOMEM;
}

static int ap_bulkp_free(void)
{
	unsigned long i;

	for (i = 0; i < ap_bulkp_nr; i++)
		__free_page(ap_bulkp_obj[i]);
	ap_pages("ap_bulkp", -(long)ap_bulkp_nr, -(long)ap_bulkp_nr);
	return 0;
}

/*
 * Into an array with pages already in it: entries 0, 4, 8... are there from
 * another function, entries 1, 5, 9... from before the profiler was on. Only
 * the holes are new.
 */
#define AP_HOLES	32

static struct page *ap_holes_obj[AP_HOLES];
static bool ap_holes_new[AP_HOLES];

static AP_FN struct page *ap_holes_early(void)
{
	return ap_keep(alloc_page(GFP_KERNEL));
}

static AP_FN struct page *ap_holes_other(void)
{
	return ap_keep(alloc_page(GFP_KERNEL));
}

static AP_FN unsigned long ap_holes_bulk(unsigned long n, struct page **array)
{
	unsigned long got = alloc_pages_bulk(GFP_KERNEL, n, array);

	barrier();
	return got;
}

static int ap_holes_step0(void)
{
	unsigned int i;

	memset(ap_holes_obj, 0, sizeof(ap_holes_obj));
	for (i = 1; i < AP_HOLES; i += 4) {
		ap_holes_obj[i] = ap_holes_early();
		if (!ap_holes_obj[i])
			return -ENOMEM;
	}
	ap_pages("ap_holes_early", 0, 0);
	return 0;
}

static int ap_holes_step1(void)
{
	unsigned int i, want = 0, got = 0;

	for (i = 0; i < AP_HOLES; i += 4) {
		ap_holes_obj[i] = ap_holes_other();
		if (!ap_holes_obj[i])
			return -ENOMEM;
		ap_pages("ap_holes_other", 1, 1);
	}
	for (i = 0; i < AP_HOLES; i++) {
		ap_holes_new[i] = !ap_holes_obj[i];
		want += ap_holes_new[i];
	}
	/* It may stop early: ask again until the array is full. */
	for (i = 0; i < AP_HOLES && got < AP_HOLES; i++)
		got = ap_holes_bulk(AP_HOLES, ap_holes_obj);
	if (got != AP_HOLES)
		return -ENOMEM;
	ap_pages("ap_holes_bulk", want, want);
	return 0;
}

/* What the bulk call gave goes first; the others' accounts must not move. */
static int ap_holes_step2(void)
{
	unsigned int i;

	for (i = 0; i < AP_HOLES; i++) {
		if (!ap_holes_new[i])
			continue;
		__free_page(ap_holes_obj[i]);
		ap_pages("ap_holes_bulk", -1, -1);
	}
	return 0;
}

static int ap_holes_step3(void)
{
	unsigned int i;

	for (i = 0; i < AP_HOLES; i++)
		if (!ap_holes_new[i])
			__free_page(ap_holes_obj[i]);
	ap_pages("ap_holes_other", -AP_HOLES / 4, -AP_HOLES / 4);
	return 0;
}

#endif /* HAVE_ALLOC_PAGES_BULK */

#ifdef HAVE_ALLOC_PAGES_BULK_LIST
static LIST_HEAD(ap_bulk_list_head);

static AP_FN unsigned long ap_bulk_list(unsigned long n)
{
	unsigned long got = alloc_pages_bulk_list(GFP_KERNEL, n,
						  &ap_bulk_list_head);

	barrier();
	return got;
}

static int ap_bulk_list_alloc(void)
{
	unsigned long got = ap_bulk_list(50);

	ap_pages("ap_bulk_list", got, got);
	return got > 1 ? 0 : -ENOMEM;
}

static int ap_bulk_list_free(void)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, &ap_bulk_list_head, lru) {
		list_del(&page->lru);
		__free_page(page);
		ap_pages("ap_bulk_list", -1, -1);
	}
	return 0;
}
#endif

/* alloc_pages_exact: a block of the next order, split, the tail given back. */
#define AP_EXACT(nm, bytes)						\
static void *nm##_obj;							\
static AP_FN void *nm(void)						\
{									\
	return ap_keep(alloc_pages_exact(bytes, GFP_KERNEL));		\
}									\
static int nm##_alloc(void)						\
{									\
	nm##_obj = nm();						\
	if (!nm##_obj)							\
		return -ENOMEM;						\
	ap_pages(#nm, PFN_UP(bytes), PFN_UP(bytes));			\
	return 0;							\
}									\
static int nm##_free(void)						\
{									\
	free_pages_exact(nm##_obj, bytes);				\
	ap_pages(#nm, -(long)PFN_UP(bytes), -(long)PFN_UP(bytes));	\
	return 0;							\
}

AP_EXACT(ap_exact_1, 100)
AP_EXACT(ap_exact_3, 3 * PAGE_SIZE)
AP_EXACT(ap_exact_4, 4 * PAGE_SIZE)
AP_EXACT(ap_exact_5, 5 * PAGE_SIZE)
AP_EXACT(ap_exact_100, 100 * PAGE_SIZE - 5)

/*
 * split_page: one call becomes eight, the bytes stay. Freed half and half in
 * three orders: front to back, back to front, mixed.
 */
static const unsigned char ap_split_order[3][8] = {
	{ 0, 1, 2, 3, 4, 5, 6, 7 },
	{ 7, 6, 5, 4, 3, 2, 1, 0 },
	{ 5, 2, 7, 0, 4, 1, 6, 3 },
};
static struct page *ap_split_obj[3];

static AP_FN struct page *ap_split(void)
{
	return ap_keep(alloc_pages(GFP_KERNEL, 3));
}

static int ap_split_step0(void)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		ap_split_obj[i] = ap_split();
		if (!ap_split_obj[i])
			return -ENOMEM;
		ap_pages("ap_split", 1, 8);
	}
	return 0;
}

static int ap_split_step1(void)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		split_page(ap_split_obj[i], 3);
		ap_pages("ap_split", 7, 0);
	}
	return 0;
}

static int ap_split_some(unsigned int from, unsigned int to)
{
	unsigned int i, k;

	for (i = 0; i < 3; i++)
		for (k = from; k < to; k++) {
			__free_page(ap_split_obj[i] + ap_split_order[i][k]);
			ap_pages("ap_split", -1, -1);
		}
	return 0;
}

static int ap_split_step2(void)
{
	return ap_split_some(0, 1);
}

static int ap_split_step3(void)
{
	return ap_split_some(1, 5);
}

static int ap_split_step4(void)
{
	return ap_split_some(5, 8);
}

/*
 * __free_pages() of a non-compound block on which somebody still holds a
 * reference: the tails go at once, the head with the reference.
 */
static struct page *ap_heldref_obj[4];

static AP_FN struct page *ap_heldref(unsigned int order)
{
	return ap_keep(alloc_pages(GFP_KERNEL, order));
}

static int ap_heldref_step0(void)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		ap_heldref_obj[i] = ap_heldref(i);
		if (!ap_heldref_obj[i])
			return -ENOMEM;
		ap_pages("ap_heldref", 1, 1 << i);
	}
	return 0;
}

static int ap_heldref_step1(void)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		get_page(ap_heldref_obj[i]);
		__free_pages(ap_heldref_obj[i], i);
		ap_pages("ap_heldref", 0, -((1 << i) - 1));
	}
	return 0;
}

static int ap_heldref_step2(void)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		put_page(ap_heldref_obj[i]);
		ap_pages("ap_heldref", -1, -1);
	}
	return 0;
}

/* A compound block with extra references: nothing until the last one. */
static struct page *ap_comp_ref_obj;

static AP_FN struct page *ap_comp_ref(void)
{
	return ap_keep(alloc_pages(GFP_KERNEL | __GFP_COMP, 3));
}

static int ap_comp_ref_step0(void)
{
	ap_comp_ref_obj = ap_comp_ref();
	if (!ap_comp_ref_obj)
		return -ENOMEM;
	ap_pages("ap_comp_ref", 1, 8);
	return 0;
}

static int ap_comp_ref_step1(void)
{
	get_page(ap_comp_ref_obj + 5);
	__free_pages(ap_comp_ref_obj, 3);
	return 0;
}

static int ap_comp_ref_step2(void)
{
	put_page(ap_comp_ref_obj + 5);
	ap_pages("ap_comp_ref", -1, -8);
	return 0;
}

/* vmap: address space only; the pages stay with who allocated them. */
static struct page *ap_vmap_page[AP_NP];
static void *ap_vmap_obj;

static AP_FN struct page *ap_vmap_pages(void)
{
	return ap_keep(alloc_page(GFP_KERNEL));
}

static AP_FN void *ap_vmap(void)
{
	return ap_keep(vmap(ap_vmap_page, AP_NP, VM_MAP, PAGE_KERNEL));
}

static int ap_vmap_step0(void)
{
	unsigned int i;

	for (i = 0; i < AP_NP; i++) {
		ap_vmap_page[i] = ap_vmap_pages();
		if (!ap_vmap_page[i])
			return -ENOMEM;
		ap_pages("ap_vmap_pages", 1, 1);
	}
	ap_vmap_obj = ap_vmap();
	ap_pages("ap_vmap", 0, 0);
	return ap_vmap_obj ? 0 : -ENOMEM;
}

static int ap_vmap_step1(void)
{
	vunmap(ap_vmap_obj);
	return 0;
}

static int ap_vmap_step2(void)
{
	unsigned int i;

	for (i = 0; i < AP_NP; i++) {
		__free_page(ap_vmap_page[i]);
		ap_pages("ap_vmap_pages", -1, -1);
	}
	return 0;
}

/*
 * From before the profiler was on: single pages, a block that is split only
 * afterwards, one that is freed under a held reference, an exact range.
 */
static struct page *ap_earlyp_obj[AP_NP], *ap_earlyp_split, *ap_earlyp_held;
static void *ap_earlyp_exact;

static AP_FN struct page *ap_earlyp(unsigned int order)
{
	return ap_keep(alloc_pages(GFP_KERNEL, order));
}

static AP_FN void *ap_earlyp_range(void)
{
	return ap_keep(alloc_pages_exact(5 * PAGE_SIZE, GFP_KERNEL));
}

static int ap_earlyp_step0(void)
{
	unsigned int i;

	for (i = 0; i < AP_NP; i++) {
		ap_earlyp_obj[i] = ap_earlyp(i % 3);
		if (!ap_earlyp_obj[i])
			return -ENOMEM;
	}
	ap_earlyp_split = ap_earlyp(3);
	ap_earlyp_held = ap_earlyp(3);
	ap_earlyp_exact = ap_earlyp_range();
	ap_pages("ap_earlyp", 0, 0);
	ap_pages("ap_earlyp_range", 0, 0);
	return ap_earlyp_split && ap_earlyp_held && ap_earlyp_exact ? 0 :
								      -ENOMEM;
}

static int ap_earlyp_step1(void)
{
	unsigned int i;

	split_page(ap_earlyp_split, 3);
	for (i = 0; i < 8; i++)
		__free_page(ap_earlyp_split + ap_split_order[2][i]);
	get_page(ap_earlyp_held);
	__free_pages(ap_earlyp_held, 3);
	put_page(ap_earlyp_held);
	free_pages_exact(ap_earlyp_exact, 5 * PAGE_SIZE);
	for (i = 0; i < AP_NP; i++)
		__free_pages(ap_earlyp_obj[i], i % 3);
	return 0;
}

#ifdef CONFIG_CONTIG_ALLOC
/*
 * alloc_contig_range: single pages out of the middle of free memory, taken
 * where a large block has just been free; given back in two parts.
 */
#define AP_CONTIG	48
static unsigned long ap_contig_pfn;

static AP_FN int ap_contig(unsigned long pfn)
{
	return ap_keep(alloc_contig_range(pfn, pfn + AP_CONTIG, MIGRATE_MOVABLE, GFP_KERNEL));
}

static int ap_contig_step0(void)
{
	unsigned int tries;
	struct page *page;

	for (tries = 0; tries < 300; tries++) {
		/* The largest block: older kernels take it out of use as a whole for that. */
		page = alloc_pages(GFP_KERNEL | __GFP_NOWARN, 10);
		if (!page) {
			msleep(20);
			continue;
		}
		ap_contig_pfn = page_to_pfn(page) + 7;
		__free_pages(page, 10);
		if (ap_contig(ap_contig_pfn))
			continue;
		ap_pages("ap_contig", AP_CONTIG, AP_CONTIG);
		return 0;
	}
	ap_contig_pfn = 0;
	return -EBUSY;
}

static int ap_contig_step1(void)
{
	if (!ap_contig_pfn)
		return -EINVAL;
	free_contig_range(ap_contig_pfn, 15);
	ap_pages("ap_contig", -15, -15);
	return 0;
}

static int ap_contig_step2(void)
{
	if (!ap_contig_pfn)
		return -EINVAL;
	free_contig_range(ap_contig_pfn + 15, AP_CONTIG - 15);
	ap_pages("ap_contig", 15 - AP_CONTIG, 15 - AP_CONTIG);
	return 0;
}
#endif

const struct ap_path ap_page_paths[] = {
#ifdef CONFIG_CONTIG_ALLOC
	{ "ap_contig", "page", 0, { ap_contig_step0, ap_contig_step1, ap_contig_step2 } },
#endif
	{ "ap_earlyp", "early", AP_EARLY, { ap_earlyp_step0, ap_earlyp_step1 } },
#ifdef HAVE_ALLOC_PAGES_BULK
	{ "ap_holes", "early", AP_EARLY,
	  { ap_holes_step0, ap_holes_step1, ap_holes_step2, ap_holes_step3 } },
#endif
	AP_PAGE2(ap_page_0), AP_PAGE2(ap_page_1), AP_PAGE2(ap_page_2),
	AP_PAGE2(ap_page_3), AP_PAGE2(ap_page_4), AP_PAGE2(ap_page_9),
	AP_PAGE2(ap_page_max), AP_PAGE2(ap_page_var), AP_PAGE2(ap_page_user),
	AP_PAGE2(ap_page_acct), AP_PAGE2(ap_page_node), AP_PAGE2(ap_page_dma),
	AP_PAGE2(ap_page_comp), AP_PAGE2(ap_page_comp_put),
#ifdef HAVE_ALLOC_PAGES_NOLOCK
	AP_PAGE2(ap_page_nolock),
#endif
#ifdef HAVE_FOLIO_ALLOC
	AP_PAGE2(ap_folio), AP_PAGE2(ap_folio_0),
#endif
	AP_PAGE2(ap_gfp),
	AP_PAGE2(ap_gfps), AP_PAGE2(ap_get_zeroed),
	{ "ap_release", "page", 0, { ap_release_alloc, ap_release_free } },
#ifdef HAVE_ALLOC_PAGES_BULK
	{ "ap_bulkp", "page", 0, { ap_bulkp_alloc, ap_bulkp_free } },
#endif
#ifdef HAVE_ALLOC_PAGES_BULK_LIST
	{ "ap_bulk_list", "page", 0,
	  { ap_bulk_list_alloc, ap_bulk_list_free } },
#endif
	AP_PAGE2(ap_exact_1), AP_PAGE2(ap_exact_3), AP_PAGE2(ap_exact_4),
	AP_PAGE2(ap_exact_5), AP_PAGE2(ap_exact_100),
	{ "ap_split", "page", 0,
	  { ap_split_step0, ap_split_step1, ap_split_step2, ap_split_step3,
	    ap_split_step4 } },
	{ "ap_heldref", "page", 0,
	  { ap_heldref_step0, ap_heldref_step1, ap_heldref_step2 } },
	{ "ap_comp_ref", "page", 0,
	  { ap_comp_ref_step0, ap_comp_ref_step1, ap_comp_ref_step2 } },
	{ "ap_vmap", "page", 0,
	  { ap_vmap_step0, ap_vmap_step1, ap_vmap_step2 } },
	{ }
};
