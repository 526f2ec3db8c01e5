// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of the page table: holes, and memory that is added while records
 * live.  Seen from inside for what is mapped; the table's functions are those
 * of a machine with holes.
 */
/* It writes to what the others only read: shim/forced.h. */
#undef allocprof_pages
#undef allocprof_pfns
#include "../../module/pfnmem.c"

#include "unit.h"

#include <sys/syscall.h>
#include <unistd.h>

/* What one page of the table describes.  All sizes here are in these. */
#define STEP		SIM_STEP
#define STEPS_MAX	(SIM_PAGES / STEP)

static struct page *page(unsigned long pfn)
{
	return pfn_to_page(pfn);
}

static void *at(unsigned long pfn, unsigned long offset)
{
	return (char *)__va(PFN_PHYS(pfn)) + offset;
}

static void record(unsigned long pfn, unsigned int order, unsigned long ret)
{
	CHECK(pfntable_alloc(page(pfn), order, ret, NULL) == page(pfn));
}

static void forget(unsigned long pfn, unsigned int order)
{
	pfntable_free_event(NULL, page(pfn), order);
}

static void check_lost(u64 n)
{
	CHECK_EQ(lost(LOST_BEYOND_PAGES), n);
	CHECK_EQ(lost_total(), n);
}

/* What there should be: which steps have memory of the table, and where it ends. */
static bool has[STEPS_MAX];
static unsigned int end;

static void expect(unsigned int step, unsigned int steps, bool table)
{
	end = max(end, step + steps);
	unit_hole_pfns = 0;
	while (steps--)
		has[step++] = table;
	for (step = 0; step < end; step++)
		unit_hole_pfns += has[step] ? 0 : STEP;
}

static void check_hole(void)
{
	const u32 *entry = page_address(hole);
	unsigned int i;

	for (i = 0; i < STEP; i++)
		CHECK_EQ(entry[i], PFN_NO_TABLE);
}

/* The table is what is expected, and there is no more memory behind it. */
static void check_memory(void)
{
	unsigned int step, i, used = 0, slots;
	const struct mapping *m;
	const u32 *entry;

	CHECK_EQ(allocprof_pfns, end * STEP);
	CHECK(allocprof_pages == mapping->entries);
	CHECK_EQ(mapping->n, end);
	for (step = 0, entry = allocprof_pages; step < end; step++) {
		CHECK_EQ(mapping->pages[step] != hole, has[step]);
		for (i = 0; i < STEP; i++)
			CHECK_EQ(*entry++ != PFN_NO_TABLE, has[step]);
		used += has[step];
	}
	check_hole();
	for (m = retired, slots = end; m; m = m->next)
		slots += m->n;
	CHECK_EQ(pfnmem_bytes(), used * PAGE_SIZE + slots * 2 * sizeof(void *));
	CHECK_EQ(sim_frames_out, used + 1);
}

/* A machine with so much RAM, of which what is in @holes, a bit a step, is none; profiling off. */
static void boot(unsigned int steps, u64 holes)
{
	unsigned int i;

	pfnmem_exit();
	CHECK_EQ(sim_frames_out, 0);
	CHECK_EQ(sim_vmalloc_out, 0);
	sim_forget_mappings();
	sim_set_ram(steps * STEP);
	end = 0;
	memset(has, false, sizeof(has));
	for (i = 0; i < steps; i++) {
		bool online = i >= 64 || !(holes >> i & 1);

		sim_set_online(i * STEP, STEP, online);
		expect(i, 1, online);
	}
}

static void reboot(unsigned int steps, u64 holes)
{
	boot(steps, holes);
	CHECK_EQ(pfnmem_init(), 0);
	check_memory();
	check_table_empty();
}

/* As the kernel does; it does not tell whether the table could be made. */
static void add_memory(unsigned int step, unsigned int steps)
{
	sim_memory_event(MEM_GOING_ONLINE, step * STEP, steps * STEP);
	sim_set_online(step * STEP, steps * STEP, true);
	sim_memory_event(MEM_ONLINE, step * STEP, steps * STEP);
}

static void add_and_expect(unsigned int step, unsigned int steps)
{
	unsigned int i;

	for (i = end; i < step; i++)
		expect(i, 1, false);
	expect(step, steps, true);
	add_memory(step, steps);
	check_memory();
}

static unsigned int retired_mappings(void)
{
	struct mapping *m;
	unsigned int n = 0;

	for (m = retired; m; m = m->next)
		n++;
	return n;
}

/* Asks the kernel, which does not die of it. */
static bool readable(const void *addr)
{
	int fds[2];
	bool yes;

	CHECK(!pipe(fds));
	yes = syscall(SYS_write, fds[1], addr, 1) == 1;
	close(fds[0]);
	close(fds[1]);
	return yes;
}

/*
 * Holes.
 */

/* Only what is online gets memory, each page on the node of what it describes. */
static void holes_at_init(void)
{
	const unsigned int steps = SIM_RAM_PAGES / STEP;
	static const unsigned int first[] = { 0, 7, 100, 102, SIM_RAM_PAGES / STEP - 3 };
	static const unsigned int n[] = { 2, 30, 1, 1, 3 };
	unsigned int i;

	boot(steps, 0);
	for (i = 0; i < ARRAY_SIZE(first); i++) {
		sim_set_online(first[i] * STEP, n[i] * STEP, false);
		expect(first[i], n[i], false);
	}
	CHECK_EQ(pfnmem_init(), 0);
	CHECK_EQ(end, steps);
	CHECK_EQ(sim_frames_out, steps - 37 + 1);
	check_memory();
	check_table_empty();
	for (i = 0; i < steps; i++)
		if (has[i])
			CHECK_EQ(mapping->pages[i]->wanted_node, page_to_nid(page(i * STEP)));
	/* What is described is what is mapped: the last entry before a hole, and the first behind. */
	for (i = 0; i < ARRAY_SIZE(first); i++) {
		if (first[i])
			record(first[i] * STEP - 1, 0, SITE(i));
		record(first[i] * STEP, 0, SITE(i));
		record((first[i] + n[i]) * STEP - 1, 0, SITE(i));
		if (first[i] + n[i] < steps)
			record((first[i] + n[i]) * STEP, 0, SITE(i));
		CHECK_EQ(page_calls(SITE(i)), !!first[i] + (first[i] + n[i] < steps));
	}
	check_lost(10);
	for (i = 0; i < ARRAY_SIZE(first); i++) {
		forget(first[i] * STEP - !!first[i], 0);
		forget((first[i] + n[i]) * STEP, 0);
	}
	check_all_zero();
	check_table_empty();
	check_memory();
	check_lost(10);
}

/* Nothing there at all, and one step alone. */
static void hardly_any_memory(void)
{
	unsigned int i;

	reboot(1, 0);
	record(STEP - 1, 0, SITE(1));
	record(STEP, 0, SITE(1));
	CHECK_EQ(page_calls(SITE(1)), 1);
	forget(STEP - 1, 0);
	reboot(3, 7);
	for (i = 0; i < 3; i++)
		record(i * STEP, 0, SITE(1));
	check_all_zero();
	check_lost(4);
	check_memory();
	add_and_expect(1, 1);
	record(STEP, 0, SITE(1));
	CHECK_EQ(page_calls(SITE(1)), 1);
	forget(STEP, 0);
	check_all_zero();
	check_lost(4);
	check_table_empty();
}

#define HOLE		(5 * STEP)	/* two steps, in most tests */
#define HOLE_STEPS	(3ULL << 5)

/* What has no entry: each function says so, or does nothing; and writes nothing. */
static void pages_in_a_hole(void)
{
	unsigned int order, freed;
	u64 n = 0;

	reboot(16, HOLE_STEPS);
	for (order = 0; order <= 9; order++) {
		record(HOLE, order, SITE(1));
		check_lost(++n);
		CHECK(!pfntable_owner(page(HOLE)));
		CHECK(!pfntable_recorded(page(HOLE)));
		pfntable_mark_uncounted(page(HOLE));
		pfntable_split(HOLE, 1UL << order, 0);
		pfntable_split(HOLE, 1UL << order, order / 2);
		for (freed = 0; freed <= order; freed++)
			forget(HOLE, freed);
	}
	check_all_zero();
	/* As the bulk allocator's hooks do: what was in the array is not to be counted, it is not new. */
	pfntable_mark_uncounted(page(HOLE + 3));
	CHECK(!pfntable_recorded(page(HOLE + 3)));
	CHECK_EQ(tag_calls(tag_by_id(ALLOCPROF_TAG_UNCOUNTED)), 0);
	/* Pages, of which some are in the hole. */
	pfntable_alloc_range(HOLE - 3, 8, SITE(1), NULL);
	CHECK_EQ(page_calls(SITE(1)), 3);
	check_lost(n += 5);
	pfntable_alloc_range(HOLE + 2 * STEP - 5, 8, SITE(2), NULL);
	CHECK_EQ(page_calls(SITE(2)), 3);
	check_lost(n += 5);
	/* Freed, and split, across both its edges. */
	pfntable_split(HOLE - 4, 8, 0);
	forget(HOLE - 4, 2);
	CHECK_EQ(page_calls(SITE(1)), 0);
	forget(HOLE + 2 * STEP, 1);
	CHECK_EQ(page_calls(SITE(2)), 1);
	forget(HOLE + STEP, 10);
	forget(HOLE + 2 * STEP + 2, 0);
	check_all_zero();
	check_table_empty();
	check_memory();
	check_lost(n);
}

/* A folio moves between memory with a table and memory without. */
static void swap_with_a_hole(void)
{
	static const unsigned long tables[] = { HOLE - STEP, HOLE + 2 * STEP };
	static const unsigned long others[] = { HOLE, HOLE + STEP, 16 * STEP };
	unsigned int t, o, way, order;
	u64 n = 0;

	reboot(16, HOLE_STEPS);
	for (t = 0; t < ARRAY_SIZE(tables); t++)
		for (o = 0; o < ARRAY_SIZE(others); o++)
			for (way = 0; way < 2; way++)
				for (order = 0; order < 3; order++) {
					unsigned long here = tables[t], there = others[o];
					unsigned int site = 1 + n;
					struct allocprof_tag *tag;

					record(here, order, SITE(site));
					tag = pfntable_owner(page(here));
					CHECK(!(atomic_read(&tag->flags) & TAG_INACCURATE));
					pfntable_swap(way ? here : there, way ? there : here, order);
					/* The record stays, and says that it may not be whose it was. */
					CHECK(pfntable_owner(page(here)) == tag);
					CHECK(atomic_read(&tag->flags) & TAG_INACCURATE);
					CHECK(!pfntable_recorded(page(there)));
					CHECK_EQ(page_bytes(SITE(site)), PAGE_SIZE << order);
					check_lost(++n);
					forget(there, order);
					forget(here, order);
					check_all_zero();
				}
	/* Nothing recorded on either side. */
	pfntable_swap(HOLE - STEP, HOLE, 1);
	pfntable_swap(HOLE, HOLE - STEP, 1);
	pfntable_swap(HOLE, HOLE + STEP, 1);
	pfntable_swap(HOLE, 16 * STEP, 1);
	pfntable_swap(16 * STEP, 17 * STEP, 1);
	check_lost(n += 5);
	check_all_zero();
	check_table_empty();
	check_memory();
}

/* A huge page that begins where there is a table and ends where there is none moves as one record. */
static void swap_of_a_block_into_a_hole(void)
{
	unsigned int way, i;

	reboot(16, HOLE_STEPS);
	for (way = 0; way < 2; way++) {
		unsigned long into = HOLE - STEP, other = 8 * STEP;

		record(into, 11, SITE(1));
		record(other, 11, SITE(2));
		pfntable_swap(way ? into : other, way ? other : into, 11);
		CHECK_EQ(tag_order(pfntable_owner(page(into))), 11);
		CHECK_EQ(pfntable_owner(page(into))->key, (u32)SITE(2) | tag_key_order(11));
		CHECK_EQ(pfntable_owner(page(other))->key, (u32)SITE(1) | tag_key_order(11));
		forget(into, 11);
		CHECK_EQ(page_bytes(SITE(1)), PAGE_SIZE << 11);
		CHECK_EQ(page_bytes(SITE(2)), 0);
		forget(other, 11);
		check_all_zero();
		check_lost(0);
	}
	/* Put together from pages: what would go where there is no table stays, and is said to be lost. */
	for (way = 0; way < 2; way++) {
		unsigned long into = HOLE - STEP, other = 8 * STEP;
		unsigned int site = 10 + 2 * way;
		u64 before = lost(LOST_BEYOND_PAGES);

		for (i = 0; i < 3; i++)
			record(other + i, 0, SITE(site));
		for (i = 0; i < 5; i++)
			record(other + STEP + i, 0, SITE(site + 1));
		pfntable_swap(way ? into : other, way ? other : into, 11);
		for (i = 0; i < 3; i++)
			CHECK(pfntable_owner(page(into + i)) && !pfntable_owner(page(other + i)));
		CHECK_EQ(page_calls(SITE(site)), 3);
		CHECK_EQ(page_calls(SITE(site + 1)), 5);
		check_lost(before + 5);
		CHECK(!(atomic_read(&pfntable_owner(page(into))->flags) & TAG_INACCURATE));
		CHECK(atomic_read(&pfntable_owner(page(other + STEP))->flags) & TAG_INACCURATE);
		forget(other, 11);
		CHECK_EQ(page_calls(SITE(site)), 3);
		CHECK_EQ(page_calls(SITE(site + 1)), 0);
		forget(into, 11);
		check_all_zero();
		check_table_empty();
	}
	check_memory();
}

/* A slab that lies in a hole; its neighbours in a bulk call do not. */
static void objects_in_a_hole(void)
{
	struct kmem_cache cache = { .size = 256 };
	void *objs[48];
	unsigned int i;

	reboot(16, HOLE_STEPS);
	sim_slab(HOLE, 1, &cache);
	sim_slab(HOLE - 2, 1, &cache);
	for (i = 0; i < 32; i++) {
		CHECK(objtable_alloc(at(HOLE, i * 256), SITE(1), NULL) == at(HOLE, i * 256));
		CHECK(!objtable_owner(at(HOLE, i * 256)));
		objtable_free(at(HOLE, i * 256));
	}
	CHECK_EQ(slot_calls(SITE(1), 256), 0);
	CHECK(atomic_read(&find_tag((u32)SITE(1) | tag_key_slot(256))->flags) & TAG_INACCURATE);
	check_lost(32);
	check_hole();

	/* Runs in the one, in the other, and one by one. */
	for (i = 0; i < 48; i++)
		objs[i] = at(i < 16 || (i >= 32 && i % 2) ? HOLE - 2 : HOLE, i % 32 * 256);
	for (i = 32; i < 48; i++)
		objs[i] = at(i % 2 ? HOLE - 1 : HOLE + 1, (i - 32) * 256);
	objtable_alloc_bulk(objs, 48, SITE(2), NULL);
	CHECK_EQ(slot_calls(SITE(2), 256), 24);
	check_lost(32 + 24);
	for (i = 0; i < 48; i++)
		CHECK_EQ(!!objtable_owner(objs[i]), (unsigned long)objs[i] < (unsigned long)at(HOLE, 0));
	objtable_free_bulk(objs, 48);
	CHECK_EQ(slot_calls(SITE(2), 256), 0);
	forget(HOLE, 1);
	forget(HOLE - 2, 1);
	check_all_zero();
	check_table_empty();
	check_memory();
	check_lost(56);
	/* No vector was wasted on it. */
	sim_plain(HOLE, 1);
	sim_plain(HOLE - 2, 1);
}

/* KFENCE's pool, in memory that has no table. */
static void kfence_in_a_hole(void)
{
	const unsigned int step = SIM_KFENCE_PFN / STEP;
	struct kmem_cache cache = { .size = 64 };
	void *objs[3];
	unsigned int i;

	boot(SIM_RAM_PAGES / STEP, 0);
	sim_set_online(step * STEP, STEP, false);
	expect(step, 1, false);
	CHECK_EQ(pfnmem_init(), 0);
	for (i = 0; i < 3; i++) {
		sim_slab(SIM_KFENCE_PFN + i, 0, &cache);
		objs[i] = at(SIM_KFENCE_PFN + i, 128);
		objtable_alloc(objs[i], SITE(1), NULL);
		CHECK(!objtable_owner(objs[i]));
		objtable_free(objs[i]);
	}
	check_lost(3);
	objtable_alloc_bulk(objs, 3, SITE(1), NULL);
	objtable_free_bulk(objs, 3);
	check_lost(6);
	check_all_zero();
	check_memory();
	/* It is added after all. */
	add_and_expect(step, 1);
	objtable_alloc(objs[0], SITE(1), NULL);
	CHECK_EQ(slot_calls(SITE(1), 64), 1);
	objtable_free(objs[0]);
	objtable_free(objs[1]);
	check_all_zero();
	check_table_empty();
	check_lost(6);
}

/*
 * Blocks that reach into holes, and over them: a reference of the records, as
 * the buddy allocator would cut them.  Where a half begins in a hole it is
 * lost, and counted as that.
 */
#define BLOCK_ORDER	12
#define BLOCK_PAGES	(1U << BLOCK_ORDER)
#define BLOCK		BLOCK_PAGES		/* where it starts: the second of two */
#define BLOCK_STEPS	(BLOCK_PAGES / STEP)

static s8 ref[BLOCK_PAGES];	/* the order of the record that starts here; -1: none does */
static bool ref_live[BLOCK_PAGES];
static bool ref_inaccurate[BLOCK_ORDER + 1];	/* of the tag of each order */
static u64 ref_lost;

static bool ref_has(u32 pfn)
{
	return has[(BLOCK + pfn) / STEP];
}

static void ref_set(u32 pfn, s8 order)
{
	if (ref_has(pfn)) {
		ref[pfn] = order;
	} else {
		ref_lost++;
		ref_inaccurate[order] = true;
	}
}

static long ref_cover(u32 pfn)
{
	int order;

	for (order = BLOCK_ORDER; order >= 0; order--) {
		u32 head = pfn & ~((1U << order) - 1);

		if (ref[head] >= 0 && pfn - head < 1U << ref[head])
			return head;
	}
	return -1;
}

/* @pfn has a record of its own, of at most @order; or it is not in one. */
static void ref_cut(u32 pfn, int order)
{
	long head = ref_cover(pfn);

	while (head >= 0 && (ref[head] > order || head != pfn)) {
		s8 half = ref[head] - 1;

		ref_set(head + (1U << half), half);
		ref[head] = half;
		head = ref_cover(pfn);
	}
}

static void ref_free(u32 pfn, int order)
{
	ref_cut(pfn, order);
	memset(&ref[pfn], -1, 1U << order);
	memset(&ref_live[pfn], false, 1U << order);
}

static void ref_split(u32 pfn, int whole, int order)
{
	u32 i, stop = pfn + (1U << whole);

	ref_cut(pfn, whole);
	for (; pfn < stop; pfn += 1U << order) {
		s8 was = ref[pfn];

		if (was <= order)
			continue;
		for (i = pfn; i < pfn + (1U << was); i += 1U << order)
			ref_set(i, order);
	}
}

static void check_ref(void)
{
	long bytes = 0, calls = 0;
	u32 i;

	for (i = 0; i < BLOCK_PAGES; i++) {
		struct allocprof_tag *tag = pfntable_owner(page(BLOCK + i));

		CHECK_EQ(tag ? (int)tag_order(tag) : -1, ref[i]);
		if (ref[i] < 0)
			continue;
		bytes += PAGE_SIZE << ref[i];
		calls++;
	}
	CHECK_EQ(page_bytes(SITE(1)), bytes);
	CHECK_EQ(page_calls(SITE(1)), calls);
	check_lost(ref_lost);
	for (i = 0; i <= BLOCK_ORDER; i++) {
		struct allocprof_tag *tag = find_tag((u32)SITE(1) | tag_key_order(i));

		CHECK_EQ(tag && atomic_read(&tag->flags) & TAG_INACCURATE, ref_inaccurate[i]);
	}
}

/* The tags are new in each test. */
static void ref_init(void)
{
	memset(ref_inaccurate, false, sizeof(ref_inaccurate));
}

static void alloc_block(void)
{
	u64 before = lost_total();

	sim_compound(BLOCK, BLOCK_ORDER);
	pfntable_alloc_range(BLOCK, BLOCK_PAGES, SITE(1), NULL);
	sim_plain(BLOCK, BLOCK_ORDER);
	memset(ref, -1, sizeof(ref));
	memset(ref_live, true, sizeof(ref_live));
	ref_lost = before + !ref_has(0);
	if (ref_has(0))
		ref[0] = BLOCK_ORDER;
	else
		ref_inaccurate[BLOCK_ORDER] = true;
	check_ref();
}

/* A piece all of which is still there, or false. */
static bool live_piece(u32 *pfn, int *order)
{
	u32 i;

	*order = random_below(BLOCK_ORDER + 1);
	*pfn = random_below(BLOCK_PAGES >> *order) << *order;
	for (i = *pfn; i < *pfn + (1U << *order); i++)
		if (!ref_live[i])
			return false;
	return true;
}

static void blocks_across_holes(void)
{
	const unsigned int rounds = SCALE(3, 1, 1);
	unsigned int holes, round, op;
	u32 pfn, i;
	int order;

	ref_init();
	for (holes = 0; holes < 1U << BLOCK_STEPS; holes++) {
		reboot(2 * BLOCK_STEPS, (u64)holes << BLOCK_STEPS);
		for (round = 0; round < rounds; round++) {
			snprintf(unit_where, sizeof(unit_where), " (holes %x, round %u)", holes, round);
			alloc_block();
			for (op = 0; op < 60; op++) {
				if (!live_piece(&pfn, &order))
					continue;
				if (op % 3 || !order) {
					forget(BLOCK + pfn, order);
					ref_free(pfn, order);
				} else {
					int pieces = random_below(order);

					pfntable_split(BLOCK + pfn, 1UL << order, pieces);
					ref_split(pfn, order, pieces);
				}
				if (op < 6 || op % 8 == 0)
					check_ref();
			}
			check_ref();
			/* The rest: whole, as the buddy allocator's largest, or in pages. */
			order = round == 0 ? BLOCK_ORDER : round == 1 ? MAX_PAGE_ORDER : 0;
			for (i = 0; i < BLOCK_PAGES; i += 1U << order) {
				forget(BLOCK + i, order);
				ref_free(i, order);
			}
			check_ref();
			check_all_zero();
			check_table_empty();
		}
		check_memory();
	}
}

/* Each piece of the block by itself, first the one and then the rest. */
static void first_piece_of_a_block_across_holes(void)
{
	static const unsigned int masks[] = { 0x02, 0x80, 0xfe, 0xf0, 0x3c, 0xaa, 0x54 };
	unsigned int m, step;
	int order;

	ref_init();
	for (m = 0; m < ARRAY_SIZE(masks); m++) {
		reboot(2 * BLOCK_STEPS, (u64)masks[m] << BLOCK_STEPS);
		for (order = 0; order <= BLOCK_ORDER; order++)
			for (step = 0; step < BLOCK_STEPS; step++) {
				u32 pfn = (step * STEP + 77) & ~((1U << order) - 1);

				snprintf(unit_where, sizeof(unit_where), " (holes %x, %u order %d)",
					 masks[m], pfn, order);
				alloc_block();
				forget(BLOCK + pfn, order);
				ref_free(pfn, order);
				check_ref();
				forget(BLOCK, BLOCK_ORDER);
				ref_free(0, BLOCK_ORDER);
				check_all_zero();
			}
		check_table_empty();
		check_memory();
	}
}

/* What was covered by a block from before the hole, is freed when the hole is none any more. */
static void hole_filled_below_a_block(void)
{
	const unsigned int holes[] = { 0x02, 0xfe, 0xaa };
	unsigned int h, i;

	ref_init();
	for (h = 0; h < ARRAY_SIZE(holes); h++) {
		reboot(2 * BLOCK_STEPS, (u64)holes[h] << BLOCK_STEPS);
		alloc_block();
		add_and_expect(BLOCK_STEPS, BLOCK_STEPS);
		check_ref();
		for (i = 0; i < BLOCK_PAGES; i += 8) {
			u32 pfn = (i * 37) % BLOCK_PAGES;

			forget(BLOCK + pfn, 3);
			ref_free(pfn, 3);
			CHECK_EQ(page_bytes(SITE(1)), (BLOCK_PAGES - i - 8) * PAGE_SIZE);
		}
		check_ref();
		check_all_zero();
		check_table_empty();
	}
}

/*
 * Memory that is added.
 */

/* Live records of all kinds, to be there before and gone after. */
static struct kmem_cache live_cache = { .size = 512 };

static void *live_obj(unsigned long base, unsigned int i)
{
	return at(base + 16, i * 512);
}

static void make_live(unsigned long base, unsigned int site)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		record(base + (1 << i), i, SITE(site));
	record(base + 16, 1, SITE(site + 1));
	sim_slab(base + 16, 1, &live_cache);
	for (i = 0; i < 16; i++)
		objtable_alloc(live_obj(base, i), SITE(site + 2), NULL);
	pfntable_mark_uncounted(page(base + 20));
	/* The very last entry of the step. */
	record(base + STEP - 1, 0, SITE(site + 3));
}

static void check_live(unsigned long base, unsigned int site)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		CHECK_EQ(pfntable_owner(page(base + (1 << i)))->key, (u32)SITE(site) | tag_key_order(i));
	for (i = 0; i < 16; i++)
		CHECK(objtable_owner(live_obj(base, i)) ==
		      find_tag((u32)SITE(site + 2) | tag_key_slot(512)));
	CHECK(pfntable_recorded(page(base + 20)));
	CHECK(pfntable_owner(page(base + STEP - 1)));
	CHECK_EQ(page_bytes(SITE(site)), 15 * PAGE_SIZE);
	CHECK_EQ(page_bytes(SITE(site + 1)), 2 * PAGE_SIZE);
	CHECK_EQ(slot_calls(SITE(site + 2), 512), 16);
	CHECK_EQ(page_calls(SITE(site + 3)), 1);
}

static void drop_live(unsigned long base, unsigned int site)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		forget(base + (1 << i), i);
	for (i = 0; i < 16; i++)
		objtable_free(live_obj(base, i));
	CHECK_EQ(slot_calls(SITE(site + 2), 512), 0);
	forget(base + 16, 1);
	sim_plain(base + 16, 1);
	forget(base + 20, 0);
	forget(base + STEP - 1, 0);
	CHECK_EQ(page_calls(SITE(site)), 0);
	CHECK_EQ(page_calls(SITE(site + 1)), 0);
	CHECK_EQ(page_calls(SITE(site + 3)), 0);
}

/* One growth among live records, wherever it is. */
static void live_through_growth(unsigned int step, unsigned int steps)
{
	unsigned long vmaps = sim_vmaps;
	u32 *old = allocprof_pages;
	u64 n = lost_total();
	unsigned int i;

	make_live(0, 10);
	make_live(4 * STEP, 20);
	for (i = 0; i < steps; i++) {
		record((step + i) * STEP + i, 0, SITE(1));	/* before its time */
		check_lost(++n);
	}
	add_and_expect(step, steps);
	CHECK_EQ(sim_vmaps, vmaps + 1);
	CHECK(allocprof_pages != old);
	CHECK_EQ(retired_mappings(), 1);
	check_live(0, 10);
	check_live(4 * STEP, 20);
	for (i = 0; i < steps; i++) {
		CHECK(!pfntable_recorded(page((step + i) * STEP + i)));
		forget((step + i) * STEP + i, 0);
		make_live((step + i) * STEP, 30 + 4 * i);
	}
	/* The old mapping is there for whoever has its address, until the work has run. */
	CHECK(readable(old));
	sim_run_deferred();
	CHECK_EQ(retired_mappings(), 0);
	CHECK(!readable(old) && !readable(old + STEP) && !readable(old + 4 * STEP));
	check_live(0, 10);
	check_live(4 * STEP, 20);
	drop_live(4 * STEP, 20);
	for (i = 0; i < steps; i++) {
		check_live((step + i) * STEP, 30 + 4 * i);
		drop_live((step + i) * STEP, 30 + 4 * i);
	}
	drop_live(0, 10);
	check_all_zero();
	check_table_empty();
	check_memory();
	check_lost(n);
}

static void grow_behind_the_end(void)
{
	reboot(8, 0);
	live_through_growth(8, 1);
	live_through_growth(9, 5);
	/* Not next to what was there. */
	live_through_growth(20, 2);
	CHECK_EQ(unit_hole_pfns, 6 * STEP);
	live_through_growth(15, 1);
	/* All that was between, and one more behind. */
	reboot(8, 0);
	live_through_growth(10, 1);
	add_and_expect(8, 4);
	check_table_empty();
}

static void grow_into_a_hole(void)
{
	reboot(16, HOLE_STEPS | 1ULL << 10);
	live_through_growth(5, 1);
	live_through_growth(6, 1);
	live_through_growth(10, 1);
	CHECK_EQ(unit_hole_pfns, 0);
	reboot(16, HOLE_STEPS);
	live_through_growth(5, 2);
	/* A hole that what is added only lies in part of. */
	reboot(16, 0xff0ULL);
	add_and_expect(4, 1);
	sim_run_deferred();
	live_through_growth(7, 2);
	/* As large as a real machine's table. */
	reboot(SIM_RAM_PAGES / STEP, HOLE_STEPS);
	live_through_growth(5, 2);
	live_through_growth(SIM_RAM_PAGES / STEP, 8);
}

/* A hook may go on with the address that it has; both lead to the same memory. */
static void one_table_at_two_addresses(void)
{
	u32 *old, *new;
	unsigned int i;

	reboot(16, HOLE_STEPS);
	record(100, 2, SITE(1));
	old = allocprof_pages;
	add_and_expect(16, 1);
	add_and_expect(5, 1);
	new = allocprof_pages;
	CHECK_EQ(retired_mappings(), 2);

	/* Recorded here, seen, split and freed there. */
	CHECK(old[100] && new[100] == old[100]);
	record(200, 3, SITE(2));
	CHECK_EQ(old[200], new[200]);
	allocprof_pages = old;
	CHECK(pfntable_recorded(page(203)));
	make_live(2 * STEP, 10);
	forget(203, 0);
	CHECK_EQ(page_bytes(SITE(2)), 7 * PAGE_SIZE);
	record(300, 0, SITE(3));
	allocprof_pages = new;
	check_live(2 * STEP, 10);
	CHECK_EQ(pfntable_owner(page(300))->key, (u32)SITE(3) | tag_key_order(0));
	forget(200, 3);
	CHECK_EQ(page_calls(SITE(2)), 0);
	drop_live(2 * STEP, 10);
	make_live(3 * STEP, 20);
	allocprof_pages = old;
	check_live(3 * STEP, 20);
	drop_live(3 * STEP, 20);
	forget(300, 0);
	forget(100, 2);
	allocprof_pages = new;

	/* Every entry that there was, both ways. */
	for (i = 0; i < 16 * STEP; i++) {
		if (!has[i / STEP] || i / STEP == 5)
			continue;
		CHECK(!old[i] && !new[i]);
		WRITE_ONCE(old[i], i % 7 + 1);
		CHECK_EQ(new[i], i % 7 + 1);
		WRITE_ONCE(new[i], 0);
		CHECK_EQ(old[i], 0);
	}
	/* The hole that was filled is still one through the old address. */
	for (i = 5 * STEP; i < 6 * STEP; i++)
		CHECK(old[i] == PFN_NO_TABLE && !new[i]);
	sim_run_deferred();
	CHECK(!readable(old) && readable(new));
	check_all_zero();
	check_table_empty();
	check_lost(0);
}

/* There already: no memory, no mapping, and nothing to be told. */
static void covered_already(void)
{
	static const unsigned long actions[] = {
		MEM_GOING_OFFLINE, MEM_CANCEL_ONLINE, MEM_CANCEL_OFFLINE,
	};
	unsigned long vmaps;
	long bytes;
	u32 *old;
	unsigned int i;

	reboot(16, HOLE_STEPS);
	add_and_expect(16, 2);
	sim_run_deferred();
	make_live(16 * STEP, 10);
	old = allocprof_pages;
	vmaps = sim_vmaps;
	bytes = sim_vmalloc_out;
	/* Nor any memory asked for that might not be had. */
	for (sim_fail_after = 1; sim_fail_after >= 0; sim_fail_after--) {
		sim_memory_event(MEM_GOING_ONLINE, 0, 4 * STEP);
		sim_memory_event(MEM_ONLINE, 16 * STEP, 2 * STEP);
		sim_memory_event(MEM_ONLINE, 17 * STEP + 5, 1);
		CHECK_EQ(sim_warnings, 0);
	}
	for (i = 0; i < ARRAY_SIZE(actions); i++) {
		sim_memory_event(actions[i], 5 * STEP, STEP);
		sim_memory_event(actions[i], 16 * STEP, 8 * STEP);
		sim_memory_event(actions[i], 0, 16 * STEP);
	}
	CHECK_EQ(sim_warnings, 0);
	CHECK(allocprof_pages == old);
	CHECK_EQ(sim_vmaps, vmaps);
	CHECK_EQ(sim_vmalloc_out, bytes);
	CHECK_EQ(retired_mappings(), 0);
	CHECK(!sim_deferred_pending());
	check_memory();
	/* Partly there: only the rest is made. */
	add_and_expect(15, 4);
	CHECK_EQ(sim_vmaps, vmaps + 1);
	check_live(16 * STEP, 10);
	drop_live(16 * STEP, 10);
	check_all_zero();
	check_table_empty();
}

/* Taken away, and added again: what it had is gone by then, its table is not. */
static void taken_away_and_back(void)
{
	unsigned int round;

	reboot(8, 0);
	for (round = 0; round < 5; round++) {
		add_and_expect(8, 2);
		make_live(9 * STEP, 10);
		check_live(9 * STEP, 10);
		drop_live(9 * STEP, 10);
		sim_memory_event(MEM_GOING_OFFLINE, 8 * STEP, 2 * STEP);
		sim_set_online(8 * STEP, 2 * STEP, false);
		sim_memory_event(MEM_OFFLINE, 8 * STEP, 2 * STEP);
		check_memory();
		check_table_empty();
		CHECK_EQ(sim_vmaps, 3);		/* the test's, the reboot's, and one */
	}
	/* Switched off and on while it is away: its zone still ends there. */
	pfnmem_exit();
	expect(8, 2, false);
	CHECK_EQ(pfnmem_init(), 0);
	check_memory();
	add_and_expect(8, 2);
	check_table_empty();
	check_lost(0);
}

/* Whatever begins or ends inside of what one page of the table describes. */
static void unaligned_ranges(void)
{
	static const struct {
		unsigned long start, n;
		unsigned int first, steps;
	} ranges[] = {
		{ 8 * STEP + 100, 1, 8, 1 }, { 8 * STEP + STEP - 1, 1, 8, 1 },
		{ 8 * STEP + STEP - 1, 2, 8, 2 }, { 8 * STEP, STEP + 1, 8, 2 },
		{ 8 * STEP - 1, 2, 8, 1 }, { 10 * STEP - 1, 2 * STEP + 2, 9, 4 },
		{ 5 * STEP - 1, 2, 5, 1 }, { 5 * STEP + 1, STEP, 5, 2 }, { 4 * STEP + 1, 5 * STEP, 5, 5 },
	};
	unsigned int i, step;

	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		reboot(8, HOLE_STEPS);
		for (step = end; step < ranges[i].first; step++)
			expect(step, 1, false);
		expect(ranges[i].first, ranges[i].steps, true);
		snprintf(unit_where, sizeof(unit_where), " (range %u)", i);
		sim_memory_event(MEM_GOING_ONLINE, ranges[i].start, ranges[i].n);
		/* What 4..10 covers was there already but for the hole and the end. */
		check_memory();
		check_table_empty();
		record(ranges[i].start, 0, SITE(1));
		record(ranges[i].start + ranges[i].n - 1, 0, SITE(2));
		CHECK_EQ(page_calls(SITE(2)), 1);
		forget(ranges[i].start, 0);
		forget(ranges[i].start + ranges[i].n - 1, 0);
		check_all_zero();
		CHECK_EQ(lost(LOST_BEYOND_PAGES), 0);
	}
}

/*
 * Memory on its way in when profiling began is in use when it is heard of: too
 * late for a table, and said so.
 */
static void on_its_way_at_init(void)
{
	reboot(8, 0);
	sim_memory_event(MEM_ONLINE, 8 * STEP, 2 * STEP);
	CHECK_EQ(sim_warnings, 1);
	check_memory();
	record(8 * STEP + 1, 3, SITE(1));
	forget(8 * STEP + 1, 3);
	check_all_zero();
	check_lost(1);
}

/* A hundred pieces, in any order; the mappings before go at once, at times, or at the end. */
#define PIECES		100
#define PIECE(i)	(16 + (i) * 37 % PIECES)	/* as steps */

static void many_pieces(unsigned int retire_every)
{
	unsigned int i, j;
	long at_first;

	reboot(16, HOLE_STEPS);
	at_first = sim_vmalloc_out;
	make_live(0, 1000);
	for (i = 0; i < PIECES; i++) {
		snprintf(unit_where, sizeof(unit_where), " (piece %u)", i);
		add_memory(PIECE(i), 1);
		record(PIECE(i) * STEP + i, i % 3, SITE(i));
		for (j = i - i % 10; j <= i; j++) {
			CHECK_EQ(page_bytes(SITE(j)), PAGE_SIZE << j % 3);
			CHECK(pfntable_owner(page(PIECE(j) * STEP + j)));
		}
		if (retire_every && i % retire_every == 0) {
			sim_run_deferred();
			CHECK_EQ(retired_mappings(), 0);
		}
	}
	if (!retire_every)
		CHECK_EQ(retired_mappings(), PIECES);
	expect(16, PIECES, true);
	check_memory();
	sim_run_deferred();
	CHECK_EQ(retired_mappings(), 0);
	/* One mapping is left: what each entry takes, and its place in the list. */
	CHECK_EQ(sim_vmalloc_out - at_first, PIECES * (PAGE_SIZE + sizeof(struct page *)));
	check_live(0, 1000);
	for (i = 0; i < PIECES; i++)
		forget(PIECE(i) * STEP + i, i % 3);
	drop_live(0, 1000);
	check_all_zero();
	check_table_empty();
	check_memory();
	CHECK_EQ(sim_warnings, 0);
	check_lost(0);
}

static void pieces_retired_at_once(void)
{
	many_pieces(1);
}

static void pieces_retired_at_times(void)
{
	many_pieces(7);
}

static void pieces_retired_at_the_end(void)
{
	many_pieces(0);
}

/* Off, with mappings that nobody has taken away yet; on again is a new table. */
static void exit_with_work_pending(void)
{
	unsigned int i, round;

	reboot(8, 0);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 5; i++)
			add_and_expect(end, 1);
		CHECK_EQ(retired_mappings(), 5);
		CHECK(sim_deferred_pending());
		pfnmem_exit();
		CHECK(!sim_deferred_pending());
		CHECK_EQ(sim_frames_out, 0);
		CHECK_EQ(sim_vmalloc_out, 0);
		CHECK_EQ(retired_mappings(), 0);
		CHECK(!allocprof_pages && !allocprof_pfns);
		CHECK_EQ(pfnmem_bytes(), 0);
		/* Nobody is told any more. */
		add_memory(end, 1);
		CHECK_EQ(sim_frames_out, 0);
		expect(end, 1, true);
		sim_run_deferred();
		CHECK_EQ(pfnmem_init(), 0);
		check_memory();
		check_table_empty();
	}
	/* Twice off is off. */
	pfnmem_exit();
	pfnmem_exit();
	CHECK_EQ(sim_frames_out, 0);
	CHECK_EQ(sim_warnings, 0);
}

/*
 * Memory that cannot be had.
 */

static void init_fails_at_each_step(void)
{
	long n;
	int err;

	reboot(16, HOLE_STEPS);
	pfnmem_exit();
	for (n = 0, err = -ENOMEM; err; n++) {
		sim_fail_after = n;
		err = pfnmem_init();
		if (!err)
			break;
		CHECK_EQ(err, -ENOMEM);
		CHECK_EQ(pfnmem_bytes(), 0);
		/* Hooks are not attached, but the notifier may be there. */
		sim_fail_after = -1;
		add_memory(5, 1);
		sim_set_online(5 * STEP, STEP, false);
		CHECK(!allocprof_pages && !allocprof_pfns);
		record(1, 0, SITE(1));
		forget(1, 0);
		pfnmem_exit();
		CHECK_EQ(sim_frames_out, 0);
		CHECK_EQ(sim_vmalloc_out, 0);
	}
	/* The hole, the list, a page for each step that is online, and the mapping. */
	CHECK_EQ(n, 1 + 1 + 14 + 1);
	check_memory();
	check_table_empty();

	pfnmem_exit();
	sim_fail_after = -1;
	sim_fail_notifier = true;
	CHECK(pfnmem_init());
	pfnmem_exit();
	CHECK_EQ(sim_frames_out, 0);
	CHECK_EQ(sim_vmalloc_out, 0);
	sim_fail_notifier = false;
	CHECK_EQ(pfnmem_init(), 0);
	check_memory();
	CHECK_EQ(sim_warnings, 0);
}

/* Growth of three steps over a hole and the end. */
static void growth_fails_at_each_step(void)
{
	unsigned long warnings;
	long n, bytes;
	u32 *old;
	u64 lost_before;

	reboot(8, 1 << 6);
	make_live(0, 10);
	for (n = 0; ; n++) {
		snprintf(unit_where, sizeof(unit_where), " (allocation %ld)", n);
		old = allocprof_pages;
		warnings = sim_warnings;
		bytes = sim_vmalloc_out;
		lost_before = lost_total();
		/* Told once it is there, and then too late to try again. */
		sim_fail_after = n;
		sim_memory_event(MEM_GOING_ONLINE, 6 * STEP, 4 * STEP);
		if (allocprof_pages != old)
			break;
		CHECK_EQ(sim_warnings, warnings);
		sim_fail_after = -1;
		sim_memory_event(MEM_ONLINE, 6 * STEP, 4 * STEP);
		CHECK(allocprof_pages == old);
		CHECK_EQ(sim_warnings, warnings + 1);
		CHECK_EQ(sim_vmalloc_out, bytes);
		CHECK_EQ(retired_mappings(), 0);
		check_memory();
		/* It comes all the same, and is used. */
		record(6 * STEP, 1, SITE(1));
		record(8 * STEP, 1, SITE(1));
		check_lost(lost_before + 2);
		record(7 * STEP, 1, SITE(1));
		CHECK_EQ(page_calls(SITE(1)), 1);
		check_live(0, 10);
		forget(6 * STEP, 1);
		forget(7 * STEP, 1);
		forget(8 * STEP, 0);
	}
	sim_fail_after = -1;
	/* The list, the three pages, the mapping. */
	CHECK_EQ(n, 5);
	CHECK_EQ(sim_warnings, 5);
	expect(6, 4, true);
	check_memory();
	check_live(0, 10);
	lost_before = lost_total();
	/* What was lost stays so; what is new is not. */
	forget(8 * STEP + 1, 0);
	record(8 * STEP, 1, SITE(1));
	record(6 * STEP, 1, SITE(1));
	CHECK_EQ(page_calls(SITE(1)), 2);
	forget(8 * STEP, 1);
	forget(6 * STEP, 1);
	drop_live(0, 10);
	sim_run_deferred();
	check_all_zero();
	check_table_empty();
	check_lost(lost_before);
}

/* Room for what may come next; none if there is no memory for that. */
static void room_for_more(void)
{
	unsigned long vmaps;

	CHECK_EQ(room_ahead(2047), 0);
	CHECK_EQ(room_ahead(2048), 32 * STEP);
	CHECK_EQ(room_ahead(1 << 18), 4096 * STEP);	/* 1 TiB: 16 GiB */
	reboot(8, 1 << 6);
	grow(6 * STEP, 7 * STEP, 5 * STEP);
	expect(6, 6, true);
	check_memory();
	vmaps = sim_vmaps;
	add_memory(8, 2);
	add_memory(10, 2);
	CHECK_EQ(sim_vmaps, vmaps);
	check_memory();
	/* The list, and two pages. */
	sim_fail_after = 3;
	grow(12 * STEP, 13 * STEP, 2 * STEP);
	sim_fail_after = -1;
	CHECK_EQ(end, 12);
	check_memory();
	sim_run_deferred();
	check_table_empty();
}

/* Memory is gone with whatever was in it: what was left there was a driver's, or bad. */
static void gone_with_memory(void)
{
	reboot(8, 0);
	add_and_expect(8, 2);
	make_live(0, 10);
	record(8 * STEP + 8, 3, SITE(1));
	record(9 * STEP, 0, SITE(1));
	pfntable_mark_uncounted(page(9 * STEP + 7));
	record(10 * STEP - 1, 0, SITE(1));
	CHECK_EQ(page_calls(SITE(1)), 3);
	sim_memory_event(MEM_GOING_OFFLINE, 8 * STEP, 2 * STEP);
	sim_memory_event(MEM_CANCEL_OFFLINE, 8 * STEP, 2 * STEP);
	CHECK_EQ(page_calls(SITE(1)), 3);
	sim_set_online(8 * STEP, 2 * STEP, false);
	sim_memory_event(MEM_OFFLINE, 8 * STEP, 2 * STEP);
	CHECK_EQ(page_calls(SITE(1)), 0);
	check_live(0, 10);
	drop_live(0, 10);
	check_all_zero();
	check_table_empty();
	/* Of what has no table, nothing. */
	sim_memory_event(MEM_OFFLINE, 16 * STEP, STEP);
	check_lost(0);
}

/*
 * Interleavings: hooks at each point of a growth, a growth at each point of a
 * hook.  The machine has 8 steps, of which one is a hole; the growth fills it
 * and goes on behind the end.
 */
#define GROW_HOLE	5U

struct op {
	const char *name;
	void (*setup)(void);
	void (*run)(void);
	void (*check)(void);	/* and undo */
};

static u32 round_site;

static void none(void)
{
}

static void op_alloc(void)
{
	record(64, 2, SITE(round_site));
}

static void op_free(void)
{
	forget(64, 2);
}

static void check_alloc(void)
{
	CHECK_EQ(page_bytes(SITE(round_site)), 4 * PAGE_SIZE);
	op_free();
}

static void op_free_piece(void)
{
	forget(66, 0);
}

static void check_free_piece(void)
{
	CHECK_EQ(page_bytes(SITE(round_site)), 3 * PAGE_SIZE);
	forget(67, 0);
	forget(64, 1);
}

static void op_split(void)
{
	pfntable_split(64, 4, 0);
}

static void check_split(void)
{
	CHECK_EQ(page_calls(SITE(round_site)), 4);
	op_free();
}

static void setup_swap(void)
{
	op_alloc();
	record(128, 1, SITE(round_site + 1));
}

static void op_swap(void)
{
	pfntable_swap(128, 66, 1);
}

static void check_swap(void)
{
	CHECK_EQ(page_bytes(SITE(round_site)), 4 * PAGE_SIZE);
	forget(66, 1);
	CHECK_EQ(page_bytes(SITE(round_site)), 4 * PAGE_SIZE);
	CHECK_EQ(page_calls(SITE(round_site + 1)), 0);
	forget(64, 1);
	forget(128, 1);
}

static void setup_slab(void)
{
	record(256, 1, SITE(1));
	sim_slab(256, 1, &live_cache);
}

static void op_obj_alloc(void)
{
	objtable_alloc(at(257, 512), SITE(round_site), NULL);
}

static void op_obj_free(void)
{
	objtable_free(at(257, 512));
}

static void drop_slab(void)
{
	forget(256, 1);
	sim_plain(256, 1);
}

static void check_obj_alloc(void)
{
	CHECK_EQ(slot_calls(SITE(round_site), 512), 1);
	op_obj_free();
	drop_slab();
}

static void setup_obj(void)
{
	setup_slab();
	op_obj_alloc();
}

/* With the object still in it, which takes the long way. */
static void op_drop_slab(void)
{
	forget(256, 1);
}

static void check_drop_slab(void)
{
	CHECK_EQ(lost(HEALED_FREES), 1);
	sim_plain(256, 1);
	/* Wanted here, and nowhere else. */
	per_cpu(allocprof_losses, 0)[HEALED_FREES] = 0;
	per_cpu(allocprof_losses, 1)[HEALED_FREES] = 0;
}

static void op_range(void)
{
	pfntable_alloc_range(61, 7, SITE(round_site), NULL);
}

static void check_range(void)
{
	unsigned int i;

	CHECK_EQ(page_calls(SITE(round_site)), 7);
	for (i = 0; i < 7; i++)
		forget(61 + i, 0);
}

static void op_mark(void)
{
	pfntable_mark_uncounted(page(70));
	CHECK(pfntable_recorded(page(70)));
}

static void check_mark(void)
{
	CHECK_EQ(tag_calls(tag_by_id(ALLOCPROF_TAG_UNCOUNTED)), 1);
	forget(70, 0);
}

/* What is beside the new memory, and the kernel's own first look at that: freed once, as it comes. */
static void op_beside(void)
{
	forget(GROW_HOLE * STEP, 9);
	forget(8 * STEP, 9);
	pfntable_recorded(page(8 * STEP + 1));
	pfntable_owner(page(GROW_HOLE * STEP + 1));
	forget(GROW_HOLE * STEP - 1, 0);
	forget(8 * STEP - 1, 0);
	forget(4 * STEP, 10);
}

static const struct op ops[] = {
	{ "alloc", none, op_alloc, check_alloc },
	{ "free", op_alloc, op_free, none },
	{ "free of a piece", op_alloc, op_free_piece, check_free_piece },
	{ "split", op_alloc, op_split, check_split },
	{ "swap", setup_swap, op_swap, check_swap },
	{ "first object", setup_slab, op_obj_alloc, check_obj_alloc },
	{ "object's free", setup_obj, op_obj_free, drop_slab },
	{ "slab's free", setup_obj, op_drop_slab, check_drop_slab },
	{ "range", none, op_range, check_range },
	{ "mark", none, op_mark, check_mark },
	{ "beside", none, op_beside, none },
};

static const struct op *op_inside;

static void run_hook(void *data)
{
	sim_hook_begin();
	op_inside->run();
	sim_hook_end();
}

static void run_growth(void *data)
{
	add_memory(GROW_HOLE, 4);
}

static void expect_growth(void)
{
	expect(GROW_HOLE, 1, true);
	expect(8, 1, true);
	check_memory();
	CHECK_EQ(retired_mappings(), 1);
}

/* One at the @n'th point of the other, or after it.  False: there is no such point. */
static bool both(unsigned long n, void (*outer)(void *data), void (*inner)(void *data))
{
	bool happened;

	sim_arm(n, SIM_LOCKLESS, inner, NULL);
	outer(NULL);
	happened = sim_disarm();
	if (!happened)
		inner(NULL);
	expect_growth();
	/* Whoever is still on the old one dies. */
	sim_run_deferred();
	return happened;
}

static void interleave(void (*outer)(void *data), void (*inner)(void *data))
{
	unsigned long n;
	bool happened;

	/* Some of a long loop's points are like all of them. */
	for (n = 0, happened = true; happened; n += n < 500 ? 1 : 41) {
		snprintf(unit_where, sizeof(unit_where), " (%s, at point %lu)", op_inside->name, n);
		round_site += 4;
		reboot(8, 1 << GROW_HOLE);
		op_inside->setup();
		happened = both(n, outer, inner);
		CHECK_EQ(retired_mappings(), 0);
		op_inside->check();
		sim_run_deferred();
		check_all_zero();
		check_table_empty();
		check_lost(0);
	}
	CHECK(n > 2);
}

static void growth_in_a_hook(void)
{
	for (op_inside = ops; op_inside < ops + ARRAY_SIZE(ops); op_inside++)
		interleave(run_hook, run_growth);
}

static void hook_in_a_growth(void)
{
	for (op_inside = ops; op_inside < ops + ARRAY_SIZE(ops); op_inside++)
		interleave(run_growth, run_hook);
}

/*
 * A kernel that uses memory before it has said that it comes: what is seen of
 * it may be lost, and says so, but is not wrong.
 */
static void late_growth(void *data)
{
	sim_memory_event(MEM_GOING_ONLINE, GROW_HOLE * STEP, 4 * STEP);
}

static unsigned long late_pfn;

static void late_alloc(void *data)
{
	sim_hook_begin();
	pfntable_alloc(page(late_pfn), 1, SITE(round_site), NULL);
	sim_hook_end();
}

/* A block that begins before the hole, of which a piece in the hole is freed. */
static void late_cut(void *data)
{
	sim_hook_begin();
	forget(late_pfn, 0);
	sim_hook_end();
}

static void late_split(void *data)
{
	sim_hook_begin();
	pfntable_split(4 * STEP, 2 * STEP, 9);
	sim_hook_end();
}

static void late_swap(void *data)
{
	sim_hook_begin();
	pfntable_swap(late_pfn, 64, 0);
	sim_hook_end();
}

static void late(void (*outer)(void *data), void (*inner)(void *data), bool block)
{
	unsigned long n, i;
	bool happened;
	u64 before;

	for (n = 0, happened = true; happened; n++) {
		snprintf(unit_where, sizeof(unit_where), " (frame %lu, at point %lu)", late_pfn, n);
		round_site += 4;
		reboot(8, 1 << GROW_HOLE);
		record(64, 0, SITE(round_site + 1));
		if (block)
			record(4 * STEP, 10, SITE(round_site));
		before = lost(LOST_BEYOND_PAGES);
		happened = both(n, outer, inner);
		if (!block && !pfntable_owner(page(late_pfn)))
			CHECK_EQ(lost(LOST_BEYOND_PAGES), before + 1);
		CHECK(page_bytes(SITE(round_site)) <= PAGE_SIZE << 10);
		for (i = 4 * STEP; i < 6 * STEP; i++)
			forget(i, 0);
		forget(late_pfn, 1);
		forget(64, 0);
		check_all_zero();
		check_table_empty();
	}
}

static void growth_of_memory_in_use(void)
{
	static const unsigned long pfns[] = { GROW_HOLE * STEP, GROW_HOLE * STEP + 100, 8 * STEP };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pfns); i++) {
		late_pfn = pfns[i];
		late(late_growth, late_alloc, false);
		late(late_alloc, late_growth, false);
		late(late_growth, late_swap, true);
		late(late_swap, late_growth, true);
	}
	late_pfn = GROW_HOLE * STEP + 3;
	late(late_growth, late_cut, true);
	late(late_cut, late_growth, true);
	late(late_growth, late_split, true);
	late(late_split, late_growth, true);
	/* What is not in the hole. */
	late_pfn = 4 * STEP + 3;
	late(late_cut, late_growth, true);
	late(late_growth, late_cut, true);
}

/* An address from before a growth, used for as long as a hook runs: the work waits. */
static void growths_in_a_hook(void)
{
	u32 *old;
	unsigned int i;

	reboot(8, 0);
	old = allocprof_pages;
	sim_cpu = 3;
	sim_hook_begin();
	sim_cpu = 0;
	for (i = 0; i < 3; i++)
		add_and_expect(end, 1);
	CHECK(readable(old));
	sim_cpu = 3;
	sim_hook_end();
	sim_cpu = 0;
	sim_run_deferred();
	CHECK(!readable(old));
	check_table_empty();
}

const struct unit_test pfnmem_tests[] = {
	UNIT_TEST(holes_at_init),
	UNIT_TEST(hardly_any_memory),
	UNIT_TEST(pages_in_a_hole),
	UNIT_TEST(swap_with_a_hole),
	UNIT_TEST(swap_of_a_block_into_a_hole),
	UNIT_TEST(objects_in_a_hole),
	UNIT_TEST(kfence_in_a_hole),
	UNIT_TEST(blocks_across_holes),
	UNIT_TEST(first_piece_of_a_block_across_holes),
	UNIT_TEST(hole_filled_below_a_block),
	UNIT_TEST(grow_behind_the_end),
	UNIT_TEST(grow_into_a_hole),
	UNIT_TEST(one_table_at_two_addresses),
	UNIT_TEST(covered_already),
	UNIT_TEST(taken_away_and_back),
	UNIT_TEST(unaligned_ranges),
	UNIT_TEST(on_its_way_at_init),
	UNIT_TEST(pieces_retired_at_once),
	UNIT_TEST(pieces_retired_at_times),
	UNIT_TEST(pieces_retired_at_the_end),
	UNIT_TEST(exit_with_work_pending),
	UNIT_TEST(init_fails_at_each_step),
	UNIT_TEST(growth_fails_at_each_step),
	UNIT_TEST(gone_with_memory),
	UNIT_TEST(room_for_more),
	UNIT_TEST(growth_in_a_hook),
	UNIT_TEST(hook_in_a_growth),
	UNIT_TEST(growth_of_memory_in_use),
	UNIT_TEST(growths_in_a_hook),
	{}
};
