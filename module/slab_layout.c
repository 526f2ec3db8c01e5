// SPDX-License-Identifier: GPL-2.0
/*
 * Where a slab page names its cache, and where a cache keeps its slot size.
 *
 * Both structures are private to mm/ (struct slab always, struct kmem_cache
 * from 6.8 on) and have moved.  Instead of knowing a layout by version, the
 * module makes caches whose slot sizes it can measure, as the distance of
 * neighbouring objects, and looks for these numbers.  The size stands right
 * before the object size, which kmem_cache_size() tells.  Several caches of
 * odd sizes must agree on one pair of offsets, or the module refuses to load.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "slab_layout.h"

unsigned int allocprof_slab_cache_offset __read_mostly;
unsigned int allocprof_cache_size_offset __read_mostly;

/* Enough objects that some lie side by side, also in a shuffled free list. */
#define OBJECTS		64
/* How far into struct kmem_cache to look: its first cache lines. */
#define CACHE_BYTES	128

/* Odd sizes, aligned and not; all small enough for many objects a slab. */
static const struct {
	unsigned int size, align;
} samples[] = { { 104, 8 }, { 200, 8 }, { 264, 64 } };

/* A constructor keeps the cache from being merged with another one. */
static void never_merge(void *obj)
{
}

/* The slot size: the smallest distance of two objects of one slab. */
static unsigned long measure(void **obj)
{
	unsigned long best = ULONG_MAX;
	int i, j;

	for (i = 0; i < OBJECTS; i++)
		for (j = 0; j < OBJECTS; j++)
			if (obj[i] < obj[j] &&
			    virt_to_head_page(obj[i]) == virt_to_head_page(obj[j]))
				best = min(best, (unsigned long)(obj[j] - obj[i]));
	return best;
}

/* Removes from the candidate masks all offsets that this cache contradicts. */
static int sample(unsigned int size, unsigned int align, u64 *slab_mask, u64 *cache_mask)
{
	struct kmem_cache *cache;
	void *obj[OBJECTS];
	unsigned long slot;
	int i, n, err = -ENOMEM;

	cache = kmem_cache_create("allocprof_layout", size, align, 0, never_merge);
	if (!cache)
		return -ENOMEM;
	for (n = 0; n < OBJECTS; n++) {
		obj[n] = kmem_cache_alloc(cache, GFP_KERNEL);
		if (!obj[n])
			goto out;
	}
	slot = measure(obj);
	for (i = 0; i < sizeof(struct page) / sizeof(void *); i++)
		for (n = 0; n < OBJECTS; n++)
			if (((void **)virt_to_head_page(obj[n]))[i] != cache)
				*slab_mask &= ~BIT_ULL(i);
	for (i = 0; i < CACHE_BYTES / sizeof(u32); i++) {
		const u32 *field = (const u32 *)cache + i;

		if (field[0] != slot || field[1] != kmem_cache_size(cache))
			*cache_mask &= ~BIT_ULL(i);
	}
	n = OBJECTS;
	err = 0;
out:
	while (n--)
		kmem_cache_free(cache, obj[n]);
	kmem_cache_destroy(cache);
	return err;
}

/**
 * slab_layout_find() - measure both offsets
 *
 * Context: module load; sleeps.
 * Return: 0; -ENOMEM or -EOPNOTSUPP, with a line that says what is wrong.
 */
int slab_layout_find(void)
{
	u64 slab_mask = GENMASK_ULL(sizeof(struct page) / sizeof(void *) - 1, 0);
	u64 cache_mask = GENMASK_ULL(CACHE_BYTES / sizeof(u32) - 1, 0);
	int i, err;

	for (i = 0; i < ARRAY_SIZE(samples); i++) {
		err = sample(samples[i].size, samples[i].align, &slab_mask, &cache_mask);
		if (err) {
			pr_err("not loaded: no memory to measure the slab layout with; free some and load it again\n");
			return err;
		}
	}
	if (hweight64(slab_mask) != 1 || hweight64(cache_mask) != 1) {
		pr_err("not loaded: cannot find the slab slot size on this kernel (candidates %llx %llx); please report it\n",
		       slab_mask, cache_mask);
		return -EOPNOTSUPP;
	}
	allocprof_slab_cache_offset = __ffs64(slab_mask) * sizeof(void *);
	allocprof_cache_size_offset = __ffs64(cache_mask) * sizeof(u32);
	return 0;
}
