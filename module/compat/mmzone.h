/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The page allocator's lists of a CPU, which stood in a structure of their own
 * until 5.13.
 *
 * How many orders the buddy allocator has.  MAX_ORDER was one above the
 * largest until 6.4 and the largest after; one too many costs one look-up.
 */
#ifndef _ALLOCPROF_COMPAT_MMZONE_H
#define _ALLOCPROF_COMPAT_MMZONE_H

#include <linux/mmzone.h>

#ifdef MAX_PAGE_ORDER
#define COMPAT_ORDERS	(MAX_PAGE_ORDER + 1)
#else
#define COMPAT_ORDERS	(MAX_ORDER + 1)
#endif

#ifdef HAVE_ZONE_PER_CPU_PAGESET
#define compat_pcp(zone, cpu)	per_cpu_ptr((zone)->per_cpu_pageset, cpu)
#else
#define compat_pcp(zone, cpu)	(&per_cpu_ptr((zone)->pageset, cpu)->pcp)
#endif

#endif /* _ALLOCPROF_COMPAT_MMZONE_H */
