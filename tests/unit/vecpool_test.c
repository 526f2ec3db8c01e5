// SPDX-License-Identifier: GPL-2.0
/* The vector pool, seen from inside: its size classes are its own affair. */
#include "../../module/vecpool.c"

#include <linux/cpumask.h>

#include "unit.h"

#define VEC_BYTES(nslots)	(sizeof(struct allocprof_vec) + (nslots) * sizeof(u32))

/* Every size fits its class, and no smaller class; classes grow by an eighth. */
static void classes(void)
{
	unsigned int last = 0, class;
	size_t bytes;

	for (bytes = 1; bytes <= CHUNK_BYTES; bytes++) {
		class = class_of(bytes);
		CHECK(class < CLASSES);
		CHECK(class == last || class == last + 1);
		CHECK(class_bytes(class) >= bytes);
		CHECK(!class || class_bytes(class - 1) < bytes);
		CHECK_EQ(class_of(class_bytes(class)), class);
		if (bytes > SMALL_LIMIT)
			CHECK((class_bytes(class) - bytes) * 8 < bytes);
		else
			CHECK(class_bytes(class) - bytes < SMALL_STEP);
		last = class;
	}
	CHECK_EQ(last, CLASSES - 1);
	for (class = 0; class < CLASSES; class++)
		CHECK_EQ(class_bytes(class) % 8, 0);
}

unsigned long free_vectors(void)
{
	const struct free_vec *free;
	const struct chunk *chunk;
	unsigned long n = 0, m;
	unsigned int i;

	for (i = 0; i < CLASSES; i++) {
		for (free = free_vecs[i]; free; free = free->next)
			n++;
		list_for_each_entry(chunk, &class_chunks[i], list) {
			for (m = 0, free = chunk->free; free; free = free->next)
				m++;
			CHECK(m && m == chunk->nfree);
			CHECK_EQ(chunk->size_class, i);
			n += m;
		}
	}
	return n;
}

static void check_zero(const struct allocprof_vec *vec)
{
	const struct allocprof_vec expected = { .size_class = vec->size_class, .number = vec->number };
	const u32 *word = vec->slot, *end = (void *)vec + class_bytes(vec->size_class);

	CHECK(!memcmp(vec, &expected, sizeof(expected)));
	for (; word < end; word++)
		CHECK_EQ(*word, 0);
}

/* As a slab does: uses all of it, and gives it back with its slots empty. */
static void use(struct allocprof_vec *vec, u32 nslots, u32 mark)
{
	u16 size_class = vec->size_class;
	u32 number = vec->number, i;

	memset(vec, 0xff, sizeof(*vec));
	vec->size_class = size_class;
	vec->number = number;
	vec->nslots = nslots;
	for (i = 0; i < nslots; i++)
		vec->slot[i] = mark + i;
}

static void put(struct allocprof_vec *vec)
{
	memset(vec->slot, 0, vec->nslots * sizeof(u32));
	vecpool_put(vec);
}

static void get_put_reuse(void)
{
	struct allocprof_vec *vec, *again;
	bool too_big;
	u32 nslots;

	for (nslots = 0; nslots <= 5000; nslots++) {
		vec = vecpool_get(nslots, &too_big);
		CHECK(vec);
		CHECK(!too_big);
		check_zero(vec);
		use(vec, nslots, 1);
		put(vec);
		again = vecpool_get(nslots, &too_big);
		CHECK(again == vec);
		check_zero(again);
		vecpool_put(again);
		sim_run_deferred();
	}
}

/* Many at a time, of all sizes: none overlaps another, all are inside chunks. */
static void vectors_do_not_overlap(void)
{
	static struct allocprof_vec *vecs[2000];
	unsigned int round, i;
	bool too_big;
	u32 j;

	for (round = 0; round < 3; round++) {
		for (i = 0; i < ARRAY_SIZE(vecs); i++) {
			u32 nslots = random_below(i % 4 ? 300 : 4000);

			vecs[i] = vecpool_get(nslots, &too_big);
			CHECK(vecs[i]);
			check_zero(vecs[i]);
			use(vecs[i], nslots, i * 5000);
			sim_run_deferred();
		}
		for (i = 0; i < ARRAY_SIZE(vecs); i++)
			for (j = 0; j < vecs[i]->nslots; j++)
				CHECK_EQ(vecs[i]->slot[j], i * 5000 + j);
		for (i = 0; i < ARRAY_SIZE(vecs); i++)
			put(vecs[(i * 7) % ARRAY_SIZE(vecs)]);
	}
	CHECK_EQ(vecpool_bytes() + vecpool_reserve_bytes(), sim_pages_out * PAGE_SIZE);
}

static void too_big_is_said(void)
{
	struct allocprof_vec *vec;
	bool too_big;
	u32 nslots, largest = 0;

	for (nslots = 7000; nslots < 9000; nslots++) {
		vec = vecpool_get(nslots, &too_big);
		sim_run_deferred();
		if (vec) {
			CHECK(!too_big);
			CHECK_EQ(largest, nslots > 7000 ? nslots - 1 : 0);
			largest = nslots;
			check_zero(vec);
			vecpool_put(vec);
		} else {
			CHECK(too_big);
		}
	}
	/* The smallest slot in the largest slab SLUB makes by itself: 8 in 32 KiB. */
	CHECK(largest >= 4096);
	CHECK(CHUNK_HEADER + VEC_BYTES(largest) <= CHUNK_BYTES);
	CHECK(!vecpool_get(0xffffffff, &too_big) && too_big);
}

static unsigned int drain(u32 nslots, struct allocprof_vec **vecs, unsigned int max)
{
	unsigned int n;
	bool too_big;

	for (n = 0; n < max; n++) {
		vecs[n] = vecpool_get(nslots, &too_big);
		CHECK(!too_big);
		if (!vecs[n])
			break;
		vecs[n]->nslots = nslots;
	}
	return n;
}

static struct allocprof_vec *many[SIM_CHUNK_PAGES * 64];

static void exhaustion(void)
{
	size_t reserve = vecpool_reserve_bytes();
	unsigned int n, again, i;
	bool too_big;

	CHECK(reserve >= SZ_256K);
	n = drain(500, many, ARRAY_SIZE(many));
	/* All of the reserve was usable, but for the headers and the rest of each chunk. */
	CHECK(n >= reserve / CHUNK_BYTES *
	      ((CHUNK_BYTES - CHUNK_HEADER) / class_bytes(class_of(VEC_BYTES(500)))));
	CHECK_EQ(vecpool_reserve_bytes(), 0);
	CHECK(!vecpool_get(500, &too_big) && !too_big);
	CHECK(!vecpool_get(10, &too_big) && !too_big);
	CHECK(sim_deferred_pending());

	/* No memory to be had: still none, and nothing worse. */
	sim_fail_after = 0;
	sim_run_deferred();
	CHECK(!vecpool_get(10, &too_big));

	/* A vector given back can be had again. */
	put(many[--n]);
	many[n] = vecpool_get(500, &too_big);
	CHECK(many[n]);
	many[n++]->nslots = 500;

	/* Nobody has to ask again, once there is some. */
	sim_run_deferred();
	sim_fail_after = -1;
	sim_run_deferred();
	sim_run_deferred();
	CHECK_EQ(vecpool_reserve_bytes(), reserve);
	again = drain(500, many + n, ARRAY_SIZE(many) - n);
	CHECK(again >= n - 1);
	for (i = 0; i < n + again; i++)
		put(many[i]);
	CHECK_EQ(drain(500, many, ARRAY_SIZE(many)), n + again);
}

/* Asks for more when the reserve is low, and not before. */
static void kicks_when_low(void)
{
	size_t reserve = vecpool_reserve_bytes();
	struct allocprof_vec *vec;
	bool too_big;

	while (!sim_deferred_pending()) {
		vec = vecpool_get(8000 - 1200, &too_big);
		CHECK(vec);
	}
	CHECK(vecpool_reserve_bytes() < reserve_low);
	CHECK(vecpool_reserve_bytes() + CHUNK_BYTES >= reserve_low);
	sim_run_deferred();
	CHECK(vecpool_reserve_bytes() >= reserve);
	vec = vecpool_get(1, &too_big);
	CHECK(vec && !sim_deferred_pending());
}

/* On a CPU that is going away nothing is queued; another asks again, for memory and for the trimming. */
static void not_on_a_cpu_that_goes(void)
{
	static struct allocprof_vec *peak[4000];
	unsigned int i;
	bool too_big;

	sim_cpus_go = true;
	while (vecpool_reserve_bytes() >= reserve_low)
		CHECK(vecpool_get(8000 - 1200, &too_big));
	CHECK(vecpool_get(1, &too_big));
	CHECK(!refill_kick());
	CHECK(!sim_deferred_pending());
	sim_cpus_go = false;
	CHECK(vecpool_get(8000 - 1200, &too_big));
	CHECK(sim_deferred_pending());
	for (i = 0; i < ARRAY_SIZE(peak); i++) {
		sim_run_deferred();
		peak[i] = vecpool_get(500, &too_big);
		CHECK(peak[i]);
		peak[i]->nslots = 500;
	}
	sim_run_deferred();
	sim_cpus_go = true;
	for (i = 1; i < ARRAY_SIZE(peak); i++)
		put(peak[i]);
	CHECK(idle_bytes > reserve_high && !vecpool_wants_trim());
	CHECK(!sim_deferred_pending());
	sim_cpus_go = false;
	put(peak[0]);
	CHECK(vecpool_wants_trim());
	sim_run_deferred();
	CHECK(idle_bytes <= reserve_high);
}

/* Fragmented memory: single pages serve small vectors; large ones fail cleanly. */
static void single_pages(void)
{
	unsigned int n, small, i;
	size_t reserve, pages;
	bool too_big;
	u32 max;

	n = drain(500, many, ARRAY_SIZE(many));
	sim_fail_orders = 1U << CHUNK_ORDER;
	sim_run_deferred();
	reserve = vecpool_reserve_bytes();
	CHECK(reserve >= SZ_256K);
	CHECK(!vecpool_get(4096, &too_big) && !too_big);
	CHECK_EQ(vecpool_reserve_bytes(), reserve);
	max = (PAGE_SIZE - CHUNK_HEADER - sizeof(struct allocprof_vec)) / sizeof(u32);
	while (CHUNK_HEADER + class_bytes(class_of(VEC_BYTES(max))) > PAGE_SIZE)
		max--;
	for (i = 0; i < 20; i++) {
		struct allocprof_vec *vec = vecpool_get(i ? random_below(max) : max, &too_big);

		CHECK(vec);
		check_zero(vec);
		CHECK_EQ((unsigned long)vec / PAGE_SIZE, ((unsigned long)vec +
			 class_bytes(vec->size_class) - 1) / PAGE_SIZE);
	}
	pages = vecpool_reserve_bytes() / PAGE_SIZE;
	CHECK(pages > 2);
	small = drain(100, many + n, ARRAY_SIZE(many) - n);
	/* One may be the mixed one. */
	CHECK(small >= (pages - 1) * ((PAGE_SIZE - CHUNK_HEADER) / class_bytes(class_of(VEC_BYTES(100)))));
	for (i = 0; i < small; i++) {
		many[n + i]->nslots = 0;
		check_zero(many[n + i]);
	}

	/* Once memory is better, a large one does not find the small ones in its way. */
	sim_fail_orders = 0;
	refill_kick();
	sim_run_deferred();
	CHECK(vecpool_get(4096, &too_big));
}

static void init_fails_cleanly(void)
{
	size_t high = vecpool_reserve_bytes();

	vecpool_exit();
	CHECK_EQ(sim_pages_out, 0);
	for (sim_fail_after = 0; (size_t)sim_fail_after < high / CHUNK_BYTES;) {
		long n = sim_fail_after;

		CHECK_EQ(vecpool_init(SIM_RAM_PAGES), -ENOMEM);
		CHECK_EQ(sim_pages_out, 0);
		CHECK_EQ(vecpool_bytes() + vecpool_reserve_bytes(), 0);
		sim_fail_after = n + 1;
	}
	sim_fail_after = -1;
	CHECK_EQ(vecpool_init(SIM_RAM_PAGES), 0);
	CHECK_EQ(vecpool_reserve_bytes(), high);
}

/* The reserve follows the size of the machine, within limits. */
static void reserve_by_ram(void)
{
	static const struct {
		unsigned long ram;
		size_t reserve;
	} machines[] = {
		{ 1UL << 14, SZ_256K }, { 1UL << 18, SZ_256K }, { 1UL << 21, SZ_1M },
		{ 1UL << 23, SZ_4M }, { 1UL << 30, SZ_4M },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(machines); i++) {
		vecpool_exit();
		CHECK_EQ(vecpool_init(machines[i].ram), 0);
		CHECK_EQ(vecpool_reserve_bytes(), machines[i].reserve);
	}
}

/* A number leads to its vector and to no other, in chunks and in single pages. */
static void numbers(void)
{
	unsigned int round, i, n, all = 0;

	for (round = 0; round < 6; round++) {
		sim_fail_orders = round % 2 ? 1U << CHUNK_ORDER : 0;
		sim_run_deferred();
		n = drain(1 + random_below(900), many + all, ARRAY_SIZE(many) - all);
		CHECK(n > 7);
		all += n;
	}
	for (i = 0; i < all; i++) {
		CHECK((s32)many[i]->number < 0);
		CHECK(vec_by_number(many[i]->number) == many[i]);
	}
	/* In the next life, too. */
	vecpool_put(many[0]);
	vecpool_put(many[all - 1]);
	CHECK(vec_by_number(many[0]->number) == many[0]);
	CHECK(vec_by_number(many[all - 1]->number) == many[all - 1]);
}

/* The table gets longer ahead of need, by the work item; what is quicker than that finds its end. */
static void table_of_chunks(void)
{
	static struct allocprof_vec *many[2000];
	const unsigned long high = reserve_high;
	unsigned int i, all = 0;
	const unsigned long *first;
	unsigned long pages;
	bool too_big;

	CHECK_EQ(table_length, TABLE_MIN);
	vecpool_exit();
	first_length = 32;
	reserve_high = high;
	reserve_low = high / 4 * 3;
	vecpool_refill(GFP_KERNEL, UINT_MAX);
	CHECK_EQ(table_length, 32);
	first = allocprof_vec_chunks;
	while (tables < 3 && all < ARRAY_SIZE(many)) {
		many[all] = vecpool_get(1000, &too_big);
		CHECK(many[all]);
		many[all]->base = all + 1;
		all++;
		sim_run_deferred();
	}
	CHECK_EQ(table_length, 128);
	CHECK_EQ(vecpool_table_bytes(), (32 + 64 + 128) * sizeof(long));
	CHECK(chunks_used >= table_length / 4 && chunks_used <= table_length / 2);
	for (i = 0; i < all; i++)
		CHECK_EQ(vec_by_number(many[i]->number)->base, i + 1);
	/* Who has an old table may still look at it. */
	CHECK_EQ(first[many[0]->number >> VEC_STEPS_SHIFT], allocprof_vec_chunks[many[0]->number >> VEC_STEPS_SHIFT]);

	/* From an interrupt it cannot be made longer. */
	while (chunks_used < table_length) {
		vecpool_refill(GFP_NOWAIT, 1);
		while (reserve_bytes >= reserve_low)
			CHECK(vecpool_get(1000, &too_big));
	}
	pages = sim_pages_out;
	vecpool_refill(GFP_NOWAIT, 1);
	CHECK_EQ(sim_pages_out, pages);
	sim_run_deferred();
	/* Its half is filled already when it is made. */
	CHECK_EQ(table_length, 512);
	CHECK(sim_pages_out > pages);
}

/* While a long table is being copied, by pieces, chunks come and go: the next one has what the last one has. */
static void table_changes_while_copied(void)
{
	const unsigned long length = 4 * COPY_AT_ONCE, *before;
	struct chunk *chunk;
	unsigned int i;

	vecpool_exit();
	first_length = length;
	CHECK(lengthen_table(GFP_KERNEL));
	CHECK_EQ(table_length, length);
	/* The next ones lie around the end of the first piece. */
	for (chunks_used = 0; chunks_used < COPY_AT_ONCE - 2; chunks_used++)
		chunk_tables[0][chunks_used] = FREE_ENTRY(0);
	before = chunk_tables[0];
	next_table = __vmalloc(2 * length * sizeof(long), GFP_KERNEL | __GFP_ZERO);
	copied = 0;
	for (i = 0; i < 4; i++) {
		reserve_high = reserve_bytes + 2 * CHUNK_BYTES;
		vecpool_refill(GFP_NOWAIT, 2);
		/* One that comes, goes, and comes again as another. */
		chunk = list_first_entry_or_null(&reserve, struct chunk, list);
		list_del_init(&chunk->list);
		set_entry(chunks_used - 1, FREE_ENTRY(0));
		free_entries = chunks_used;
		free_pages((unsigned long)chunk, chunk->order);
		reserve_bytes -= CHUNK_BYTES;
		CHECK_EQ(copy_table(), i == 3);
		vecpool_refill(GFP_NOWAIT, 1);
		CHECK(!free_entries);
	}
	CHECK_EQ(tables, 2);
	CHECK(!next_table);
	CHECK_EQ(table_length, 2 * length);
	CHECK_EQ(chunks_used, COPY_AT_ONCE - 2 + 4 * 2);
	for (i = 0; i < chunks_used - 1; i++)
		CHECK_EQ(chunk_tables[1][i], before[i]);
	for (i = chunks_used; i < 2 * length; i++)
		CHECK(!chunk_tables[1][i]);

	/* Two have come to make it longer: who comes second does not begin again, and goes on instead. */
	chunks_used = table_length;
	for (i = 0; i < chunks_used; i++)
		if (!chunk_tables[1][i])
			chunk_tables[1][i] = FREE_ENTRY(0);
	next_table = __vmalloc(2 * table_length * sizeof(long), GFP_KERNEL | __GFP_ZERO);
	copied = 0;
	CHECK(!copy_table());
	CHECK(lengthen_table(GFP_KERNEL));
	CHECK_EQ(tables, 3);
	CHECK_EQ(table_length, 4 * length);
	for (i = 0; i < chunks_used; i++)
		CHECK_EQ(chunk_tables[2][i], chunk_tables[1][i]);

	/* What is not finished goes with the rest. */
	next_table = __vmalloc(8 * length * sizeof(long), GFP_KERNEL | __GFP_ZERO);
	copied = 0;
	CHECK(!copy_table());
}

/* What was a peak is given back, but for a bit; its entries of the table serve again. */
static void trims_after_a_peak(void)
{
	static struct allocprof_vec *peak[4000];
	const u32 nslots = 500;
	unsigned long used = 0, table;
	unsigned int round, i;
	bool too_big;
	long pages;

	for (round = 0; round < 4; round++) {
		for (i = 0; i < ARRAY_SIZE(peak); i++) {
			peak[i] = vecpool_get(nslots, &too_big);
			CHECK(peak[i]);
			check_zero(peak[i]);
			CHECK(vec_by_number(peak[i]->number) == peak[i]);
			use(peak[i], nslots, 1);
			sim_run_deferred();
		}
		used = used ?: chunks_used;
		/* The second time there are entries that are free. */
		CHECK(chunks_used <= used + 2);
		pages = sim_pages_out;
		for (i = 0; i < ARRAY_SIZE(peak); i++)
			put(peak[i * 7 % ARRAY_SIZE(peak)]);
		CHECK(idle_bytes > 8 * reserve_high);
		CHECK(vecpool_wants_trim());
		CHECK_EQ(sim_pages_out, pages);
		sim_run_deferred();
		CHECK(!vecpool_wants_trim());
		CHECK(idle_bytes <= reserve_high && idle_bytes + CHUNK_BYTES > reserve_high);
		CHECK(sim_pages_out < pages / 4);
		CHECK_EQ(vecpool_bytes() + vecpool_reserve_bytes(), sim_pages_out * PAGE_SIZE);
		CHECK(free_vectors());
	}
	/* One vector keeps its chunk. */
	for (i = 0; i < ARRAY_SIZE(peak); i++) {
		peak[i] = vecpool_get(nslots, &too_big);
		use(peak[i], nslots, i);
		sim_run_deferred();
	}
	table = vecpool_table_bytes();
	for (i = 0; i < ARRAY_SIZE(peak); i++)
		if (i % 500)
			put(peak[i]);
	sim_run_deferred();
	for (i = 0; i < ARRAY_SIZE(peak); i += 500) {
		CHECK(vec_by_number(peak[i]->number) == peak[i]);
		CHECK_EQ(peak[i]->slot[nslots - 1], i + nslots - 1);
		put(peak[i]);
	}
	CHECK_EQ(vecpool_table_bytes(), table);
}

/* An NMI may come anywhere, also where the lock is held. */
static void in_nmi_while_locked(void)
{
	struct allocprof_vec *vec;
	unsigned long flags;
	bool too_big;

	CHECK(hook_lock(&pool_lock, &flags));
	sim_nmi = true;
	vec = vecpool_get(10, &too_big);
	sim_nmi = false;
	hook_unlock(&pool_lock, flags);
	CHECK(!vec && !too_big);
	sim_nmi = true;
	vec = vecpool_get(10, &too_big);
	sim_nmi = false;
	CHECK(vec);
}

/* What comes back then is not lost, and is given out again, clean. */
static void put_in_nmi_while_locked(void)
{
	struct allocprof_vec *vec[3], *again;
	unsigned long flags;
	bool too_big;
	size_t cut;
	int i;

	for (i = 0; i < ARRAY_SIZE(vec); i++)
		vec[i] = vecpool_get(10 + 100 * i, &too_big);
	cut = vecpool_bytes();
	CHECK(hook_lock(&pool_lock, &flags));
	sim_nmi = true;
	for (i = 0; i < ARRAY_SIZE(vec); i++)
		vecpool_put(vec[i]);
	sim_nmi = false;
	hook_unlock(&pool_lock, flags);
	for (i = 0; i < ARRAY_SIZE(vec); i++) {
		again = vecpool_get(10 + 100 * i, &too_big);
		CHECK_EQ(again, vec[i]);
		CHECK(!again->base && !again->slot[0] && !again->slot[9]);
	}
	CHECK_EQ(vecpool_bytes(), cut);
}

const struct unit_test vecpool_tests[] = {
	UNIT_TEST(classes),
	UNIT_TEST(get_put_reuse),
	UNIT_TEST(vectors_do_not_overlap),
	UNIT_TEST(too_big_is_said),
	UNIT_TEST(exhaustion),
	UNIT_TEST(kicks_when_low),
	UNIT_TEST(not_on_a_cpu_that_goes),
	UNIT_TEST(single_pages),
	UNIT_TEST(init_fails_cleanly),
	UNIT_TEST(reserve_by_ram),
	UNIT_TEST(numbers),
	UNIT_TEST(table_of_chunks),
	UNIT_TEST(table_changes_while_copied),
	UNIT_TEST(trims_after_a_peak),
	UNIT_TEST(in_nmi_while_locked),
	UNIT_TEST(put_in_nmi_while_locked),
	{}
};
