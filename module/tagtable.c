// SPDX-License-Identifier: GPL-2.0
/*
 * The lock-free table from (return address, size) to callsite tag.
 *
 * Notes on locking and lifetime
 *
 * The table is one array, open addressing with linear probing, allocated at
 * load and freed at unload; an entry, once claimed, is never given back, so a
 * pointer or an index to a tag is good until unload and no reader needs RCU.
 *
 * Claiming is one cmpxchg of the key from 0.  Everything else in a fresh
 * entry is filled in by whoever finds it unfinished, and all of it is
 * idempotent: the classification depends on the key alone (while profiling is
 * on, callsite_begin()), and a counter is
 * installed by cmpxchg from NULL.  So an interrupt or NMI that lands between
 * the claim and the rest just finishes the work, and nobody ever waits.
 *
 * Counters come in chunks of per-CPU memory, which only a sleeping context
 * can allocate; chunks are added by the refill work (refill.c) and handed out
 * by a cursor that only moves forward.  A chunk is published before the limit
 * that lets the cursor reach it (release/acquire on counters_avail).
 *
 * Writers of an entry after its birth: flags by atomic_or, step by a plain
 * store of a value that is always the same, key and name by callsite.c when a
 * module goes (with no allocation from that module possible any more).
 */
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "callsite.h"
#include "refill.h"
#include "stats.h"
#include "tagtable.h"

/* 16 KiB a CPU: half of the largest per-CPU allocation there is. */
#define COUNTERS_PER_CHUNK	2048
#define COUNTER_CHUNKS		(ALLOCPROF_TAGS / COUNTERS_PER_CHUNK)
/* Ask for more while there is still room for a burst of new callsites. */
#define COUNTERS_LOW		1024

struct allocprof_tag allocprof_tags[ALLOCPROF_TAGS];
unsigned int allocprof_percpu_copies;

static u64 __percpu *counter_chunks[COUNTER_CHUNKS];
static atomic_t counters_avail;
static atomic_t counters_used;
static atomic_t tags_used;

/* Takes one unit of a resource that has @limit; cannot overshoot. */
static bool take_one(atomic_t *used, int limit, int *taken)
{
	int old = atomic_read(used);

	do {
		if (old >= limit)
			return false;
	} while (!atomic_try_cmpxchg(used, &old, old + 1));
	*taken = old;
	return true;
}

static u64 __percpu *counter_get(void)
{
	int limit, i;

	do {
		limit = atomic_read_acquire(&counters_avail);
		if (limit - atomic_read(&counters_used) < COUNTERS_LOW)
			refill_kick();
		if (take_one(&counters_used, limit, &i))
			return counter_chunks[i / COUNTERS_PER_CHUNK] + i % COUNTERS_PER_CHUNK;
		/* Others may have got more, and used more, since we looked. */
	} while (limit != atomic_read(&counters_avail));
	return NULL;
}

/* Finishes a claimed entry.  Returns false if it can hold no count now. */
static bool tag_finish(struct allocprof_tag *tag)
{
	u32 flags = atomic_read(&tag->flags);
	u64 key = READ_ONCE(tag->key);
	u64 __percpu *calls;

	if (!(flags & TAG_CLASSIFIED)) {
		/* Of a dead tag the text is gone, or somebody else's: it was no wrapper. */
		if (!(key & (TAG_KEY_TERMINAL | TAG_KEY_DEAD)))
			flags |= callsite_classify(callsite_address(key));
		flags |= TAG_CLASSIFIED;
		atomic_or(flags, &tag->flags);
	}
	if ((flags & TAG_TRANSPARENT) || READ_ONCE(tag->calls))
		return true;

	calls = counter_get();
	if (!calls) {
		allocprof_lost(LOST_NO_COUNTER);
		tag_mark_inaccurate(tag);
		return false;
	}
	/* A nested context may have been first; its counter stays. */
	cmpxchg(&tag->calls, NULL, calls);
	return true;
}

/**
 * tag_get() - find or create the tag of a key, without walking the stack
 * @key: return address and size
 *
 * Context: any, NMI included.
 * Return: the tag, or NULL when the table or the counters are exhausted
 * (counted by cause).
 */
struct allocprof_tag *tag_get(u64 key)
{
	u32 i = tag_hash(key);
	struct allocprof_tag *tag;
	u64 found;
	int n;

	for (;; i = (i + 1) & (ALLOCPROF_TAGS - 1)) {
		tag = &allocprof_tags[i];
		found = READ_ONCE(tag->key);
		if (found == key)
			break;
		if (found)
			continue;
		if (!take_one(&tags_used, ALLOCPROF_TAGS_MAX, &n)) {
			allocprof_lost(LOST_TAG_TABLE_FULL);
			return NULL;
		}
		found = cmpxchg(&tag->key, 0, key);
		if (!found)
			break;
		atomic_dec(&tags_used);
		if (found == key)
			break;
	}
	if (unlikely(!READ_ONCE(tag->calls)) && !tag_finish(tag))
		return NULL;
	return tag;
}

/**
 * tag_resolve_slow() - the callsite's tag, walking through wrappers
 * @size_key: tag_key_slot() or tag_key_order()
 * @ret: return address of the hooked function
 * @frame: where @ret lies on the current stack; NULL if not known
 *
 * Context: any, NMI included.
 * Return: a tag with a counter, or NULL (lost, counted by cause).
 */
noinline struct allocprof_tag *tag_resolve_slow(u64 size_key, unsigned long ret,
						unsigned long *frame)
{
	struct allocprof_tag *tag;
	unsigned long next;
	int i;

	for (i = 0; i < CALLSITE_WALK_MAX; i++) {
		tag = tag_get((u32)ret | size_key);
		if (!tag || READ_ONCE(tag->calls))
			return tag;
		next = callsite_next(tag, ret, &frame);
		if (!next)
			break;
		ret = next;
	}
	/* What nobody is known to inherit is its own callsite. */
	if (atomic_read(&tag->flags) & TAG_INHERITS)
		return tag_get((u32)ret | size_key | TAG_KEY_TERMINAL);
	allocprof_lost(ENDED_IN_WRAPPER);
	tag = tag_get((u32)ret | size_key | TAG_KEY_TERMINAL);
	if (tag)
		tag_mark_inaccurate(tag);
	return tag;
}

/**
 * tag_calls() - live allocations of a tag
 * @tag: the tag
 *
 * Sums over CPUs without stopping them, so a sum taken while others allocate
 * and free may be off by what moved meanwhile.  Context: any.
 * Return: the sum; 0 for a wrapper's tag.
 */
s64 tag_calls(const struct allocprof_tag *tag)
{
	const u64 __percpu *calls = READ_ONCE(tag->calls);
	u64 sum = 0;
	int cpu;

	if (!calls)
		return 0;
	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(calls, cpu));
	return sum;
}

/**
 * tag_unit() - bytes that one allocation of a tag takes
 * @tag: the tag
 *
 * Context: any.
 * Return: slot size, PAGE_SIZE << order, or what a per-CPU allocation takes on
 * all CPUs, in bytes.
 */
u64 tag_unit(const struct allocprof_tag *tag)
{
	if (tag_is_pages(tag) && tag_order(tag) == TAG_ORDER_PERCPU)
		return (tag->key >> 40 & 0x7fff) * 4 * allocprof_percpu_copies;
	if (tag_is_pages(tag))
		return (u64)PAGE_SIZE << tag_order(tag);
	return (tag->key >> 32) & TAG_SLOT_SIZE_MAX;
}

/**
 * tag_mark_inaccurate() - an allocation of this callsite is not in its count
 * @tag: the tag
 *
 * Context: any, NMI included.
 */
void tag_mark_inaccurate(struct allocprof_tag *tag)
{
	if (atomic_read(&tag->flags) & TAG_INACCURATE)
		return;
	atomic_or(TAG_INACCURATE, &tag->flags);
	refill_kick();
}

/**
 * tagtable_needs_refill() - are counters getting short?
 *
 * Context: any.
 */
bool tagtable_needs_refill(void)
{
	int avail = atomic_read(&counters_avail);

	return avail < ALLOCPROF_TAGS && avail - atomic_read(&counters_used) < COUNTERS_LOW;
}

/**
 * tagtable_refill() - add a chunk of counters
 *
 * Context: sleeps; one caller at a time (load, or the refill work).  A failure
 * is not an error here: what then finds no counter is counted as lost.
 */
void tagtable_refill(void)
{
	int avail = atomic_read(&counters_avail);
	u64 __percpu *chunk;

	if (avail >= ALLOCPROF_TAGS)
		return;
	chunk = __alloc_percpu_gfp(COUNTERS_PER_CHUNK * sizeof(u64), sizeof(u64),
				   GFP_KERNEL | __GFP_NOWARN);
	if (!chunk)
		return;
	counter_chunks[avail / COUNTERS_PER_CHUNK] = chunk;
	atomic_set_release(&counters_avail, avail + COUNTERS_PER_CHUNK);
}

/**
 * tagtable_zero() - forget all counts, keep the tags
 *
 * Context: no hook attached.
 */
void tagtable_zero(void)
{
	unsigned long i;
	int cpu;

	for (i = 0; i < atomic_read(&counters_avail) / COUNTERS_PER_CHUNK; i++)
		for_each_possible_cpu(cpu)
			memset(per_cpu_ptr(counter_chunks[i], cpu), 0,
			       COUNTERS_PER_CHUNK * sizeof(u64));
	for (i = 0; i < ALLOCPROF_TAGS; i++)
		atomic_andnot(TAG_INACCURATE | TAG_REPORTED, &allocprof_tags[i].flags);
}

/**
 * tagtable_forget_classes() - what is a wrapper has to be asked again
 *
 * Tags of code that is there lose their class, and the counters that went with
 * it; those of gone modules keep theirs.
 * Context: no hook attached.
 */
void tagtable_forget_classes(void)
{
	unsigned long i;

	for (i = ALLOCPROF_TAG_UNCOUNTED + 1; i < ALLOCPROF_TAGS; i++) {
		struct allocprof_tag *tag = tag_by_id(i);

		if (tag->key & TAG_KEY_DEAD)
			continue;
		atomic_set(&tag->flags, 0);
		tag->calls = NULL;
		tag->step = 0;
	}
}

/**
 * tagtable_used() - entries taken, wrappers and reserved ones included
 *
 * Context: any.
 */
unsigned int tagtable_used(void)
{
	return atomic_read(&tags_used);
}

/**
 * tagtable_tag_bytes() - memory of the tags, in bytes
 *
 * Context: any.
 */
size_t tagtable_tag_bytes(void)
{
	return ALLOCPROF_TAGS * sizeof(struct allocprof_tag);
}

/**
 * tagtable_counter_bytes() - memory of the counters on all CPUs, in bytes
 *
 * Context: any.
 */
size_t tagtable_counter_bytes(void)
{
	return atomic_read(&counters_avail) * sizeof(u64) * num_possible_cpus();
}

/**
 * tagtable_init() - allocate the table and the first counters
 *
 * Context: module load; sleeps.
 * Return: 0; or -ENOMEM, with a line in the log.
 */
int tagtable_init(void)
{
	int i;

	allocprof_percpu_copies = num_possible_cpus();
	atomic_set(&counters_avail, 0);
	atomic_set(&counters_used, 0);
	tagtable_refill();
	if (!atomic_read(&counters_avail)) {
		pr_err("not loaded: no memory for the first counters; free some and load it again\n");
		return -ENOMEM;
	}

	allocprof_tags[ALLOCPROF_TAG_NONE].key = TAG_KEY_NONE;
	allocprof_tags[ALLOCPROF_TAG_UNCOUNTED].key = TAG_KEY_UNCOUNTED;
	for (i = ALLOCPROF_TAG_NONE; i <= ALLOCPROF_TAG_UNCOUNTED; i++) {
		allocprof_tags[i].calls = counter_get();
		atomic_set(&allocprof_tags[i].flags, TAG_CLASSIFIED);
	}
	atomic_set(&tags_used, ALLOCPROF_TAG_UNCOUNTED + 1);
	return 0;
}

/**
 * tagtable_exit() - free everything
 *
 * Context: module unload, hooks gone, refill stopped; sleeps.
 */
void tagtable_exit(void)
{
	unsigned long i;

	for (i = 0; i < COUNTER_CHUNKS; i++) {
		free_percpu(counter_chunks[i]);
		counter_chunks[i] = NULL;
	}
}
