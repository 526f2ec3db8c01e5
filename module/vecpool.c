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

/*
 * The reserve: RAM / 8192, within these, in bytes.  (128 KiB where pages have 4.)
 * It has to last while interrupts are off, or memory short; else refill.c is quick.
 */
#define RESERVE_MIN	(4 * CHUNK_BYTES)
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
	size_t at;	/* what is before this is cut */
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
static struct chunk *mixed;		/* of those, where classes begin */
static struct free_vec *free_vecs[CLASSES];
static bool begun[CLASSES];
static size_t reserve_bytes, cut_bytes, reserve_low, reserve_high;

/* The link of a chunk in use lies at its start, before its first vector. */
#define CHUNK_HEADER	SMALL_STEP

/*
 * The table of chunks, to be indexed by numbers with their top bit; and how long
 * it is, and how far filled.  When half is filled the refill work makes one of
 * twice the length; the old ones stay, as somebody may be looking at them.
 */
unsigned long *allocprof_vec_chunks __read_mostly;
#define TOP_BIT		(1UL << (31 - VEC_STEPS_SHIFT))
/* At first: for a 64th of RAM, or 32 MiB, to be used up before a work item gets its turn. */
#define TABLE_MIN	1024UL
#define TABLES		16	/* more than lengths from that to TOP_BIT */
static unsigned long *chunk_tables[TABLES];
static unsigned int tables;
static unsigned long table_length, first_length, chunks_used;
static size_t table_bytes;

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

/* Cuts vectors out of a chunk: as many as fit into so many bytes, but one at least. */
static void cut_vecs(struct chunk *chunk, unsigned int size_class, size_t most)
{
	size_t bytes = class_bytes(size_class), end = PAGE_SIZE << chunk->order;

	end = min(end, chunk->at + max(most, bytes));
	for (; chunk->at + bytes <= end; chunk->at += bytes) {
		struct allocprof_vec *vec = (void *)chunk + chunk->at;
		struct free_vec *free = (struct free_vec *)vec;

		vec->number = chunk->number + (chunk->at >> VEC_STEP_SHIFT);
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
		chunk->next = cut;
		cut = chunk;
		chunk->at = CHUNK_HEADER;
		WRITE_ONCE(cut_bytes, cut_bytes + (PAGE_SIZE << chunk->order));
		return chunk;
	}
	return NULL;
}

static bool has_room(const struct chunk *chunk, size_t bytes)
{
	return chunk && chunk->at + bytes <= PAGE_SIZE << chunk->order;
}

/*
 * More vectors of a class.  Most classes are never asked for much: they begin
 * with a page's worth, out of a chunk for all.
 */
static void more_vecs(unsigned int size_class)
{
	size_t bytes = class_bytes(size_class);
	struct chunk *chunk;

	if (begun[size_class] || bytes > PAGE_SIZE / 4) {
		chunk = take_chunk(bytes);
		if (chunk)
			cut_vecs(chunk, size_class, CHUNK_BYTES);
		return;
	}
	if (!has_room(mixed, bytes))
		mixed = take_chunk(bytes);
	if (!mixed)
		return;
	cut_vecs(mixed, size_class, PAGE_SIZE / 2);
	begun[size_class] = true;
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
	if (!free_vecs[size_class])
		more_vecs(size_class);
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

/* Makes the table long enough for a while.  Sleeps. */
static void lengthen_table(gfp_t gfp)
{
	unsigned long length = tables ? min(table_length * 2, TOP_BIT) : first_length, flags;
	size_t old = table_length * sizeof(long);
	unsigned long *table;

	if (table_length == TOP_BIT || READ_ONCE(chunks_used) < table_length / 2)
		return;
	table = __vmalloc(length * sizeof(*table), gfp | __GFP_ZERO);
	if (!table)
		return;
	if (hook_lock(&pool_lock, &flags)) {
		/* Others may do the same. */
		if (table_length < length) {
			if (tables)
				memcpy(table, chunk_tables[tables - 1], old);
			chunk_tables[tables++] = table;
			WRITE_ONCE(table_length, length);
			WRITE_ONCE(table_bytes, table_bytes + length * sizeof(*table));
			/* Before any number is given out that needs it: vec_by_number(). */
			smp_store_release(&allocprof_vec_chunks, table - TOP_BIT);
			table = NULL;
		}
		hook_unlock(&pool_lock, flags);
	}
	vfree(table);
}

/* Puts it into the table and the reserve, if there is room in the table.  Lock held. */
static bool add_chunk(struct chunk *chunk)
{
	if (chunks_used == table_length)
		return false;
	chunk->number = (TOP_BIT + chunks_used) << VEC_STEPS_SHIFT;
	chunk_tables[tables - 1][chunks_used] = (unsigned long)chunk -
						((unsigned long)chunk->number << VEC_STEP_SHIFT);
	WRITE_ONCE(chunks_used, chunks_used + 1);
	chunk->next = reserve;
	reserve = chunk;
	WRITE_ONCE(reserve_bytes, reserve_bytes + (PAGE_SIZE << chunk->order));
	return true;
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
	bool added;

	while (READ_ONCE(reserve_bytes) < reserve_high && chunks--) {
		if (gfpflags_allow_blocking(gfp))
			lengthen_table(gfp);
		if (READ_ONCE(chunks_used) == READ_ONCE(table_length))
			return;
		chunk = new_chunk(gfp);
		if (!chunk)
			return;
		added = false;
		if (hook_lock(&pool_lock, &flags)) {
			added = add_chunk(chunk);
			hook_unlock(&pool_lock, flags);
		}
		if (!added) {
			free_pages((unsigned long)chunk, chunk->order);
			return;
		}
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
	first_length = clamp(ram_pages >> (6 + CHUNK_ORDER), TABLE_MIN, TOP_BIT);
	reserve_high = clamp(ram_pages * PAGE_SIZE / 8192, RESERVE_MIN, RESERVE_MAX);
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
	mixed = NULL;
	returned = NULL;
	memset(free_vecs, 0, sizeof(free_vecs));
	memset(begun, 0, sizeof(begun));
	reserve_bytes = 0;
	cut_bytes = 0;
	while (tables)
		vfree(chunk_tables[--tables]);
	table_bytes = 0;
	table_length = 0;
	chunks_used = 0;
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
 * vecpool_table_bytes() - memory of the table of chunks and those before it, in bytes
 *
 * Context: any.
 */
size_t vecpool_table_bytes(void)
{
	return READ_ONCE(table_bytes);
}
