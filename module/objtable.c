// SPDX-License-Identifier: GPL-2.0
/*
 * Slab object -> tag.
 *
 * Each slab that holds recorded objects has one vector, 4 bytes a slot; the
 * page table entry of each of its pages points to it.  An object is found by
 * one division (a multiplication), with no hashing and nothing that grows.
 *
 * Notes on locking
 *
 * Ownership: an object is recorded by the exit of the allocator, before its
 * caller sees the pointer, and forgotten at the entry of the free, before the
 * slot can be handed out again.  No two operations on one slot overlap, so
 * plain stores do, from any context, and an interrupt in between touches
 * other slots.  A kernel that frees an object twice at the same time can make
 * a count wrong by one; it cannot make us touch foreign memory: vectors are
 * type-stable and every slot index is checked.
 *
 * A vector appears by cmpxchg on the entry of the slab's first page; of two
 * CPUs that record their first objects in one slab at once, the loser takes
 * the winner's.  An entry of a later page may lag behind; who finds it empty
 * looks at the first page's and fills it in before it records, and so before
 * anybody can free what it recorded.  The vector goes when the page is freed,
 * which takes all objects to be freed before.
 *
 * KFENCE objects lie in pages of their own that never pass the page
 * allocator, one object a page, now of this cache, then of that: their tag
 * goes where that page's own would be.
 */
#include <linux/math64.h>
#include <linux/mm.h>

#include "compat/kfence.h"
#include "objtable.h"
#include "pfntable.h"
#include "slab_layout.h"
#include "stats.h"
#include "tagtable.h"

/*
 * The slot of @obj, which lies in one of this slab's pages.  (Of an address
 * further away the product overflows, and any slot may come out.)
 */
static __always_inline u32 vec_slot(const struct allocprof_vec *vec, const void *obj)
{
	return (((unsigned long)obj - vec->base) * vec->mult) >> VEC_SHIFT;
}

/*
 * A kernel that frees a slab while it hands out objects of it may have sent the
 * vector back to the pool meanwhile.  Nothing may lead there then: what was
 * written of it in [@pfn, @end) since is taken back.
 */
static bool vec_stays(const struct allocprof_vec *vec, unsigned long first, unsigned long pfn,
		      unsigned long end)
{
	/* Pairs with cmpxchg() in entry_forget(): it sees what we wrote, or we what it did. */
	smp_mb();
	if (likely(READ_ONCE(allocprof_pages[first]) == vec->number))
		return true;
	for (; pfn < end; pfn++)
		cmpxchg(&allocprof_pages[pfn], vec->number, 0);
	allocprof_lost(LOST_NOT_SLAB);
	return false;
}

/* The vector of a slab, made if it has none.  NULL: lost, counted. */
static struct allocprof_vec *slab_vec(struct page *slab, u32 slot_size)
{
	unsigned long pfn = page_to_pfn(slab);
	unsigned long npages = compound_nr(slab), i;
	struct allocprof_vec *vec, *winner;
	u32 old = READ_ONCE(allocprof_pages[pfn]), seen, number;
	bool too_big;

	vec = page_vec(old);
	if (vec)
		return vec;
	vec = vecpool_get((npages << PAGE_SHIFT) / slot_size, &too_big);
	if (!vec) {
		allocprof_lost(too_big ? LOST_VECTOR_TOO_BIG : LOST_NO_VECTOR);
		return NULL;
	}
	vec->base = (unsigned long)page_address(slab);
	vec->mult = DIV_ROUND_UP_ULL(1ULL << VEC_SHIFT, slot_size);
	vec->size_key = tag_key_slot(slot_size);
	vec->nslots = (npages << PAGE_SHIFT) / slot_size;
	vec->npages = npages;
	vec->page_tag = old;

	number = vec->number;
	while ((seen = cmpxchg(&allocprof_pages[pfn], old, number)) != old) {
		winner = page_vec(seen);
		if (winner) {
			vecpool_put(vec);
			return winner;
		}
		old = seen;
		vec->page_tag = old;
	}
	for (i = 1; i < npages; i++) {
		/* Who finds it empty may be filling it in: that is not to be healed. */
		seen = READ_ONCE(allocprof_pages[pfn + i]);
		if (unlikely(seen && seen != number))
			pfntable_heal(pfn + i);
		WRITE_ONCE(allocprof_pages[pfn + i], number);
	}
	return vec_stays(vec, pfn, pfn + 1, pfn + npages) ? vec : NULL;
}

/* The tag of a KFENCE object.  The pool's own record, if it came late, is none. */
static struct allocprof_tag *kfence_tag(unsigned long pfn)
{
	u32 id = READ_ONCE(allocprof_pages[pfn]);

	return id && id < PFN_NO_TABLE && !tag_is_pages(tag_by_id(id)) ? tag_by_id(id) : NULL;
}

static noinline void heal_slot(u32 *slot)
{
	allocprof_healed();
	tag_uncount(tag_by_id(*slot));
	*slot = ALLOCPROF_TAG_NONE;
}

/* First object of its slab, or not in a slab's vector at all. */
static noinline void alloc_first(void *obj, unsigned long ret, unsigned long *frame)
{
	unsigned long pfn = direct_map_pfn(obj), first;
	struct allocprof_tag *tag, *missed;
	struct allocprof_vec *vec;
	struct page *slab;
	u32 slot_size, slot;

	if (!pfn_has_entry(pfn) && !virt_addr_valid(obj))
		return;
	slab = virt_to_head_page(obj);
	if (!PageSlab(slab))
		return;		/* a large kmalloc: counted as pages */
	slot_size = slab_slot_size(slab);
	if (!slot_size || slot_size > TAG_SLOT_SIZE_MAX) {
		allocprof_lost(LOST_NOT_SLAB);
		return;
	}
	tag = tag_resolve(tag_key_slot(slot_size), ret, frame);
	if (!pfn_has_entry(pfn)) {
		allocprof_lost(LOST_BEYOND_PAGES);
		if (tag)
			tag_mark_inaccurate(tag);
		return;
	}
	if (!tag)
		return;
	if (is_kfence_address(obj)) {
		missed = kfence_tag(pfn);
		if (missed) {
			allocprof_healed();
			tag_uncount(missed);
		}
		tag_count(tag);
		WRITE_ONCE(allocprof_pages[pfn], tag_id(tag));
		return;
	}
	vec = slab_vec(slab, slot_size);
	if (!vec) {
		tag_mark_inaccurate(tag);
		return;
	}
	if (!page_vec(READ_ONCE(allocprof_pages[pfn]))) {
		first = page_to_pfn(slab);
		if (pfn != first)
			WRITE_ONCE(allocprof_pages[pfn], vec->number);
		if (!vec_stays(vec, first, max(pfn, first + 1), pfn + 1)) {
			tag_mark_inaccurate(tag);
			return;
		}
	}
	slot = vec_slot(vec, obj);
	if (slot >= vec->nslots) {
		allocprof_lost(LOST_NOT_SLAB);
		tag_mark_inaccurate(tag);
		return;
	}
	/* Of an object that was recorded while its slab's vector came back. */
	if (unlikely(vec->slot[slot]))
		heal_slot(&vec->slot[slot]);
	tag_count(tag);
	vec->slot[slot] = tag_id(tag);
}

/* The vector and slot of an object.  False: not all is as usual. */
static __always_inline bool find_slot(const void *obj, struct allocprof_vec **vec, u32 *slot)
{
	unsigned long pfn = direct_map_pfn(obj);
	u64 entry;	/* u32 would be extended twice */

	if (unlikely(!pfn_in_table(pfn)))
		return false;
	entry = allocprof_pages[pfn];
	OPTIMIZER_HIDE_VAR(entry);	/* read once; READ_ONCE() would take an instruction more */
	if (unlikely(!entry_is_vec(entry)))
		return false;
	*vec = vec_by_number(entry);
	*slot = vec_slot(*vec, obj);
	return likely(*slot < (*vec)->nslots);
}

static noinline void *alloc_slow(void *obj, unsigned long ret, unsigned long *frame)
{
	struct allocprof_vec *vec;
	struct allocprof_tag *tag;
	u32 slot;

	if (!find_slot(obj, &vec, &slot)) {
		alloc_first(obj, ret, frame);
		return obj;
	}
	if (vec->slot[slot])
		heal_slot(&vec->slot[slot]);
	tag = tag_resolve(vec->size_key, ret, frame);
	if (!tag)
		return obj;
	tag_count(tag);
	vec->slot[slot] = tag_id(tag);
	return obj;
}

/*
 * The same where the callsite's tag is not in the first bucket, as of every third
 * callsite when there are 20,000: it takes registers that the hot path has not.
 */
static noinline void *alloc_far(void *obj, unsigned long ret, unsigned long *frame, u64 size_key,
				u32 *record)
{
	u64 __percpu *calls;
	u32 id;

	calls = tag_find(size_key, &ret, &frame, &id, true);
	if (unlikely(!calls))
		return alloc_slow(obj, ret, frame);
	this_cpu_inc(*calls);
	*record = id;
	return obj;
}

/**
 * objtable_alloc() - record an object
 * @obj: what the allocator returned: an object, a large kmalloc, NULL or
 *	ZERO_SIZE_PTR
 * @ret: where the allocator returns to
 * @frame: where @ret lies on the stack
 *
 * The hot path of every slab allocation.  Instructions, with the stub and the
 * free: bench: direct 6.12 kmalloc_64 +88.  What is unusual goes on in
 * alloc_far() or starts over in alloc_slow(), as the last thing done here, so
 * that nothing need be saved on the stack.
 * Context: any.
 * Return: @obj, so that a stub need not save it.
 */
__noendbr void *objtable_alloc(void *obj, unsigned long ret, unsigned long *frame)
{
	struct allocprof_vec *vec;
	u64 __percpu *calls;
	u32 slot, *record, id;

	if (unlikely(!find_slot(obj, &vec, &slot)))
		return alloc_slow(obj, ret, frame);
	record = &vec->slot[slot];
	OPTIMIZER_HIDE_VAR(record);	/* one register from here on, not two */
	if (unlikely(*record))
		return alloc_slow(obj, ret, frame);
	calls = tag_find(vec->size_key, &ret, &frame, &id, false);
	if (unlikely(!calls))
		return alloc_far(obj, ret, frame, vec->size_key, record);
	this_cpu_inc(*calls);
	*record = id;
	return obj;
}

/* What it takes to find the slots of neighbours in one slab. */
struct run {
	unsigned long base, bytes;
	u64 mult;
};

/*
 * Of a vector that is being reused, which takes a kernel that frees twice, the
 * fields may be of two lives and not fit.  If the last byte has a valid slot,
 * every byte has: checked once, for all objects of the run.
 */
static __always_inline bool run_start(const struct allocprof_vec *vec, struct run *run)
{
	u32 nslots = READ_ONCE(vec->nslots);

	run->base = vec->base;
	run->mult = READ_ONCE(vec->mult);
	run->bytes = nslots * (vec->size_key >> 32);
	return mul_u64_u64_shr(run->bytes - 1, run->mult, VEC_SHIFT) < nslots;
}

/* The slot of @obj, or false: it is not of this run. */
static __always_inline bool run_slot(const struct run *run, const void *obj, u32 *slot)
{
	unsigned long offset = (unsigned long)obj - run->base;

	if (unlikely(offset >= run->bytes))
		return false;
	*slot = (offset * run->mult) >> VEC_SHIFT;
	return true;
}

/**
 * objtable_alloc_bulk() - record objects of one cache
 * @objs: the objects
 * @n: how many
 * @ret: where the allocator returns to
 * @frame: where @ret lies on the stack
 *
 * Neighbours in the array mostly lie in one slab: one tag look-up and one
 * addition to its counter for each run of them.
 * Context: any.
 */
void objtable_alloc_bulk(void **objs, size_t n, unsigned long ret, unsigned long *frame)
{
	void **end = objs + n, **first;
	struct allocprof_vec *vec;
	struct run run;
	u32 slot, id;

	while (objs != end) {
		unsigned long at = ret, *slot_of_at = frame;
		u64 __percpu *calls = NULL;

		if (likely(find_slot(*objs, &vec, &slot)))
			calls = tag_find(vec->size_key, &at, &slot_of_at, &id, true);
		if (unlikely(!calls || !run_start(vec, &run))) {
			objtable_alloc(*objs++, ret, frame);
			continue;
		}
		for (first = objs; objs != end && run_slot(&run, *objs, &slot); objs++) {
			if (unlikely(vec->slot[slot]))
				heal_slot(&vec->slot[slot]);
			vec->slot[slot] = id;
		}
		if (unlikely(objs == first))	/* a stale vector: not this one's range */
			objtable_alloc(*objs++, ret, frame);
		else
			this_cpu_add(*calls, (s64)(objs - first));
	}
}

static noinline void free_slow(const void *obj)
{
	unsigned long pfn = direct_map_pfn(obj);
	struct allocprof_tag *tag;

	if (!pfn_in_table(pfn) || !is_kfence_address(obj))
		return;
	tag = kfence_tag(pfn);
	if (!tag)
		return;
	WRITE_ONCE(allocprof_pages[pfn], 0);
	tag_uncount(tag);
}

/**
 * objtable_free() - forget an object
 * @obj: what is about to be freed; NULL, ZERO_SIZE_PTR and what is not
 *	recorded are ignored
 *
 * The hot path of every slab free.
 * Context: any.
 */
__noendbr void objtable_free(const void *obj)
{
	struct allocprof_vec *vec;
	u32 slot, id;

	if (unlikely(!find_slot(obj, &vec, &slot))) {
		free_slow(obj);
		return;
	}
	id = vec->slot[slot];
	if (!id)
		return;		/* from before we were attached */
	vec->slot[slot] = ALLOCPROF_TAG_NONE;
	tag_uncount(tag_by_id(id));
}

/**
 * objtable_free_bulk() - forget objects
 * @objs: the objects
 * @n: how many
 *
 * Context: any.
 */
void objtable_free_bulk(void **objs, size_t n)
{
	void **end = objs + n, **first;
	struct allocprof_vec *vec;
	struct run run;
	u32 slot, id;

	while (objs != end) {
		id = find_slot(*objs, &vec, &slot) ? vec->slot[slot] : ALLOCPROF_TAG_NONE;
		if (unlikely(!id || !run_start(vec, &run))) {
			objtable_free(*objs++);
			continue;
		}
		for (first = objs; objs != end && run_slot(&run, *objs, &slot); objs++) {
			if (unlikely(vec->slot[slot] != id))
				break;
			vec->slot[slot] = ALLOCPROF_TAG_NONE;
		}
		if (unlikely(objs == first))	/* a stale vector: not this one's range */
			objs++;
		else
			tag_add(tag_by_id(id), -(s64)(objs - first));
	}
}

/**
 * objtable_drop_slab() - a slab's pages are about to be freed
 * @vec: its vector
 * @pfn: its first frame, whose entry is already empty
 *
 * Context: any but NMI.
 */
void objtable_drop_slab(struct allocprof_vec *vec, unsigned long pfn)
{
	u32 nslots = vec->nslots, number = vec->number, i;

	/* If its free was missed, these pages may be somebody else's by now. */
	for (i = 1; i < vec->npages && pfn_in_table(pfn + i); i++)
		if (READ_ONCE(allocprof_pages[pfn + i]) == number)
			WRITE_ONCE(allocprof_pages[pfn + i], 0);
	/* All objects are free, or the page could not be: whatever is left, its free was missed. */
	for (i = 0; i < nslots; i++)
		if (unlikely(vec->slot[i]))
			heal_slot(&vec->slot[i]);
	vecpool_put(vec);
}

/**
 * objtable_owner() - the tag recorded for an object, for the self-test
 * @obj: a live object
 *
 * Context: any.
 * Return: the tag or NULL.
 */
struct allocprof_tag *objtable_owner(const void *obj)
{
	unsigned long pfn = direct_map_pfn(obj);
	struct allocprof_vec *vec;
	u32 slot, id;

	if (!pfn_in_table(pfn))
		return NULL;
	vec = page_vec(READ_ONCE(allocprof_pages[pfn]));
	if (!vec)
		return is_kfence_address(obj) ? kfence_tag(pfn) : NULL;
	slot = vec_slot(vec, obj);
	id = slot < vec->nslots ? READ_ONCE(vec->slot[slot]) : 0;
	return id ? tag_by_id(id) : NULL;
}
