/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Forced into every file, as compat/compat.h is in the kernel.
 *
 * One function of the module cannot run in user space: page_vec() tells the
 * address of a vector from a tag's number by its sign, and user space has no
 * negative addresses.  Here it is told by its size.  The headers' guards make
 * the module's own #include find it done.
 */
#ifndef _UNIT_FORCED_H
#define _UNIT_FORCED_H

#include <linux/compiler.h>
#include "compat/mmzone.h"

#define page_vec	kernel_page_vec
#include "pfntable.h"
#undef page_vec

static __always_inline struct allocprof_vec *page_vec(u64 entry)
{
	struct allocprof_vec *vec = (struct allocprof_vec *)(unsigned long)entry;

	if (entry < ALLOCPROF_TAGS)
		return NULL;
	sim_follow(vec);
	return vec;
}

#endif /* _UNIT_FORCED_H */
