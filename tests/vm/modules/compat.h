/* SPDX-License-Identifier: GPL-2.0 */
/* The newest names of what the test modules use. */
#ifndef AP_COMPAT_H
#define AP_COMPAT_H

#include "have.h"

#ifndef HAVE_TIMER_DELETE_SYNC
#define timer_delete_sync del_timer_sync
#endif

#ifndef HAVE_HRTIMER_SETUP
#define hrtimer_setup(timer, fn, clock, mode)				\
do {									\
	hrtimer_init(timer, clock, mode);				\
	(timer)->function = fn;						\
} while (0)
#endif

#ifndef HAVE_KFREE_RCU_MIGHTSLEEP
#define kfree_rcu_mightsleep(p) kvfree_rcu(p)
#define kvfree_rcu_mightsleep(p) kvfree_rcu(p)
#endif

#ifndef HAVE_FTRACE_REGS
#define ftrace_regs pt_regs
#endif

#if defined(HAVE_ALLOC_PAGES_BULK_ARRAY) && !defined(HAVE_ALLOC_PAGES_BULK)
#define HAVE_ALLOC_PAGES_BULK 1
#define alloc_pages_bulk alloc_pages_bulk_array
#endif

#endif
