/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Callsite tags: (return address, size) -> tag, with a per-CPU count of the
 * live allocations each tag owns.  See tagtable.c for locking and lifetime.
 */
#ifndef _ALLOCPROF_TAGTABLE_H
#define _ALLOCPROF_TAGTABLE_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

#define ALLOCPROF_TAG_BITS	16
#define ALLOCPROF_TAGS		BIT(ALLOCPROF_TAG_BITS)
/* Open addressing stays cheap, and always ends, while a quarter is free. */
#define ALLOCPROF_TAGS_MAX	(ALLOCPROF_TAGS / 4 * 3)

/*
 * A tag is known, in every record, by where it lies: bytes behind the first.
 * That one means "no record"; the next marks memory that must not be counted.
 */
#define ALLOCPROF_TAG_NONE	0
#define ALLOCPROF_TAG_UNCOUNTED	sizeof(struct allocprof_tag)
#define ALLOCPROF_TAGS_RESERVED	2
/* What no tag has. */
#define ALLOCPROF_TAG_END	(ALLOCPROF_TAGS * sizeof(struct allocprof_tag))

/* Bits of allocprof_tag.flags. */
#define TAG_CLASSIFIED	0x01	/* the bits below are valid */
#define TAG_TRANSPARENT	0x02	/* a wrapper: its caller is the callsite */
#define TAG_UNWIND	0x04	/* its frame has no constant size */
#define TAG_TRAMPOLINE	0x08	/* a return address that a tracer has replaced */
#define TAG_INACCURATE	0x10	/* at least one allocation is not in it */
#define TAG_REPORTED	0x20	/* ... and debug=1 has said so */
#define TAG_INHERITS	0x40	/* its callsite is that of what it replaces: inherit.c */
#define TAG_UNLOADED	0x80	/* its module is gone */
/* Above them, for a wrapper whose step is known: how often it was walked through. */
#define TAG_WALK	BIT(16)
#define TAG_WALKS	64

/**
 * struct allocprof_tag - one (callsite, size)
 * @key: tag_key() and the key bits below; 0 in a free entry
 * @calls: live allocations, one counter a CPU; NULL in a wrapper's tag
 * @flags: TAG_*
 * @step: wrapper: bytes on the stack from its return address to its
 *	caller's; 0 until learned
 * @number: how many lie before it
 * @name: text of a callsite whose module is gone; callsite_name.c owns it
 */
struct allocprof_tag {
	u64 key;
	u64 __percpu *calls;
	atomic_t flags;
	u16 step;
	u16 number;
	const char *name;
};

/* One after the other; and the number of that in each bucket of the hash, 0: none. */
extern struct allocprof_tag *allocprof_tags;
extern u16 allocprof_tag_index[];

/*
 * A key is the low half of the return address (the kernel and its modules lie
 * in one 2 GiB window), then the size: slot bytes; or a page order behind
 * TAG_KEY_PAGES; or, behind that and an order that no block has, bytes a CPU.
 */
#define TAG_KEY_PAGES		BIT_ULL(55)
/* A wrapper that had to be taken as the callsite; never walked through. */
#define TAG_KEY_TERMINAL	BIT_ULL(56)
/* The module is gone, no new allocation may find this tag.  Its number is its address. */
#define TAG_KEY_DEAD		BIT_ULL(57)
/*
 * Not to be taken as it is: not finished, or a wrapper that is not learned.  Who
 * compares keys in a hurry passes it by.
 */
#define TAG_KEY_ASIDE		BIT_ULL(58)
/* The two reserved entries; no return address ends in 32 ones. */
#define TAG_KEY_NONE		(~0ULL)
#define TAG_KEY_UNCOUNTED	(TAG_KEY_PAGES | TAG_KEY_TERMINAL | 0xffffffffULL)

#define TAG_SLOT_SIZE_MAX	((1U << 23) - 1)

static __always_inline u64 tag_key_slot(u32 slot_size)
{
	return (u64)slot_size << 32;
}

static __always_inline u64 tag_key_order(unsigned int order)
{
	return TAG_KEY_PAGES | ((u64)order << 32);
}

#define TAG_ORDER_PERCPU	0x80

/* @size: up to 32 KiB, the most that the allocator hands out; rounded up to 4 as it does. */
static __always_inline u64 tag_key_percpu(size_t size)
{
	return tag_key_order(TAG_ORDER_PERCPU) | (u64)((size + 3) / 4 & 0x7fff) << 40;
}

/* The key of a tag whose module is gone: nobody else's, as numbers are not used again. */
static inline u64 tag_key_dead(u64 key, u16 number)
{
	return (key & ~(TAG_KEY_ASIDE | 0xffffffffULL)) | TAG_KEY_DEAD | number;
}

static inline bool tag_is_pages(const struct allocprof_tag *tag)
{
	return READ_ONCE(tag->key) & TAG_KEY_PAGES;
}

/* Page tags only. */
static __always_inline unsigned int tag_order(const struct allocprof_tag *tag)
{
	return (READ_ONCE(tag->key) >> 32) & 0xff;
}

/* The part of the key that is not the return address. */
static __always_inline u32 tag_key_high(const struct allocprof_tag *tag)
{
	return ((const u32 *)&tag->key)[1];
}

/* Odd, so that every bit of the key reaches the top bits used as the bucket. */
extern const u64 allocprof_tag_multiplier;

static __always_inline u32 tag_hash(u64 key)
{
	/* READ_ONCE(), or it would be kept in a register that a hot path has not. */
	return (key * READ_ONCE(allocprof_tag_multiplier)) >> (64 - ALLOCPROF_TAG_BITS);
}

static __always_inline u32 tag_id(const struct allocprof_tag *tag)
{
	return tag->number * sizeof(*tag);
}

static __always_inline struct allocprof_tag *tag_by_id(u32 id)
{
	smp_rmb();	/* pairs with tagtable_refill() and take_number() */
	return (void *)allocprof_tags + id;
}

/* To see all of them: those below tagtable_used() are there, maybe with no key yet. */
static inline struct allocprof_tag *tag_by_number(u32 number)
{
	return tag_by_id(number * sizeof(struct allocprof_tag));
}

/* The id of the tag in a bucket of the hash, or 0. */
static __always_inline u32 tag_in(u32 bucket)
{
	return READ_ONCE(allocprof_tag_index[bucket]) * sizeof(struct allocprof_tag);
}

struct allocprof_tag *tag_resolve(u64 size_key, unsigned long ret, unsigned long *frame);
struct allocprof_tag *tag_get(u64 key);

/*
 * The callsite's tag for an allocation of @size_key bytes that returns to
 * @ret, where nothing is new: its counter and id.  @ret lies at @frame, or
 * @frame is NULL, in which case no wrapper has a step.
 * @far: look in other buckets than the first, too; it takes more registers than
 * a hot path has.
 * NULL: go on with tag_resolve(), from where this has got to, which is why @ret
 * and @frame move.
 * 11 instructions, and 17 more for each wrapper.
 */
static __always_inline u64 __percpu *tag_find(u64 size_key, unsigned long *ret,
					      unsigned long **frame, u32 *id, const bool far)
{
	for (;;) {
		u64 key = (u32)*ret | size_key;
		u32 bucket = tag_hash(key), here = tag_in(bucket);
		const struct allocprof_tag *tag = tag_by_id(here);
		u64 __percpu *calls;

		while (unlikely(tag->key != key)) {
			/* The first of all tags has no such key. */
			if (!far || !here)
				return NULL;
			bucket = (bucket + 1) % ALLOCPROF_TAGS;
			here = tag_in(bucket);
			tag = tag_by_id(here);
		}
		smp_rmb();	/* pairs with tag_ready() */
		calls = tag->calls;
		if (likely(calls)) {
			*id = here;
			return calls;
		}
		*frame = (void *)*frame + tag->step;
		*ret = **frame;
	}
}

/**
 * union tag_usual - the wrapper that most allocations come through first
 * @ret: low half of the address that they return to in it; 0: not known
 * @step: its step
 * @both: to be set at once
 */
union tag_usual {
	struct {
		u32 ret;
		u32 step;
	};
	u64 both;
};

/* Of pages, on kernels that have such a one. */
extern union tag_usual allocprof_usual_pages;

/*
 * One instruction each, so no preemption or interrupt can come between.  A
 * CPU's own counter may wrap below zero when others free: only sums count.
 */
static __always_inline void tag_count(struct allocprof_tag *tag)
{
	this_cpu_inc(*tag->calls);
}

static __always_inline void tag_uncount(struct allocprof_tag *tag)
{
	this_cpu_dec(*tag->calls);
}

static inline void tag_add(struct allocprof_tag *tag, s64 calls)
{
	this_cpu_add(*tag->calls, calls);
}

/* Bytes that a per-CPU allocation takes in all, for each byte on one CPU. */
extern unsigned int allocprof_percpu_copies;

int tagtable_init(void);
void tagtable_exit(void);
void tagtable_zero(void);
void tagtable_forget_classes(void);
bool tagtable_needs_refill(void);
void tagtable_refill(void);
s64 tag_calls(const struct allocprof_tag *tag);

/* A sum taken while CPUs count can fall short of zero by what moved. */
static inline u64 tag_live_calls(const struct allocprof_tag *tag)
{
	return max_t(s64, tag_calls(tag), 0);
}

u64 tag_unit(const struct allocprof_tag *tag);
void tag_mark_inaccurate(struct allocprof_tag *tag);
unsigned int tagtable_used(void);
size_t tagtable_tag_bytes(void);
size_t tagtable_counter_bytes(void);

#endif /* _ALLOCPROF_TAGTABLE_H */
