// SPDX-License-Identifier: GPL-2.0
/* The tag table, seen from inside for how far its memory reaches. */
/* It writes to what the others only read: shim/forced.h. */
#undef allocprof_tags
#include "../../module/tagtable.c"

#include <stdlib.h>

#include "unit.h"

#define CHUNK		CHUNK_TAGS
#define RESERVED	ALLOCPROF_TAGS_RESERVED

static unsigned long stack[FAKE_STACK_WORDS];

static u32 hash_of(const struct allocprof_tag *tag)
{
	u32 i = tag_hash(tag->key);

	while (allocprof_tag_index[i] != tag->number)
		i = (i + 1) % ALLOCPROF_TAGS;
	return i;
}

static struct allocprof_tag *resolve(u64 size_key, unsigned long ret, unsigned long *frame)
{
	struct allocprof_tag *tag = tag_resolve(size_key, ret, frame);

	sim_run_deferred();
	return tag;
}

/* The same, until there is nothing more to learn from it. */
static struct allocprof_tag *resolve_often(u64 size_key, unsigned long ret, unsigned long *frame)
{
	unsigned int i;

	for (i = 0; i < TAG_WALKS; i++)
		resolve(size_key, ret, frame);
	return resolve(size_key, ret, frame);
}

static void inserts_and_finds(void)
{
	struct allocprof_tag *tag = resolve(tag_key_slot(64), SITE(1), NULL);
	struct allocprof_tag *pages = resolve(tag_key_order(3), SITE(1), NULL);

	CHECK(tag && pages && tag != pages);
	CHECK_EQ(tag->key, tag_key_slot(64) | (u32)SITE(1));
	CHECK(!tag_is_pages(tag) && tag_is_pages(pages));
	CHECK_EQ(tag_order(pages), 3);
	CHECK_EQ(tag_unit(tag), 64);
	CHECK_EQ(tag_unit(pages), 8 * PAGE_SIZE);
	CHECK_EQ(tag_key_high(pages), tag_key_order(3) >> 32);
	CHECK(tag_by_id(tag_id(tag)) == tag);
	CHECK(resolve(tag_key_slot(64), SITE(1), NULL) == tag);
	CHECK(resolve(tag_key_order(3), SITE(1), NULL) == pages);
	CHECK(resolve(tag_key_slot(72), SITE(1), NULL) != tag);
	CHECK(resolve(tag_key_slot(64), SITE(2), NULL) != tag);
	CHECK_EQ(tagtable_used(), RESERVED + 4);
	/* Each is classified once, not at each allocation. */
	CHECK_EQ(fake_classified, 4);
	CHECK_EQ(lost_total(), 0);
}

static void counts_across_cpus(void)
{
	struct allocprof_tag *a = resolve(tag_key_slot(64), SITE(1), NULL);
	struct allocprof_tag *b = resolve(tag_key_slot(64), SITE(2), NULL);

	sim_cpu = 1;
	tag_count(a);
	tag_count(a);
	tag_count(b);
	sim_cpu = 6;
	tag_uncount(a);
	tag_add(a, -1);
	CHECK_EQ(tag_calls(a), 0);
	CHECK_EQ(tag_calls(b), 1);
	tag_add(b, 41);
	CHECK_EQ(tag_calls(b), 42);
	tag_mark_inaccurate(b);
	CHECK(atomic_read(&b->flags) & TAG_INACCURATE);
	tagtable_zero();
	check_all_zero();
	CHECK(!(atomic_read(&b->flags) & TAG_INACCURATE));
	CHECK(atomic_read(&b->flags) & TAG_CLASSIFIED);
	CHECK(resolve(tag_key_slot(64), SITE(2), NULL) == b);
}

/* Different keys that start at one entry; also around the end of the array. */
static void collisions(void)
{
	static const u32 starts[] = { 4711, ALLOCPROF_TAGS - 2, 0, 1 };
	struct allocprof_tag *tags[16];
	unsigned long ret;
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		unsigned long rets[ARRAY_SIZE(tags)];

		for (ret = SITE(0), n = 0; n < ARRAY_SIZE(tags); ret++) {
			if (tag_hash((u32)ret | tag_key_slot(96)) != starts[i])
				continue;
			rets[n] = ret;
			tags[n] = resolve(tag_key_slot(96), ret, NULL);
			CHECK(tags[n]);
			CHECK_EQ(tags[n]->key, (u32)ret | tag_key_slot(96));
			tag_add(tags[n], n + 1);
			n++;
		}
		for (n = 0; n < ARRAY_SIZE(tags); n++) {
			CHECK(resolve(tag_key_slot(96), rets[n], NULL) == tags[n]);
			CHECK_EQ(tag_calls(tags[n]), n + 1);
			CHECK(tags[n]->number >= RESERVED);
			/* Those of the others are in the way. */
			CHECK((hash_of(tags[n]) - starts[i]) % ALLOCPROF_TAGS < ARRAY_SIZE(starts) * ARRAY_SIZE(tags));
		}
	}
	CHECK_EQ(lost_total(), 0);
}

static void twenty_thousand_callsites(void)
{
	const u32 n = 20000;
	u32 i, round;

	for (round = 0; round < 2; round++)
		for (i = 0; i < n; i++) {
			u64 size_key = i & 1 ? tag_key_order(i % 11) : tag_key_slot(8 * (i % 500 + 1));
			struct allocprof_tag *tag = resolve(size_key, SITE(i), NULL);

			CHECK(tag);
			CHECK_EQ(tag->key, (u32)SITE(i) | size_key);
			tag_add(tag, i + 1);
		}
	CHECK_EQ(tagtable_used(), n + RESERVED);
	CHECK_EQ(lost_total(), 0);
	/* No two share a counter. */
	for (i = 0; i < n; i++) {
		u64 size_key = i & 1 ? tag_key_order(i % 11) : tag_key_slot(8 * (i % 500 + 1));

		CHECK_EQ(tag_calls(find_tag((u32)SITE(i) | size_key)), 2 * (i + 1));
	}
}

static void full_table(void)
{
	const u32 room = ALLOCPROF_TAGS_MAX - RESERVED;
	u32 i;

	for (i = 0; i < room; i++)
		CHECK(resolve(tag_key_slot(64), SITE(i), NULL));
	CHECK_EQ(lost_total(), 0);
	CHECK_EQ(tagtable_used(), ALLOCPROF_TAGS_MAX);
	for (i = 0; i < 1000; i++)
		CHECK(!resolve(tag_key_slot(64), SITE(room + i), NULL));
	CHECK_EQ(lost(LOST_TAG_TABLE_FULL), 1000);
	CHECK_EQ(lost_total(), 1000);
	CHECK_EQ(tagtable_used(), ALLOCPROF_TAGS_MAX);
	for (i = 0; i < room; i++)
		CHECK(resolve(tag_key_slot(64), SITE(i), NULL) ==
		      find_tag((u32)SITE(i) | tag_key_slot(64)));
	CHECK_EQ(lost_total(), 1000);
}

/* Nobody refills: there is no memory for more tags. */
static void memory_exhausted(void)
{
	unsigned long through[] = { WRAPPER(9), SITE(1) }, *frame;
	struct allocprof_tag *tag;
	const u32 room = CHUNK - RESERVED;
	u32 i;

	sim_fail_percpu = true;
	for (i = 0; i < room; i++)
		CHECK(resolve(tag_key_slot(64), SITE(i), NULL));
	CHECK_EQ(lost_total(), 0);
	for (i = 0; i < 3; i++)
		CHECK(!resolve(tag_key_slot(64), SITE(room), NULL));
	CHECK_EQ(lost(LOST_NO_COUNTER), 3);
	CHECK_EQ(tagtable_used(), CHUNK);
	/* A wrapper needs no tag to be walked through, to a callsite that has one. */
	frame = fake_stack(stack, through, ARRAY_SIZE(through));
	CHECK(resolve(tag_key_slot(64), through[0], frame) == find_tag((u32)SITE(1) | tag_key_slot(64)));
	through[1] = SITE(room + 3);
	frame = fake_stack(stack, through, ARRAY_SIZE(through));
	CHECK_EQ(lost_total(), 3);
	CHECK(!resolve(tag_key_slot(64), through[0], frame));
	CHECK_EQ(lost(LOST_NO_COUNTER), 4);
	for (i = 0; i < room; i++)
		CHECK(resolve(tag_key_slot(64), SITE(i), NULL));
	CHECK_EQ(lost_total(), 4);

	/* With memory again, there is room for it. */
	sim_fail_percpu = false;
	CHECK(tagtable_needs_refill());
	refill_kick();
	sim_run_deferred();
	CHECK(!tagtable_needs_refill());
	tag = resolve(tag_key_slot(64), SITE(room), NULL);
	CHECK(tag);
	CHECK_EQ(tagtable_used(), CHUNK + 1);
	tag_count(tag);
	CHECK_EQ(tag_calls(tag), 1);
	/* It lacks three, another one, and no other lacks any, be it new. */
	CHECK(lostsites_has((u32)SITE(room)));
	CHECK(lostsites_has((u32)SITE(room + 3)));
	CHECK(resolve(tag_key_slot(64), SITE(room + 1), NULL));
	CHECK(!lostsites_has((u32)SITE(room + 1)) && !lostsites_has((u32)SITE(1)) && !lostsites_has((u32)WRAPPER(9)));
	CHECK_EQ(lostsites_count(), 2);
	tagtable_zero();
	CHECK_EQ(lostsites_count(), 0);
	CHECK_EQ(lost_total(), 4);
}

/* More callsites lose something than are kept: then none can be said not to. */
static void too_many_lose(void)
{
	const u32 room = ALLOCPROF_TAGS_MAX - RESERVED, most = 1536;
	unsigned long through[] = { WRAPPER(9), SITE(1) }, *frame;
	unsigned int at = 0, n = 0;
	u32 i, ret;

	/* Of one callsite all but the last size; of another none but that. */
	for (i = 0; i < room; i++)
		CHECK(resolve(tag_key_slot(8 * (i + 1)), SITE(0), NULL));
	CHECK_EQ(lostsites_count(), 0);
	CHECK(!resolve(tag_key_slot(8 * (room + 1)), SITE(0), NULL));
	CHECK(lostsites_has((u32)SITE(0)) && lostsites_known((u32)SITE(0)));
	/* A wrapper that nothing is known to call is remembered, but not as a callsite. */
	frame = fake_stack(stack, through, 1);
	CHECK(!resolve(tag_key_slot(64), through[0], frame));
	CHECK(lostsites_has((u32)WRAPPER(9)) && !lostsites_known((u32)WRAPPER(9)));
	for (i = 2; i < most; i++) {
		CHECK(!resolve(tag_key_slot(64), SITE(i), NULL));
		CHECK(!resolve(tag_key_slot(64), SITE(i), NULL));
	}
	CHECK_EQ(lostsites_count(), most);
	CHECK(!lostsites_too_many());
	while ((ret = lostsites_next(&at))) {
		CHECK(ret == (u32)WRAPPER(9) || !((ret - (u32)SITE(0)) % ((u32)SITE(1) - (u32)SITE(0))));
		n++;
	}
	CHECK_EQ(n, most);
	/* Each is new once. */
	for (at = 0, n = 0; lostsites_next_new(&at); n++)
		;
	CHECK_EQ(n, most);
	at = 0;
	CHECK(!lostsites_next_new(&at));
	/* A module goes, and takes some along; others are still found. */
	for (i = 2; i < 100; i++)
		lostsites_remove((u32)SITE(i));
	for (i = 2; i < most; i++)
		CHECK_EQ(lostsites_has((u32)SITE(i)), i >= 100);
	/* There is room for others then, of which nothing is known before. */
	through[0] = WRAPPER(8);
	frame = fake_stack(stack, through, 1);
	CHECK(!resolve(tag_key_slot(64), through[0], frame));
	CHECK(lostsites_has((u32)WRAPPER(8)) && !lostsites_known((u32)WRAPPER(8)));
	CHECK(!lostsites_too_many());
	for (i = 0; !lostsites_too_many(); i++)
		CHECK(!resolve(tag_key_slot(64), SITE(most + i), NULL));
	CHECK_EQ(i, 98);
	CHECK(!lostsites_has((u32)SITE(most + i - 1)));
	/* Modules come and go as long as they like. */
	tagtable_zero();
	for (n = 1; n <= 100; n++) {
		CHECK(!resolve(tag_key_slot(64), SITE(n), NULL));
		for (i = 0; i < 1000; i++)
			CHECK(!resolve(tag_key_slot(64), SITE(1000 * n + i), NULL));
		for (i = 0; i < 1000; i++)
			lostsites_remove((u32)SITE(1000 * n + i));
	}
	CHECK(!lostsites_too_many());
	for (n = 1; n <= 100; n++)
		CHECK(lostsites_has((u32)SITE(n)));
	CHECK_EQ(lostsites_count(), 100);
	tagtable_zero();
	CHECK(!lostsites_too_many() && !lostsites_count() && !lostsites_has((u32)SITE(1000)));
}

/* The refill comes before the end, so that a burst does not lose anything. */
static void counters_kick_early(void)
{
	size_t before = tagtable_counter_bytes();
	u32 i;

	for (i = 0; i < CHUNK / 2 - RESERVED; i++)
		tag_resolve(tag_key_slot(64), SITE(i), NULL);
	CHECK(!sim_deferred_pending());
	CHECK(!tagtable_needs_refill());
	for (; i < CHUNK / 2 + RESERVED; i++)
		tag_resolve(tag_key_slot(64), SITE(i), NULL);
	CHECK(sim_deferred_pending());
	CHECK(tagtable_needs_refill());
	sim_run_deferred();
	CHECK_EQ(tagtable_counter_bytes(), 2 * before);
	CHECK_EQ(lost_total(), 0);
}

static void reserved_tags(void)
{
	struct allocprof_tag *none = tag_by_id(ALLOCPROF_TAG_NONE);
	struct allocprof_tag *uncounted = tag_by_id(ALLOCPROF_TAG_UNCOUNTED);
	unsigned long ret;
	unsigned int order;
	u32 size;

	/* Their keys are no allocation's, whatever it returns to. */
	for (ret = 0xffffffff; ret > 0xffffff00; ret--)
		for (order = 0; order < COMPAT_ORDERS; order++) {
			CHECK(((u32)ret | tag_key_order(order)) != none->key);
			CHECK(((u32)ret | tag_key_order(order)) != uncounted->key);
		}
	for (order = 0; order < COMPAT_ORDERS; order++) {
		CHECK(tag_key_high(none) != tag_key_order(order) >> 32);
		CHECK(tag_key_high(uncounted) != tag_key_order(order) >> 32);
	}
	/* Nobody gets them. */
	for (size = 8; size < 1 << 16; size += 8) {
		struct allocprof_tag *tag;
		u64 key = tag_key_slot(size) | (u32)SITE(size);

		tag = resolve(tag_key_slot(size), SITE(size), NULL);
		CHECK(tag);
		CHECK(tag != none && tag != uncounted);
		CHECK_EQ(tag->key, key);
	}
	CHECK(none->calls && uncounted->calls && none->calls != uncounted->calls);
}

static void walks_through_wrappers(void)
{
	const unsigned long rets[] = { WRAPPER(1), WRAPPER(2), SITE(1), SITE(99) };
	unsigned long *frame = fake_stack(stack, rets, ARRAY_SIZE(rets));
	struct allocprof_tag *tag = resolve(tag_key_order(0), rets[0], frame);
	unsigned long ret, *at;
	u32 id = 0;

	CHECK(tag);
	CHECK_EQ(tag->key, tag_key_order(0) | (u32)SITE(1));
	CHECK_EQ(fake_unwound, 2);
	CHECK(!find_tag(tag_key_order(0) | (u32)WRAPPER(1))->calls);
	/* The second time each step is known, and no unwinder is asked. */
	ret = rets[0];
	at = frame;
	CHECK(!tag_find(tag_key_order(0), &ret, &at, &id, true));
	CHECK(resolve_often(tag_key_order(0), rets[0], frame) == tag);
	CHECK_EQ(fake_unwound, 2);
	ret = rets[0];
	at = frame;
	CHECK(tag_find(tag_key_order(0), &ret, &at, &id, false) == tag->calls);
	CHECK_EQ(id, tag_id(tag));
	/* Without a frame the step is of no use. */
	CHECK(resolve(tag_key_order(0), rets[0], NULL) == tag);
	CHECK_EQ(fake_unwound, 4);
	CHECK_EQ(lost_total(), 0);
}

/* A wrapper whose frame has no constant size is asked about each time. */
static void unwinds_each_time(void)
{
	const unsigned long rets[] = { WRAPPER_UNWIND(1), WRAPPER(2), SITE(1) };
	unsigned long *frame = fake_stack(stack, rets, ARRAY_SIZE(rets));
	struct allocprof_tag *tag = resolve(tag_key_slot(8), rets[0], frame);
	unsigned long ret = rets[0], *at = frame;
	u32 id;

	CHECK(tag);
	CHECK_EQ(fake_unwound, 2);
	/* Where a kretprobe has come in from, its slot does not hold what it returns to. */
	*frame = SITE(99);
	CHECK(!tag_find(tag_key_slot(8), &ret, &at, &id, false));
	CHECK(ret == rets[0] && at == frame);
	*frame = rets[0];
	CHECK(resolve_often(tag_key_slot(8), rets[0], frame) == tag);
	CHECK_EQ(fake_unwound, 3 + TAG_WALKS);
}

static void fast_path_finds_what_the_slow_one_does(void)
{
	unsigned long rets[8];
	const unsigned int n = 100000;
	unsigned int i, depth, wrapped, found = 0;

	for (i = 0; i < n; i++) {
		u64 size_key = tag_key_slot(8 * (1 + random_below(6)));
		u32 id = 0;
		unsigned long *frame, ret, *at;
		u64 __percpu *calls;
		struct allocprof_tag *tag;

		wrapped = random_below(ARRAY_SIZE(rets));
		for (depth = 0; depth < wrapped; depth++)
			rets[depth] = WRAPPER(random_below(12));
		rets[depth++] = SITE(random_below(50));
		frame = fake_stack(stack, rets, depth);
		tag = resolve(size_key, rets[0], frame);
		CHECK(tag);
		CHECK_EQ(tag->key, size_key | (u32)rets[depth - 1]);
		/* It may say "ask the slow one", from where it got to, never something else. */
		ret = rets[0];
		at = frame;
		calls = tag_find(size_key, &ret, &at, &id, false);
		if (calls)
			CHECK(calls == tag->calls && id == tag_id(tag));
		else
			CHECK(ret == *at && resolve(size_key, ret, at) == tag);
		/* A tag in its first bucket with known steps must be answered. */
		if (depth == 1 && hash_of(tag) == tag_hash(tag->key))
			CHECK(calls);
		/* Or looks in all buckets. */
		ret = rets[0];
		at = frame;
		calls = tag_find(size_key, &ret, &at, &id, true);
		CHECK(!calls || (calls == tag->calls && id == tag_id(tag) && ret == rets[depth - 1]));
		found += calls && i >= n / 2;
	}
	/* There is nothing left to learn. */
	CHECK_EQ(found, n / 2);
	CHECK_EQ(lost_total(), 0);
}

/* The wrapper behind which pages are looked for first, once there is one. */
static void usual_wrapper_of_pages(void)
{
	unsigned long rets[] = { WRAPPER(6), WRAPPER(2), SITE(1) };
	unsigned long *frame = fake_stack(stack, rets, ARRAY_SIZE(rets));
	struct page *page = pfn_to_page(100);

	/* One of objects and one of per-CPU memory is none; a module's could go. */
	CHECK(!callsite_of_kernel(rets[0]));
	resolve_often(tag_key_slot(64), rets[1], (void *)frame + frame_bytes(rets[0]));
	resolve_often(tag_key_percpu(64), rets[1], (void *)frame + frame_bytes(rets[0]));
	resolve_often(tag_key_order(0), rets[0], frame);
	CHECK(!allocprof_usual_pages.both);

	rets[0] = WRAPPER(1);
	frame = fake_stack(stack, rets, ARRAY_SIZE(rets));
	resolve_often(tag_key_order(0), rets[0], frame);
	CHECK_EQ(allocprof_usual_pages.ret, (u32)rets[0]);
	CHECK_EQ(allocprof_usual_pages.step, frame_bytes(rets[0]));

	/* It is one of all orders; and another stays what it was. */
	pfntable_alloc(page, 3, rets[0], frame);
	CHECK_EQ(tag_calls(find_tag(tag_key_order(3) | (u32)SITE(1))), 1);
	pfntable_free_event(NULL, page, 3);
	rets[0] = WRAPPER(3);
	frame = fake_stack(stack, rets, ARRAY_SIZE(rets));
	resolve_often(tag_key_order(3), rets[0], frame);
	CHECK_EQ(allocprof_usual_pages.ret, (u32)WRAPPER(1));
	pfntable_alloc(page, 3, rets[0], frame);
	CHECK_EQ(tag_calls(find_tag(tag_key_order(3) | (u32)SITE(1))), 1);
	pfntable_free_event(NULL, page, 3);
	check_all_zero();

	/* What is a wrapper may be another matter next time. */
	tagtable_forget_classes();
	CHECK(!allocprof_usual_pages.both);
	CHECK(!find_tag(tag_key_order(3) | (u32)SITE(1))->calls);
	pfntable_alloc(page, 3, rets[0], frame);
	CHECK_EQ(tag_calls(find_tag(tag_key_order(3) | (u32)SITE(1))), 1);
	pfntable_free_event(NULL, page, 3);
	CHECK_EQ(lost_total(), 0);
}

/* The stack ends in a wrapper: that is the callsite then, and says so. */
static void wrapper_at_the_end(void)
{
	const unsigned long rets[] = { WRAPPER(1), WRAPPER(2) };
	unsigned long *frame = fake_stack(stack, rets, ARRAY_SIZE(rets));
	struct allocprof_tag *tag = resolve(tag_key_slot(64), rets[0], frame);

	CHECK(tag && tag->calls);
	CHECK_EQ(tag->key, tag_key_slot(64) | (u32)WRAPPER(2) | TAG_KEY_TERMINAL);
	CHECK_EQ(tag_unit(tag), 64);
	CHECK_EQ(lost(ENDED_IN_WRAPPER), 1);
	CHECK(resolve(tag_key_slot(64), rets[0], frame) == tag);
	CHECK_EQ(lost(ENDED_IN_WRAPPER), 2);
	CHECK_EQ(lost_total(), 2);
	tag_count(tag);
	CHECK_EQ(tag_calls(tag), 1);
}

/* Wrappers that call each other for ever. */
static void endless_wrappers(void)
{
	unsigned long rets[40];
	struct allocprof_tag *tag;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rets); i++)
		rets[i] = WRAPPER(i);
	tag = resolve(tag_key_slot(64), rets[0], fake_stack(stack, rets, ARRAY_SIZE(rets)));
	CHECK(tag && tag->key & TAG_KEY_TERMINAL);
	CHECK_EQ(lost(ENDED_IN_WRAPPER), 1);
	tag = resolve(tag_key_slot(64), rets[0], fake_stack(stack, rets, ARRAY_SIZE(rets)));
	CHECK(tag && tag->key & TAG_KEY_TERMINAL);
	CHECK_EQ(lost(ENDED_IN_WRAPPER), 2);
}

/* What callsite.c does when a module goes. */
static void dead_keys_are_not_found(void)
{
	struct allocprof_tag *tag[65];
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(tag); i++) {
		tag[i] = resolve(tag_key_slot(64), SITE(1), NULL);
		CHECK(tag[i] && tag[i]->calls);
		for (j = 0; j < i; j++)
			CHECK(tag[i] != tag[j]);
		tag_add(tag[i], i + 1);
		WRITE_ONCE(tag[i]->key, tag_key_dead(tag[i]->key, tag[i]->number));
	}
	for (i = 0; i < ARRAY_SIZE(tag); i++) {
		CHECK_EQ(tag_calls(tag[i]), i + 1);
		CHECK_EQ(tag_unit(tag[i]), 64);
	}
	CHECK_EQ(lost_total(), 0);
}

const struct unit_test tagtable_tests[] = {
	UNIT_TEST(inserts_and_finds),
	UNIT_TEST(counts_across_cpus),
	UNIT_TEST(collisions),
	UNIT_TEST(twenty_thousand_callsites),
	UNIT_TEST(full_table),
	UNIT_TEST(memory_exhausted),
	UNIT_TEST(too_many_lose),
	UNIT_TEST(counters_kick_early),
	UNIT_TEST(reserved_tags),
	UNIT_TEST(walks_through_wrappers),
	UNIT_TEST(unwinds_each_time),
	UNIT_TEST(fast_path_finds_what_the_slow_one_does),
	UNIT_TEST(usual_wrapper_of_pages),
	UNIT_TEST(wrapper_at_the_end),
	UNIT_TEST(endless_wrappers),
	UNIT_TEST(dead_keys_are_not_found),
	{}
};
