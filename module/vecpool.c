// SPDX-License-Identifier: GPL-2.0
/*
 * Type-stable memory for object vectors.
 *
 * The hooks need a vector for each slab page that starts to hold recorded
 * objects, in any context, and must not call the page allocator for it.  So
 * chunks of pages wait in a reserve, and a vector is cut from a chunk on
 * demand.  A vector's memory stays vector memory of its size class until
 * vecpool_exit(): a stray reader (a kernel that frees an object twice) finds
 * an old vector at worst, never somebody else's data.
 *
 * Notes on locking
 *
 * One lock of hooklock.c's, held for a few list operations; it is a leaf:
 * nothing is called under it.  It is taken once per slab page, not per object.
 * Where it cannot be had, a vector that comes back waits in a list of its own,
 * without a lock, for the next who holds it.  Memory is obtained and given back
 * outside of it.
 */
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "hooklock.h"
#include "refill.h"
#include "vecpool.h"

/* 32 KiB: the largest class that fits has 7670 slots.  Short of memory, single pages. */
#define CHUNK_ORDER	VEC_CHUNK_ORDER
#define CHUNK_BYTES	(PAGE_SIZE << CHUNK_ORDER)

/* The reserve: RAM / 4096, within these, in bytes.  (256 KiB where pages have 4.) */
#define RESERVE_MIN	(8 * CHUNK_BYTES)
#define RESERVE_MAX	max_t(unsigned long, SZ_4M, RESERVE_MIN)

/* Sizes grow by 64 bytes up to 1 KiB, then by an eighth of a power of two. */
#define SMALL_STEP	64U
#define SMALL_LIMIT	1024U
#define SMALL_CLASSES	(SMALL_LIMIT / SMALL_STEP)
#define CLASSES		(SMALL_CLASSES + 8 * 5)

struct chunk {
	struct chunk *next;
	unsigned int order;
	u32 number;	/* of what lies at its start */
};

/* A free vector holds the link; everything behind it is zero, but for its number. */
struct free_vec {
	struct free_vec *next;
};

/* But for its size class, while it waits here. */
static struct free_vec *returned;

static DEFINE_HOOK_LOCK(pool_lock, HOOK_LOCK_POOL);
static struct chunk *reserve;		/* chunks not cut yet */
static struct chunk *cut;		/* all others, for vecpool_exit() */
static struct free_vec *free_vecs[CLASSES];
static size_t reserve_bytes, cut_bytes, reserve_low, reserve_high;

/* The link of a chunk in use lies at its start, before its first vector. */
#define CHUNK_HEADER	SMALL_STEP

/* The table of chunks, to be indexed by numbers with their top bit; and how far it goes, and is filled. */
unsigned long *allocprof_vec_chunks __read_mostly;
#define TOP_BIT		(1UL << (31 - VEC_STEPS_SHIFT))
static unsigned long *chunk_table;
static unsigned long chunks_max, chunks_used;

static unsigned int class_of(size_t bytes)
{
	unsigned int shift;

	if (bytes <= SMALL_LIMIT)
		return DIV_ROUND_UP(bytes, SMALL_STEP) - 1;
	shift = ilog2(bytes - 1);
	return SMALL_CLASSES + (shift - 10) * 8 + ((bytes - 1) >> (shift - 3)) - 8;
}

static size_t class_bytes(unsigned int size_class)
{
	if (size_class < SMALL_CLASSES)
		return (size_class + 1) * SMALL_STEP;
	size_class -= SMALL_CLASSES;
	return (size_t)(9 + size_class % 8) << (7 + size_class / 8);
}

static void cut_chunk(struct chunk *chunk, unsigned int size_class)
{
	size_t bytes = class_bytes(size_class);
	char *p = (char *)chunk + CHUNK_HEADER;
	char *end = (char *)chunk + (PAGE_SIZE << chunk->order);

	chunk->next = cut;
	cut = chunk;
	WRITE_ONCE(cut_bytes, cut_bytes + (PAGE_SIZE << chunk->order));
	for (; p + bytes <= end; p += bytes) {
		struct free_vec *free = (struct free_vec *)p;

		((struct allocprof_vec *)p)->number = chunk->number + ((p - (char *)chunk) >> VEC_STEP_SHIFT);
		free->next = free_vecs[size_class];
		free_vecs[size_class] = free;
	}
}

/* Takes a chunk that can hold a vector of this size out of the reserve. */
static struct chunk *take_chunk(size_t bytes)
{
	struct chunk **link, *chunk;

	for (link = &reserve; (chunk = *link); link = &chunk->next) {
		if (CHUNK_HEADER + bytes > PAGE_SIZE << chunk->order)
			continue;
		*link = chunk->next;
		WRITE_ONCE(reserve_bytes, reserve_bytes - (PAGE_SIZE << chunk->order));
		return chunk;
	}
	return NULL;
}

static void put_locked(struct free_vec *free, unsigned int size_class)
{
	free->next = free_vecs[size_class];
	free_vecs[size_class] = free;
}

/* Called with the lock held. */
static void take_returned(void)
{
	struct free_vec *free = READ_ONCE(returned), *next;

	while (unlikely(free) && cmpxchg(&returned, free, NULL) != free)
		free = READ_ONCE(returned);
	for (; unlikely(free); free = next) {
		struct allocprof_vec *vec = (struct allocprof_vec *)free;
		unsigned int size_class = vec->size_class;

		next = free->next;
		vec->size_class = 0;
		put_locked(free, size_class);
	}
}

static void put_unlocked(struct allocprof_vec *vec, unsigned int size_class)
{
	struct free_vec *free = (struct free_vec *)vec, *first;

	vec->size_class = size_class;
	do {
		first = READ_ONCE(returned);
		free->next = first;
	} while (cmpxchg(&returned, first, free) != first);
}

/**
 * vecpool_get() - a zeroed vector
 * @nslots: slots it must hold
 * @too_big: set if no vector can hold that many
 *
 * Context: any; where hook_lock() fails, it does.
 * Return: the vector with @size_class set, or NULL.
 */
struct allocprof_vec *vecpool_get(u32 nslots, bool *too_big)
{
	size_t bytes = sizeof(struct allocprof_vec) + (size_t)nslots * sizeof(u32);
	struct allocprof_vec *vec = NULL;
	struct free_vec *free;
	unsigned int size_class;
	unsigned long flags;
	bool low;

	*too_big = CHUNK_HEADER + bytes > CHUNK_BYTES;
	if (*too_big)
		return NULL;
	size_class = class_of(bytes);
	bytes = class_bytes(size_class);
	/* The top class may round up to more than a chunk. */
	*too_big = CHUNK_HEADER + bytes > CHUNK_BYTES;
	if (*too_big)
		return NULL;

	if (!hook_lock(&pool_lock, &flags))
		return NULL;
	take_returned();
	if (!free_vecs[size_class]) {
		struct chunk *chunk = take_chunk(bytes);

		if (chunk)
			cut_chunk(chunk, size_class);
	}
	free = free_vecs[size_class];
	if (free)
		free_vecs[size_class] = free->next;
	low = reserve_bytes < reserve_low;
	hook_unlock(&pool_lock, flags);

	if (low)
		refill_kick();
	if (free) {
		free->next = NULL;
		vec = (struct allocprof_vec *)free;
		vec->size_class = size_class;
	}
	return vec;
}

/**
 * vecpool_put() - give a vector back
 * @vec: the vector, its slots all zero again
 *
 * Context: any.
 */
void vecpool_put(struct allocprof_vec *vec)
{
	unsigned int size_class = vec->size_class;
	unsigned long flags;

	*vec = (struct allocprof_vec){ .number = vec->number };
	if (!hook_lock(&pool_lock, &flags)) {
		put_unlocked(vec, size_class);
		return;
	}
	put_locked((struct free_vec *)vec, size_class);
	hook_unlock(&pool_lock, flags);
}

static struct chunk *new_chunk(gfp_t gfp)
{
	unsigned int order = CHUNK_ORDER;
	struct chunk *chunk;

	chunk = (struct chunk *)__get_free_pages((gfp & ~__GFP_RETRY_MAYFAIL) | __GFP_ZERO |
						 __GFP_NORETRY, order);
	if (!chunk) {
		order = 0;
		chunk = (struct chunk *)__get_free_pages(gfp | __GFP_ZERO, order);
	}
	if (chunk)
		chunk->order = order;
	return chunk;
}

/**
 * vecpool_refill() - fill the reserve up
 * @gfp: what the context allows
 * @chunks: how many chunks at most
 *
 * Context: outside of every hook; as @gfp says.  Stops at the first failure.
 */
void vecpool_refill(gfp_t gfp, unsigned int chunks)
{
	struct chunk *chunk;
	unsigned long flags;

	while (READ_ONCE(reserve_bytes) < reserve_high && READ_ONCE(chunks_used) < chunks_max && chunks--) {
		chunk = new_chunk(gfp);
		if (!chunk)
			return;
		if (!hook_lock(&pool_lock, &flags)) {
			free_pages((unsigned long)chunk, chunk->order);
			return;
		}
		/* Others may refill, too. */
		if (chunks_used == chunks_max) {
			hook_unlock(&pool_lock, flags);
			free_pages((unsigned long)chunk, chunk->order);
			return;
		}
		chunk->number = (TOP_BIT + chunks_used) << VEC_STEPS_SHIFT;
		chunk_table[chunks_used] = (unsigned long)chunk - ((unsigned long)chunk->number << VEC_STEP_SHIFT);
		WRITE_ONCE(chunks_used, chunks_used + 1);
		chunk->next = reserve;
		reserve = chunk;
		WRITE_ONCE(reserve_bytes, reserve_bytes + (PAGE_SIZE << chunk->order));
		hook_unlock(&pool_lock, flags);
	}
}

static void free_chunks(struct chunk *chunk)
{
	struct chunk *next;

	for (; chunk; chunk = next) {
		next = chunk->next;
		free_pages((unsigned long)chunk, chunk->order);
	}
}

/**
 * vecpool_init() - fill the reserve for the first time
 * @ram_pages: size of the machine
 *
 * Context: no hook attached; sleeps.
 * Return: 0 or -ENOMEM.
 */
int vecpool_init(unsigned long ram_pages)
{
	/* For a quarter of RAM, in whole chunks: more than any mix of slabs takes. */
	chunks_max = clamp(ram_pages >> (CHUNK_ORDER + 2), 1024UL, TOP_BIT);
	chunk_table = __vmalloc(chunks_max * sizeof(*chunk_table),
				GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN | __GFP_ZERO);
	if (!chunk_table)
		return -ENOMEM;
	allocprof_vec_chunks = chunk_table - TOP_BIT;
	reserve_high = clamp(ram_pages * (PAGE_SIZE / 4096), RESERVE_MIN, RESERVE_MAX);
	reserve_low = reserve_high / 4 * 3;
	/* Not worth an OOM kill. */
	vecpool_refill(GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL, UINT_MAX);
	if (reserve_bytes >= reserve_high)
		return 0;
	vecpool_exit();
	return -ENOMEM;
}

/**
 * vecpool_exit() - free all vectors
 *
 * Context: hooks gone and drained, refill stopped or none pending; sleeps.
 */
void vecpool_exit(void)
{
	reserve_low = 0;
	reserve_high = 0;
	free_chunks(reserve);
	free_chunks(cut);
	reserve = NULL;
	cut = NULL;
	returned = NULL;
	memset(free_vecs, 0, sizeof(free_vecs));
	reserve_bytes = 0;
	cut_bytes = 0;
	vfree(chunk_table);
	chunk_table = NULL;
	chunks_used = 0;
	chunks_max = 0;
}

/**
 * vecpool_bytes() - memory cut into vectors, in bytes
 *
 * Context: any.
 */
size_t vecpool_bytes(void)
{
	return READ_ONCE(cut_bytes);
}

/**
 * vecpool_reserve_bytes() - memory waiting in the reserve, in bytes
 *
 * Context: any.
 */
size_t vecpool_reserve_bytes(void)
{
	return READ_ONCE(reserve_bytes);
}

/**
 * vecpool_table_bytes() - memory of the table of chunks, in bytes
 *
 * Context: any.
 */
size_t vecpool_table_bytes(void)
{
	return READ_ONCE(chunks_max) * sizeof(*chunk_table);
}
