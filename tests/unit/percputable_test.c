// SPDX-License-Identifier: GPL-2.0
/*
 * Per-CPU pointers: the table from inside, and against a plain reference.  The
 * pointers are numbers here, as they are to the table.
 */
#include "../../module/percputable.c"

#include "unit.h"

#define BLOCK		(1UL << BLOCK_SHIFT)

static void __percpu *at(unsigned long block, unsigned long offset)
{
	return (void __percpu *)(0x20000UL + block * BLOCK + offset);
}

static void record(void __percpu *ptr, size_t size, unsigned long ret)
{
	percputable_alloc(ptr, size, ret, NULL);
}

/* As long as nothing else takes vectors: a chunk of 32 KiB is cut into 14. */
static unsigned long vectors_used(void)
{
	return vecpool_bytes() / (PAGE_SIZE << 3) * 14 - free_vectors();
}

/* Nothing is recorded, and all vectors are back. */
static void check_gone(void)
{
	check_all_zero();
	CHECK_EQ(vectors_used(), 0);
}

static void sizes(void)
{
	static const struct {
		size_t size, unit;
	} known[] = {
		{ 1, 4 }, { 3, 4 }, { 4, 4 }, { 5, 8 }, { 8, 8 }, { 40, 40 }, { 41, 44 }, { 4096, 4096 },
		{ 32767, 32768 }, { 32768, 32768 },
	};
	unsigned int i;

	CHECK_EQ(allocprof_percpu_copies, SIM_CPUS);
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct allocprof_tag *tag;

		record(at(i, 0), known[i].size, SITE(i));
		tag = percputable_owner(at(i, 0));
		CHECK(tag && callsite_address(tag->key) == SITE(i));
		CHECK_EQ(tag_unit(tag), known[i].unit * SIM_CPUS);
		CHECK_EQ(tag_calls(tag), 1);
		/* The memory controller's pointers come on top. */
		allocprof_percpu_copies = SIM_CPUS + 2;
		CHECK_EQ(tag_unit(tag), known[i].unit * (SIM_CPUS + 2));
		allocprof_percpu_copies = SIM_CPUS;
	}
	/* Two sizes of one callsite are two tags; what takes as much is one. */
	record(at(20, 0), 12, SITE(20));
	record(at(20, 12), 16, SITE(20));
	record(at(20, 28), 9, SITE(20));
	CHECK_EQ(percpu_calls(SITE(20), 12), 2);
	CHECK_EQ(percpu_calls(SITE(20), 16), 1);
	for (i = 0; i < ARRAY_SIZE(known); i++)
		percputable_free(at(i, 0));
	percputable_free(at(20, 0));
	percputable_free(at(20, 12));
	percputable_free(at(20, 28));
	check_gone();
	CHECK_EQ(lost_total(), 0);
}

/* Neither a slab nor a page of the same number of bytes is the same tag. */
static void not_a_slot_nor_a_page(void)
{
	unsigned int order;

	record(at(0, 0), PAGE_SIZE, SITE(1));
	CHECK_EQ(percpu_calls(SITE(1), PAGE_SIZE), 1);
	CHECK_EQ(page_calls(SITE(1)), 0);
	CHECK_EQ(slot_calls(SITE(1), PAGE_SIZE), 0);
	for (order = 0; order < UNIT_ORDERS; order++)
		CHECK(tag_key_order(order) >> 32 != tag_key_high(percputable_owner(at(0, 0))));
	percputable_free(at(0, 0));
	check_gone();
}

static void unknown_pointers(void)
{
	record(NULL, 8, SITE(1));
	CHECK_EQ(tagtable_used(), 2);
	percputable_free(NULL);
	percputable_free(at(0, 0));
	record(at(0, 8), 8, SITE(1));
	/* Beside it, in its block, in the next one, in one that shares its chain or not. */
	percputable_free(at(0, 0));
	percputable_free(at(0, 12));
	percputable_free(at(0, BLOCK - UNIT));
	percputable_free(at(1, 8));
	percputable_free(at(1UL << 40, 8));
	CHECK(!percputable_owner(at(0, 0)));
	CHECK(!percputable_owner(at(1, 8)));
	CHECK_EQ(percpu_calls(SITE(1), 8), 1);
	percputable_free(at(0, 8));
	CHECK(!percputable_owner(at(0, 8)));
	/* Twice. */
	percputable_free(at(0, 8));
	check_gone();
	CHECK_EQ(lost_total(), 0);
}

/* Every slot of a block is its own. */
static void whole_block(void)
{
	unsigned int i;

	for (i = 0; i < BLOCK / UNIT; i++) {
		record(at(3, i * UNIT), UNIT, SITE(i));
		CHECK_EQ(vectors_used(), 1);
	}
	for (i = 0; i < BLOCK / UNIT; i++) {
		struct allocprof_tag *tag = percputable_owner(at(3, i * UNIT));

		CHECK(tag && callsite_address(tag->key) == SITE(i));
		CHECK_EQ(tag_calls(tag), 1);
	}
	for (i = 0; i < BLOCK / UNIT; i++) {
		CHECK_EQ(vectors_used(), 1);
		percputable_free(at(3, i * UNIT));
	}
	check_gone();
	CHECK_EQ(lost_total(), 0);
}

static void handed_out_again(void)
{
	record(at(0, 64), 16, SITE(1));
	record(at(0, 128), 16, SITE(1));
	record(at(0, 64), 24, SITE(2));
	CHECK_EQ(percpu_calls(SITE(1), 16), 1);
	CHECK_EQ(percpu_calls(SITE(2), 24), 1);
	CHECK_EQ(lost(HEALED_FREES), 1);
	percputable_free(at(0, 128));
	/* The only one of its block. */
	record(at(0, 64), 8, SITE(3));
	CHECK_EQ(percpu_calls(SITE(2), 24), 0);
	CHECK_EQ(percpu_calls(SITE(3), 8), 1);
	CHECK_EQ(lost(HEALED_FREES), 2);
	CHECK_EQ(vectors_used(), 1);
	percputable_free(at(0, 64));
	check_gone();
	CHECK_EQ(lost_total(), 2);
}

/* No room for the new callsite: the old one has lost its memory all the same. */
static void handed_out_to_no_tag(void)
{
	u32 i;

	record(at(0, 64), 16, SITE(0));
	for (i = 1; i < ALLOCPROF_TAGS_MAX - 2; i++) {
		CHECK(tag_get((u32)SITE(i) | tag_key_slot(64)));
		sim_run_deferred();
	}
	record(at(0, 64), 16, SITE(i));
	CHECK_EQ(lost(LOST_TAG_TABLE_FULL), 1);
	CHECK_EQ(percpu_calls(SITE(0), 16), 0);
	CHECK_EQ(lost(HEALED_FREES), 1);
	percputable_free(at(0, 64));
	check_gone();
	CHECK_EQ(lost_total(), 2);
}

static void pool_exhausted(void)
{
	struct allocprof_tag *tag;
	unsigned long block, n;

	/* Nothing is topped up: no deferred work runs. */
	for (block = 0; block < 2000 && !lost(LOST_NO_VECTOR); block++)
		record(at(block, 0), 8, SITE(1));
	CHECK_EQ(lost(LOST_NO_VECTOR), 1);
	n = block - 1;
	CHECK(n > 50);
	CHECK_EQ(percpu_calls(SITE(1), 8), n);
	tag = percputable_owner(at(0, 0));
	CHECK(atomic_read(&tag->flags) & TAG_INACCURATE);
	/* Where there is a vector, it goes on; another callsite is not blamed. */
	record(at(n - 1, 8), 8, SITE(2));
	CHECK(percputable_owner(at(n - 1, 8)));
	CHECK(!(atomic_read(&percputable_owner(at(n - 1, 8))->flags) & TAG_INACCURATE));
	record(at(n, 8), 8, SITE(2));
	CHECK(atomic_read(&percputable_owner(at(n - 1, 8))->flags) & TAG_INACCURATE);
	CHECK_EQ(lost(LOST_NO_VECTOR), 2);
	/* What was lost is not known when it is freed. */
	percputable_free(at(n, 0));
	percputable_free(at(n, 8));
	CHECK_EQ(percpu_calls(SITE(1), 8), n);
	CHECK_EQ(percpu_calls(SITE(2), 8), 1);
	/* A vector that comes back is enough; so is a refill. */
	percputable_free(at(5, 0));
	record(at(n, 0), 8, SITE(1));
	CHECK_EQ(lost(LOST_NO_VECTOR), 2);
	CHECK(sim_deferred_pending());
	sim_run_deferred();
	record(at(5, 0), 8, SITE(1));
	CHECK_EQ(lost_total(), 2);
	CHECK_EQ(percpu_calls(SITE(1), 8), n + 1);
	for (block = 0; block <= n; block++)
		percputable_free(at(block, 0));
	percputable_free(at(n - 1, 8));
	check_gone();
}

/* Memory so fragmented that the pool has only single pages. */
static void single_pages(void)
{
	unsigned long block;

	vecpool_exit();
	sim_fail_orders = ~1U;
	CHECK_EQ(vecpool_init(SIM_RAM_PAGES), 0);
	for (block = 0; block < 80; block++) {
		record(at(block, 0), 8, SITE(1));
		sim_run_deferred();
	}
	CHECK_EQ(percpu_calls(SITE(1), 8), 80);
	for (block = 0; block < 80; block++)
		percputable_free(at(block, 0));
	check_all_zero();
	CHECK_EQ(lost_total(), 0);
}

/* More blocks than chains, given back from either end of each chain and from its middle. */
static void many_blocks(void)
{
	const unsigned long n = 4000, step = 1237;
	unsigned long i;

	for (i = 0; i < n; i++) {
		record(at(i, i % 500 * UNIT), 8, SITE(i % 7));
		sim_run_deferred();
	}
	CHECK_EQ(vectors_used(), n);
	for (i = 0; i < n; i++) {
		unsigned long block = i * step % n;

		CHECK(percputable_owner(at(block, block % 500 * UNIT)));
		percputable_free(at(block, block % 500 * UNIT));
		CHECK(!percputable_owner(at(block, block % 500 * UNIT)));
		CHECK_EQ(vectors_used(), n - 1 - i);
	}
	check_gone();
	/* In vectors that others have used. */
	for (i = 0; i < n; i++) {
		CHECK(!percputable_owner(at(n + i, 0)));
		record(at(n + i, 4), 8, SITE(1));
		CHECK(!percputable_owner(at(n + i, 0)));
	}
	CHECK_EQ(vectors_used(), n);
	for (i = 0; i < n; i++)
		percputable_free(at(n + i, 4));
	check_gone();
	CHECK_EQ(lost_total(), 0);
}

/* Switched off with records: their vectors go with the pool, and nothing of them is followed. */
static void switched_off(void)
{
	record(at(0, 0), 8, SITE(1));
	record(at(1, 0), 8, SITE(1));
	percputable_exit();
	vecpool_exit();
	CHECK(!percputable_owner(at(0, 0)));
	percputable_free(at(1, 0));
	tagtable_zero();
	CHECK_EQ(vecpool_init(SIM_RAM_PAGES), 0);
	record(at(0, 0), 8, SITE(1));
	CHECK_EQ(percpu_calls(SITE(1), 8), 1);
	percputable_free(at(0, 0));
	check_gone();
	CHECK_EQ(lost_total(), 0);
}

/* In the midst of another one: it is counted as lost, and no lock is waited for. */
static void nested(bool nmi)
{
	unsigned long flags;

	record(at(0, 0), 8, SITE(1));
	CHECK(hook_lock(&percpu_lock, &flags));
	sim_nmi = nmi;
	record(at(0, 8), 8, SITE(2));
	percputable_free(at(0, 0));
	sim_nmi = false;
	hook_unlock(&percpu_lock, flags);
	CHECK(!percputable_owner(at(0, 8)));
	CHECK_EQ(percpu_calls(SITE(2), 8), 0);
	CHECK_EQ(lost(LOST_NO_VECTOR), 1);
	CHECK_EQ(lost(LOST_FREE_NESTED), 1);
	CHECK(atomic_read(&find_tag((u32)SITE(2) | tag_key_percpu(8))->flags) & TAG_INACCURATE);
	CHECK_EQ(percpu_calls(SITE(1), 8), 1);
	percputable_free(at(0, 0));
	check_gone();
}

static void nested_in_nmi(void)
{
	nested(true);
}

static void nested_in_tracer(void)
{
	nested(false);
}

/* An NMI that hits nobody does as everybody. */
static void in_nmi_context(void)
{
	sim_nmi = true;
	record(at(0, 0), 8, SITE(1));
	CHECK_EQ(percpu_calls(SITE(1), 8), 1);
	percputable_free(at(0, 0));
	sim_nmi = false;
	check_gone();
	CHECK_EQ(lost_total(), 0);
}

/*
 * A kernel that frees an object twice may look for it in a vector that serves
 * per-CPU pointers by now: any slot of it must be a tag that counts, or none.
 */
static void stale_reader(void)
{
	struct allocprof_vec *vec, *before;
	unsigned int i, used = 0;

	for (i = 0; i < 100; i++)
		record(at(0, i * 8), 8, SITE(i % 2));
	vec = find_block((unsigned long)at(0, 0) >> BLOCK_SHIFT, &before);
	CHECK(vec);
	for (i = 0; i < vec->nslots; i++) {
		CHECK(vec->slot[i] < ALLOCPROF_TAGS);
		CHECK(!vec->slot[i] || tag_by_id(vec->slot[i])->calls);
		used += vec->slot[i] != 0;
	}
	CHECK_EQ(used, 100);
	for (i = 0; i < 100; i++)
		percputable_free(at(0, i * 8));
	check_gone();
}

static void through_a_wrapper(void)
{
	unsigned long stack[FAKE_STACK_WORDS];
	const unsigned long rets[] = { WRAPPER(1), SITE(5) };
	unsigned long *frame = fake_stack(stack, rets, 2);

	percputable_alloc(at(0, 0), 8, WRAPPER(1), frame);
	CHECK_EQ(percpu_calls(SITE(5), 8), 1);
	percputable_free(at(0, 0));
	check_gone();
	CHECK_EQ(lost_total(), 0);
}

/* The model: who has each pointer, in a plain array. */
#define BLOCKS		1500
#define SLOTS		8	/* used of each block */
#define SITES		24

static const size_t model_sizes[] = { 4, 8, 40, 1000 };

static void check_model(unsigned long op, const s8 (*owner)[SLOTS])
{
	s64 calls[SITES][ARRAY_SIZE(model_sizes)] = {};
	unsigned long used = 0;
	u32 block, i, j;
	bool any;

	snprintf(unit_where, sizeof(unit_where), " (operation %lu)", op);
	for (block = 0; block < BLOCKS; block++) {
		for (i = 0, any = false; i < SLOTS; i++) {
			s8 site = owner[block][i];
			struct allocprof_tag *tag = percputable_owner(at(block * 3, i * 252));

			CHECK_EQ(!tag, site < 0);
			if (site < 0)
				continue;
			any = true;
			CHECK_EQ(callsite_address(tag->key), SITE(site));
			calls[site][site % ARRAY_SIZE(model_sizes)]++;
		}
		used += any;
	}
	CHECK_EQ(vectors_used(), used);
	for (i = 0; i < SITES; i++)
		for (j = 0; j < ARRAY_SIZE(model_sizes); j++)
			CHECK_EQ(percpu_calls(SITE(i), model_sizes[j]), calls[i][j]);
}

static void model(void)
{
	const unsigned long ops = SCALE(3000000, 300000, 20000);
	static s8 owner[BLOCKS][SLOTS];
	unsigned long op, healed = 0;
	u32 block, i, fill = 50;

	memset(owner, -1, sizeof(owner));
	for (op = 0; op < ops; op++) {
		s8 *slot;

		/* By turns nearly full and nearly empty. */
		if (op % 20000 == 0)
			fill = fill == 20 ? 80 : 20;
		block = random_below(BLOCKS);
		i = random_below(SLOTS);
		slot = &owner[block][i];
		sim_cpu = random_below(SIM_CPUS);
		if (random_below(100) < fill) {
			/* A free that is not seen is rare. */
			if (*slot >= 0 && random_below(50))
				continue;
			healed += *slot >= 0;
			*slot = random_below(SITES);
			record(at(block * 3, i * 252), model_sizes[*slot % ARRAY_SIZE(model_sizes)],
			       SITE(*slot));
		} else {
			/* Also what is not known. */
			percputable_free(at(block * 3, i * 252));
			*slot = -1;
		}
		sim_run_deferred();
		if (op % 16384 == 0)
			check_model(op, owner);
	}
	check_model(op, owner);
	CHECK_EQ(lost(HEALED_FREES), healed);
	CHECK_EQ(lost_total(), healed);
	for (block = 0; block < BLOCKS; block++)
		for (i = 0; i < SLOTS; i++)
			percputable_free(at(block * 3, i * 252));
	check_gone();
}

const struct unit_test percputable_tests[] = {
	UNIT_TEST(sizes),
	UNIT_TEST(not_a_slot_nor_a_page),
	UNIT_TEST(unknown_pointers),
	UNIT_TEST(whole_block),
	UNIT_TEST(handed_out_again),
	UNIT_TEST(handed_out_to_no_tag),
	UNIT_TEST(pool_exhausted),
	UNIT_TEST(single_pages),
	UNIT_TEST(many_blocks),
	UNIT_TEST(switched_off),
	UNIT_TEST(in_nmi_context),
	UNIT_TEST(nested_in_nmi),
	UNIT_TEST(nested_in_tracer),
	UNIT_TEST(stale_reader),
	UNIT_TEST(through_a_wrapper),
	UNIT_TEST(model),
	{}
};
