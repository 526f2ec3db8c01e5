// SPDX-License-Identifier: GPL-2.0
/*
 * Real threads as CPUs.  What the kernel orders, the tests order: an object
 * or a page passes from one owner to the next by an acquire and a release,
 * and nothing else is ordered.  So ThreadSanitizer reports whatever the
 * module's ownership argument does not cover.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include <linux/memory.h>

#include "unit.h"

#define THREADS		4

static pthread_barrier_t barrier;
static int stopping;

static void *at(unsigned long pfn, unsigned long offset)
{
	return (char *)__va(PFN_PHYS(pfn)) + offset;
}

/* Interrupts off, and on again, for ever: where refills are made. */
static void *refiller(void *data)
{
	(void)data;
	sim_cpu = SIM_CPUS - 1;
	while (!__atomic_load_n(&stopping, __ATOMIC_ACQUIRE)) {
		sim_run_deferred();
		sched_yield();
	}
	return NULL;
}

struct thread {
	pthread_t id;
	u32 index;
	u32 random;
	void (*run)(struct thread *thread);
};

static u32 thread_random(struct thread *thread, u32 n)
{
	thread->random = thread->random * 1664525 + 1013904223;
	return ((u64)thread->random * n) >> 32;
}

static void *thread_main(void *data)
{
	struct thread *thread = data;

	sim_cpu = thread->index + 1;
	thread->run(thread);
	return NULL;
}

static void run_threads(u32 n, void (*run)(struct thread *thread))
{
	struct thread threads[THREADS];
	pthread_t refill;
	u32 i;

	stopping = 0;
	pthread_barrier_init(&barrier, NULL, n);
	pthread_create(&refill, NULL, refiller, NULL);
	for (i = 0; i < n; i++) {
		threads[i] = (struct thread){ .index = i, .random = 12345 * (i + 1), .run = run };
		pthread_create(&threads[i].id, NULL, thread_main, &threads[i]);
	}
	for (i = 0; i < n; i++)
		pthread_join(threads[i].id, NULL);
	__atomic_store_n(&stopping, 1, __ATOMIC_RELEASE);
	pthread_join(refill, NULL);
	pthread_barrier_destroy(&barrier);
}

/* Who has it?  The allocator, its user, or somebody who is just doing something. */
enum { FREE, LIVE, BUSY };

static bool take(int *state, int from)
{
	return __atomic_compare_exchange_n(state, &from, BUSY, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

static void give(int *state, int to)
{
	__atomic_store_n(state, to, __ATOMIC_RELEASE);
}

/*
 * Objects are allocated on one CPU and freed on another; slabs come and go,
 * their vectors serve one after another.
 */
#define SLABS		16
#define SLAB_PFN(n)	(1024 + (n) * 4UL)
#define MAX_OBJECTS	64

static struct kmem_cache caches[] = { { .size = 128 }, { .size = 256 }, { .size = 1000 },
				      { .size = 4096 } };
static int objects[SLABS][MAX_OBJECTS];

static u32 objects_of(u32 slab)
{
	u32 n = (PAGE_SIZE << slab % 3) / caches[slab % 4].size;

	return n < MAX_OBJECTS ? n : MAX_OBJECTS;
}

static void *object(u32 slab, u32 i)
{
	return at(SLAB_PFN(slab), (unsigned long)i * caches[slab % 4].size);
}

static void renew_slab(struct thread *thread, u32 slab)
{
	u32 i, n = objects_of(slab), taken;

	for (taken = 0; taken < n; taken++)
		if (!take(&objects[slab][taken], FREE))
			break;
	if (taken == n) {
		pfntable_free_event(NULL, pfn_to_page(SLAB_PFN(slab)), slab % 3);
		pfntable_alloc(pfn_to_page(SLAB_PFN(slab)), slab % 3,
			       SITE(100 + thread_random(thread, 4)), NULL);
	}
	for (i = 0; i < taken; i++)
		give(&objects[slab][i], FREE);
}

static void use_objects(struct thread *thread)
{
	const unsigned int ops = SCALE(1000000, 100000, 100000);
	unsigned int op;

	for (op = 0; op < ops; op++) {
		u32 slab = thread_random(thread, SLABS);
		u32 i = thread_random(thread, objects_of(slab));
		unsigned long ret = SITE(thread_random(thread, 30));
		void *two[2];
		u32 n = 0, k;

		if (thread_random(thread, 64) == 0) {
			renew_slab(thread, slab);
		} else if (take(&objects[slab][i], FREE)) {
			two[n++] = object(slab, i);
			k = (i + 1) % objects_of(slab);
			if (op % 8 == 0 && k != i && take(&objects[slab][k], FREE))
				two[n++] = object(slab, k);
			if (n == 1)
				objtable_alloc(two[0], ret, NULL);
			else
				objtable_alloc_bulk(two, n, ret, NULL);
			give(&objects[slab][i], LIVE);
			if (n == 2)
				give(&objects[slab][k], LIVE);
		} else if (take(&objects[slab][i], LIVE)) {
			two[n++] = object(slab, i);
			k = (i + 1) % objects_of(slab);
			if (op % 8 == 0 && k != i && take(&objects[slab][k], LIVE))
				two[n++] = object(slab, k);
			if (n == 1)
				objtable_free(two[0]);
			else
				objtable_free_bulk(two, n);
			give(&objects[slab][i], FREE);
			if (n == 2)
				give(&objects[slab][k], FREE);
		}
	}
}

static void objects_move_between_cpus(void)
{
	u32 slab, i, left = 0;
	u64 live = 0;

	memset(objects, 0, sizeof(objects));
	for (slab = 0; slab < SLABS; slab++) {
		sim_slab(SLAB_PFN(slab), slab % 3, &caches[slab % 4]);
		pfntable_alloc(pfn_to_page(SLAB_PFN(slab)), slab % 3, SITE(100), NULL);
	}
	run_threads(THREADS, use_objects);
	for (slab = 0; slab < SLABS; slab++)
		for (i = 0; i < objects_of(slab); i++)
			left += objects[slab][i] == LIVE;
	for (i = 0; i < 30; i++)
		for (slab = 0; slab < ARRAY_SIZE(caches); slab++)
			live += slot_calls(SITE(i), caches[slab].size);
	CHECK_EQ(live, left);
	for (slab = 0; slab < SLABS; slab++) {
		for (i = 0; i < objects_of(slab); i++)
			if (objects[slab][i] == LIVE)
				objtable_free(object(slab, i));
		pfntable_free_event(NULL, pfn_to_page(SLAB_PFN(slab)), slab % 3);
	}
	check_all_zero();
	check_table_empty();
	CHECK_EQ(lost_total(), 0);
}

/* What makes tags faster than counters can be had is another test. */
static void wait_for_counters(void)
{
	while (tagtable_needs_refill()) {
		refill_kick();
		sched_yield();
	}
}

/* Two CPUs record the first objects of one slab at the same moment. */
static void first_objects(struct thread *thread)
{
	const unsigned int rounds = SCALE(20000, 3000, 3000);
	const unsigned long pfn = 2048;
	unsigned int round, order;
	void *mine, *theirs;

	for (round = 0; round < rounds; round++) {
		order = 1 + round % 2;
		/* Each in its own page of the slab; or in one. */
		mine = at(pfn, thread->index * (round % 3 ? PAGE_SIZE : 256));
		theirs = at(pfn, !thread->index * (round % 3 ? PAGE_SIZE : 256));
		if (!thread->index) {
			sim_slab(pfn, order, &caches[1]);
			pfntable_alloc(pfn_to_page(pfn), order, SITE(1000), NULL);
		}
		wait_for_counters();
		pthread_barrier_wait(&barrier);
		objtable_alloc(mine, SITE(round * 2 + (round % 5 ? thread->index : 0)), NULL);
		if (!objtable_owner(mine))
			unit_fail("round %u: not recorded", round);
		pthread_barrier_wait(&barrier);
		objtable_free(theirs);
		pthread_barrier_wait(&barrier);
		if (objtable_owner(mine))
			unit_fail("round %u: not forgotten", round);
		pthread_barrier_wait(&barrier);
		if (!thread->index)
			pfntable_free_event(NULL, pfn_to_page(pfn), order);
	}
}

static void two_first_objects_at_once(void)
{
	run_threads(2, first_objects);
	/* Who comes second gives his vector back. */
	CHECK(vecpool_bytes() <= 1 << 17);
	check_all_zero();
	check_table_empty();
	CHECK_EQ(lost_total(), 0);
}

/* Vectors come and go on all CPUs, while the reserve is filled up. */
static size_t peak;

static void use_vectors(struct thread *thread)
{
	const unsigned int rounds = SCALE(200, 30, 30);
	struct allocprof_vec *vecs[300];
	unsigned int round, i;
	size_t bytes;
	bool too_big;
	u32 j;

	for (round = 0; round < rounds; round++) {
		for (i = 0; i < ARRAY_SIZE(vecs); i++) {
			u32 nslots = thread_random(thread, 1 + round % 10 * 100);

			while (!(vecs[i] = vecpool_get(nslots, &too_big)))
				sched_yield();
			vecs[i]->nslots = nslots;
			for (j = 0; j < nslots; j++) {
				if (vecs[i]->slot[j])
					unit_fail("round %u: not zero", round);
				vecs[i]->slot[j] = thread->index * 1000 + i;
			}
			bytes = vecpool_bytes();
			if (bytes > __atomic_load_n(&peak, __ATOMIC_RELAXED))
				__atomic_store_n(&peak, bytes, __ATOMIC_RELAXED);
			vecpool_reserve_bytes();
		}
		for (i = 0; i < ARRAY_SIZE(vecs); i++) {
			for (j = 0; j < vecs[i]->nslots; j++) {
				if (vecs[i]->slot[j] != thread->index * 1000 + i)
					unit_fail("round %u: two have one vector", round);
				vecs[i]->slot[j] = 0;
			}
			vecpool_put(vecs[i]);
		}
	}
}

static void vectors_for_all(void)
{
	run_threads(THREADS, use_vectors);
	CHECK_EQ(vecpool_bytes() + vecpool_reserve_bytes(), sim_pages_out * PAGE_SIZE);
	CHECK(peak > 1 << 20);
}

/*
 * One looks at vectors whose numbers he has found, as who walks over pages that
 * are not his does, while the others take and give back more than is kept: what
 * he looks at is a vector, in whichever life, until his hook is done.
 */
static u32 found[THREADS];
static int takers;

static void look_and_take(struct thread *thread)
{
	const unsigned int rounds = SCALE(40, 10, 10);
	static struct allocprof_vec *all[THREADS][400];
	struct allocprof_vec **vecs = all[thread->index];
	unsigned int round, i;
	bool too_big;
	u32 number;

	if (!thread->index) {
		while (__atomic_load_n(&takers, __ATOMIC_ACQUIRE)) {
			sim_hook_begin();
			number = READ_ONCE(found[1 + thread_random(thread, THREADS - 1)]);
			for (i = 0; number && i < 50; i++) {
				if (READ_ONCE(vec_by_number(number)->nslots) > 1000)
					unit_fail("a vector is gone");
				sched_yield();
			}
			sim_hook_end();
		}
		return;
	}
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < ARRAY_SIZE(all[0]); i++) {
			while (!(vecs[i] = vecpool_get(1000, &too_big)))
				sched_yield();
			vecs[i]->nslots = 1000;
			WRITE_ONCE(found[thread->index], vecs[i]->number);
		}
		for (i = 0; i < ARRAY_SIZE(all[0]); i++) {
			/* As a record: there is none any more when a vector is given back. */
			if (vecs[i]->number == found[thread->index])
				WRITE_ONCE(found[thread->index], 0);
			vecpool_put(vecs[i]);
			if (i + 1 < ARRAY_SIZE(all[0]) && !found[thread->index])
				WRITE_ONCE(found[thread->index], vecs[i + 1]->number);
		}
	}
	__atomic_fetch_sub(&takers, 1, __ATOMIC_RELEASE);
}

static void looks_while_trimming(void)
{
	takers = THREADS - 1;
	run_threads(THREADS, look_and_take);
	sim_run_deferred();
	CHECK_EQ(vecpool_bytes() + vecpool_reserve_bytes(), sim_pages_out * PAGE_SIZE);
	/* All but what is kept: a chunk for all classes, and as much as the reserve. */
	CHECK(vecpool_bytes() <= 2 * (1 << 18) + 2 * (PAGE_SIZE << 3));
}

/*
 * The pieces of one block, freed by all CPUs, some of them moved or split
 * first.  Beside it, blocks and slabs of
 * others come and go: what looks for a record that covers a page sees them.
 */
#define BLOCK		8192UL
#define BLOCK_ORDER	5

static void free_piece(unsigned long pfn, unsigned int order, unsigned long elsewhere, u32 way)
{
	if (way == 1) {
		pfntable_alloc(pfn_to_page(elsewhere), order, SITE(5), NULL);
		pfntable_swap(elsewhere, pfn, order);
		pfntable_free_event(NULL, pfn_to_page(elsewhere), order);
	} else if (way == 2) {
		pfntable_split(pfn, 1UL << order, 0);
	}
	pfntable_free_event(NULL, pfn_to_page(pfn), order);
}

static void free_pieces(struct thread *thread)
{
	const unsigned int rounds = SCALE(20000, 2000, 2000);
	const unsigned long own = BLOCK + 32 + thread->index * 8;	/* pages of this thread */
	const unsigned long elsewhere = BLOCK + 64 + thread->index * 8;
	unsigned int round, i;

	for (round = 0; round < rounds; round++) {
		u32 share = 1 + round % 3, pages = 1U << BLOCK_ORDER;

		if (!thread->index)
			pfntable_alloc(pfn_to_page(BLOCK), BLOCK_ORDER, SITE(1), NULL);
		pthread_barrier_wait(&barrier);
		/* Pieces of 1, 2 or 4 pages, dealt out to the threads. */
		for (i = 0; i < pages >> (share - 1); i++) {
			u32 n = (i * 5 + thread->index * 3) % (pages >> (share - 1));

			if ((n + round) % THREADS == thread->index)
				free_piece(BLOCK + (n << (share - 1)), share - 1, elsewhere, i % 3);
			/* A slab beside it, that lives for a while. */
			if (i % 4 == 0) {
				sim_slab(own, 1, &caches[0]);
				pfntable_alloc(pfn_to_page(own), 1, SITE(2), NULL);
				objtable_alloc(at(own, 128), SITE(3), NULL);
			} else if (i % 4 == 2) {
				objtable_free(at(own, 128));
				pfntable_free_event(NULL, pfn_to_page(own), 1);
			} else if (i % 4 == 3) {
				/* A block that is split. */
				pfntable_alloc(pfn_to_page(own + 4), 2, SITE(4), NULL);
				pfntable_split(own + 4, 4, 0);
				for (n = 0; n < 4; n++)
					pfntable_free_event(NULL, pfn_to_page(own + 4 + n), 0);
			}
			/* A page that nobody knows: is it part of something? */
			pfntable_free_event(NULL, pfn_to_page(own + 3), 0);
		}
		pthread_barrier_wait(&barrier);
		if (!thread->index && page_bytes(SITE(1)))
			unit_fail("round %u: %lld bytes left", round, page_bytes(SITE(1)));
	}
}

static void pieces_freed_by_all(void)
{
	run_threads(THREADS, free_pieces);
	check_all_zero();
	check_table_empty();
	CHECK_EQ(lost_total(), 0);
}

/*
 * All CPUs meet all callsites for the first time.  Each that comes second at
 * a new tag wastes one counter: there must be enough for all to come second.
 */
#define KEYS	(ALLOCPROF_TAGS / THREADS - 100)

static struct allocprof_tag *seen[THREADS][KEYS];

static void make_tags(struct thread *thread)
{
	u32 i;

	for (i = 0; i < KEYS; i++) {
		/* Some in step, some each in an order of his own. */
		u32 n = i < KEYS / 2 ? i : (KEYS - 1 - (i + thread->index * 997) % (KEYS / 2));
		struct allocprof_tag *tag;

		wait_for_counters();
		tag = tag_resolve(tag_key_slot(8 * (n % 200 + 1)), SITE(n), NULL);
		if (!tag) {
			unit_fail("tag %u: lost", n);
			return;
		}
		tag_add(tag, n + 1);
		seen[thread->index][n] = tag;
	}
}

static void tags_made_by_all(void)
{
	u32 i, t;

	memset(seen, 0, sizeof(seen));
	run_threads(THREADS, make_tags);
	for (i = 0; i < KEYS; i++) {
		for (t = 0; t < THREADS; t++)
			CHECK_EQ(seen[t][i]->number, seen[0][i]->number);
		CHECK_EQ(seen[0][i]->key, tag_key_slot(8 * (i % 200 + 1)) | (u32)SITE(i));
		CHECK_EQ(tag_calls(seen[0][i]), THREADS * (i + 1));
	}
	/* Few are wasted where many claim a bucket at once: how few is the scheduler's matter. */
	CHECK(tagtable_used() >= KEYS + 2 && tagtable_used() < KEYS + 2 + KEYS / 50);
	CHECK_EQ(lost_total(), 0);
}

/* Whole pages, from one CPU to another; sums are read all the while. */
#define BLOCKS		128

static int blocks[BLOCKS];

static void use_pages(struct thread *thread)
{
	const unsigned int ops = SCALE(1000000, 100000, 100000);
	unsigned int op;

	for (op = 0; op < ops; op++) {
		u32 i = thread_random(thread, BLOCKS), order = i % 4;
		struct page *page = pfn_to_page(16384 + i * 8);

		if (take(&blocks[i], FREE)) {
			pfntable_alloc(page, order, SITE(thread_random(thread, 40)), NULL);
			give(&blocks[i], LIVE);
		} else if (take(&blocks[i], LIVE)) {
			u32 half = order && op % 4 == 0;

			pfntable_free_event(NULL, page, order - half);
			if (half)
				pfntable_free_event(NULL, page + (1U << (order - 1)), order - 1);
			give(&blocks[i], FREE);
		}
		if (op % 256 == 0)
			tag_calls(tag_by_number(thread_random(thread, tagtable_used())));
	}
}

static void pages_move_between_cpus(void)
{
	s64 live = 0;
	u32 i;

	memset(blocks, 0, sizeof(blocks));
	run_threads(THREADS, use_pages);
	for (i = 0; i < 40; i++)
		live += page_bytes(SITE(i));
	for (i = 0; i < BLOCKS; i++)
		if (blocks[i] == LIVE)
			live -= PAGE_SIZE << i % 4;
	CHECK_EQ(live, 0);
	for (i = 0; i < BLOCKS; i++)
		if (blocks[i] == LIVE)
			pfntable_free_event(NULL, pfn_to_page(16384 + i * 8), i % 4);
	check_all_zero();
	check_table_empty();
	CHECK_EQ(lost_total(), 0);
}

/* Per-CPU pointers; the vectors behind them are shared by all CPUs, and come and go. */
#define POINTERS	192

static int pointers[POINTERS];

/* Eight to a vector. */
static void __percpu *pointer(u32 i)
{
	return (void __percpu *)(0x40000UL + i / 8 * PAGE_SIZE + i % 8 * 4);
}

static void use_pointers(struct thread *thread)
{
	const unsigned int ops = SCALE(1000000, 100000, 100000);
	unsigned int op;

	for (op = 0; op < ops; op++) {
		u32 i = thread_random(thread, POINTERS);

		if (take(&pointers[i], FREE)) {
			percputable_alloc(pointer(i), 4, SITE(thread_random(thread, 40)), NULL);
			if (!percputable_owner(pointer(i)))
				unit_fail("operation %u: not recorded", op);
			/* Not all at once, so that vectors become empty. */
			if (i % 4) {
				percputable_free(pointer(i));
				give(&pointers[i], FREE);
			} else {
				give(&pointers[i], LIVE);
			}
		} else if (take(&pointers[i], LIVE)) {
			percputable_free(pointer(i));
			if (percputable_owner(pointer(i)))
				unit_fail("operation %u: not forgotten", op);
			give(&pointers[i], FREE);
		}
	}
}

static void pointers_move_between_cpus(void)
{
	s64 live = 0;
	u32 i;

	memset(pointers, 0, sizeof(pointers));
	run_threads(THREADS, use_pointers);
	for (i = 0; i < 40; i++)
		live += percpu_calls(SITE(i), 4);
	for (i = 0; i < POINTERS; i++)
		live -= pointers[i] == LIVE;
	CHECK_EQ(live, 0);
	for (i = 0; i < POINTERS; i++)
		if (pointers[i] == LIVE)
			percputable_free(pointer(i));
	check_all_zero();
	CHECK_EQ(lost_total(), 0);
}

/*
 * One CPU adds memory, piece by piece, while the others go on in what there
 * is: blocks in the old memory and in each new piece, of the order of their
 * number; and slabs, two objects each.  Mappings are retired all the while.
 */
#define RAM_STEPS	16
#define HOLE_STEP	9
#define ADDED		100
#define ADDED_STEP(n)	(RAM_STEPS + (n) * 37UL % ADDED)
#define PLACES		64	/* in the old memory, and as many in the new */

enum { NOT_ADDED = 3 };

static int places[2 * PLACES];
static u32 place_site[2 * PLACES];
static int adding;

/* Most of the new places are in a piece of their own; its first, its last or another frame. */
static unsigned long place_pfn(u32 i)
{
	static const unsigned long within[] = { 0, SIM_STEP - 8, 64 };

	if (i < PLACES)
		return 512 + i * 96;
	i -= PLACES;
	return ADDED_STEP(i * ADDED / PLACES) * SIM_STEP + within[i % 3];
}

static bool place_is_slab(u32 i)
{
	return i % 4 == 3;
}

static void place_alloc(struct thread *thread, u32 i)
{
	unsigned long pfn = place_pfn(i);

	place_site[i] = thread_random(thread, 40);
	sim_hook_begin();
	pfntable_alloc(pfn_to_page(pfn), i % 4, SITE(place_site[i]), NULL);
	if (place_is_slab(i)) {
		objtable_alloc(at(pfn, 0), SITE(place_site[i]), NULL);
		objtable_alloc(at(pfn + 7, 128), SITE(place_site[i]), NULL);
	}
	sim_hook_end();
}

/* As one block, or in two halves; or split first, or moved to where nobody else is. */
static void place_free(struct thread *thread, u32 i)
{
	unsigned long pfn = place_pfn(i), elsewhere = thread->index * 16;
	u32 order = i % 4, way = thread_random(thread, 4);

	sim_hook_begin();
	if (place_is_slab(i)) {
		objtable_free(at(pfn, 0));
		objtable_free(at(pfn + 7, 128));
		pfntable_free_event(NULL, pfn_to_page(pfn), order);
	} else if (order && way == 0) {
		pfntable_free_event(NULL, pfn_to_page(pfn + (1UL << (order - 1))), order - 1);
		pfntable_free_event(NULL, pfn_to_page(pfn), order - 1);
	} else if (way == 1) {
		pfntable_split(pfn, 1UL << order, 0);
		pfntable_free_event(NULL, pfn_to_page(pfn), order);
	} else if (way == 2) {
		pfntable_swap(elsewhere, pfn, order);
		if (pfntable_recorded(pfn_to_page(pfn)))
			unit_fail("%lu: still there", pfn);
		pfntable_free_event(NULL, pfn_to_page(pfn), order);
		pfntable_free_event(NULL, pfn_to_page(elsewhere), order);
	} else {
		pfntable_free_event(NULL, pfn_to_page(pfn), order);
	}
	sim_hook_end();
}

static void add_pieces(struct thread *thread)
{
	unsigned long pfn;
	u32 n, i;

	for (n = 0; n <= ADDED; n++) {
		/* The hole in the old memory, somewhere in between. */
		pfn = (n == ADDED / 2 ? HOLE_STEP : ADDED_STEP(n - (n > ADDED / 2))) * SIM_STEP;
		sim_memory_event(MEM_GOING_ONLINE, pfn, SIM_STEP);
		for (i = PLACES; i < 2 * PLACES; i++)
			if (place_pfn(i) / SIM_STEP * SIM_STEP == pfn)
				give(&places[i], FREE);
		sim_memory_event(MEM_ONLINE, pfn, SIM_STEP);
		for (i = 0; i < 20; i++)
			sched_yield();
	}
	__atomic_store_n(&adding, 0, __ATOMIC_RELEASE);
}

static void use_places(struct thread *thread)
{
	const unsigned int ops = SCALE(200000, 20000, 20000);
	unsigned int op;
	u32 i;

	if (!thread->index) {
		add_pieces(thread);
		return;
	}
	for (op = 0; op < ops || __atomic_load_n(&adding, __ATOMIC_ACQUIRE); op++) {
		i = thread_random(thread, ARRAY_SIZE(places));
		if (take(&places[i], FREE)) {
			place_alloc(thread, i);
			give(&places[i], LIVE);
		} else if (take(&places[i], LIVE)) {
			place_free(thread, i);
			give(&places[i], FREE);
		}
		/* What /proc/allocprof/stats asks. */
		if (op % 64 == 0)
			pfnmem_bytes();
	}
}

static void memory_added_under_load(void)
{
	struct thread main_thread = { .index = 0 };
	s64 pages = 0, objs = 0;
	u32 i;

	pfnmem_exit();
	sim_set_ram(RAM_STEPS * SIM_STEP);
	sim_set_online(HOLE_STEP * SIM_STEP, SIM_STEP, false);
	CHECK_EQ(pfnmem_init(), 0);
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		bool there = i < PLACES && place_pfn(i) / SIM_STEP != HOLE_STEP;

		places[i] = there ? FREE : NOT_ADDED;
		if (place_is_slab(i))
			sim_slab(place_pfn(i), 3, &caches[0]);
	}
	adding = 1;
	run_threads(THREADS, use_places);
	CHECK_EQ(allocprof_pfns, (RAM_STEPS + ADDED) * SIM_STEP);
	sim_run_deferred();
	/* One mapping is left; and each page of it is there. */
	CHECK_EQ(sim_vmaps, 1 + 1 + ADDED + 1);
	CHECK_EQ(sim_frames_out, RAM_STEPS + ADDED + 1);
	CHECK_EQ(pfnmem_bytes(), (RAM_STEPS + ADDED) * (PAGE_SIZE + 2 * sizeof(void *)));
	for (i = 0; i < 40; i++) {
		pages += page_bytes(SITE(i));
		objs += slot_calls(SITE(i), 128);
	}
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		if (places[i] != LIVE)
			continue;
		pages -= PAGE_SIZE << i % 4;
		objs -= place_is_slab(i) ? 2 : 0;
		place_free(&main_thread, i);
	}
	CHECK_EQ(pages, 0);
	CHECK_EQ(objs, 0);
	check_all_zero();
	check_table_empty();
	CHECK_EQ(sim_warnings, 0);
	CHECK_EQ(lost_total(), 0);
}

const struct unit_test thread_tests[] = {
	UNIT_THREAD_TEST(objects_move_between_cpus),
	UNIT_THREAD_TEST(two_first_objects_at_once),
	UNIT_THREAD_TEST(vectors_for_all),
	UNIT_TEST(looks_while_trimming),
	UNIT_THREAD_TEST(pieces_freed_by_all),
	UNIT_THREAD_TEST(tags_made_by_all),
	UNIT_THREAD_TEST(pages_move_between_cpus),
	UNIT_THREAD_TEST(pointers_move_between_cpus),
	UNIT_THREAD_TEST(memory_added_under_load),
	{}
};
