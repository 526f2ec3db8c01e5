// SPDX-License-Identifier: GPL-2.0
/*
 * The object table, seen from inside for the slot arithmetic, and against a
 * plain reference for the rest.
 */
#include "../../module/objtable.c"

#include "unit.h"

#include <stdlib.h>

static struct kmem_cache cache_of_size(u32 size)
{
	return (struct kmem_cache){ .size = size, .object_size = size };
}

static void *at(unsigned long pfn, unsigned long offset)
{
	return (char *)__va(PFN_PHYS(pfn)) + offset;
}

/*
 * An object may start anywhere in its slot, behind a red zone.  The slot does
 * not fall with the offset, so it is right everywhere if it is right at the
 * first and at the last byte of each slot; and it must be as far as the
 * largest block there is.
 */
static void reciprocal_of_every_size(void)
{
	const unsigned long limit = PAGE_SIZE << MAX_PAGE_ORDER;
	struct allocprof_vec vec = { .base = sim_page_offset };
	unsigned long size, start, slot;

	for (size = 8; size <= 65536; size++) {
		vec.mult = DIV_ROUND_UP_ULL(1ULL << VEC_SHIFT, size);
		/* No product overflows, so it really does not fall. */
		CHECK(limit - 1 <= ~0ULL / vec.mult);
		for (slot = 0, start = 0; start < limit; start += size, slot++) {
			if (vec_slot(&vec, (void *)(vec.base + start)) != slot ||
			    vec_slot(&vec, (void *)(vec.base + start + size - 1)) != slot)
				unit_fail("size %lu, slot %lu", size, slot);
		}
	}
}

/* The same through the vector that a slab really gets, for every legal size. */
static void slots_of_real_slabs(void)
{
	unsigned long size, start, end;
	unsigned int order;
	bool misplaced;
	u32 slot;

	for (size = 8; size <= 32768; size += 8)
		for (order = 0; order <= 3; order++) {
			struct kmem_cache cache = cache_of_size(size);
			unsigned long pfn = 256 + (order << 3);
			struct allocprof_vec *vec;

			end = PAGE_SIZE << order;
			if (size > end)
				continue;
			sim_slab(pfn, order, &cache);
			vec = slab_vec(pfn_to_page(pfn), size);
			sim_run_deferred();
			CHECK(vec);
			CHECK_EQ(vec->nslots, end / size);
			CHECK_EQ(vec->npages, 1 << order);
			CHECK_EQ(vec->size_key, tag_key_slot(size));
			CHECK_EQ(vec->base, (unsigned long)at(pfn, 0));
			misplaced = false;
			for (slot = 0, start = 0; slot < vec->nslots; slot++, start += size) {
				misplaced |= vec_slot(vec, at(pfn, start)) != slot;
				misplaced |= vec_slot(vec, at(pfn, start + size - 1)) != slot;
			}
			/* What is behind the last slot is no object. */
			for (; start < end; start += 8)
				misplaced |= vec_slot(vec, at(pfn, start)) < vec->nslots;
			if (misplaced)
				unit_fail("size %lu, order %u", size, order);
			/* Freed as a page with no tag of its own. */
			pfntable_free_event(NULL, pfn_to_page(pfn), order);
			sim_plain(pfn, order);
		}
	check_table_empty();
	CHECK_EQ(lost_total(), 0);
}

static void object_life(void)
{
	struct kmem_cache cache = cache_of_size(192);
	void *obj = at(1024, 5 * 192 + 64), *other = at(1025, 192 * 30 - PAGE_SIZE);
	struct allocprof_tag *tag;

	sim_slab(1024, 1, &cache);
	CHECK(objtable_alloc(obj, SITE(1), NULL) == obj);
	tag = objtable_owner(obj);
	CHECK(tag && tag->key == (tag_key_slot(192) | (u32)SITE(1)));
	CHECK_EQ(slot_calls(SITE(1), 192), 1);
	/* Its neighbours have no owner; the other page knows the slab. */
	CHECK(!objtable_owner(at(1024, 4 * 192)) && !objtable_owner(at(1024, 6 * 192)));
	CHECK(objtable_alloc(other, SITE(2), NULL) == other);
	CHECK_EQ(slot_calls(SITE(2), 192), 1);
	objtable_free(obj);
	CHECK(!objtable_owner(obj));
	CHECK_EQ(slot_calls(SITE(1), 192), 0);
	objtable_free(other);
	CHECK_EQ(slot_calls(SITE(2), 192), 0);
	pfntable_free_event(NULL, pfn_to_page(1024), 1);
	check_table_empty();
	check_all_zero();
	CHECK_EQ(lost_total(), 0);
}

/* All that an allocator may return and a free may get, and is no object. */
static void not_an_object(void)
{
	struct kmem_cache cache = cache_of_size(64);
	void *others[] = {
		NULL, (void *)16 /* ZERO_SIZE_PTR */, (void *)~0UL, (void *)1,
		(void *)(sim_page_offset - 8), at(2048, 0) /* a large kmalloc */,
		at(2051, 0), at(2051, 4095), at(3000, 0) /* a page of nobody */,
		(void *)(sim_page_offset + (SIM_PAGES << PAGE_SHIFT)),
		&cache, malloc,
	};
	void *copy[ARRAY_SIZE(others)];
	unsigned int i;

	sim_compound(2048, 2);
	memcpy(copy, others, sizeof(others));
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		CHECK(objtable_alloc(others[i], SITE(1), NULL) == others[i]);
		CHECK(!objtable_owner(others[i]));
		objtable_free(others[i]);
	}
	objtable_alloc_bulk(others, ARRAY_SIZE(others), SITE(1), NULL);
	objtable_free_bulk(others, ARRAY_SIZE(others));
	objtable_alloc_bulk(others, 0, SITE(1), NULL);
	CHECK(!memcmp(copy, others, sizeof(others)));
	check_table_empty();
	check_all_zero();
	CHECK_EQ(tagtable_used(), 2);
	CHECK_EQ(lost_total(), 0);

	/* Memory added after boot: lost, and said so. */
	sim_slab(SIM_RAM_PAGES + 8, 0, &cache);
	objtable_alloc(at(SIM_RAM_PAGES + 8, 64), SITE(1), NULL);
	CHECK(!objtable_owner(at(SIM_RAM_PAGES + 8, 64)));
	objtable_free(at(SIM_RAM_PAGES + 8, 64));
	CHECK_EQ(lost(LOST_BEYOND_PAGES), 1);
	/* A slab of no cache. */
	sim_slab(4096, 0, &cache);
	pfn_to_page(4096)->slab_cache = NULL;
	objtable_alloc(at(4096, 0), SITE(1), NULL);
	CHECK_EQ(lost(LOST_NOT_SLAB), 1);
	/* Behind the last slot. */
	cache.size = 1000;
	sim_slab(4097, 0, &cache);
	objtable_alloc(at(4097, 4 * 1000), SITE(1), NULL);
	CHECK_EQ(lost(LOST_NOT_SLAB), 2);
	CHECK_EQ(lost_total(), 3);
	CHECK(atomic_read(&find_tag(tag_key_slot(1000) | (u32)SITE(1))->flags) & TAG_INACCURATE);
	check_all_zero();
}

static void no_vector(void)
{
	struct kmem_cache small = cache_of_size(8), cache = cache_of_size(64);
	void *obj = at(512, 128);
	struct allocprof_vec *vec;
	bool too_big;

	sim_slab(1024, 8, &small);
	objtable_alloc(at(1024, 8), SITE(1), NULL);
	CHECK_EQ(lost(LOST_VECTOR_TOO_BIG), 1);
	CHECK(atomic_read(&find_tag(tag_key_slot(8) | (u32)SITE(1))->flags) & TAG_INACCURATE);
	objtable_free(at(1024, 8));

	/* Of the very last vectors. */
	sim_slab(512, 0, &cache);
	do
		vec = vecpool_get(64, &too_big);
	while (vec);
	objtable_alloc(obj, SITE(2), NULL);
	CHECK_EQ(lost(LOST_NO_VECTOR), 1);
	CHECK(!objtable_owner(obj));
	CHECK(atomic_read(&find_tag(tag_key_slot(64) | (u32)SITE(2))->flags) & TAG_INACCURATE);
	objtable_free(obj);
	check_all_zero();
	/* The next object of this slab finds memory again; the lost one stays unknown. */
	objtable_alloc(obj, SITE(2), NULL);
	sim_run_deferred();
	objtable_alloc(at(512, 192), SITE(2), NULL);
	CHECK_EQ(slot_calls(SITE(2), 64), 1);
	objtable_free(obj);
	CHECK_EQ(slot_calls(SITE(2), 64), 1);
	objtable_free(at(512, 192));
	check_all_zero();
	CHECK_EQ(lost_total(), 3);
}

static void double_free(void)
{
	struct kmem_cache cache = cache_of_size(256);
	void *obj = at(100, 512), *twice[3] = { obj, obj, obj };

	sim_slab(100, 0, &cache);
	objtable_alloc(obj, SITE(1), NULL);
	objtable_alloc(at(100, 0), SITE(1), NULL);
	objtable_free(obj);
	objtable_free(obj);
	CHECK_EQ(slot_calls(SITE(1), 256), 1);
	objtable_alloc(obj, SITE(1), NULL);
	objtable_free_bulk(twice, ARRAY_SIZE(twice));
	CHECK_EQ(slot_calls(SITE(1), 256), 1);
	objtable_free(at(100, 0));
	pfntable_free_event(NULL, pfn_to_page(100), 0);
	/* The slab is gone, and so is its vector. */
	objtable_free(obj);
	objtable_free_bulk(twice, ARRAY_SIZE(twice));
	check_table_empty();
	check_all_zero();
	CHECK_EQ(lost_total(), 0);
}

/*
 * A vector read while it is being reused, after a double free: size and count
 * of one life, the reciprocal of another. No slot beyond its own is touched.
 */
static void reused_vector(void)
{
	struct kmem_cache cache = cache_of_size(64);
	void *objs[2] = { at(100, 0), at(100, 4032) };
	struct allocprof_vec *vec;
	u32 id;

	sim_slab(100, 0, &cache);
	objtable_alloc(objs[0], SITE(1), NULL);
	vec = page_vec(allocprof_pages[100]);
	id = vec->slot[0];
	vec->nslots = 32;
	vec->size_key = tag_key_slot(128);
	vec->slot[63] = id;
	objtable_free_bulk(objs, ARRAY_SIZE(objs));
	CHECK_EQ(vec->slot[63], id);
	vec->slot[63] = 0;
	objtable_alloc_bulk(objs, ARRAY_SIZE(objs), SITE(1), NULL);
	CHECK_EQ(vec->slot[63], 0);
}

/* Frees that were not seen do not count for ever. */
static void heals(void)
{
	struct kmem_cache cache = cache_of_size(512);
	void *objs[16];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(objs); i++)
		objs[i] = at(200, i * 512);
	sim_slab(200, 1, &cache);
	objtable_alloc_bulk(objs, ARRAY_SIZE(objs), SITE(1), NULL);
	CHECK_EQ(slot_calls(SITE(1), 512), 16);
	/* Handed out again, to another callsite. */
	objtable_alloc(objs[3], SITE(2), NULL);
	CHECK_EQ(slot_calls(SITE(1), 512), 15);
	CHECK_EQ(slot_calls(SITE(2), 512), 1);
	CHECK_EQ(lost(HEALED_FREES), 1);
	objtable_alloc_bulk(objs + 4, 4, SITE(3), NULL);
	CHECK_EQ(slot_calls(SITE(1), 512), 11);
	CHECK_EQ(slot_calls(SITE(3), 512), 4);
	CHECK_EQ(lost(HEALED_FREES), 5);
	/* The slab's page is freed with 16 objects in it. */
	pfntable_free_event(NULL, pfn_to_page(200), 1);
	CHECK_EQ(lost(HEALED_FREES), 21);
	CHECK_EQ(lost_total(), 21);
	check_table_empty();
	check_all_zero();
}

static void kfence_objects(void)
{
	struct kmem_cache a = cache_of_size(64), b = cache_of_size(1024);
	void *obj = at(SIM_KFENCE_PFN + 3, PAGE_SIZE - 64);
	void *next = at(SIM_KFENCE_PFN + 3, PAGE_SIZE - 1024), *both[2] = { NULL, obj };

	sim_slab(SIM_KFENCE_PFN + 3, 0, &a);
	objtable_alloc(obj, SITE(1), NULL);
	CHECK_EQ(slot_calls(SITE(1), 64), 1);
	CHECK(objtable_owner(obj) == find_tag(tag_key_slot(64) | (u32)SITE(1)));
	objtable_free(obj);
	CHECK_EQ(slot_calls(SITE(1), 64), 0);
	objtable_free(obj);
	CHECK_EQ(slot_calls(SITE(1), 64), 0);

	/* The page serves another cache now. */
	sim_slab(SIM_KFENCE_PFN + 3, 0, &b);
	objtable_alloc(next, SITE(1), NULL);
	CHECK_EQ(slot_calls(SITE(1), 1024), 1);
	objtable_free(next);

	sim_slab(SIM_KFENCE_PFN + 3, 0, &a);
	both[0] = at(SIM_KFENCE_PFN + 4, 0);
	sim_slab(SIM_KFENCE_PFN + 4, 0, &a);
	objtable_alloc_bulk(both, 2, SITE(2), NULL);
	CHECK_EQ(slot_calls(SITE(2), 64), 2);
	objtable_free_bulk(both, 2);
	check_all_zero();
	CHECK_EQ(lost_total(), 0);

	/* A free that was not seen. */
	objtable_alloc(obj, SITE(1), NULL);
	objtable_alloc(obj, SITE(2), NULL);
	CHECK_EQ(slot_calls(SITE(1), 64), 0);
	CHECK_EQ(slot_calls(SITE(2), 64), 1);
	CHECK_EQ(lost(HEALED_FREES), 1);
	objtable_free(obj);
	check_all_zero();
	check_table_empty();

	/* A pool allocated while we look: its pages' records are no objects'. */
	pfntable_alloc(pfn_to_page(SIM_KFENCE_PFN + 3), 0, SITE(3), NULL);
	objtable_free(obj);
	CHECK(!objtable_owner(obj));
	CHECK_EQ(page_calls(SITE(3)), 1);
	objtable_alloc(obj, SITE(1), NULL);
	objtable_free(obj);
	CHECK_EQ(page_calls(SITE(3)), 1);
	CHECK_EQ(slot_calls(SITE(1), 64), 0);
	CHECK_EQ(lost_total(), 1);
}

/*
 * One array with objects of slabs 256 MiB apart: there the multiplication has
 * wrapped round, and a foreign object looks like one of this slab's slots.
 */
static void bulk_far_apart(void)
{
	struct kmem_cache cache = cache_of_size(64);
	const unsigned long far = (256UL << 20) / PAGE_SIZE;
	void *objs[64];
	unsigned int i, round;

	for (i = 0; i < 4; i++)
		sim_slab(64 + i * far, 0, &cache);
	for (i = 0; i < ARRAY_SIZE(objs); i++)
		objs[i] = at(64 + (i % 4) * far, (i / 4) * 64);
	for (round = 0; round < 3; round++) {
		objtable_alloc_bulk(objs, ARRAY_SIZE(objs), SITE(1), NULL);
		CHECK_EQ(slot_calls(SITE(1), 64), 64);
		for (i = 0; i < ARRAY_SIZE(objs); i++)
			CHECK(objtable_owner(objs[i]) == find_tag(tag_key_slot(64) | (u32)SITE(1)));
		if (round)
			objtable_free_bulk(objs, ARRAY_SIZE(objs));
		for (i = 0; !round && i < ARRAY_SIZE(objs); i++) {
			objtable_free(objs[i]);
			CHECK_EQ(slot_calls(SITE(1), 64), 63 - i);
		}
		CHECK_EQ(slot_calls(SITE(1), 64), 0);
	}
	for (i = 0; i < 4; i++)
		pfntable_free_event(NULL, pfn_to_page(64 + i * far), 0);
	check_table_empty();
	CHECK_EQ(lost_total(), 0);
}

/*
 * The model.  Every object that can be is in a plain array; a callsite's count
 * is what the array says.
 */
#define SLABS		48
#define SITES		20
#define BULK		64

enum { FREE = -2, UNKNOWN = -1 };	/* else: the callsite */

static struct model_slab {
	unsigned long pfn;
	unsigned int order;
	struct kmem_cache *cache;
	bool live;
	u32 nslots, pad;
	s8 *owner;
} slabs[SLABS];

static const u32 sizes[] = { 8, 16, 64, 96, 192, 1000, 1024, 2048, 4096, 8192, 3192, 32768 };
static struct kmem_cache caches[ARRAY_SIZE(sizes)];
static long expected[SITES][ARRAY_SIZE(sizes)];

static void *slab_obj(const struct model_slab *slab, u32 slot)
{
	return at(slab->pfn, (unsigned long)slot * slab->cache->size + slab->pad);
}

static long *count(const struct model_slab *slab, int site)
{
	return &expected[site][slab->cache - caches];
}

static void slab_create(struct model_slab *slab)
{
	slab->cache = &caches[random_below(ARRAY_SIZE(sizes))];
	slab->order = random_below(4);
	while (PAGE_SIZE << slab->order < slab->cache->size)
		slab->order++;
	/* Some 256 MiB from each other, some neighbours. */
	slab->pfn = ((slab - slabs) % 5 << 16) + (slab - slabs) / 5 * 8 + 1024;
	slab->nslots = (PAGE_SIZE << slab->order) / slab->cache->size;
	/* The red zone before the object. */
	slab->pad = random_below(2) ? random_below(slab->cache->size / 8) * 8 : 0;
	slab->owner = malloc(slab->nslots);
	memset(slab->owner, FREE, slab->nslots);
	slab->live = true;
	sim_slab(slab->pfn, slab->order, slab->cache);
	pfntable_alloc(pfn_to_page(slab->pfn), slab->order, SITE(1000), NULL);
}

/* Healing: what the slab's free finds alive. */
static u64 slab_destroy(struct model_slab *slab, bool clean)
{
	u64 left = 0;
	u32 i;

	for (i = 0; i < slab->nslots; i++) {
		if (slab->owner[i] < 0)
			continue;
		--*count(slab, slab->owner[i]);
		if (clean)
			objtable_free(slab_obj(slab, i));
		else
			left++;
	}
	pfntable_free_event(NULL, pfn_to_page(slab->pfn), slab->order);
	sim_plain(slab->pfn, slab->order);
	free(slab->owner);
	slab->live = false;
	return left;
}

/* A slot that is (or is not) free, or -1. */
static long find(const struct model_slab *slab, bool want_free)
{
	u32 start = random_below(slab->nslots), i;

	for (i = 0; i < slab->nslots && i < 200; i++) {
		u32 slot = (start + i) % slab->nslots;

		if ((slab->owner[slot] == FREE) == want_free)
			return slot;
	}
	return -1;
}

static void check_model(unsigned long op, bool full)
{
	u32 site, i, n = full ? SITES : 1;

	snprintf(unit_where, sizeof(unit_where), " (operation %lu)", op);
	for (site = full ? 0 : random_below(SITES); n--; site++)
		for (i = 0; i < ARRAY_SIZE(sizes); i++)
			CHECK_EQ(slot_calls(SITE(site), sizes[i]), expected[site][i]);
}

static void model(void)
{
	const unsigned long ops = SCALE(2000000, 150000, 20000);
	unsigned long op;
	u64 healed = 0;
	u32 i;

	memset(expected, 0, sizeof(expected));
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		caches[i] = cache_of_size(sizes[i]);
	for (i = 0; i < SLABS; i++)
		slab_create(&slabs[i]);

	for (op = 0; op < ops; op++) {
		struct model_slab *slab = &slabs[random_below(SLABS)];
		u32 what = random_below(100), site = random_below(SITES), n;
		void *objs[BULK];
		long slot;

		sim_cpu = random_below(SIM_CPUS);
		if (!slab->live) {
			slab_create(slab);
		} else if (what < 35) {
			slot = find(slab, true);
			if (slot < 0)
				continue;
			CHECK(objtable_alloc(slab_obj(slab, slot), SITE(site), NULL) ==
			      slab_obj(slab, slot));
			slab->owner[slot] = site;
			++*count(slab, site);
		} else if (what < 65) {
			slot = find(slab, false);
			if (slot < 0)
				continue;
			objtable_free(slab_obj(slab, slot));
			if (slab->owner[slot] >= 0)
				--*count(slab, slab->owner[slot]);
			slab->owner[slot] = FREE;
		} else if (what < 75 || what >= 85) {
			/* Bulk, over one slab or several, with what is no object among them. */
			bool alloc = what < 75;

			for (n = 0; n < BULK; n++) {
				struct model_slab *from = slab;
				u32 odd = random_below(40);

				if (odd < 3) {
					objs[n] = odd == 0 ? NULL : odd == 1 ? (void *)16 :
						  at(SIM_TEST_PAGES - 4096, 0);
					continue;
				}
				if (random_below(4) == 0 || site % 4 == 0)
					from = &slabs[random_below(SLABS)];
				if (!from->live)
					break;
				slot = find(from, alloc);
				if (slot < 0)
					break;
				objs[n] = slab_obj(from, slot);
				if (from->owner[slot] >= 0)
					--*count(from, from->owner[slot]);
				from->owner[slot] = alloc ? (s8)site : FREE;
				if (alloc)
					++*count(from, site);
			}
			if (alloc)
				objtable_alloc_bulk(objs, n, SITE(site), NULL);
			else if (what < 97)
				objtable_free_bulk(objs, n);
			else
				while (n--)
					objtable_free(objs[n]);
		} else if (what < 78) {
			/* An object from before we looked. */
			slot = find(slab, true);
			if (slot >= 0)
				slab->owner[slot] = UNKNOWN;
		} else if (what < 80) {
			/* A double free, of what is free or not ours. */
			slot = find(slab, true);
			if (slot >= 0)
				objtable_free(slab_obj(slab, slot));
		} else if (what < 82) {
			/* Its free was not seen: handed out again. */
			slot = find(slab, false);
			if (slot < 0)
				continue;
			objtable_alloc(slab_obj(slab, slot), SITE(site), NULL);
			if (slab->owner[slot] >= 0) {
				--*count(slab, slab->owner[slot]);
				healed++;
			}
			slab->owner[slot] = site;
			++*count(slab, site);
		} else if (random_below(20) == 0) {
			healed += slab_destroy(slab, random_below(4));
		}
		sim_run_deferred();
		check_model(op, op % 512 == 0);
	}
	check_model(op, true);
	for (i = 0; i < SLABS; i++)
		if (slabs[i].live)
			healed += slab_destroy(&slabs[i], true);
	check_model(op, true);
	check_all_zero();
	check_table_empty();
	CHECK_EQ(lost(HEALED_FREES), healed);
	CHECK_EQ(lost_total(), healed);
}

/*
 * The frees of a slab's page, and of another, were not seen; they lie in the middle of a larger slab next.  Its first object there
 * may be taken for one of the old slab's, but no longer than until the new one is known; nothing stays.
 */
static void slab_over_unseen_frees(void)
{
	struct kmem_cache small = cache_of_size(128), large = cache_of_size(256);
	unsigned long vectors;

	sim_slab(101, 0, &small);
	pfntable_alloc(pfn_to_page(101), 0, SITE(1), NULL);
	objtable_alloc(at(101, 0), SITE(2), NULL);
	objtable_free(at(101, 0));
	vectors = free_vectors();
	pfntable_alloc(pfn_to_page(102), 0, SITE(5), NULL);
	pfntable_alloc(pfn_to_page(103), 1, SITE(6), NULL);

	sim_slab(100, 2, &large);
	pfntable_alloc(pfn_to_page(100), 2, SITE(3), NULL);
	objtable_alloc(at(101, 256), SITE(4), NULL);
	objtable_alloc(at(100, 0), SITE(4), NULL);
	CHECK_EQ(slot_calls(SITE(4), 256), 1);
	CHECK_EQ(slot_calls(SITE(4), 128), 0);
	CHECK_EQ(page_calls(SITE(1)) + page_calls(SITE(5)) + page_calls(SITE(6)), 0);
	/* Three frames' records, and an object's. */
	CHECK_EQ(lost(HEALED_FREES), 4);
	objtable_alloc(at(101, 512), SITE(4), NULL);
	CHECK_EQ(slot_calls(SITE(4), 256), 2);
	objtable_free(at(101, 512));
	objtable_free(at(101, 256));
	objtable_free(at(100, 0));
	pfntable_free_event(NULL, pfn_to_page(100), 2);
	CHECK_EQ(slot_calls(SITE(4), 256), 0);
	CHECK_EQ(page_calls(SITE(3)), 0);
	check_all_zero();
	/* Of both slabs, both classes: each has its own again. */
	CHECK(free_vectors() > vectors);
	CHECK_EQ(lost_total(), 4);
}

const struct unit_test objtable_tests[] = {
	UNIT_TEST(slab_over_unseen_frees),
	UNIT_TEST(reciprocal_of_every_size),
	UNIT_TEST(slots_of_real_slabs),
	UNIT_TEST(object_life),
	UNIT_TEST(not_an_object),
	UNIT_TEST(no_vector),
	UNIT_TEST(double_free), UNIT_TEST(reused_vector),
	UNIT_TEST(heals),
	UNIT_TEST(kfence_objects),
	UNIT_TEST(bulk_far_apart),
	UNIT_TEST(model),
	{}
};
