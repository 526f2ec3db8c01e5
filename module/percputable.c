// SPDX-License-Identifier: GPL-2.0
/*
 * Per-CPU allocation -> tag.
 *
 * A per-CPU pointer stands for one area on each CPU; the pointer itself is no
 * address.  For each 2 KiB of such pointers that hold something recorded there
 * is a vector from the same pool as the slabs' (vecpool.c), one slot for each
 * 4 bytes, the least that can be allocated.  That fits into a single page, all
 * that the pool may have when memory is short.  The vectors hang in a hash of
 * fixed size, in chains.
 *
 * What else is kept of a block lies where a slab's vector has other numbers,
 * never in a slot: the vector may still be read as a slab's, by a kernel that
 * frees an object twice (objtable.c), and then a slot must be a tag or none.
 *
 * Notes on locking
 *
 * percpu_lock, one of hooklock.c's, guards it all.  The allocator itself takes
 * a lock for each call, so this one costs it no scalability.  Under it only the
 * pool's is taken.  Where it cannot be had, what was to be recorded is counted
 * as lost; what was to be forgotten is, too, and goes when its address is handed
 * out again.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "hooklock.h"
#include "percputable.h"
#include "stats.h"
#include "tagtable.h"
#include "vecpool.h"

#define UNIT		4		/* bytes a slot */
#define BLOCK_SHIFT	11
#define BLOCK_SLOTS	((1U << BLOCK_SHIFT) / UNIT)
#define HASH_BITS	10

static struct allocprof_vec *blocks[1 << HASH_BITS];
static DEFINE_HOOK_LOCK(percpu_lock, HOOK_LOCK_PERCPU);

/* The chain's link is kept where a slab's vector has its reciprocal. */
static struct allocprof_vec *vec_next(const struct allocprof_vec *vec)
{
	return (struct allocprof_vec *)(unsigned long)vec->mult;
}

/* And how many slots are in use, where it has its pages. */
static u16 *vec_live(struct allocprof_vec *vec)
{
	return &vec->npages;
}

/* The vector of a block, or NULL, and what is before it in its chain, or NULL. */
static struct allocprof_vec *find_block(unsigned long block, struct allocprof_vec **before)
{
	struct allocprof_vec *vec = blocks[hash_long(block, HASH_BITS)];

	*before = NULL;
	while (vec && vec->base != block) {
		*before = vec;
		vec = vec_next(vec);
	}
	return vec;
}

static struct allocprof_vec *new_block(unsigned long block)
{
	struct allocprof_vec **head = &blocks[hash_long(block, HASH_BITS)];
	struct allocprof_vec *vec;
	bool too_big;

	vec = vecpool_get(BLOCK_SLOTS, &too_big);
	if (!vec)
		return NULL;
	vec->base = block;
	vec->nslots = BLOCK_SLOTS;
	vec->mult = (unsigned long)*head;
	*head = vec;
	return vec;
}

static void drop_block(struct allocprof_vec *vec, struct allocprof_vec *before)
{
	if (before)
		before->mult = vec->mult;
	else
		blocks[hash_long(vec->base, HASH_BITS)] = vec_next(vec);
	vecpool_put(vec);
}

static unsigned int slot_of(unsigned long addr)
{
	return (addr & ((1UL << BLOCK_SHIFT) - 1)) / UNIT;
}

/* Takes the record of @addr away.  Called with percpu_lock held. */
static struct allocprof_tag *forget(unsigned long addr)
{
	struct allocprof_vec *before, *vec = find_block(addr >> BLOCK_SHIFT, &before);
	u32 *slot, id;

	if (!vec)
		return NULL;
	slot = &vec->slot[slot_of(addr)];
	id = *slot;
	if (!id)
		return NULL;
	*slot = ALLOCPROF_TAG_NONE;
	if (!--*vec_live(vec))
		drop_block(vec, before);
	return tag_by_id(id);
}

/* False: no memory for a vector.  Called with percpu_lock held; there is no record of @addr. */
static bool remember(unsigned long addr, struct allocprof_tag *tag)
{
	struct allocprof_vec *before, *vec = find_block(addr >> BLOCK_SHIFT, &before);

	if (!vec)
		vec = new_block(addr >> BLOCK_SHIFT);
	if (!vec)
		return false;
	tag_count(tag);
	vec->slot[slot_of(addr)] = tag_id(tag);
	++*vec_live(vec);
	return true;
}

/**
 * percputable_alloc() - record a per-CPU allocation
 * @ptr: what the allocator returned, or NULL
 * @size: bytes a CPU that were asked for
 * @ret: where the allocator returns to
 * @frame: where @ret lies on the stack
 *
 * Context: any.  The memory is not yet visible to its owner.
 */
void percputable_alloc(void __percpu *ptr, size_t size, unsigned long ret, unsigned long *frame)
{
	unsigned long addr = (__force unsigned long)ptr;
	struct allocprof_tag *tag, *old = NULL;
	unsigned long flags;
	bool done = false;

	if (!ptr)
		return;
	tag = tag_resolve(tag_key_percpu(size), ret, frame);
	if (hook_lock(&percpu_lock, &flags)) {
		old = forget(addr);
		done = tag && remember(addr, tag);
		hook_unlock(&percpu_lock, flags);
	}
	if (old) {
		/* Its free was not seen, or it would not be handed out again. */
		allocprof_healed();
		tag_uncount(old);
	}
	if (tag && !done) {
		allocprof_lost(LOST_NO_VECTOR);
		tag_mark_inaccurate(tag);
	}
}

/**
 * percputable_free() - forget a per-CPU allocation
 * @ptr: as handed to free_percpu()
 *
 * Context: any.  The memory is not yet free.
 */
void percputable_free(void __percpu *ptr)
{
	struct allocprof_tag *tag;
	unsigned long flags;

	if (!ptr)
		return;
	if (!hook_lock(&percpu_lock, &flags)) {
		allocprof_lost(LOST_FREE_NESTED);
		return;
	}
	tag = forget((__force unsigned long)ptr);
	hook_unlock(&percpu_lock, flags);
	if (tag)
		tag_uncount(tag);
}

/**
 * percputable_owner() - the tag recorded for a per-CPU pointer, for the self-test
 * @ptr: the pointer
 *
 * Context: process.
 * Return: the tag or NULL.
 */
struct allocprof_tag *percputable_owner(void __percpu *ptr)
{
	unsigned long addr = (__force unsigned long)ptr, flags;
	struct allocprof_vec *vec, *before;
	u32 id = ALLOCPROF_TAG_NONE;

	if (!hook_lock(&percpu_lock, &flags))
		return NULL;
	vec = find_block(addr >> BLOCK_SHIFT, &before);
	if (vec)
		id = vec->slot[slot_of(addr)];
	hook_unlock(&percpu_lock, flags);
	return id ? tag_by_id(id) : NULL;
}

/**
 * percputable_exit() - forget everything; the pool's owner frees the memory
 *
 * Context: hooks gone and drained.
 */
void percputable_exit(void)
{
	memset(blocks, 0, sizeof(blocks));
}
