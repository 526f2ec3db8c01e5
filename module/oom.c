// SPDX-License-Identifier: GPL-2.0
/*
 * When all memory is gone, the kernel's log gets the ten callsites that hold
 * most of it, in the words of the kernel's own profiler: who reads them may not
 * get to read /proc/allocinfo any more.
 *
 * Nothing can be allocated then, and a callsite's tags, of which there may be
 * tens of thousands in all, lie anywhere.  So they are added up by a hash of
 * their callsite first, in a few sums: no callsite has more than its sum.  The
 * callsites of the largest sum are told apart, then those of the next one,
 * until ten have more than what is left.
 *
 * Notes on locking and lifetime: the kernel holds its oom_lock around all of
 * this, so there is one at a time.  oom_exit() waits for it.  Tags and their
 * names outlive it.
 */
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/notifier.h>
#include <linux/oom.h>
#include <linux/ratelimit.h>
#include <linux/string.h>
#include <linux/string_helpers.h>

#include "callsite_name.h"
#include "control.h"
#include "oom.h"
#include "tagtable.h"

/* The list stands in the log as in-tree's does, for those who look for that: without a prefix. */
#undef pr_fmt
#define pr_fmt(fmt) fmt

#define TOP		10
#define SUM_BITS	10
/*
 * Callsites of one sum.  If all 49,152 tags have one of their own, a sum has 48
 * on average, and practically never more than this.
 */
#define GROUP		128

/**
 * struct holder - a callsite and what it holds
 * @id: which
 * @tag: one of its tags
 * @bytes: of all of them
 * @calls: of all of them
 * @inaccurate: one of them is
 */
struct holder {
	struct callsite_id id;
	const struct allocprof_tag *tag;
	u64 bytes;
	u64 calls;
	bool inaccurate;
};

static u64 sums[1 << SUM_BITS];
static struct holder group[GROUP];
static struct holder top[TOP + 1];	/* by bytes; the last is what has just fallen out */

static u32 sum_of(const struct callsite_id *id)
{
	const struct map_name *name = id->line.name;

	if (id->saved)
		return hash_ptr(id->saved, SUM_BITS);
	if (!name)
		return hash_long(id->ret, SUM_BITS);
	return hash_64(((u64)name->file << 32 | name->func) + ((u64)name->line << 20), SUM_BITS);
}

static void add_up(void)
{
	u32 i;

	memset(sums, 0, sizeof(sums));
	for (i = ALLOCPROF_TAGS_RESERVED; i < tagtable_used(); i++) {
		const struct allocprof_tag *tag = tag_by_number(i);
		u64 calls = tag_live_calls(tag);
		struct callsite_id id;

		if (!calls)
			continue;
		callsite_identity(tag, &id);
		sums[sum_of(&id)] += calls * tag_unit(tag);
	}
}

static u32 largest_sum(void)
{
	u32 i, best = 0;

	for (i = 1; i < ARRAY_SIZE(sums); i++)
		if (sums[i] > sums[best])
			best = i;
	return best;
}

/* The callsites of one sum, in group[].  Returns how many. */
static unsigned int tell_apart(u32 sum)
{
	unsigned int n = 0, g;
	u32 i;

	for (i = ALLOCPROF_TAGS_RESERVED; i < tagtable_used(); i++) {
		const struct allocprof_tag *tag = tag_by_number(i);
		struct callsite_id id;
		u64 calls;

		if (!READ_ONCE(tag->calls))
			continue;
		callsite_identity(tag, &id);
		if (sum_of(&id) != sum)
			continue;
		calls = tag_live_calls(tag);
		if (!calls)
			continue;
		for (g = 0; g < n && callsite_compare(&group[g].id, &id); g++)
			;
		if (g == GROUP)
			continue;
		if (g == n)
			group[n++] = (struct holder){ .id = id, .tag = tag };
		group[g].bytes += calls * tag_unit(tag);
		group[g].calls += calls;
		group[g].inaccurate |= atomic_read(&tag->flags) & TAG_INACCURATE;
	}
	return n;
}

static void rank(const struct holder *holder)
{
	unsigned int i = TOP;

	for (; i && top[i - 1].bytes < holder->bytes; i--)
		top[i] = top[i - 1];
	top[i] = *holder;
}

static void find_top(void)
{
	unsigned int n;
	u32 sum;

	memset(top, 0, sizeof(top));
	add_up();
	for (sum = largest_sum(); sums[sum] > top[TOP - 1].bytes; sum = largest_sum()) {
		for (n = tell_apart(sum); n--; )
			rank(&group[n]);
		sums[sum] = 0;
	}
}

static void print_top(void)
{
	static char text[CALLSITE_TEXT];
	char size[16];
	unsigned int i;

	if (!top[0].bytes)
		return;
	pr_notice("Memory allocations:\n");
	for (i = 0; i < TOP && top[i].bytes; i++) {
		string_get_size(top[i].bytes, 1, STRING_UNITS_2, size, sizeof(size));
		callsite_text(top[i].tag, text);
		pr_notice("%12s %8llu %s%s\n", size, top[i].calls, text,
			  top[i].inaccurate || callsite_has_lost(&top[i].id) ?
			  " accurate:no" : "");
	}
}

/* Once in a while: where processes are killed one after the other, it hardly changes. */
static int out_of_memory_event(struct notifier_block *nb, unsigned long unused, void *freed)
{
	static DEFINE_RATELIMIT_STATE(often, 5 * HZ, 1);

	if (control_state() != STATE_ON || !__ratelimit(&often))
		return NOTIFY_OK;
	find_top();
	print_top();
	return NOTIFY_OK;
}

static struct notifier_block oom_notifier = { .notifier_call = out_of_memory_event };

/**
 * oom_init() - be told when memory is out
 *
 * Context: module load; sleeps.
 * Return: 0; or an error of register_oom_notifier(), with a line in the log.
 */
int oom_init(void)
{
	int err = register_oom_notifier(&oom_notifier);

	if (err)
		pr_err("allocprof: not loaded: cannot be told when memory is out (error %d)\n",
		       err);
	return err;
}

/**
 * oom_exit() - be told no more; waits for whoever is
 *
 * Context: module unload; sleeps.
 */
void oom_exit(void)
{
	unregister_oom_notifier(&oom_notifier);
}
