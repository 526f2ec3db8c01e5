/* SPDX-License-Identifier: GPL-2.0 */
/* What the test modules share: how a callsite is kept one, and how a thread ends. */
#ifndef AP_COMMON_H
#define AP_COMMON_H

#include <linux/compiler.h>
#include <linux/kthread.h>
#include <linux/sched.h>

/*
 * An allocating function must stay one function with one name: noipa forbids
 * inlining, cloning and folding of equal bodies.
 */
#define AP_FN	__attribute__((noipa))

/*
 * Use the pointer after the call, so that the call cannot become a tail jump
 * and the allocation cannot be optimised away.
 */
#define ap_keep(p)						\
({								\
	__typeof__(p) __p = (p);				\
	OPTIMIZER_HIDE_VAR(__p);				\
	barrier();						\
	__p;							\
})

/* The end of a thread: nobody may be in here when the module goes. */
static inline int ap_stay_until_stopped(void)
{
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

#endif
