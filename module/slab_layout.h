/* SPDX-License-Identifier: GPL-2.0 */
/* The slot size of a slab, which no public API tells.  See slab_layout.c. */
#ifndef _ALLOCPROF_SLAB_LAYOUT_H
#define _ALLOCPROF_SLAB_LAYOUT_H

#include <linux/mm.h>
#include <linux/types.h>

extern unsigned int allocprof_slab_cache_offset;
extern unsigned int allocprof_cache_size_offset;

int slab_layout_find(void);

/* Bytes from one object of this slab to the next.  @slab: its head page. */
static inline u32 slab_slot_size(const struct page *slab)
{
	const char *cache = *(char **)((char *)slab + allocprof_slab_cache_offset);

	return cache ? *(const u32 *)(cache + allocprof_cache_size_offset) : 0;
}

#endif /* _ALLOCPROF_SLAB_LAYOUT_H */
