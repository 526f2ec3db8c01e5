// SPDX-License-Identifier: GPL-2.0
/*
 * Many live objects: does it cost more to allocate and free one among them?
 */
#include <linux/errno.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "ap_bench.h"

#define OBJ_SIZE	64U
#define ROUNDS		19200U

static void **live;
static unsigned long nlive;

/* As good as any, and the same in each run. */
static __always_inline unsigned long next(u32 *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return ((u64)*seed * nlive) >> 32;
}

/* One of them, somewhere, goes, and another comes. */
static noinline int loop_live(unsigned int rounds)
{
	u32 seed = 1;

	for (; rounds; rounds--) {
		void **p = &live[next(&seed)];

		kfree(*p);
		*p = kmalloc(OBJ_SIZE, GFP_NOWAIT);
		if (unlikely(!*p))
			return -ENOMEM;
	}
	return 0;
}

static noinline int loop_empty_live(unsigned int rounds)
{
	u32 seed = 1;

	for (; rounds; rounds--) {
		void **p = &live[next(&seed)];

		barrier();
		OPTIMIZER_HIDE_VAR(p);
	}
	return 0;
}

const struct ap_case ap_live_case = {
	.name = "live", .flags = CASE_LOOSE, .loop = loop_live, .empty = loop_empty_live, .rounds = ROUNDS,
};

/**
 * live_set() - allocate so many objects; free those there are
 * @n: how many; 0: none
 *
 * Context: process; sleeps.
 * Return: 0 or -ENOMEM.
 */
int live_set(unsigned long n)
{
	unsigned long i;

	for (i = 0; i < nlive; i++) {
		kfree(live[i]);
		if (!(i % 1024))
			cond_resched();
	}
	vfree(live);
	live = NULL;
	nlive = 0;
	if (!n)
		return 0;
	live = vzalloc(n * sizeof(*live));
	if (!live)
		return -ENOMEM;
	for (nlive = 0; nlive < n; nlive++) {
		live[nlive] = kmalloc(OBJ_SIZE, GFP_KERNEL);
		if (!live[nlive])
			return -ENOMEM;
		if (!(nlive % 1024))
			cond_resched();
	}
	return 0;
}
