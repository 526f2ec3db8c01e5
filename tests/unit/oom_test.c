// SPDX-License-Identifier: GPL-2.0
/* Who holds most, against a plain sum.  Here a callsite is a saved name, a line of three return addresses, or one of them. */
#include <stdlib.h>

#include "../../module/oom.c"

#include "unit.h"

#define SITES	3000

static struct map_name lines[SITES];

/* Which callsite is this? */
static u32 site_of(const struct allocprof_tag *tag)
{
	u32 n = (callsite_address(tag->key) - SITE(0)) / 16;

	return n % 3 ? n : n / 9 * 9;
}

void callsite_identity(const struct allocprof_tag *tag, struct callsite_id *id)
{
	u32 site = site_of(tag);

	memset(id, 0, sizeof(*id));
	if (site % 3 == 1) {
		id->saved = (const char *)&lines[site];
	} else if (site % 3 == 2) {
		id->ret = SITE(site);
	} else {
		lines[site] = (struct map_name){ .file = site % 7, .func = site % 70, .line = site };
		id->line.name = &lines[site];
	}
}

int callsite_compare(const struct callsite_id *a, const struct callsite_id *b)
{
	return memcmp(a, b, sizeof(*a));
}

bool callsite_has_lost(const struct callsite_id *id)
{
	return false;
}

void callsite_text(const struct allocprof_tag *tag, char text[CALLSITE_TEXT])
{
	snprintf(text, CALLSITE_TEXT, "func:site_%u", site_of(tag));
}

struct total {
	u64 bytes, calls;
};

static int by_bytes(const void *a, const void *b)
{
	const struct total *x = a, *y = b;

	return x->bytes < y->bytes ? 1 : x->bytes > y->bytes ? -1 : 0;
}

static void check_top(struct total *total, u32 sites)
{
	u32 i;

	find_top();
	for (i = 0; i < TOP && top[i].bytes; i++) {
		CHECK_EQ(top[i].bytes, total[site_of(top[i].tag)].bytes);
		CHECK_EQ(top[i].calls, total[site_of(top[i].tag)].calls);
	}
	qsort(total, sites, sizeof(*total), by_bytes);
	for (i = 0; i < TOP; i++)
		CHECK_EQ(top[i].bytes, total[i].bytes);
}

static void nobody(void)
{
	struct total none[TOP] = {};

	check_top(none, TOP);
	CHECK_EQ(out_of_memory_event(NULL, 0, NULL), NOTIFY_OK);
}

/* As many callsites as there are tags for, with as many sizes each as fit. */
static void who_holds_most(void)
{
	static struct total total[SITES];
	u32 sites, i;

	for (sites = 1; sites <= SITES; sites = sites * 4 + 1) {
		memset(total, 0, sizeof(total));
		tagtable_zero();
		for (i = 0; i < 3 * sites; i++) {
			u32 size = 8 << random_below(10);
			struct allocprof_tag *tag;
			s64 calls = (s64)random_below(1000) - 100;

			while (tagtable_needs_refill())
				tagtable_refill();
			tag = tag_get((u32)SITE(random_below(sites)) | tag_key_slot(size));
			CHECK(tag);
			/* Of negative counts nothing is said. */
			if (calls < 0 && tag_calls(tag))
				continue;
			if (tag_calls(tag) < 0)
				continue;
			tag_add(tag, calls);
			if (calls < 0)
				continue;
			total[site_of(tag)].calls += calls;
			total[site_of(tag)].bytes += calls * size;
		}
		check_top(total, SITES);
	}
}

/* Many small tags are more than one that is larger than each. */
static void small_ones_add_up(void)
{
	u32 i;

	for (i = 1; i <= 100; i++)
		tag_add(tag_get((u32)SITE(1) | tag_key_slot(i * 8)), 10);
	for (i = 0; i < 20; i++)
		tag_add(tag_get((u32)SITE(100 + i * 3 + 1) | tag_key_slot(64)), 200 + i);
	find_top();
	CHECK_EQ(site_of(top[0].tag), 1);
	CHECK_EQ(top[0].calls, 1000);
	CHECK_EQ(top[1].calls, 219);
	CHECK_EQ(top[TOP - 1].calls, 219 - (TOP - 2));
	CHECK_EQ(out_of_memory_event(NULL, 0, NULL), NOTIFY_OK);
}

const struct unit_test oom_tests[] = {
	UNIT_TEST(nobody),
	UNIT_TEST(who_holds_most),
	UNIT_TEST(small_ones_add_up),
	{ }
};
