/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What could not be recorded, by cause.  Nothing is lost without a counter
 * here; /proc/allocprof/stats prints them all.
 */
#ifndef _ALLOCPROF_STATS_H
#define _ALLOCPROF_STATS_H

#include <linux/percpu.h>

#include "control.h"

enum allocprof_loss {
	LOST_TAG_TABLE_FULL,	/* allocations: no room for another callsite */
	LOST_NO_COUNTER,	/* allocations: per-CPU counters not refilled yet */
	LOST_NO_VECTOR,		/* objects: no memory for their slab's vector */
	LOST_VECTOR_TOO_BIG,	/* objects: slab has more slots than a vector */
	LOST_NOT_SLAB,		/* objects whose page no slab cache owns */
	LOST_BEYOND_PAGES,	/* pages without a table (hot-added, no memory then) */
	LOST_FREE_NESTED,	/* frees in the midst of what they would have had to change */
	HEALED_FREES,		/* records found alive on memory handed out again */
	ENDED_IN_WRAPPER,	/* allocations whose callers are all transparent */
	ALLOCPROF_LOSSES,
};

DECLARE_PER_CPU(u64 [ALLOCPROF_LOSSES], allocprof_losses);

/* Any context. */
static inline void allocprof_lost(enum allocprof_loss cause)
{
	this_cpu_inc(allocprof_losses[cause]);
}

/*
 * A record was alive on memory that is handed out again.  While hooks go, one
 * after the other, that is no wonder.  Any context.
 */
static inline void allocprof_healed(void)
{
	if (control_state() == STATE_ON)
		allocprof_lost(HEALED_FREES);
}

#endif /* _ALLOCPROF_STATS_H */
