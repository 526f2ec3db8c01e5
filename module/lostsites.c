// SPDX-License-Identifier: GPL-2.0
/*
 * Callsites that have lost an allocation because there was no tag for it.
 *
 * There is no tag to be marked then, but there may be others of the callsite,
 * of other sizes or later; so whoever shows callsites asks here which of them
 * are not accurate.
 *
 * A hash of fixed size of return addresses, open addressing with linear probing.
 * An entry is claimed by cmpxchg and stays until profiling is switched on again;
 * that of a module which goes is overwritten, by what is no return address, and
 * may be claimed again; it is free once nothing lies behind it.  (Two that add
 * the same at once may both have one then, and another may be one that is not
 * found, but seen by who looks at all.)
 * Where three quarters are in use no more are taken, and no callsite can be said
 * to have lost nothing.
 */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/string.h>

#include "lostsites.h"
#include "refill.h"

#define SITES_BITS	11
#define SITES		BIT(SITES_BITS)
#define SITES_MAX	(SITES / 4 * 3)
#define SITE_GONE	(~0U)

static u32 sites[SITES];
static DECLARE_BITMAP(callsites, SITES);	/* not a wrapper that was taken for one */
static DECLARE_BITMAP(reported, SITES);
static atomic_t sites_used;
static bool too_many;

static bool in_use(u32 site)
{
	return site && site != SITE_GONE;
}

/* The entry of @ret, or the one that it may claim. */
static u32 find(u32 ret)
{
	u32 i = hash_32(ret, SITES_BITS), claim = SITES, n, site;

	for (n = 0; n < SITES; n++, i = (i + 1) % SITES) {
		site = READ_ONCE(sites[i]);
		if (site == ret)
			return i;
		if (!in_use(site) && claim == SITES)
			claim = i;
		if (!site)
			break;
	}
	return claim == SITES ? i : claim;
}

/**
 * lostsites_add() - this callsite has lost an allocation
 * @ret: low half of its return address
 * @callsite: false: it is a wrapper's whose caller is not known
 *
 * Context: any, NMI included.
 */
void lostsites_add(u32 ret, bool callsite)
{
	u32 i, seen;

	while (i = find(ret), (seen = READ_ONCE(sites[i])) != ret) {
		if (atomic_inc_return(&sites_used) > SITES_MAX) {
			atomic_dec(&sites_used);
			WRITE_ONCE(too_many, true);
			return;
		}
		if (!in_use(seen) && cmpxchg(&sites[i], seen, ret) == seen) {
			refill_kick();	/* which reports it */
			break;
		}
		atomic_dec(&sites_used);
	}
	if (callsite && !test_bit(i, callsites))
		set_bit(i, callsites);
}

/**
 * lostsites_has() - is this one of them?
 * @ret: low half of the return address
 *
 * Context: any, NMI included.
 */
bool lostsites_has(u32 ret)
{
	return READ_ONCE(sites[find(ret)]) == ret;
}

/**
 * lostsites_known() - is this known to be a callsite, and no wrapper, that has lost something?
 * @ret: low half of the return address
 *
 * Context: any, NMI included.
 */
bool lostsites_known(u32 ret)
{
	u32 i = find(ret);

	return READ_ONCE(sites[i]) == ret && test_bit(i, callsites);
}

/**
 * lostsites_too_many() - have more lost something than are kept here?
 *
 * Context: any.
 */
bool lostsites_too_many(void)
{
	return READ_ONCE(too_many);
}

/**
 * lostsites_count() - how many lostsites_next() may return
 *
 * Context: any.
 */
unsigned int lostsites_count(void)
{
	return atomic_read(&sites_used);
}

/**
 * lostsites_next() - walk over them
 * @at: where to go on from; 0 at first
 *
 * Context: any.
 * Return: low half of the next one's return address, 0 behind the last.
 */
u32 lostsites_next(unsigned int *at)
{
	u32 site;

	while (*at < SITES) {
		site = READ_ONCE(sites[(*at)++]);
		if (in_use(site))
			return site;
	}
	return 0;
}

/**
 * lostsites_next_new() - walk over those that it has not returned yet
 * @at: as of lostsites_next()
 *
 * Context: any; one at a time.
 * Return: as lostsites_next().
 */
u32 lostsites_next_new(unsigned int *at)
{
	u32 site;

	do
		site = lostsites_next(at);
	while (site && test_and_set_bit(*at - 1, reported));
	return site;
}

/**
 * lostsites_remove() - the code is about to go
 * @ret: low half of a return address in it
 *
 * Context: any; nobody allocates there any more.
 */
void lostsites_remove(u32 ret)
{
	u32 i;

	while (i = find(ret), READ_ONCE(sites[i]) == ret) {
		clear_bit(i, callsites);
		clear_bit(i, reported);
		/* After the bits; whoever claims it sets his own. */
		if (cmpxchg(&sites[i], ret, SITE_GONE) == ret)
			atomic_dec(&sites_used);
		for (; !READ_ONCE(sites[(i + 1) % SITES]); i = (i - 1) % SITES)
			if (cmpxchg(&sites[i], SITE_GONE, 0) != SITE_GONE)
				break;
	}
}

/**
 * lostsites_clear() - forget all
 *
 * Context: no hook attached.
 */
void lostsites_clear(void)
{
	memset(sites, 0, sizeof(sites));
	bitmap_zero(callsites, SITES);
	bitmap_zero(reported, SITES);
	atomic_set(&sites_used, 0);
	too_many = false;
}
