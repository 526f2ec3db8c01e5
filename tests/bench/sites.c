// SPDX-License-Identifier: GPL-2.0
/*
 * Many callsites: the same pair, written out 10, 1,000 and 20,000 times.
 */
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#include "ap_bench.h"

#define ROUNDS		200000U	/* a tenth, to warm up, has each of them once */

static struct kmem_cache *cache;

/* No kmalloc(): that is inline too, and would take the compiler minutes. */
static __always_inline bool site_fails(void)
{
	void *p = kmem_cache_alloc(cache, GFP_NOWAIT);

	if (!p)
		return true;
	kmem_cache_free(cache, p);
	return false;
}

#define OR_10(x)	(x || x || x || x || x || x || x || x || x || x)
#define OR_100(x)	OR_10(OR_10(x))

#define SITES(name, all)						\
static noinline void name(bool *fails)					\
{									\
	*fails |= all;							\
}

#define SITES_1000(n)	SITES(sites_1000_##n, OR_10(OR_100(site_fails())))

SITES(sites_10, OR_10(site_fails()))
SITES_1000(0) SITES_1000(1) SITES_1000(2) SITES_1000(3) SITES_1000(4)
SITES_1000(5) SITES_1000(6) SITES_1000(7) SITES_1000(8) SITES_1000(9)
SITES_1000(10) SITES_1000(11) SITES_1000(12) SITES_1000(13) SITES_1000(14)
SITES_1000(15) SITES_1000(16) SITES_1000(17) SITES_1000(18) SITES_1000(19)

static void (*const thousands[])(bool *fails) = {
	sites_1000_0, sites_1000_1, sites_1000_2, sites_1000_3, sites_1000_4,
	sites_1000_5, sites_1000_6, sites_1000_7, sites_1000_8, sites_1000_9,
	sites_1000_10, sites_1000_11, sites_1000_12, sites_1000_13, sites_1000_14,
	sites_1000_15, sites_1000_16, sites_1000_17, sites_1000_18, sites_1000_19,
};

static int loop_sites_10(unsigned int rounds)
{
	bool bad = false;

	for (; rounds; rounds -= 10)
		sites_10(&bad);
	return bad ? -ENOMEM : 0;
}

static int loop_sites_1000(unsigned int rounds)
{
	bool bad = false;

	for (; rounds; rounds -= 1000)
		thousands[0](&bad);
	return bad ? -ENOMEM : 0;
}

static int loop_sites_20000(unsigned int rounds)
{
	bool bad = false;
	unsigned int i;

	for (; rounds; rounds -= 20000)
		for (i = 0; i < ARRAY_SIZE(thousands); i++)
			thousands[i](&bad);
	return bad ? -ENOMEM : 0;
}

static int loop_nothing(unsigned int rounds)
{
	return 0;
}

#define AP_SITES(n)	\
	{ .name = "sites_" #n, .loop = loop_sites_##n, .empty = loop_nothing, .rounds = ROUNDS }

const struct ap_case ap_sites_cases[] = { AP_SITES(10), AP_SITES(1000), AP_SITES(20000) };
const unsigned int ap_nsites = ARRAY_SIZE(ap_sites_cases);

/**
 * sites_init() - what the sites need
 *
 * Context: process; sleeps.
 * Return: 0 or -ENOMEM.
 */
int sites_init(void)
{
	/* A usercopy region: not to be merged with a cache that others use. */
	cache = kmem_cache_create_usercopy("ap_sites", 64, 0, 0, 0, 64, NULL);
	return cache ? 0 : -ENOMEM;
}

/**
 * sites_meet() - call each once, slowly
 *
 * A profiler makes room for new callsites in the background: nothing that runs
 * with interrupts off meets thousands of them at once.
 * Context: process; sleeps.
 */
void sites_meet(void)
{
	bool bad = false;
	unsigned int i;

	sites_10(&bad);
	for (i = 0; i < ARRAY_SIZE(thousands); i++) {
		thousands[i](&bad);
		msleep(100);
	}
}

/**
 * sites_exit() - give it back
 *
 * Context: process; sleeps.
 */
void sites_exit(void)
{
	kmem_cache_destroy(cache);
}
