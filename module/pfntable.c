// SPDX-License-Identifier: GPL-2.0
/*
 * Page frame -> tag and object vector.
 *
 * An order-N block is one record, in the entry of its first frame; the tag
 * says the order.  A free of the block as it was allocated finds its record
 * there.  Any other free means that the block was split on the way (folio
 * split, a tail freed on its own, a block put together from pieces), and then
 * the records are cut down, as the buddy allocator would, until the freed
 * piece has its own: bytes stay exact in whatever order the pieces go.
 *
 * Notes on locking
 *
 * Ownership does it: a page is recorded after the allocator has handed it out
 * and before its owner sees it, and forgotten before it can be reused, so two
 * operations on one block never race, and plain loads and stores suffice.
 *
 * The exception are pieces of one block, freed on different CPUs while the
 * block still has only one record.  Cutting records down therefore happens
 * under split_lock, in an order that always leaves a record that covers every
 * live piece: the upper half's record is written before the lower half's
 * shrinks.  A free looks for a covering record without the lock first and
 * takes it only if there is one.  A freed block whose own record has just the
 * freed order needs no lock: nobody cuts an order-m record for a piece that
 * is not inside of it, and the pieces inside are being freed by us.
 *
 * split_lock is one of hooklock.c's; under it only the vectors' pool's is taken.
 * If an NMI, or a tracer of the lock, hits who holds it, and frees a piece of a
 * block that has one record, the piece stays in that: it is counted as lost, and
 * the callsite marked.
 */
#include <linux/log2.h>
#include <linux/mm.h>

#include "hooklock.h"
#include "hooks.h"
#include "objtable.h"
#include "pfntable.h"
#include "stats.h"
#include "tagtable.h"

static DEFINE_HOOK_LOCK(split_lock, HOOK_LOCK_SPLIT);

/* Orders there are records of: the buddy allocator's; more after alloc_contig_range(). */
static unsigned int orders = COMPAT_ORDERS;

static bool vec_starts_at(const struct allocprof_vec *vec, unsigned long pfn)
{
	return READ_ONCE(vec->base) == (unsigned long)__va(PFN_PHYS(pfn));
}

/*
 * The tag of the block that starts at @pfn.  Of a page that is not ours the
 * slab may go in between, and its vector serve another: then it has none.
 */
static struct allocprof_tag *page_tag(unsigned long pfn)
{
	u32 entry = READ_ONCE(allocprof_pages[pfn]);
	struct allocprof_vec *vec = page_vec(entry);
	u32 id = entry;

	if (entry == PFN_NO_TABLE)
		return NULL;
	if (vec) {
		id = vec_starts_at(vec, pfn) ? READ_ONCE(vec->page_tag) : ALLOCPROF_TAG_NONE;
		smp_rmb();	/* pairs with the pool's lock, between two lives of the vector */
		if (READ_ONCE(allocprof_pages[pfn]) != entry)
			return NULL;
	}
	return id ? tag_by_id(id) : NULL;
}

/* The tag of the same callsite for another order.  NULL: lost, counted. */
static struct allocprof_tag *tag_of_order(const struct allocprof_tag *tag, unsigned int order)
{
	u64 key = READ_ONCE(tag->key) & ~(tag_key_order(0xff) | TAG_KEY_ASIDE);
	struct allocprof_tag *other = tag_get(key | tag_key_order(order));

	/* Taken for a callsite once, as its caller was not known. */
	if (other && !READ_ONCE(other->calls))
		other = tag_get(key | tag_key_order(order) | TAG_KEY_TERMINAL);
	/* A callsite whose module is gone has its name only here. */
	if (other && (key & TAG_KEY_DEAD)) {
		WRITE_ONCE(other->name, tag->name);
		atomic_or(atomic_read(&tag->flags) & TAG_UNLOADED, &other->flags);
	}
	return other;
}

/* Forgets the record of one frame: a tag, a vector, or both. */
static void entry_forget(unsigned long pfn)
{
	u32 entry = READ_ONCE(allocprof_pages[pfn]);
	struct allocprof_vec *vec = page_vec(entry);
	struct allocprof_tag *tag = page_tag(pfn);

	if (!entry || entry == PFN_NO_TABLE)
		return;
	/* Of two that free it at once, one does; or its vector would be given back twice. */
	if (cmpxchg(&allocprof_pages[pfn], entry, 0) != entry)
		return;
	if (tag)
		tag_uncount(tag);
	/* Tail frames point to the vector too; the first frame gives it back. */
	if (vec && vec_starts_at(vec, pfn))
		objtable_drop_slab(vec, pfn);
}

/**
 * pfntable_heal() - a frame belongs to nobody, or is just handed out: if it has
 * a record, its free was not seen
 * @pfn: the frame
 *
 * Context: any but NMI.
 */
void pfntable_heal(unsigned long pfn)
{
	if (!pfn_has_entry(pfn) || !READ_ONCE(allocprof_pages[pfn]))
		return;
	allocprof_healed();
	entry_forget(pfn);
}

/* Not a number of frames, as there may be more of those at any time. */
#define NO_COVER	(~0UL)

/*
 * The frame whose record covers @pfn, or NO_COVER.  While others cut,
 * that frame only moves up, towards @pfn.  So does this search: it may meet
 * the record anywhere, but cannot miss it.
 */
static unsigned long find_cover(unsigned long pfn)
{
	unsigned int order;

	for (order = READ_ONCE(orders); order--;) {
		unsigned long head = pfn & ~((1UL << order) - 1);
		struct allocprof_tag *tag = page_tag(head);

		if (tag && tag_is_pages(tag) && pfn - head < 1UL << tag_order(tag))
			return head;
		smp_rmb();	/* pairs with cut_down() */
	}
	return NO_COVER;
}

/*
 * Gives a frame the record of a tag that has counted it already.  False: it
 * has no entry, and is lost.
 */
static bool entry_set_tag(unsigned long pfn, struct allocprof_tag *tag)
{
	struct allocprof_vec *vec;

	if (!pfn_has_entry(pfn)) {
		/* A huge page of CMA's reaches into memory that has no table. */
		allocprof_lost(LOST_BEYOND_PAGES);
		tag_mark_inaccurate(tag);
		tag_uncount(tag);
		return false;
	}
	vec = page_vec(READ_ONCE(allocprof_pages[pfn]));
	if (vec && vec_starts_at(vec, pfn))
		vec->page_tag = tag_id(tag);
	else
		WRITE_ONCE(allocprof_pages[pfn], tag_id(tag));
	return true;
}

/*
 * Cuts the record at @head in halves until one starts at @pfn with an order
 * of at most @order.  The number of records grows by one a step.
 * Called with split_lock held; @pfn lies in the block.
 */
static void cut_down(unsigned long head, unsigned long pfn, unsigned int order)
{
	struct allocprof_tag *tag = page_tag(head);

	/* Gone since it was found: the kernel frees the block and a part of it at once. */
	if (!tag || !tag_is_pages(tag) || pfn - head >= 1UL << tag_order(tag))
		return;
	while (tag_order(tag) > order || head != pfn) {
		unsigned int half = tag_order(tag) - 1;
		struct allocprof_tag *half_tag = tag_of_order(tag, half);
		unsigned long upper = head + (1UL << half);
		struct allocprof_tag *other;
		bool recorded;

		if (!half_tag) {
			/* No room for the tag: the whole record goes. */
			tag_mark_inaccurate(tag);
			entry_forget(head);
			return;
		}
		/* A piece whose free was lost in an NMI, and that somebody else has now. */
		other = page_tag(upper);
		if (unlikely(other && tag_is_pages(other))) {
			tag_mark_inaccurate(other);
			tag_uncount(other);
		}
		tag_add(half_tag, 2);
		recorded = entry_set_tag(upper, half_tag);
		smp_wmb();	/* pairs with find_cover() */
		entry_set_tag(head, half_tag);
		tag_uncount(tag);
		tag = half_tag;
		if (pfn < upper)
			continue;
		/* All of that half is lost: there is nothing left to cut. */
		if (!recorded)
			return;
		head = upper;
	}
}

/**
 * pfntable_forget() - whatever is recorded in a range goes
 * @pfn: first frame
 * @end: the frame behind the last
 *
 * Context: any but NMI.  Nobody else owns the range: it is being freed, or offline.
 */
void pfntable_forget(unsigned long pfn, unsigned long end)
{
	for (; pfn < end && pfn_in_table(pfn); pfn++)
		if (READ_ONCE(allocprof_pages[pfn]))
			entry_forget(pfn);
}

static void mark_inaccurate(unsigned long pfn)
{
	struct allocprof_tag *tag = pfn_in_table(pfn) ? page_tag(pfn) : NULL;

	if (tag)
		tag_mark_inaccurate(tag);
}

/*
 * A free that does not match the record at its first frame.  Any record that
 * covers the freed block from outside is cut down to it; then whatever lies
 * inside the block goes.
 */
static noinline void free_slow(unsigned long pfn, unsigned int order)
{
	struct allocprof_tag *tag = page_tag(pfn);
	unsigned long head, flags;

	/* As it was allocated: a slab's block, or of a callsite that is no usual one. */
	if (tag && tag_is_pages(tag) && tag_order(tag) == order) {
		entry_forget(pfn);
		return;
	}
	head = find_cover(pfn);
	if (head != NO_COVER) {
		if (!hook_lock(&split_lock, &flags)) {
			allocprof_lost(LOST_FREE_NESTED);
			mark_inaccurate(head);
			return;
		}
		head = find_cover(pfn);
		if (head != NO_COVER)
			cut_down(head, pfn, order);
		hook_unlock(&split_lock, flags);
	}
	pfntable_forget(pfn, pfn + (1UL << order));
}

static noinline struct page *alloc_slow(struct page *page, unsigned int order,
					unsigned long ret, unsigned long *frame)
{
	struct allocprof_tag *tag;
	unsigned long pfn = page_to_pfn(page);

	if (!page)
		return page;
	tag = tag_resolve(tag_key_order(order), ret, frame);
	if (!pfn_has_entry(pfn)) {
		allocprof_lost(LOST_BEYOND_PAGES);
		if (tag)
			tag_mark_inaccurate(tag);
		return page;
	}
	pfntable_heal(pfn);
	if (!tag)
		return page;
	tag_count(tag);
	WRITE_ONCE(allocprof_pages[pfn], tag_id(tag));
	return page;
}

/* The same where the callsite's tag is not in the first bucket: as in objtable.c. */
static noinline struct page *alloc_far(struct page *page, u64 key, unsigned long ret,
				       unsigned long *frame, u32 *entry)
{
	u64 __percpu *calls;
	u32 id;

	calls = tag_find(key, &ret, &frame, &id, true);
	if (unlikely(!calls))
		return alloc_slow(page, key >> 32 & 0xff, ret, frame);
	this_cpu_inc(*calls);
	WRITE_ONCE(*entry, id);
	return page;
}

/**
 * pfntable_alloc() - record a block
 * @page: its first page, or NULL (the allocation failed)
 * @order: its order
 * @ret: where the allocator returns to
 * @frame: where @ret lies on the stack
 *
 * Instructions, with the stub and the free: bench: direct 6.12 alloc_page +81.
 * What is unusual goes on in alloc_far() or starts over in alloc_slow(), as the
 * last thing done here, so that nothing need be saved on the stack.
 * Context: any.  The block is not yet visible to its owner.
 * Return: @page, so that a stub need not save it.
 */
__noendbr struct page *pfntable_alloc(struct page *page, unsigned int order, unsigned long ret,
				      unsigned long *frame)
{
	unsigned long pfn = page_to_pfn(page);
	u64 key = tag_key_order(order);
	u64 __percpu *calls;
	u32 *entry, id;

	OPTIMIZER_HIDE_VAR(key);	/* and @order has no register from here on */
	/* NULL is no page's pfn either. */
	if (unlikely(!pfn_in_table(pfn)))
		goto slow;
	entry = &allocprof_pages[pfn];
	OPTIMIZER_HIDE_VAR(entry);	/* looked up once */
	if (unlikely(*entry))
		goto slow;
	if ((u32)ret == allocprof_usual_pages.ret) {
		frame = (void *)frame + allocprof_usual_pages.step;
		ret = *frame;
	}
	calls = tag_find(key, &ret, &frame, &id, false);
	if (unlikely(!calls))
		return alloc_far(page, key, ret, frame, entry);
	this_cpu_inc(*calls);
	WRITE_ONCE(*entry, id);
	return page;
slow:
	return alloc_slow(page, key >> 32 & 0xff, ret, frame);
}

/**
 * pfntable_free_event() - forget a block, the handler of mm_page_free
 * @data: unused
 * @page: its first page
 * @order: the order it is freed with
 *
 * Context: any; preemptible from 7.0 on.  The block is not yet free.
 */
void pfntable_free_event(void *data, struct page *page, unsigned int order)
{
	unsigned long pfn = page_to_pfn(page);
	struct allocprof_tag *tag;
	u32 *entry, id;

	this_cpu_inc(allocprof_hook_counts[HOOK_PAGE_FREE].entered);
	if (unlikely(!pfn_in_table(pfn)))
		return;
	entry = &allocprof_pages[pfn];
	OPTIMIZER_HIDE_VAR(entry);	/* looked up once */
	id = READ_ONCE(*entry);
	/* Entry 0 has a key that no order has; what is no tag is out of range. */
	if (unlikely(id >= PFN_NO_TABLE))
		goto slow;
	tag = tag_by_id(id);
	if (unlikely(tag_key_high(tag) != tag_key_order(order) >> 32))
		goto slow;
	WRITE_ONCE(*entry, 0);
	tag_uncount(tag);
	return;
slow:
	free_slow(pfn, order);
}

/* A piece of a block that was split unseen gets a record of its own.  split_lock held. */
static void tell_apart(unsigned long pfn, unsigned int order)
{
	struct allocprof_tag *tag = page_tag(pfn);
	unsigned long head = tag && tag_is_pages(tag) ? pfn : find_cover(pfn);

	if (head != NO_COVER)
		cut_down(head, pfn, order);
}

/**
 * pfntable_split() - the blocks in a range are smaller ones from now on
 * @pfn: first frame
 * @npages: frames
 * @order: of the smaller blocks
 *
 * The caller of split_page() and the like owns the range.  Of a block with a
 * record that reaches beyond the range, the part in it is told apart first.
 * Context: any.
 */
void pfntable_split(unsigned long pfn, unsigned long npages, unsigned int order)
{
	struct allocprof_tag *tag, *piece;
	unsigned long end = pfn + npages;
	unsigned long flags, i;

	/* The pieces are told apart when they are freed, then. */
	if (!hook_lock(&split_lock, &flags)) {
		if (pfn_in_table(pfn))
			mark_inaccurate(find_cover(pfn));
		return;
	}
	if (npages > 1 && pfn_in_table(pfn))
		tell_apart(pfn, ilog2(npages));
	for (; pfn < end && pfn_in_table(pfn); pfn += 1UL << order) {
		tag = page_tag(pfn);
		if (!tag || !tag_is_pages(tag) || tag_order(tag) <= order)
			continue;
		piece = tag_of_order(tag, order);
		if (!piece) {
			tag_mark_inaccurate(tag);
			entry_forget(pfn);
			continue;
		}
		tag_add(piece, 1L << (tag_order(tag) - order));
		for (i = (1UL << (tag_order(tag) - order)) - 1; i > 0; i--)
			entry_set_tag(pfn + (i << order), piece);
		entry_set_tag(pfn, piece);
		tag_uncount(tag);
	}
	hook_unlock(&split_lock, flags);
}

/* Into, or out of, memory without a table: what is recorded on the other side is nobody's. */
static void swap_lost(unsigned long a, unsigned long b)
{
	allocprof_lost(LOST_BEYOND_PAGES);
	mark_inaccurate(a);
	mark_inaccurate(b);
}

/**
 * pfntable_swap() - two blocks have changed roles: a folio has moved
 * @a: first frame of one
 * @b: first frame of the other
 * @order: of both
 *
 * What the old folio was allocated by owns the new one; what the new one was
 * allocated by goes when the old one is freed.  A folio put together from
 * single pages has a record for each.
 * Context: any.  The caller owns both blocks.
 */
void pfntable_swap(unsigned long a, unsigned long b, unsigned int order)
{
	unsigned long flags, end = a + (1UL << order);
	u32 entry_a, entry_b;

	if (!pfn_has_entry(a) || !pfn_has_entry(b) ||
	    !pfn_in_table(max(a, b) + (1UL << order) - 1) || !hook_lock(&split_lock, &flags)) {
		swap_lost(a, b);
		return;
	}
	tell_apart(a, order);
	tell_apart(b, order);
	hook_unlock(&split_lock, flags);
	/* No record reaches into either block now: what is inside is the caller's alone. */
	for (; a < end; a++, b++) {
		entry_a = READ_ONCE(allocprof_pages[a]);
		entry_b = READ_ONCE(allocprof_pages[b]);
		/* A huge page of many records, the end of which has no table. */
		if (entry_a && entry_b && entry_a != entry_b &&
		    (entry_a == PFN_NO_TABLE || entry_b == PFN_NO_TABLE))
			swap_lost(a, b);
		/* A slab cannot move: what has a vector is not what we were told. */
		if (entry_a >= PFN_NO_TABLE || entry_b >= PFN_NO_TABLE)
			continue;
		WRITE_ONCE(allocprof_pages[a], entry_b);
		WRITE_ONCE(allocprof_pages[b], entry_a);
	}
}

/**
 * pfntable_alloc_range() - record a range that was not handed out as blocks
 * @pfn: first frame
 * @npages: frames
 * @ret: where the allocator returns to
 * @frame: where @ret lies on the stack
 *
 * alloc_contig_range() takes free blocks out of the middle of the buddy
 * allocator: single pages, or one compound page.
 * Context: process; the range is not yet visible to its owner.
 */
void pfntable_alloc_range(unsigned long pfn, unsigned long npages, unsigned long ret,
			  unsigned long *frame)
{
	unsigned int order = 0;
	unsigned long i;

	if (pfn_in_table(pfn + npages - 1) && PageHead(pfn_to_page(pfn)))
		order = compound_order(pfn_to_page(pfn));
	if (order >= orders)
		WRITE_ONCE(orders, order + 1);
	for (i = 0; i < npages; i += 1UL << order)
		pfntable_alloc(pfn_to_page(pfn + i), order, ret, frame);
}

/**
 * pfntable_mark_uncounted() - a page that must not be taken for a new one
 * @page: a page from before we were attached, or NULL
 *
 * A bulk call is handed arrays that are partly filled; what is in them
 * without a record gets one that counts for nobody.
 * Context: any.  The caller owns the page.
 */
void pfntable_mark_uncounted(struct page *page)
{
	unsigned long pfn = page_to_pfn(page);

	if (pfn_in_table(pfn) && !allocprof_pages[pfn] && find_cover(pfn) == NO_COVER) {
		tag_count(tag_by_id(ALLOCPROF_TAG_UNCOUNTED));
		WRITE_ONCE(allocprof_pages[pfn], ALLOCPROF_TAG_UNCOUNTED);
	}
}

/**
 * pfntable_recorded() - is there a record at or around this page?
 * @page: the page
 *
 * Context: any.  The caller owns the page.
 */
bool pfntable_recorded(const struct page *page)
{
	unsigned long pfn = page_to_pfn(page);

	if (!pfn_has_entry(pfn))
		return false;
	return allocprof_pages[pfn] || find_cover(pfn) != NO_COVER;
}

/**
 * pfntable_owner() - the tag recorded at a page, for the self-test
 * @page: first page of a block
 *
 * Context: any.
 * Return: the tag or NULL.
 */
struct allocprof_tag *pfntable_owner(const struct page *page)
{
	unsigned long pfn = page_to_pfn(page);

	return pfn_in_table(pfn) ? page_tag(pfn) : NULL;
}
