/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Forced into every file, as compat/compat.h is in the kernel.
 *
 * One function of the module cannot run in user space: page_vec() tells the
 * address of a vector from a tag's number by its sign, and user space has no
 * negative addresses.  Here it is told by its size.  The headers' guards make
 * the module's own #include find it done.
 *
 * Hooks read where the page table is, and how far it goes, with plain loads
 * while pfnmem.c may change both.  Here each such load is a point where it
 * does.  The names are replaced by calls already in pfntable.h, whose
 * declarations then declare these functions once more; pfnmem.c, which writes
 * to them, takes the names back.
 */
#ifndef _UNIT_FORCED_H
#define _UNIT_FORCED_H

#define HAVE_KFENCE 1

#include <linux/compiler.h>
#include <linux/types.h>
#include "compat/mmzone.h"

extern u64 *allocprof_pages;
extern unsigned long allocprof_pfns;

static inline u64 *sim_table(void)
{
	u64 *pages = READ_ONCE(allocprof_pages);

	sim_follow(pages);
	return pages;
}

static inline unsigned long sim_table_pfns(void)
{
	return READ_ONCE(allocprof_pfns);
}

#define allocprof_pages	(sim_table())
#define allocprof_pfns	(sim_table_pfns())

#define page_vec	kernel_page_vec
#include "pfntable.h"
#undef page_vec

static __always_inline struct allocprof_vec *page_vec(u64 entry)
{
	struct allocprof_vec *vec = (struct allocprof_vec *)(unsigned long)entry;

	if (entry <= PFN_NO_TABLE)
		return NULL;
	sim_follow(vec);
	return vec;
}

void compat_synchronize_tasks(void);

#endif /* _UNIT_FORCED_H */
