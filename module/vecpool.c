// SPDX-License-Identifier: GPL-2.0
/*
 * Type-stable memory for object vectors.
 *
 * The hooks need a vector for each slab page that starts to hold recorded
 * objects, in any context, and must not call the page allocator for it.  So
 * chunks of pages wait in a reserve, and a vector is cut from a chunk on
 * demand.  A vector's memory stays vector memory of its size class: a stray
 * reader (of a page that is not his; a kernel that frees an object twice) finds
 * an old vector at worst, never somebody else's data.
 *
 * A chunk of which all vectors are back is given back itself, by a work item
 * (refill.c), if there are many: it is taken off its list, so that none of its
 * vectors is handed out any more; no record has the number of one that is not;
 * so who can still look at one has found its number before, in a hook, and is
 * waited for as a hook's text is before it goes (compat_synchronize_tasks()).
 * (Where a kernel frees a slab in use, a hook may write its number once more,
 * which it takes back before it ends: who has read that is waited for, too.)
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
#include <linux/rcupdate.h>
#include <linux/sched.h>
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
 * The reserve: RAM / 8192, within these, in bytes.  (256 KiB where pages have 4.)
 * It has to last while interrupts are off, or memory short; else refill.c is quick.
 */
#define RESERVE_MIN	(8 * CHUNK_BYTES)
#define RESERVE_MAX	max_t(unsigned long, SZ_4M, RESERVE_MIN)

/* Sizes grow by 64 bytes up to 1 KiB, then by an eighth of a power of two. */
#define SMALL_STEP	64U
#define SMALL_LIMIT	1024U
#define SMALL_CLASSES	(SMALL_LIMIT / SMALL_STEP)
#define CLASSES		(SMALL_CLASSES + 8 * 5)
#define CHUNK_HEADER	SMALL_STEP

/**
 * struct chunk - what lies at the start of one, before its first vector
 * @list: in the reserve; or, while it has free vectors, in its class's list
 * @free: its free vectors, if it is not a mixed one
 * @number: of what lies at its start
 * @at: what is before this is cut
 * @nvecs: how many it is cut into
 * @nfree: how many of them are free
 * @size_class: that of all its vectors, or MIXED
 * @order: its size
 */
struct chunk {
	struct list_head list;
	struct free_vec *free;
	u32 number;
	u32 at;
	u16 nvecs;
	u16 nfree;
	u8 size_class;
	u8 order;
};

#define MIXED	CLASSES

/* A free vector holds the link; everything behind it is zero, but for its number. */
struct free_vec {
	struct free_vec *next;
};

/* But for its size class, while it waits here. */
static struct free_vec *returned;

static DEFINE_HOOK_LOCK(pool_lock, HOOK_LOCK_POOL);
static LIST_HEAD(reserve);			/* chunks not cut yet */
/* Those with free vectors; those of which all are free at the end. */
static struct list_head class_chunks[CLASSES];
static struct chunk *mixed;			/* where classes begin */
static struct free_vec *free_vecs[CLASSES];	/* of mixed chunks */
static bool begun[CLASSES];
static size_t reserve_bytes, cut_bytes, reserve_low, reserve_high;
static size_t idle_bytes;			/* of chunks that are all free */
static bool trim_asked;

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
/* Being filled: what changes in the last one changes here, too.  How many entries are copied. */
static unsigned long *next_table;
static unsigned long copied;
static unsigned long table_length, first_length, chunks_used;
static size_t table_bytes;
/* An entry that no chunk has holds the next of these, and no address is odd.  0: there is none. */
static unsigned long free_entries;
#define FREE_ENTRY(next)	((next) << 1 | 1)

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

/* What a vector takes, and its class.  0: no chunk can hold it. */
static size_t vec_bytes(u32 nslots, unsigned int *size_class)
{
	size_t bytes = sizeof(struct allocprof_vec) + (size_t)nslots * sizeof(u32);

	if (CHUNK_HEADER + bytes > CHUNK_BYTES)
		return 0;
	*size_class = class_of(bytes);
	/* Where pages are larger, chunks are, and classes end before them. */
	if (*size_class >= CLASSES)
		return 0;
	bytes = class_bytes(*size_class);
	/* The top class may round up to more than a chunk. */
	return CHUNK_HEADER + bytes > CHUNK_BYTES ? 0 : bytes;
}

static size_t chunk_bytes(const struct chunk *chunk)
{
	return PAGE_SIZE << chunk->order;
}

static struct chunk *chunk_of(const struct allocprof_vec *vec)
{
	return (void *)vec - ((vec->number & ((1UL << VEC_STEPS_SHIFT) - 1)) << VEC_STEP_SHIFT);
}

static struct list_head *list_of(const struct chunk *chunk)
{
	return &class_chunks[chunk->size_class];
}

static void put_locked(struct allocprof_vec *vec, unsigned int size_class)
{
	struct free_vec *free = (struct free_vec *)vec;
	struct chunk *chunk = chunk_of(vec);

	if (chunk->size_class == MIXED) {
		free->next = free_vecs[size_class];
		free_vecs[size_class] = free;
		return;
	}
	free->next = chunk->free;
	chunk->free = free;
	if (!chunk->nfree++)
		list_add(&chunk->list, list_of(chunk));
	if (chunk->nfree == chunk->nvecs) {
		list_move_tail(&chunk->list, list_of(chunk));
		idle_bytes += chunk_bytes(chunk);
	}
}

static struct free_vec *get_locked(unsigned int size_class)
{
	struct free_vec *free = free_vecs[size_class];
	struct chunk *chunk;

	if (free) {
		free_vecs[size_class] = free->next;
		return free;
	}
	chunk = list_first_entry_or_null(&class_chunks[size_class], struct chunk, list);
	if (!chunk)
		return NULL;
	if (chunk->nfree-- == chunk->nvecs)
		idle_bytes -= chunk_bytes(chunk);
	if (!chunk->nfree)
		list_del_init(&chunk->list);
	free = chunk->free;
	chunk->free = free->next;
	return free;
}

/* Cuts vectors out of a chunk: as many as fit into so many bytes, but one at least. */
static void cut_vecs(struct chunk *chunk, unsigned int size_class, size_t most)
{
	size_t bytes = class_bytes(size_class), end = chunk_bytes(chunk);

	end = min(end, chunk->at + max(most, bytes));
	if (chunk->size_class != MIXED)
		chunk->nvecs = (end - chunk->at) / bytes;
	for (; chunk->at + bytes <= end; chunk->at += bytes) {
		struct allocprof_vec *vec = (void *)chunk + chunk->at;

		vec->number = chunk->number + (chunk->at >> VEC_STEP_SHIFT);
		put_locked(vec, size_class);
	}
}

/* Takes a chunk that can hold a vector of this size out of the reserve. */
static struct chunk *take_chunk(size_t bytes, unsigned int size_class)
{
	struct chunk *chunk;

	list_for_each_entry(chunk, &reserve, list) {
		if (CHUNK_HEADER + bytes > chunk_bytes(chunk))
			continue;
		list_del_init(&chunk->list);
		WRITE_ONCE(reserve_bytes, reserve_bytes - chunk_bytes(chunk));
		WRITE_ONCE(cut_bytes, cut_bytes + chunk_bytes(chunk));
		chunk->at = CHUNK_HEADER;
		chunk->size_class = size_class;
		return chunk;
	}
	return NULL;
}

static bool has_room(const struct chunk *chunk, size_t bytes)
{
	return chunk && chunk->at + bytes <= chunk_bytes(chunk);
}

/*
 * More vectors of a class.  Most classes are never asked for much: they begin
 * with a page's worth, out of a chunk for all.
 */
static void more_vecs(unsigned int size_class)
{
	size_t bytes = class_bytes(size_class);
	bool begins = !begun[size_class] && bytes <= PAGE_SIZE / 4;
	struct chunk *chunk;

	if (begins && has_room(mixed, bytes))
		chunk = mixed;
	else
		chunk = take_chunk(bytes, begins ? MIXED : size_class);
	if (chunk) {
		if (begins)
			mixed = chunk;
		cut_vecs(chunk, size_class, begins ? PAGE_SIZE / 2 : CHUNK_BYTES);
		begun[size_class] = true;
	} else if (has_room(mixed, bytes)) {
		cut_vecs(mixed, size_class, bytes);
	}
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
		put_locked(vec, size_class);
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
	struct allocprof_vec *vec = NULL;
	struct free_vec *free;
	unsigned int size_class;
	unsigned long flags;
	bool low;

	*too_big = !vec_bytes(nslots, &size_class);
	if (*too_big)
		return NULL;

	if (!hook_lock(&pool_lock, &flags))
		return NULL;
	take_returned();
	free = get_locked(size_class);
	if (!free) {
		more_vecs(size_class);
		free = get_locked(size_class);
	}
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
	bool trim;

	*vec = (struct allocprof_vec){ .number = vec->number };
	if (!hook_lock(&pool_lock, &flags)) {
		put_unlocked(vec, size_class);
		return;
	}
	put_locked(vec, size_class);
	trim = idle_bytes > reserve_high && !trim_asked;
	if (trim)
		WRITE_ONCE(trim_asked, true);
	hook_unlock(&pool_lock, flags);
	/* Asked for by the next one, then. */
	if (trim && !refill_kick())
		WRITE_ONCE(trim_asked, false);
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

/* Called with the lock held. */
static void set_entry(unsigned long i, unsigned long entry)
{
	WRITE_ONCE(chunk_tables[tables - 1][i], entry);
	if (next_table)
		next_table[i] = entry;
}

static unsigned long longer(void)
{
	return tables ? min(table_length * 2, TOP_BIT) : first_length;
}

/* A table has megabytes where memory has terabytes, and interrupts are off meanwhile. */
#define COPY_AT_ONCE	1024UL	/* entries */

/* Fills more of the next table, or puts it to use when it is full.  False: not yet.  Lock held. */
static bool copy_table(void)
{
	unsigned long n = min(table_length - copied, COPY_AT_ONCE);

	if (n)
		memcpy(next_table + copied, chunk_tables[tables - 1] + copied,
		       n * sizeof(*next_table));
	copied += n;
	if (copied < table_length)
		return false;
	WRITE_ONCE(table_length, longer());
	WRITE_ONCE(table_bytes, table_bytes + table_length * sizeof(*next_table));
	/* Before any number is given out that needs it: vec_by_number(). */
	smp_store_release(&allocprof_vec_chunks, next_table - TOP_BIT);
	chunk_tables[tables++] = next_table;
	next_table = NULL;
	return true;
}

/* Makes the table long enough for a while.  Sleeps.  False: there was no memory for it. */
static bool lengthen_table(gfp_t gfp)
{
	unsigned long length = longer(), flags;
	unsigned long *table;
	bool more = true;

	if (READ_ONCE(table_length) == TOP_BIT ||
	    READ_ONCE(chunks_used) < READ_ONCE(table_length) / 2)
		return true;
	table = __vmalloc(length * sizeof(*table), gfp | __GFP_ZERO);
	if (!table)
		return false;
	while (more && hook_lock(&pool_lock, &flags)) {
		/* Others may do the same; and go on with what one has begun. */
		if (!next_table && longer() == length) {
			next_table = table;
			copied = 0;
			table = NULL;
		}
		more = next_table && !copy_table();
		hook_unlock(&pool_lock, flags);
	}
	vfree(table);
	return true;
}

static bool table_full(void)
{
	return READ_ONCE(chunks_used) == READ_ONCE(table_length) && !READ_ONCE(free_entries);
}

/* Puts it into the table and the reserve, if there is room in the table.  Lock held. */
static bool add_chunk(struct chunk *chunk)
{
	unsigned long i;

	if (table_full())
		return false;
	if (free_entries) {
		i = free_entries - 1;
		WRITE_ONCE(free_entries, chunk_tables[tables - 1][i] >> 1);
	} else {
		i = chunks_used;
		WRITE_ONCE(chunks_used, i + 1);
	}
	chunk->number = (TOP_BIT + i) << VEC_STEPS_SHIFT;
	set_entry(i, (unsigned long)chunk - ((unsigned long)chunk->number << VEC_STEP_SHIFT));
	list_add(&chunk->list, &reserve);
	WRITE_ONCE(reserve_bytes, reserve_bytes + chunk_bytes(chunk));
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
	bool lengthen = gfpflags_allow_blocking(gfp), added;
	struct chunk *chunk;
	unsigned long flags;

	while (READ_ONCE(reserve_bytes) < reserve_high && chunks--) {
		lengthen = lengthen && lengthen_table(gfp);
		if (table_full())
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

/**
 * vecpool_is_low() - is more wanted in the reserve?
 *
 * Context: any.
 */
bool vecpool_is_low(void)
{
	return READ_ONCE(reserve_bytes) < reserve_low;
}

/* So that who has a lock to wait for need not wait long. */
#define TRIM_AT_ONCE	64

/*
 * Takes chunks that are all free off their lists, but for what would soon be
 * wanted again.  False: there was none.
 */
static bool collect_idle(struct list_head *chunks)
{
	unsigned int n = TRIM_AT_ONCE;
	struct list_head *list;
	struct chunk *chunk;

	for (list = class_chunks; list < class_chunks + CLASSES; list++) {
		while (!list_empty(list) && idle_bytes > reserve_high && n) {
			chunk = list_last_entry(list, struct chunk, list);
			if (chunk->nfree != chunk->nvecs)
				break;
			list_move(&chunk->list, chunks);
			idle_bytes -= chunk_bytes(chunk);
			n--;
		}
	}
	return n < TRIM_AT_ONCE;
}

/**
 * vecpool_wants_trim() - is there much that could be given back?
 *
 * Context: any.
 */
bool vecpool_wants_trim(void)
{
	return READ_ONCE(trim_asked);
}

/**
 * vecpool_trim() - give chunks back of which all vectors are free
 *
 * Context: outside of every hook; sleeps, until no hook is left that runs now.
 */
void vecpool_trim(void)
{
	struct chunk *chunk, *next;
	unsigned long flags, i;
	LIST_HEAD(chunks);
	bool more = true;

	while (more) {
		if (!hook_lock(&pool_lock, &flags))
			break;
		take_returned();
		more = collect_idle(&chunks);
		/* Whoever puts one back from here on may ask again. */
		WRITE_ONCE(trim_asked, false);
		hook_unlock(&pool_lock, flags);
	}
	if (list_empty(&chunks))
		return;
	/* First for who may still write a number of these, then for who has read that. */
	for (i = 0; i < 2; i++) {
		compat_synchronize_tasks();
		synchronize_rcu();
	}
	list_for_each_entry_safe(chunk, next, &chunks, list) {
		i = (chunk->number >> VEC_STEPS_SHIFT) - TOP_BIT;
		/* Where it cannot be had the chunk stays, and its entry. */
		if (!hook_lock(&pool_lock, &flags))
			continue;
		set_entry(i, FREE_ENTRY(free_entries));
		WRITE_ONCE(free_entries, i + 1);
		WRITE_ONCE(cut_bytes, cut_bytes - chunk_bytes(chunk));
		hook_unlock(&pool_lock, flags);
		free_pages((unsigned long)chunk, chunk->order);
		cond_resched();
	}
}

static void free_chunk(unsigned long entry, unsigned long i)
{
	unsigned long chunk = entry + ((TOP_BIT + i) << (VEC_STEPS_SHIFT + VEC_STEP_SHIFT));

	if (!(entry & 1))
		free_pages(chunk, ((struct chunk *)chunk)->order);
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
	unsigned int i;

	first_length = clamp(ram_pages >> (6 + CHUNK_ORDER), TABLE_MIN, TOP_BIT);
	for (i = 0; i < CLASSES; i++)
		INIT_LIST_HEAD(&class_chunks[i]);
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
	unsigned long i;

	reserve_low = 0;
	reserve_high = 0;
	for (i = 0; i < chunks_used; i++) {
		free_chunk(chunk_tables[tables - 1][i], i);
		cond_resched();
	}
	INIT_LIST_HEAD(&reserve);
	mixed = NULL;
	returned = NULL;
	memset(free_vecs, 0, sizeof(free_vecs));
	memset(begun, 0, sizeof(begun));
	reserve_bytes = 0;
	cut_bytes = 0;
	idle_bytes = 0;
	trim_asked = false;
	free_entries = 0;
	vfree(next_table);
	next_table = NULL;
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
