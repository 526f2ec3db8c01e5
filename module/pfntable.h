/* SPDX-License-Identifier: GPL-2.0 */
/* Page frame -> tag and object vector.  See pfntable.c. */
#ifndef _ALLOCPROF_PFNTABLE_H
#define _ALLOCPROF_PFNTABLE_H

#include <linux/mm.h>
#include <linux/types.h>
#include "compat/directmap.h"
#include "compat/ibt.h"

#include "tagtable.h"
#include "vecpool.h"

/*
 * Four bytes a page frame: the tag of the block that starts here; or, in each
 * page of a slab with recorded objects, the number of its vector, which is
 * negative, and that tells the two apart.  The tag of such a slab's own block
 * is kept in the vector.  Memory comes and goes: pfnmem.c.
 */

extern u32 *allocprof_pages;
extern unsigned long allocprof_pfns;

/* What stands, read-only by agreement, where frames have no memory of the table. */
#define PFN_NO_TABLE	((u32)ALLOCPROF_TAG_END)

/*
 * The frame of a direct-map address; allocprof_pfns or more for anything
 * else, NULL and ZERO_SIZE_PTR included, so one comparison refuses them all.
 */
static __always_inline unsigned long direct_map_pfn(const void *addr)
{
	return ((unsigned long)addr - COMPAT_DIRECT_MAP_ZERO) >> PAGE_SHIFT;
}

/*
 * Has the frame a place in the table?  Of memory that has come while there was
 * no room for its entries there may be none now and one in a moment: the end is
 * read before the address, so that the address is never that of a table which
 * ends before.
 */
static __always_inline bool pfn_in_table(unsigned long pfn)
{
	if (unlikely(pfn >= allocprof_pfns))
		return false;
	smp_rmb();	/* pairs with cover() */
	return true;
}

/* For the slow paths: is there an entry that may be written? */
static inline bool pfn_has_entry(unsigned long pfn)
{
	return pfn_in_table(pfn) && READ_ONCE(allocprof_pages[pfn]) != PFN_NO_TABLE;
}

static __always_inline bool entry_is_vec(u32 entry)
{
	return (s32)entry < 0;
}

static __always_inline struct allocprof_vec *page_vec(u32 entry)
{
	return entry_is_vec(entry) ? vec_by_number(entry) : NULL;
}

__noendbr struct page *pfntable_alloc(struct page *page, unsigned int order, unsigned long ret,
		     unsigned long *frame);
void pfntable_free_event(void *data, struct page *page, unsigned int order);
void pfntable_split(unsigned long pfn, unsigned long npages, unsigned int order);
void pfntable_swap(unsigned long a, unsigned long b, unsigned int order);
void pfntable_alloc_range(unsigned long pfn, unsigned long npages, unsigned long ret,
			  unsigned long *frame);
void pfntable_heal(unsigned long pfn);
void pfntable_forget(unsigned long pfn, unsigned long end);
void pfntable_mark_uncounted(struct page *page);
bool pfntable_recorded(const struct page *page);
struct allocprof_tag *pfntable_owner(const struct page *page);

#endif /* _ALLOCPROF_PFNTABLE_H */
