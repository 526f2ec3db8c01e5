// SPDX-License-Identifier: GPL-2.0
/* The page table, by its interface, and against a plain reference. */
#include <stdlib.h>

#include <linux/memory.h>

#include "unit.h"

static struct page *page(unsigned long pfn)
{
	return pfn_to_page(pfn);
}

static void record(unsigned long pfn, unsigned int order, unsigned long ret)
{
	CHECK(pfntable_alloc(page(pfn), order, ret, NULL) == page(pfn));
}

static void forget(unsigned long pfn, unsigned int order)
{
	pfntable_free_event(NULL, page(pfn), order);
}

static void every_order(void)
{
	unsigned int order;

	for (order = 0; order < COMPAT_ORDERS; order++)
		record((order + 1UL) << 11, order, SITE(1));
	CHECK_EQ(page_calls(SITE(1)), COMPAT_ORDERS);
	CHECK_EQ(page_bytes(SITE(1)), PAGE_SIZE * ((1 << COMPAT_ORDERS) - 1));
	for (order = 0; order < COMPAT_ORDERS; order++) {
		struct allocprof_tag *tag = pfntable_owner(page((order + 1UL) << 11));

		CHECK(tag && tag_order(tag) == order);
		CHECK(pfntable_recorded(page(((order + 1UL) << 11) + (1UL << order) - 1)));
		forget((order + 1UL) << 11, order);
		CHECK_EQ(page_bytes(SITE(1)), PAGE_SIZE * ((2 << MAX_PAGE_ORDER) - (2 << order)));
	}
	check_all_zero();
	check_table_empty();
	CHECK_EQ(per_cpu(allocprof_hook_counts, 0)[HOOK_PAGE_FREE].entered, COMPAT_ORDERS);
	CHECK_EQ(lost_total(), 0);
}

static void not_a_page(void)
{
	CHECK(!pfntable_alloc(NULL, 0, SITE(1), NULL));
	CHECK_EQ(lost_total(), 0);
	/* Added after boot. */
	record(SIM_RAM_PAGES, 0, SITE(1));
	CHECK_EQ(lost(LOST_BEYOND_PAGES), 1);
	CHECK(!pfntable_owner(page(SIM_RAM_PAGES)));
	CHECK(!pfntable_recorded(page(SIM_RAM_PAGES)));
	pfntable_mark_uncounted(page(SIM_RAM_PAGES));
	pfntable_mark_uncounted(NULL);
	forget(SIM_RAM_PAGES, 0);
	/* Never seen. */
	forget(77, 0);
	forget(1024, 10);
	pfntable_split(512, 512, 0);
	/* A block across the end of what we know. */
	forget(SIM_RAM_PAGES - 1024, 10);
	pfntable_split(SIM_RAM_PAGES - 8, 16, 0);
	CHECK_EQ(lost_total(), 1);
	check_all_zero();
	check_table_empty();
}

static void init(void)
{
	/* All RAM, and not what is no RAM. */
	CHECK_EQ(allocprof_pfns, SIM_RAM_PAGES);
	CHECK_EQ(pfnmem_bytes(), SIM_RAM_PAGES * 4 + SIM_RAM_PAGES * 4 / PAGE_SIZE * 16);
	pfnmem_exit();
	CHECK_EQ(sim_vmalloc_out, 0);
	CHECK_EQ(sim_frames_out, 0);
	sim_fail_after = 0;
	CHECK_EQ(pfnmem_init(), -ENOMEM);
	CHECK_EQ(pfnmem_bytes(), 0);
	/* With no table, nothing is touched. */
	record(1, 0, SITE(1));
	forget(1, 0);
	pfntable_split(0, 8, 0);
	objtable_free(__va(PFN_PHYS(1)));
	CHECK_EQ(lost_total(), 1);
}

/* All ways to free an order-3 block in two steps: a piece, then the rest as single pages. */
static void parts(void)
{
	unsigned int order, i, calls;
	unsigned long off;

	for (order = 0; order <= 3; order++)
		for (off = 0; off < 8; off += 1UL << order) {
			record(64, 3, SITE(1));
			forget(64 + off, order);
			CHECK_EQ(page_bytes(SITE(1)), (8 - (1 << order)) * PAGE_SIZE);
			/* Cut in halves: one record an order. */
			CHECK_EQ(page_calls(SITE(1)), 3 - order);
			for (i = 0, calls = 0; i < 8; i++) {
				if (i >= off && i < off + (1U << order))
					continue;
				forget(64 + i, 0);
				calls++;
				CHECK_EQ(page_bytes(SITE(1)),
					 (8 - (1 << order) - calls) * PAGE_SIZE);
			}
			check_all_zero();
		}
	check_table_empty();
	CHECK_EQ(lost_total(), 0);
}

static void split_page(void)
{
	unsigned int order, i;

	for (order = 0; order < COMPAT_ORDERS; order++) {
		record(4096, order, SITE(1));
		record(4096 + (1UL << order), 0, SITE(2));
		pfntable_split(4096, 1UL << order, 0);
		CHECK_EQ(page_calls(SITE(1)), 1 << order);
		CHECK_EQ(page_bytes(SITE(1)), PAGE_SIZE << order);
		CHECK_EQ(page_calls(SITE(2)), 1);
		for (i = 0; i < 1U << order; i++)
			CHECK_EQ(tag_order(pfntable_owner(page(4096 + i))), 0);
		for (i = 1U << order; i--;)
			forget(4096 + i, 0);
		forget(4096 + (1UL << order), 0);
		check_all_zero();
	}
	check_table_empty();
	CHECK_EQ(lost_total(), 0);
}

/* alloc_pages_exact(): a block, its tail given back, the rest single pages. */
static void exact(void)
{
	unsigned int npages, order, i, by_split;

	for (npages = 1; npages <= 64; npages++)
		for (by_split = 0; by_split < 2; by_split++) {
			for (order = 0; 1U << order < npages; order++)
				;
			record(8192, order, SITE(1));
			if (by_split)
				pfntable_split(8192, 1UL << order, 0);
			for (i = npages; i < 1U << order; i++)
				forget(8192 + i, 0);
			pfntable_split(8192, npages, 0);
			CHECK_EQ(page_calls(SITE(1)), npages);
			CHECK_EQ(page_bytes(SITE(1)), npages * PAGE_SIZE);
			for (i = 0; i < npages; i++)
				forget(8192 + i, 0);
			check_all_zero();
		}
	check_table_empty();
	CHECK_EQ(lost_total(), 0);
}

/* One record there, and none in the rest of the block. */
static void check_block(unsigned long pfn, unsigned int order, unsigned long ret)
{
	struct allocprof_tag *tag = pfntable_owner(page(pfn));
	unsigned long i;

	CHECK(tag && tag->key == (tag_key_order(order) | (u32)ret));
	for (i = 1; i < 1UL << order; i++)
		CHECK(!pfntable_owner(page(pfn + i)));
}

/* A large folio becomes smaller ones, which are split again later. */
static void split_folio(void)
{
	unsigned int from, order;
	unsigned long i;

	for (from = 2; from < COMPAT_ORDERS; from++) {
		record(4096, from, SITE(1));
		record(4096 + (1UL << from), 0, SITE(2));
		for (order = from; --order > 0;) {
			pfntable_split(4096, 1UL << from, order);
			CHECK_EQ(page_calls(SITE(1)), 1 << (from - order));
			CHECK_EQ(page_bytes(SITE(1)), PAGE_SIZE << from);
			CHECK_EQ(page_calls(SITE(2)), 1);
			for (i = 0; i < 1UL << from; i += 1UL << order)
				check_block(4096 + i, order, SITE(1));
		}
		for (i = 0; i < 1UL << from; i += 2) {
			CHECK_EQ(page_bytes(SITE(1)), (PAGE_SIZE << from) - i * PAGE_SIZE);
			forget(4096 + i, 1);
		}
		forget(4096 + (1UL << from), 0);
		check_all_zero();
		/* At once by several orders, and not at all. */
		record(4096, from, SITE(1));
		pfntable_split(4096, 1UL << from, from);
		check_block(4096, from, SITE(1));
		pfntable_split(4096, 1UL << from, 1);
		CHECK_EQ(page_calls(SITE(1)), 1 << (from - 1));
		for (i = 0; i < 1UL << from; i += 2)
			check_block(4096 + i, 1, SITE(1));
		forget(4096, from);
		check_all_zero();
	}
	/* Records that are smaller already stay as they are. */
	for (i = 0; i < 8; i += 2)
		record(64 + i, 1, SITE(1));
	pfntable_split(64, 8, 2);
	CHECK_EQ(page_calls(SITE(1)), 4);
	for (i = 0; i < 8; i += 2) {
		check_block(64 + i, 1, SITE(1));
		forget(64 + i, 1);
	}
	check_all_zero();
	check_table_empty();
	CHECK_EQ(lost_total(), 0);
}

/* The block was split unseen, and then a piece of it is. */
static void split_of_a_piece(void)
{
	const unsigned int from = 5;
	unsigned int whole, order;
	unsigned long off, i;

	for (whole = 1; whole < from; whole++)
		for (order = 0; order < whole; order++)
			for (off = 0; off < 1UL << from; off += 1UL << whole) {
				record(4096, from, SITE(1));
				pfntable_split(4096 + off, 1UL << whole, order);
				CHECK_EQ(page_bytes(SITE(1)), PAGE_SIZE << from);
				/* Cut in halves down to the piece, and then evenly. */
				CHECK_EQ(page_calls(SITE(1)),
					 from - whole + (1 << (whole - order)));
				for (i = 0; i < 1UL << whole; i += 1UL << order)
					check_block(4096 + off + i, order, SITE(1));
				for (i = 0; i < 1UL << whole; i += 1UL << order)
					forget(4096 + off + i, order);
				CHECK_EQ(page_bytes(SITE(1)),
					 (PAGE_SIZE << from) - (PAGE_SIZE << whole));
				CHECK_EQ(page_calls(SITE(1)), from - whole);
				for (i = 0; i < 1UL << from; i++)
					forget(4096 + i, 0);
				check_all_zero();
			}
	check_table_empty();
	CHECK_EQ(lost_total(), 0);
}

/* A folio moves from one block to another, recorded both, either, or none. */
static void swaps(void)
{
	unsigned int order, known;

	for (order = 0; order < COMPAT_ORDERS; order++)
		for (known = 0; known < 4; known++) {
			unsigned int old = known & 1, new = known >> 1;

			if (old)
				record(4096, order, SITE(1));
			if (new)
				record(8192, order, SITE(2));
			pfntable_swap(8192, 4096, order);
			CHECK_EQ(page_bytes(SITE(1)), old * PAGE_SIZE << order);
			CHECK_EQ(page_bytes(SITE(2)), new * PAGE_SIZE << order);
			CHECK_EQ(pfntable_recorded(page(4096)), new);
			CHECK_EQ(pfntable_recorded(page(8192)), old);
			forget(4096, order);
			CHECK_EQ(page_calls(SITE(1)), old);
			CHECK_EQ(page_calls(SITE(2)), 0);
			if (old)
				check_block(8192, order, SITE(1));
			forget(8192, order);
			check_all_zero();
			check_table_empty();
		}
	CHECK_EQ(lost_total(), 0);
}

/* Around and around; where it has been, others are. */
static void swap_repeated(void)
{
	unsigned int round;

	record(64, 2, SITE(0));
	for (round = 1; round < 100; round++) {
		unsigned long from = 64 * round, to = from + 64;

		record(to, 2, SITE(2));
		pfntable_swap(to, from, 2);
		forget(from, 2);
		record(from, 2, SITE(3));
		check_block(to, 2, SITE(0));
		CHECK_EQ(page_calls(SITE(0)), 1);
		CHECK_EQ(page_calls(SITE(2)), 0);
		CHECK_EQ(page_calls(SITE(3)), round);
	}
	/* There and back. */
	pfntable_swap(64 * 100, 64, 2);
	pfntable_swap(64 * 100, 64, 2);
	check_block(64 * 100, 2, SITE(0));
	check_block(64, 2, SITE(3));
	for (round = 1; round <= 100; round++)
		forget(64 * round, 2);
	check_all_zero();
	check_table_empty();
	CHECK_EQ(lost_total(), 0);
}

/* A piece of a block that was split unseen moves; so does one to a place inside of the same block. */
static void swap_pieces(void)
{
	unsigned int order, i;
	unsigned long off;

	for (order = 0; order < 3; order++)
		for (off = 0; off < 8; off += 1UL << order) {
			record(64, 3, SITE(1));
			record(128, order, SITE(2));
			pfntable_swap(128, 64 + off, order);
			CHECK_EQ(page_bytes(SITE(1)), 8 * PAGE_SIZE);
			CHECK_EQ(page_calls(SITE(1)), 3 - order + 1);
			check_block(128, order, SITE(1));
			check_block(64 + off, order, SITE(2));
			forget(64 + off, order);
			CHECK_EQ(page_bytes(SITE(1)), 8 * PAGE_SIZE);
			CHECK_EQ(page_bytes(SITE(2)), 0);
			for (i = 0; i < 8; i++)
				forget(64 + i, 0);
			CHECK_EQ(page_bytes(SITE(1)), PAGE_SIZE << order);
			forget(128, order);
			check_all_zero();

			/* The other way: the new one is the piece, the old one has no record. */
			record(64, 3, SITE(1));
			pfntable_swap(64 + off, 128, order);
			CHECK(!pfntable_recorded(page(64 + off)));
			forget(128, order);
			CHECK_EQ(page_bytes(SITE(1)), (8 - (1 << order)) * PAGE_SIZE);
			forget(64, 3);
			check_all_zero();

			record(64, 3, SITE(1));
			pfntable_swap(64 + off, 64 + (off ^ 4), order);
			CHECK_EQ(page_bytes(SITE(1)), 8 * PAGE_SIZE);
			check_block(64 + off, order, SITE(1));
			check_block(64 + (off ^ 4), order, SITE(1));
			for (i = 8; i--;) {
				forget(64 + i, 0);
				CHECK_EQ(page_bytes(SITE(1)), i * PAGE_SIZE);
			}
			check_all_zero();
		}
	check_table_empty();
	CHECK_EQ(lost_total(), 0);
}

/*
 * A folio put together from pages with a record each, as a huge page of
 * alloc_contig_range() is on older kernels: all of them move.
 */
static void swap_many_records(void)
{
	unsigned int i;

	for (i = 0; i < 8; i++)
		record(64 + i, 0, SITE(i));
	record(128, 3, SITE(20));
	pfntable_swap(128, 64, 3);
	for (i = 0; i < 8; i++)
		check_block(128 + i, 0, SITE(i));
	check_block(64, 3, SITE(20));
	forget(64, 3);
	for (i = 0; i < 8; i++) {
		CHECK_EQ(page_bytes(SITE(i)), PAGE_SIZE);
		forget(128 + i, 0);
		CHECK_EQ(page_bytes(SITE(i)), 0);
	}
	check_all_zero();
	check_table_empty();
	CHECK_EQ(lost_total(), 0);
}

/* What must not happen, and does no harm: a slab that moves, memory that we have no table for. */
static void swap_refused(void)
{
	struct kmem_cache cache = { .size = 128 };
	unsigned int way;

	for (way = 0; way < 2; way++) {
		record(64, 1, SITE(1));
		sim_slab(64, 1, &cache);
		objtable_alloc(__va(PFN_PHYS(65)), SITE(3), NULL);
		record(128, 1, SITE(2));
		pfntable_swap(way ? 64 : 128, way ? 128 : 64, 1);
		CHECK(objtable_owner(__va(PFN_PHYS(65))));
		CHECK_EQ(tag_order(pfntable_owner(page(64))), 1);
		check_block(128, 1, SITE(2));
		objtable_free(__va(PFN_PHYS(65)));
		forget(64, 1);
		CHECK_EQ(page_calls(SITE(1)), 0);
		CHECK_EQ(page_calls(SITE(2)), 1);
		forget(128, 1);
		sim_plain(64, 1);
		check_all_zero();
		check_table_empty();
	}
	record(64, 1, SITE(1));
	pfntable_swap(SIM_RAM_PAGES, 64, 1);
	pfntable_swap(64, SIM_RAM_PAGES, 1);
	pfntable_swap(64, SIM_RAM_PAGES - 1, 1);
	check_block(64, 1, SITE(1));
	/* Whose it is that went there nobody knows. */
	CHECK_EQ(lost(LOST_BEYOND_PAGES), 3);
	CHECK_EQ(lost_total(), 3);
	CHECK(atomic_read(&pfntable_owner(page(64))->flags) & TAG_INACCURATE);
	forget(64, 1);
	check_all_zero();
	check_table_empty();
}

/* alloc_contig_range() of any range, in pages. */
static void range_of_pages(void)
{
	unsigned long first, npages, i;

	for (first = 1021; first < 1029; first++)
		for (npages = 1; npages <= 20; npages++) {
			pfntable_alloc_range(first, npages, SITE(1), NULL);
			CHECK_EQ(page_calls(SITE(1)), npages);
			CHECK_EQ(page_bytes(SITE(1)), npages * PAGE_SIZE);
			CHECK(!pfntable_recorded(page(first - 1)));
			CHECK(!pfntable_recorded(page(first + npages)));
			for (i = npages; i--;) {
				forget(first + i, 0);
				CHECK_EQ(page_calls(SITE(1)), i);
			}
			check_all_zero();
		}
	/* CMA gives it back in blocks where it can. */
	pfntable_alloc_range(1024, 7, SITE(1), NULL);
	forget(1024, 2);
	CHECK_EQ(page_bytes(SITE(1)), 3 * PAGE_SIZE);
	forget(1028, 1);
	forget(1030, 0);
	/* One of these pages is still there, we think. */
	record(1030, 0, SITE(2));
	pfntable_alloc_range(1028, 4, SITE(1), NULL);
	CHECK_EQ(page_calls(SITE(1)), 4);
	CHECK_EQ(page_calls(SITE(2)), 0);
	CHECK_EQ(lost(HEALED_FREES), 1);
	forget(1028, 2);
	/* The end of it was added after boot. */
	pfntable_alloc_range(SIM_RAM_PAGES - 3, 8, SITE(1), NULL);
	CHECK_EQ(page_calls(SITE(1)), 3);
	CHECK_EQ(lost(LOST_BEYOND_PAGES), 5);
	for (i = 0; i < 8; i++)
		forget(SIM_RAM_PAGES - 3 + i, 0);
	check_all_zero();
	check_table_empty();
	CHECK_EQ(lost_total(), 6);
}

/* A huge page, larger than the buddy allocator's blocks: freed whole, in pages, and in blocks. */
static void range_of_one_block(void)
{
	static const unsigned int huge[] = { 1, COMPAT_ORDERS, COMPAT_ORDERS + 2, UNIT_ORDERS - 1 };
	unsigned int n, order;
	unsigned long pfn, left;

	for (n = 0; n < ARRAY_SIZE(huge); n++) {
		unsigned long npages = 1UL << huge[n];
		/* The largest one has no other place. */
		unsigned long first = huge[n] == UNIT_ORDERS - 1 ? 0 : npages;

		sim_compound(first, huge[n]);
		pfntable_alloc_range(first, npages, SITE(1), NULL);
		CHECK_EQ(page_calls(SITE(1)), 1);
		CHECK_EQ(page_bytes(SITE(1)), npages * PAGE_SIZE);
		check_block(first, huge[n], SITE(1));
		CHECK(pfntable_recorded(page(first + npages - 1)));
		CHECK(!pfntable_recorded(page(first + npages)));
		forget(first, huge[n]);
		check_all_zero();
		for (order = 0; order < huge[n]; order += MAX_PAGE_ORDER) {
			pfntable_alloc_range(first, npages, SITE(1), NULL);
			for (pfn = first + npages, left = npages; left;) {
				pfn -= 1UL << order;
				left -= 1UL << order;
				forget(pfn, order);
				if (left % 512 < 2)
					CHECK_EQ(page_bytes(SITE(1)), left * PAGE_SIZE);
			}
			check_all_zero();
		}
		/* As a folio, down to the largest of the buddy allocator's. */
		if (huge[n] > MAX_PAGE_ORDER) {
			pfntable_alloc_range(first, npages, SITE(1), NULL);
			pfntable_split(first, npages, MAX_PAGE_ORDER);
			CHECK_EQ(page_calls(SITE(1)), npages >> MAX_PAGE_ORDER);
			CHECK_EQ(page_bytes(SITE(1)), npages * PAGE_SIZE);
			forget(first, huge[n]);
			check_all_zero();
		}
		sim_plain(first, huge[n]);
	}
	check_table_empty();
	CHECK_EQ(lost_total(), 0);
}

/* Beside what was added after boot: of what we have a table for, each page has a record. */
static void range_across_the_end(void)
{
	const unsigned int order = 15;
	const unsigned long npages = 1UL << order, first = SIM_RAM_PAGES & -npages;

	page(first)->order = order;
	pfntable_alloc_range(first, npages, SITE(1), NULL);
	CHECK_EQ(page_calls(SITE(1)), SIM_RAM_PAGES - first);
	CHECK_EQ(page_bytes(SITE(1)), (SIM_RAM_PAGES - first) * PAGE_SIZE);
	CHECK_EQ(lost(LOST_BEYOND_PAGES), first + npages - SIM_RAM_PAGES);
	pfntable_split(first, npages, 2);
	CHECK_EQ(page_calls(SITE(1)), SIM_RAM_PAGES - first);
	forget(first, order);
	check_all_zero();
	check_table_empty();
}

/* Several records, freed as one block. */
static void merged(void)
{
	record(32, 2, SITE(1));
	record(36, 0, SITE(2));
	record(37, 0, SITE(1));
	record(38, 1, SITE(3));
	record(40, 3, SITE(4));
	forget(32, 4);
	check_all_zero();
	check_table_empty();
	/* Partly unknown. */
	record(33, 0, SITE(1));
	record(36, 2, SITE(1));
	forget(32, 3);
	check_all_zero();
	check_table_empty();
	CHECK_EQ(lost_total(), 0);
}

/* What alloc_pages_bulk()'s hooks do with a page that was in the array before. */
static void uncounted(void)
{
	struct allocprof_tag *tag = tag_by_id(ALLOCPROF_TAG_UNCOUNTED);

	pfntable_mark_uncounted(page(10));
	CHECK(pfntable_recorded(page(10)));
	CHECK_EQ(tag_calls(tag), 1);
	pfntable_mark_uncounted(page(10));
	CHECK_EQ(tag_calls(tag), 1);
	forget(10, 0);
	CHECK_EQ(tag_calls(tag), 0);
	/* One with a record of its own, or around it, keeps that. */
	record(16, 2, SITE(1));
	pfntable_mark_uncounted(page(16));
	pfntable_mark_uncounted(page(19));
	CHECK_EQ(tag_calls(tag), 0);
	forget(16, 2);
	/* Its free was not seen. */
	pfntable_mark_uncounted(page(20));
	record(20, 0, SITE(1));
	CHECK_EQ(tag_calls(tag), 0);
	CHECK_EQ(page_calls(SITE(1)), 1);
	CHECK_EQ(lost(HEALED_FREES), 1);
	forget(20, 0);
	/* Freed as part of a larger block. */
	pfntable_mark_uncounted(page(25));
	forget(24, 1);
	check_all_zero();
	check_table_empty();
	CHECK_EQ(lost_total(), 1);
}

static void handed_out_again(void)
{
	record(16, 3, SITE(1));
	record(16, 1, SITE(2));
	CHECK_EQ(page_calls(SITE(1)), 0);
	CHECK_EQ(page_bytes(SITE(2)), 2 * PAGE_SIZE);
	CHECK_EQ(lost(HEALED_FREES), 1);
	forget(16, 1);
	check_all_zero();
	check_table_empty();
}

/* A slab's own block is a record too; its vector does not hide it. */
static void slab_blocks(void)
{
	struct kmem_cache cache = { .size = 128 };
	unsigned int order, i;

	for (order = 0; order <= 5; order++) {
		unsigned long pfn = 1024 + (1UL << order);
		char *base = __va(PFN_PHYS(pfn));

		record(pfn, order, SITE(1));
		sim_slab(pfn, order, &cache);
		for (i = 0; i < 1U << order; i++)
			objtable_alloc(base + i * PAGE_SIZE, SITE(2), NULL);
		CHECK_EQ(slot_calls(SITE(2), 128), 1 << order);
		CHECK_EQ(page_bytes(SITE(1)), PAGE_SIZE << order);
		CHECK_EQ(tag_order(pfntable_owner(page(pfn))), order);
		for (i = 1; i < 1U << order; i++)
			CHECK(!pfntable_owner(page(pfn + i)));
		for (i = 0; i < 1U << order; i++)
			objtable_free(base + i * PAGE_SIZE);
		forget(pfn, order);
		sim_plain(pfn, order);
		check_all_zero();
		check_table_empty();
	}
	CHECK_EQ(lost_total(), 0);
}

/* A block of a callsite that had to be a wrapper, freed in parts. */
static void parts_of_a_wrapper(void)
{
	struct allocprof_tag *tag;

	record(64, 2, WRAPPER(1));
	tag = pfntable_owner(page(64));
	CHECK(tag && tag->key & TAG_KEY_TERMINAL);
	forget(65, 0);
	forget(66, 1);
	CHECK_EQ(tag_order(pfntable_owner(page(64))), 0);
	CHECK(pfntable_owner(page(64))->key & TAG_KEY_TERMINAL);
	forget(64, 0);
	check_all_zero();
	check_table_empty();
	CHECK_EQ(lost(ENDED_IN_WRAPPER), 1);
}

/*
 * A block whose module is gone, freed in parts.  By now a wrapper of another
 * module may have its return address; the text of the callsite must remain
 * what it was.
 */
static void parts_of_a_dead_callsite(void)
{
	static const char name[] = "modules/gone/gone.ko:1 [gone] func:gone";
	struct allocprof_tag *tag;

	record(64, 2, SITE(1));
	tag = pfntable_owner(page(64));
	WRITE_ONCE(tag->name, name);
	WRITE_ONCE(tag->key, tag_key_dead(tag->key, tag->number));
	fake_wrapper = SITE(1);
	forget(65, 0);
	tag = pfntable_owner(page(66));
	CHECK(tag && tag->key & TAG_KEY_DEAD);
	CHECK_EQ(tag_order(tag), 1);
	CHECK_EQ(tag_calls(tag), 1);
	CHECK(tag->name == name);
	pfntable_split(66, 2, 0);
	tag = pfntable_owner(page(67));
	CHECK_EQ(tag_order(tag), 0);
	CHECK_EQ(tag_calls(tag), 3);
	CHECK(tag->name == name);
	forget(67, 0);
	forget(64, 0);
	forget(66, 0);
	check_all_zero();
	check_table_empty();
	CHECK_EQ(lost_total(), 0);
}

/* No room for the tag of another order: undercounted and said so, never wrong. */
static void parts_with_a_full_tag_table(void)
{
	u32 i;

	record(64, 3, SITE(0));
	record(72, 3, SITE(0));
	for (i = 1; i < ALLOCPROF_TAGS_MAX - 2; i++) {
		CHECK(tag_get((u32)SITE(i) | tag_key_slot(64)));
		sim_run_deferred();
	}
	CHECK_EQ(tagtable_used(), ALLOCPROF_TAGS_MAX);
	forget(65, 0);
	CHECK_EQ(page_bytes(SITE(0)), 8 * PAGE_SIZE);
	CHECK(atomic_read(&pfntable_owner(page(72))->flags) & TAG_INACCURATE);
	pfntable_split(72, 8, 0);
	CHECK_EQ(lost(LOST_TAG_TABLE_FULL), 2);
	for (i = 64; i < 80; i++)
		if (i != 65)
			forget(i, 0);
	check_all_zero();
	check_table_empty();
}

/*
 * The model: what each page is, in a plain array.  A record is cut as the
 * buddy allocator would.
 */
#define PAGES		(1UL << 13)
#define SITES		24
#define SLABS		24
#define BASE		(1UL << 15)	/* so that blocks of all orders fit before it */

enum { UNCOUNTED = -2, UNKNOWN = -1 };	/* else: the callsite */

static struct model_page {
	bool live, slab;
	s8 site;
	u8 order;	/* of its record ... */
	u32 head;	/* ... which starts here */
} pages[PAGES];

static long bytes[SITES], calls[SITES], uncounted_calls;
static const u32 sizes[] = { 64, 96, 1000, 4096 };
static struct kmem_cache caches[ARRAY_SIZE(sizes)];
static long objects[SITES][ARRAY_SIZE(sizes)];

static struct model_slab {
	u32 pfn;
	unsigned int order, cache;
	u32 nslots;
	s8 owner[8 * 4096 / 64];
	bool live;
} slabs[SLABS];

static s8 kfence_owner[SIM_KFENCE_PAGES], kfence_cache[SIM_KFENCE_PAGES];

static void ref_record(u32 pfn, unsigned int order, s8 site)
{
	u32 i;

	for (i = pfn; i < pfn + (1U << order); i++)
		pages[i] = (struct model_page){ .live = true, .site = site, .order = order,
						.head = pfn };
	if (site >= 0) {
		bytes[site] += PAGE_SIZE << order;
		calls[site]++;
	} else if (site == UNCOUNTED) {
		uncounted_calls++;
	}
}

static void ref_drop(u32 head)
{
	s8 site = pages[head].site;
	unsigned int order = pages[head].order;
	u32 i;

	if (site >= 0) {
		bytes[site] -= PAGE_SIZE << order;
		calls[site]--;
	} else if (site == UNCOUNTED) {
		uncounted_calls--;
	}
	for (i = head; i < head + (1U << order); i++)
		pages[i].site = UNKNOWN;
}

/* In halves, until a record is the block. */
static void ref_cut(u32 pfn, unsigned int order)
{
	struct model_page p = pages[pfn];

	if (p.site == UNKNOWN || p.order <= order)
		return;
	ref_drop(p.head);
	ref_record(p.head, p.order - 1, p.site);
	ref_record(p.head + (1U << (p.order - 1)), p.order - 1, p.site);
	ref_cut(pfn, order);
}

static void ref_free(u32 pfn, unsigned int order)
{
	u32 i;

	ref_cut(pfn, order);
	for (i = pfn; i < pfn + (1U << order); i++) {
		if (pages[i].site != UNKNOWN)
			ref_drop(i);
		pages[i].live = false;
	}
}

static bool all(u32 pfn, unsigned int order, bool live)
{
	u32 i;

	for (i = pfn; i < pfn + (1U << order); i++)
		if (pages[i].live != live || pages[i].slab)
			return false;
	return true;
}

/* A random block of this order that is not in use, or -1. */
static long find_free(unsigned int order)
{
	u32 blocks = PAGES >> order, start = random_below(blocks), i;

	for (i = 0; i < blocks && i < 16; i++) {
		u32 pfn = (start + i) % blocks << order;

		if (all(pfn, order, false))
			return pfn;
	}
	return -1;
}

static long find_live(void)
{
	u32 start = random_below(PAGES), i;

	for (i = 0; i < 512; i++) {
		u32 pfn = (start + i) % PAGES;

		if (pages[pfn].live && !pages[pfn].slab)
			return pfn;
	}
	return -1;
}

static void *slab_obj(const struct model_slab *slab, u32 slot)
{
	return (char *)__va(PFN_PHYS(BASE + slab->pfn)) + slot * sizes[slab->cache];
}

static void slab_step(struct model_slab *slab)
{
	s8 site = random_below(SITES);
	long pfn;
	u32 slot, i;

	if (!slab->live) {
		slab->order = random_below(4);
		pfn = find_free(slab->order);
		if (pfn < 0)
			return;
		slab->pfn = pfn;
		slab->cache = random_below(ARRAY_SIZE(sizes));
		slab->nslots = (PAGE_SIZE << slab->order) / sizes[slab->cache];
		memset(slab->owner, UNKNOWN, sizeof(slab->owner));
		slab->live = true;
		/* One in four from before we looked. */
		ref_record(pfn, slab->order, UNKNOWN);
		if (random_below(4)) {
			ref_record(pfn, slab->order, site);
			record(BASE + pfn, slab->order, SITE(site));
		}
		for (i = pfn; i < pfn + (1U << slab->order); i++)
			pages[i].slab = true;
		sim_slab(BASE + pfn, slab->order, &caches[slab->cache]);
	} else if (random_below(8)) {
		slot = random_below(slab->nslots);
		if (slab->owner[slot] == UNKNOWN) {
			objtable_alloc(slab_obj(slab, slot), SITE(site), NULL);
			objects[site][slab->cache]++;
			slab->owner[slot] = site;
		} else {
			objtable_free(slab_obj(slab, slot));
			objects[slab->owner[slot]][slab->cache]--;
			slab->owner[slot] = UNKNOWN;
		}
	} else {
		for (slot = 0; slot < slab->nslots; slot++) {
			if (slab->owner[slot] == UNKNOWN)
				continue;
			objtable_free(slab_obj(slab, slot));
			objects[slab->owner[slot]][slab->cache]--;
		}
		for (i = slab->pfn; i < slab->pfn + (1U << slab->order); i++)
			pages[i].slab = false;
		ref_free(slab->pfn, slab->order);
		forget(BASE + slab->pfn, slab->order);
		sim_plain(BASE + slab->pfn, slab->order);
		slab->live = false;
	}
}

static void kfence_step(void)
{
	u32 i = random_below(SIM_KFENCE_PAGES);
	char *obj = __va(PFN_PHYS(SIM_KFENCE_PFN + i));
	s8 site = random_below(SITES);

	if (kfence_owner[i] == UNKNOWN) {
		kfence_cache[i] = random_below(ARRAY_SIZE(sizes));
		sim_slab(SIM_KFENCE_PFN + i, 0, &caches[kfence_cache[i]]);
		if (random_below(2))
			obj += PAGE_SIZE - sizes[kfence_cache[i]];
		objtable_alloc(obj, SITE(site), NULL);
		objects[site][kfence_cache[i]]++;
		kfence_owner[i] = site;
	} else {
		objtable_free(obj + random_below(PAGE_SIZE));
		objects[kfence_owner[i]][kfence_cache[i]]--;
		kfence_owner[i] = UNKNOWN;
	}
}

/* alloc_pages_bulk() into an array that holds some pages already. */
static void bulk_step(s8 site)
{
	s64 array[8];
	unsigned int i, j, n = 1 + random_below(ARRAY_SIZE(array));

	for (i = 0; i < n; i++) {
		array[i] = random_below(2) ? find_live() : -1;
		for (j = 0; j < i; j++)
			if (array[i] == array[j])
				array[i] = -1;
		if (array[i] < 0)
			continue;
		pfntable_mark_uncounted(page(BASE + array[i]));
		if (pages[array[i]].site == UNKNOWN)
			ref_record(array[i], 0, UNCOUNTED);
	}
	for (i = 0; i < n; i++) {
		if (array[i] < 0) {
			array[i] = find_free(0);
			if (array[i] < 0)
				continue;
			CHECK(!pfntable_recorded(page(BASE + array[i])));
			record(BASE + array[i], 0, SITE(site));
			ref_record(array[i], 0, site);
		}
		CHECK(pfntable_recorded(page(BASE + array[i])));
	}
}

static void exact_step(s8 site)
{
	unsigned int order = random_below(6), npages = (1U << order) - random_below(1U << order) / 2;
	long pfn = find_free(order);
	bool by_split = random_below(2);
	u32 i;

	if (pfn < 0)
		return;
	record(BASE + pfn, order, SITE(site));
	ref_record(pfn, order, site);
	if (by_split) {
		pfntable_split(BASE + pfn, 1UL << order, 0);
		for (i = 0; i < 1U << order; i++)
			ref_cut(pfn + i, 0);
	}
	for (i = npages; i < 1U << order; i++) {
		forget(BASE + pfn + i, 0);
		ref_free(pfn + i, 0);
	}
	pfntable_split(BASE + pfn, npages, 0);
	for (i = 0; i < npages; i++)
		ref_cut(pfn + i, 0);
}

static void free_step(void)
{
	long pfn = find_live();
	unsigned int order;
	u32 what = random_below(100);

	if (pfn < 0)
		return;
	order = pages[pfn].order;
	if (what < 35)
		order = random_below(order + 1);
	else if (what < 45)
		order = min(order + 1 + random_below(3), (unsigned int)MAX_PAGE_ORDER);
	pfn &= ~((1UL << order) - 1);
	if (!all(pfn, order, true))
		return;
	forget(BASE + pfn, order);
	ref_free(pfn, order);
}

/* A whole block, or a piece of it that was split unseen. */
static void split_step(void)
{
	long pfn = find_live();
	unsigned int whole, order;
	u32 i;

	if (pfn < 0 || pages[pfn].site < 0)
		return;
	whole = pages[pfn].order;
	if (random_below(2))
		whole = random_below(whole + 1);
	if (!whole)
		return;
	order = random_below(whole);
	pfn &= ~((1UL << whole) - 1);
	pfntable_split(BASE + pfn, 1UL << whole, order);
	for (i = 0; i < 1U << whole; i += 1U << order)
		ref_cut(pfn + i, order);
}

/* A block moves to another one, each of which may be a piece of a larger one, or of several. */
static void swap_step(void)
{
	unsigned int order = min(random_below(5), random_below(5));
	long a = find_live(), b = find_live();
	u32 i;

	a &= ~((1UL << order) - 1);
	b &= ~((1UL << order) - 1);
	if (a < 0 || b < 0 || a == b || !all(a, order, true) || !all(b, order, true))
		return;
	pfntable_swap(BASE + a, BASE + b, order);
	ref_cut(a, order);
	ref_cut(b, order);
	for (i = 0; i < 1U << order; i++) {
		struct model_page page_a = pages[a + i];

		pages[a + i] = pages[b + i];
		pages[a + i].head += a - b;
		pages[b + i] = page_a;
		pages[b + i].head += b - a;
	}
}

/* alloc_contig_range(): pages from anywhere, or one block. */
static void range_step(s8 site)
{
	unsigned int order = random_below(6);
	u32 pfn = random_below(PAGES - 32), n = 1 + random_below(32), i;
	long block = find_free(order);

	if (block >= 0 && random_below(2)) {
		sim_compound(BASE + block, order);
		pfntable_alloc_range(BASE + block, 1UL << order, SITE(site), NULL);
		ref_record(block, order, site);
		sim_plain(BASE + block, order);
		return;
	}
	for (i = 0; i < n && all(pfn + i, 0, false); i++)
		ref_record(pfn + i, 0, site);
	pfntable_alloc_range(BASE + pfn, i, SITE(site), NULL);
}

static void check_sites(unsigned long op, u32 first, u32 n)
{
	u32 i;

	snprintf(unit_where, sizeof(unit_where), " (operation %lu)", op);
	for (; n--; first++) {
		CHECK_EQ(page_bytes(SITE(first)), bytes[first]);
		CHECK_EQ(page_calls(SITE(first)), calls[first]);
		for (i = 0; i < ARRAY_SIZE(sizes); i++)
			CHECK_EQ(slot_calls(SITE(first), sizes[i]), objects[first][i]);
	}
	CHECK_EQ(tag_calls(tag_by_id(ALLOCPROF_TAG_UNCOUNTED)), uncounted_calls);
}

/* Each record is where the reference has it, and there is no other. */
static void check_records(void)
{
	u32 i;

	for (i = 0; i < PAGES; i++) {
		const struct model_page *p = &pages[i];
		struct allocprof_tag *tag = pfntable_owner(page(BASE + i));

		if (p->site == UNKNOWN || p->head != i)
			CHECK(!tag);
		else if (p->site == UNCOUNTED)
			CHECK(tag == tag_by_id(ALLOCPROF_TAG_UNCOUNTED));
		else
			CHECK(tag && tag->key == (tag_key_order(p->order) | (u32)SITE(p->site)));
	}
}

static void model(void)
{
	const unsigned long ops = SCALE(1500000, 100000, 20000), pieces = 64;
	unsigned long op;
	unsigned int order;
	long pfn;
	u32 i;

	memset(pages, 0, sizeof(pages));
	memset(bytes, 0, sizeof(bytes));
	memset(calls, 0, sizeof(calls));
	memset(objects, 0, sizeof(objects));
	memset(slabs, 0, sizeof(slabs));
	memset(kfence_owner, UNKNOWN, sizeof(kfence_owner));
	uncounted_calls = 0;
	for (i = 0; i < PAGES; i++)
		pages[i].site = UNKNOWN;
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		caches[i] = (struct kmem_cache){ .size = sizes[i] };

	for (op = 0; op < ops; op++) {
		u32 what = random_below(100);
		s8 site = random_below(SITES);

		sim_cpu = random_below(SIM_CPUS);
		/* The table is mapped anew at times, for all that is in it. */
		if (op % (ops / pieces) == 0) {
			unsigned long piece = op / (ops / pieces) * 11 % pieces;

			sim_memory_event(MEM_GOING_ONLINE, SIM_RAM_PAGES + piece * SIM_STEP, SIM_STEP);
		}
		if (what < 25) {
			/* Small ones far more often. */
			order = min(random_below(11), random_below(11));
			order = min(order, random_below(11));
			pfn = find_free(order);
			if (pfn >= 0) {
				record(BASE + pfn, order, SITE(site));
				ref_record(pfn, order, site);
			}
		} else if (what < 28) {
			order = random_below(4);
			pfn = find_free(order);
			if (pfn >= 0)	/* from before we looked */
				ref_record(pfn, order, UNKNOWN);
		} else if (what < 62) {
			free_step();
		} else if (what < 65) {
			split_step();
		} else if (what < 68) {
			swap_step();
		} else if (what < 69) {
			range_step(site);
		} else if (what < 72) {
			exact_step(site);
		} else if (what < 75) {
			bulk_step(site);
		} else if (what < 92) {
			slab_step(&slabs[random_below(SLABS)]);
		} else {
			kfence_step();
		}
		sim_run_deferred();
		check_sites(op, random_below(SITES), 1);
		if (op % 1024 == 0) {
			check_sites(op, 0, SITES);
			check_records();
		}
	}

	for (i = 0; i < SLABS; i++)
		while (slabs[i].live)
			slab_step(&slabs[i]);
	for (i = 0; i < SIM_KFENCE_PAGES; i++)
		if (kfence_owner[i] != UNKNOWN)
			objtable_free(__va(PFN_PHYS(SIM_KFENCE_PFN + i)));
	while ((pfn = find_live()) >= 0)
		free_step();
	for (pfn = 0; pfn < (long)PAGES; pfn++)
		if (pages[pfn].live)
			forget(BASE + pfn, 0);
	check_all_zero();
	check_table_empty();
	CHECK_EQ(sim_vmaps, 1 + pieces);
	CHECK_EQ(allocprof_pfns, SIM_RAM_PAGES + pieces * SIM_STEP);
	CHECK_EQ(lost_total(), 0);
}

const struct unit_test pfntable_tests[] = {
	UNIT_TEST(init),
	UNIT_TEST(every_order),
	UNIT_TEST(not_a_page),
	UNIT_TEST(parts),
	UNIT_TEST(split_page),
	UNIT_TEST(exact),
	UNIT_TEST(split_folio),
	UNIT_TEST(split_of_a_piece),
	UNIT_TEST(swaps),
	UNIT_TEST(swap_repeated),
	UNIT_TEST(swap_pieces),
	UNIT_TEST(swap_many_records),
	UNIT_TEST(swap_refused),
	UNIT_TEST(range_of_pages),
	UNIT_TEST(range_of_one_block),
	UNIT_TEST(range_across_the_end),
	UNIT_TEST(merged),
	UNIT_TEST(uncounted),
	UNIT_TEST(handed_out_again),
	UNIT_TEST(slab_blocks),
	UNIT_TEST(parts_of_a_wrapper),
	UNIT_TEST(parts_of_a_dead_callsite),
	UNIT_TEST(parts_with_a_full_tag_table),
	UNIT_TEST(model),
	{}
};
