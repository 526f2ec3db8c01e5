/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Forced into every file, as compat/compat.h is in the kernel.
 *
 * Hooks read where the page table is, and how far it goes, with plain loads
 * while pfnmem.c may change both.  Here each such load is a point where it
 * does.  The names are replaced by calls already in pfntable.h, whose
 * declarations then declare these functions once more; pfnmem.c, which writes
 * to them, takes the names back.  So it is with where the tags are, and
 * tagtable.c.
 */
#ifndef _UNIT_FORCED_H
#define _UNIT_FORCED_H

#define HAVE_KFENCE 1

#include <linux/compiler.h>
#include <linux/types.h>
#include "compat/mmzone.h"

struct allocprof_tag;
extern u32 *allocprof_pages;
extern unsigned long allocprof_pfns;
extern struct allocprof_tag *allocprof_tags;

static inline u32 *sim_table(void)
{
	u32 *pages = READ_ONCE(allocprof_pages);

	sim_follow(pages);
	return pages;
}

static inline unsigned long sim_table_pfns(void)
{
	return READ_ONCE(allocprof_pfns);
}

static inline struct allocprof_tag *sim_tags(void)
{
	struct allocprof_tag *tags = READ_ONCE(allocprof_tags);

	sim_follow(tags);
	return tags;
}

#define allocprof_pages	(sim_table())
#define allocprof_pfns	(sim_table_pfns())
#define allocprof_tags	(sim_tags())

#define vec_by_number	kernel_vec_by_number
#include "vecpool.h"
#undef vec_by_number

/* Whoever follows a number to its vector sees what was written there before. */
static __always_inline struct allocprof_vec *vec_by_number(unsigned long number)
{
	sim_follow((void *)number);
	return kernel_vec_by_number(number);
}

#include "pfntable.h"

void compat_synchronize_tasks(void);

#endif /* _UNIT_FORCED_H */
