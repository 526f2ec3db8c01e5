// SPDX-License-Identifier: GPL-2.0
/*
 * The lock-free table from (return address, size) to callsite tag.
 *
 * Notes on locking and lifetime
 *
 * Tags lie side by side, each with a counter on every CPU, and are known by
 * where they lie: an offset, the id.  The hash is an array of their numbers, open
 * addressing with linear probing.  Once a tag is in the hash it stays until
 * unload: an id, or a pointer to a tag, is good until then, and no reader needs
 * RCU.
 *
 * Claiming is one cmpxchg of a bucket from 0 to a number that nobody has, then
 * one of that tag's key from 0.  In between others may find the bucket, and
 * whoever is first may put his key there: then the other goes on to the next
 * bucket.  Everything else in a fresh tag is filled in by whoever finds it
 * unfinished, and all of it is idempotent: the classification depends on the
 * key alone (while profiling is on, callsite_begin()), the counter on the id.
 * So an interrupt or NMI that lands between the claim and the rest
 * just finishes the work, and nobody ever waits.  Until all is there the key
 * has TAG_KEY_ASIDE, which keeps it from tag_find().
 *
 * Memory comes in chunks of tags with their counters, which only a sleeping
 * context can allocate; they are added by the refill work (refill.c), and
 * ids are handed out by a cursor that only moves forward.  For the tags to lie
 * side by side all of them are mapped once more, at another address; the same
 * pages are seen at the old one, which stays until unload.  The new address is
 * published before the limit that lets the cursor reach the new tags
 * (release/acquire on tags_avail), and so before any of their ids is found in
 * the hash or a record: who reads the id first has an address that will do.
 *
 * Writers of a tag after its birth: flags by atomic_or, step by a plain store
 * of a value that is always the same, key and name by callsite_name.c when a
 * module goes (with no allocation from that module possible any more).
 *
 * A wrapper is walked through TAG_WALKS times before tag_find() may hop over it.
 * The first of the page allocator's callers to get so far is what most come
 * through: allocprof_usual_pages, until classes are forgotten.  It is one of the
 * kernel's own, whose address is nobody else's later.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "callsite.h"
#include "callsite_name.h"
#include "lostsites.h"
#include "refill.h"
#include "stats.h"
#include "tagtable.h"

/* 16 KiB of counters a CPU: half of the largest per-CPU allocation there is. */
#define CHUNK_TAGS	2048
#define CHUNK_PAGES	DIV_ROUND_UP(CHUNK_TAGS * sizeof(struct allocprof_tag), PAGE_SIZE)
#define CHUNKS		(ALLOCPROF_TAGS_MAX / CHUNK_TAGS)
/* Ask for more while there is still room for a burst of new callsites. */
#define TAGS_LOW	1024

struct allocprof_tag *allocprof_tags __read_mostly;
const u64 allocprof_tag_multiplier = 0x9e3779b97f4a7c15ULL;
u16 allocprof_tag_index[ALLOCPROF_TAGS];
union tag_usual allocprof_usual_pages __read_mostly;
unsigned int allocprof_percpu_copies;

/* How far the tags of chunk @i can be seen from: all that came before, too. */
static struct allocprof_tag *mappings[CHUNKS];
static struct page *tag_pages[CHUNKS * CHUNK_PAGES];
static u64 __percpu *counters[CHUNKS];
static atomic_t tags_avail, tags_used;
static u16 given_back;		/* a number that was taken and not needed, or 0 */

/* The next number that nobody has; 0: there is none. */
static u16 take_number(void)
{
	int avail, used;
	u16 number = xchg(&given_back, 0);

	if (number)
		return number;
	for (;;) {
		avail = atomic_read_acquire(&tags_avail);
		used = atomic_read(&tags_used);
		if (avail - used < TAGS_LOW && avail < ALLOCPROF_TAGS_MAX)
			refill_kick();
		if (used < avail) {
			if (atomic_try_cmpxchg(&tags_used, &used, used + 1))
				return used;
			continue;
		}
		/* More may have come since we looked. */
		if (atomic_read(&tags_avail) == avail)
			return 0;
	}
}

/* If there is one already, this one is wasted: it takes three at once for that. */
static void give_back(u16 number)
{
	cmpxchg(&given_back, 0, number);
}

/* All is there: tag_find() may have it. */
static void tag_ready(struct allocprof_tag *tag)
{
	u64 key = READ_ONCE(tag->key);

	/* Fully ordered, if it is done at all.  Whoever has changed the key knows better. */
	if (key & TAG_KEY_ASIDE)
		cmpxchg(&tag->key, key, key & ~TAG_KEY_ASIDE);
}

/* Finishes a claimed tag. */
static void tag_finish(struct allocprof_tag *tag)
{
	u32 flags = atomic_read(&tag->flags);
	u64 key = READ_ONCE(tag->key);

	if (!(flags & TAG_CLASSIFIED)) {
		/* Of a dead tag the text is gone, or somebody else's: it was no wrapper. */
		if (!(key & (TAG_KEY_TERMINAL | TAG_KEY_DEAD)))
			flags |= callsite_classify(callsite_address(key));
		flags |= TAG_CLASSIFIED;
		atomic_or(flags, &tag->flags);
	}
	if (flags & TAG_TRANSPARENT)
		return;
	WRITE_ONCE(tag->calls, counters[tag->number / CHUNK_TAGS] + tag->number % CHUNK_TAGS);
	tag_ready(tag);
}

/* Finds or makes the tag of a key.  NULL: there is no room for one more. */
static struct allocprof_tag *tag_claim(u64 key)
{
	u32 i = tag_hash(key);
	struct allocprof_tag *tag;
	u16 number, own = 0;
	u64 found;

	for (;; i = (i + 1) & (ALLOCPROF_TAGS - 1)) {
		number = READ_ONCE(allocprof_tag_index[i]);
		if (!number) {
			own = own ?: take_number();
			/* Who had the last may have put it here. */
			number = own ? cmpxchg(&allocprof_tag_index[i], 0, own) :
				       READ_ONCE(allocprof_tag_index[i]);
			if (!number && !own)
				return NULL;
			if (!number)
				swap(number, own);
		}
		tag = tag_by_number(number);
		found = READ_ONCE(tag->key);
		if (!found)
			found = cmpxchg(&tag->key, 0, key | TAG_KEY_ASIDE);
		if (!found || (found & ~TAG_KEY_ASIDE) == key)
			break;
	}
	if (own)
		give_back(own);
	if (unlikely(!READ_ONCE(tag->calls)))
		tag_finish(tag);
	return tag;
}

static void no_room(u64 key)
{
	allocprof_lost(atomic_read(&tags_avail) < ALLOCPROF_TAGS_MAX ? LOST_NO_COUNTER :
		       LOST_TAG_TABLE_FULL);
	/* Of code that is gone the address is, too. */
	if (!(key & TAG_KEY_DEAD))
		lostsites_add(key, !(key & TAG_KEY_TERMINAL));
}

/**
 * tag_get() - find or create the tag of a key, without walking the stack
 * @key: return address and size
 *
 * Context: any, NMI included.
 * Return: the tag, or NULL where there is no room for one more (counted by cause).
 */
struct allocprof_tag *tag_get(u64 key)
{
	struct allocprof_tag *tag = tag_claim(key);

	if (!tag)
		no_room(key);
	return tag;
}

/*
 * There is no room for a wrapper's tag, but its caller may have one: what the
 * walk needs of it, on the stack.  False: it is no wrapper.
 */
static bool pass_through(struct allocprof_tag *wrapper, u64 key, unsigned long ret)
{
	u32 flags = callsite_classify(ret);

	*wrapper = (struct allocprof_tag){ .key = key };
	atomic_set(&wrapper->flags, flags | TAG_CLASSIFIED);
	return (flags & (TAG_TRANSPARENT | TAG_INHERITS)) == TAG_TRANSPARENT;
}

/* A wrapper was walked through, @first of all, and its step is known. */
static void tag_walked(struct allocprof_tag *tag, bool first)
{
	u64 key = READ_ONCE(tag->key);
	union tag_usual usual = { .ret = key, .step = tag->step };

	if ((u32)atomic_read(&tag->flags) < (TAG_WALKS - 1) * TAG_WALK) {
		atomic_add(TAG_WALK, &tag->flags);
		return;
	}
	if (first && !allocprof_usual_pages.ret && tag_is_pages(tag) &&
	    tag_order(tag) != TAG_ORDER_PERCPU && callsite_of_kernel(callsite_address(key)))
		cmpxchg(&allocprof_usual_pages.both, 0, usual.both);
	tag_ready(tag);
}

/* Through wrappers, tag by tag, learning their steps. */
static noinline struct allocprof_tag *walk(u64 size_key, unsigned long ret, unsigned long *frame)
{
	struct allocprof_tag *tag, wrapper;
	unsigned long next;
	int i;

	for (i = 0; i < CALLSITE_WALK_MAX; i++) {
		tag = tag_claim((u32)ret | size_key);
		if (tag && READ_ONCE(tag->calls))
			return tag;
		/* What is known is not asked again: it takes long. */
		if (!tag && (lostsites_known(ret) ||
			     !pass_through(&wrapper, (u32)ret | size_key, ret))) {
			no_room((u32)ret | size_key);
			return NULL;
		}
		tag = tag ?: &wrapper;
		next = callsite_next(tag, ret, &frame);
		if (!next)
			break;
		ret = next;
		if (frame && tag != &wrapper && READ_ONCE(tag->step))
			tag_walked(tag, !i);
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
 * tag_resolve() - the callsite's tag, walking through wrappers
 * @size_key: tag_key_slot(), tag_key_order() or tag_key_percpu()
 * @ret: return address of the hooked function
 * @frame: where @ret lies on the current stack; NULL if not known
 *
 * Context: any, NMI included.
 * Return: a tag with a counter, or NULL (lost, counted by cause).
 */
struct allocprof_tag *tag_resolve(u64 size_key, unsigned long ret, unsigned long *frame)
{
	u32 id;

	if (frame && tag_find(size_key, &ret, &frame, &id, true))
		return tag_by_id(id);
	return walk(size_key, ret, frame);
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
	u64 key = READ_ONCE(tag->key);

	if (tag_is_pages(tag) && tag_order(tag) == TAG_ORDER_PERCPU)
		return (key >> 40 & 0x7fff) * 4 * allocprof_percpu_copies;
	if (tag_is_pages(tag))
		return (u64)PAGE_SIZE << tag_order(tag);
	return (key >> 32) & TAG_SLOT_SIZE_MAX;
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
 * tagtable_needs_refill() - are tags getting short?
 *
 * Context: any.
 */
bool tagtable_needs_refill(void)
{
	int avail = atomic_read(&tags_avail);

	return avail < ALLOCPROF_TAGS_MAX && avail - atomic_read(&tags_used) < TAGS_LOW;
}

/**
 * tagtable_refill() - add a chunk of tags
 *
 * Context: sleeps; one caller at a time (load, or the refill work).  A failure
 * is not an error here: what then finds no tag is counted as lost.
 */
void tagtable_refill(void)
{
	int avail = atomic_read(&tags_avail), n = avail / CHUNK_TAGS, i;
	struct page **pages = tag_pages + n * CHUNK_PAGES;
	struct allocprof_tag *tags = NULL;

	if (n == CHUNKS)
		return;
	/* Not worth an OOM kill. */
	counters[n] = __alloc_percpu_gfp(CHUNK_TAGS * sizeof(u64), sizeof(u64),
					 GFP_KERNEL | __GFP_NOWARN | __GFP_NORETRY);
	for (i = 0; counters[n] && i < CHUNK_PAGES; i++) {
		pages[i] = alloc_page(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_ZERO | __GFP_NOWARN);
		if (!pages[i])
			break;
	}
	if (i == CHUNK_PAGES)
		tags = vmap(tag_pages, (n + 1) * CHUNK_PAGES, VM_MAP, PAGE_KERNEL);
	if (!tags) {
		while (i--)
			__free_page(pages[i]);
		free_percpu(counters[n]);
		counters[n] = NULL;
		return;
	}
	for (i = avail; i < avail + CHUNK_TAGS; i++)
		tags[i].number = i;
	mappings[n] = tags;
	WRITE_ONCE(allocprof_tags, tags);
	atomic_set_release(&tags_avail, avail + CHUNK_TAGS);
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

	for (i = 0; i < CHUNKS && counters[i]; i++)
		for_each_possible_cpu(cpu)
			memset(per_cpu_ptr(counters[i], cpu), 0, CHUNK_TAGS * sizeof(u64));
	lostsites_clear();
	for (i = 0; i < tagtable_used(); i++)
		atomic_andnot(TAG_INACCURATE | TAG_REPORTED, &tag_by_number(i)->flags);
}

/**
 * tagtable_forget_classes() - what is a wrapper has to be asked again
 *
 * Tags of code that is there lose their class; those of gone modules keep theirs.
 * Context: no hook attached.
 */
void tagtable_forget_classes(void)
{
	unsigned long i;

	for (i = ALLOCPROF_TAGS_RESERVED; i < tagtable_used(); i++) {
		struct allocprof_tag *tag = tag_by_number(i);
		u64 key = READ_ONCE(tag->key);

		if (!key || (key & TAG_KEY_DEAD))
			continue;
		/* Its module may be going just now. */
		if (cmpxchg(&tag->key, key, key | TAG_KEY_ASIDE) != key)
			continue;
		atomic_set(&tag->flags, 0);
		tag->calls = NULL;
		tag->step = 0;
	}
	allocprof_usual_pages.both = 0;
}

/**
 * tagtable_used() - tags taken, wrappers and reserved ones included
 *
 * All that have a key have a lower number.
 * Context: any.
 */
unsigned int tagtable_used(void)
{
	return atomic_read(&tags_used);
}

/**
 * tagtable_tag_bytes() - memory of the tags and their hash, in bytes
 *
 * Context: any.
 */
size_t tagtable_tag_bytes(void)
{
	unsigned int chunks = atomic_read(&tags_avail) / CHUNK_TAGS;

	return sizeof(allocprof_tag_index) + chunks * CHUNK_PAGES * PAGE_SIZE;
}

/**
 * tagtable_counter_bytes() - memory of the counters on all CPUs, in bytes
 *
 * Context: any.
 */
size_t tagtable_counter_bytes(void)
{
	return atomic_read(&tags_avail) * sizeof(u64) * num_possible_cpus();
}

/**
 * tagtable_init() - an empty table with room for the first tags
 *
 * Context: module load; sleeps.
 * Return: 0; or -ENOMEM, with a line in the log.
 */
int tagtable_init(void)
{
	int i;

	BUILD_BUG_ON(ALLOCPROF_TAGS_MAX % CHUNK_TAGS || ALLOCPROF_TAGS_MAX > U16_MAX);
	allocprof_percpu_copies = num_possible_cpus();
	atomic_set(&tags_avail, 0);
	allocprof_usual_pages.both = 0;
	given_back = 0;
	lostsites_clear();
	tagtable_refill();
	if (!atomic_read(&tags_avail)) {
		pr_err("not loaded: no memory for the first counters; free some and load it again\n");
		return -ENOMEM;
	}

	tag_by_id(ALLOCPROF_TAG_NONE)->key = TAG_KEY_NONE;
	tag_by_id(ALLOCPROF_TAG_UNCOUNTED)->key = TAG_KEY_UNCOUNTED;
	for (i = 0; i < ALLOCPROF_TAGS_RESERVED; i++) {
		atomic_set(&tag_by_number(i)->flags, TAG_CLASSIFIED);
		tag_finish(tag_by_number(i));
	}
	atomic_set(&tags_used, ALLOCPROF_TAGS_RESERVED);
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

	for (i = 0; i < CHUNKS && mappings[i]; i++) {
		vunmap(mappings[i]);
		free_percpu(counters[i]);
		mappings[i] = NULL;
		counters[i] = NULL;
	}
	for (i *= CHUNK_PAGES; i--;)
		__free_page(tag_pages[i]);
}
