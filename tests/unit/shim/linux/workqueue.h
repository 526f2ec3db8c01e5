/* SPDX-License-Identifier: GPL-2.0 */
/* Runs when a test lets it, sim_run_deferred(), or who waits for it. */
#ifndef _UNIT_LINUX_WORKQUEUE_H
#define _UNIT_LINUX_WORKQUEUE_H

#include <linux/types.h>

struct work_struct {
	void (*func)(struct work_struct *work);
	int pending, running;
};

#define DECLARE_WORK(name, fn)	struct work_struct name = { .func = fn }

bool schedule_work(struct work_struct *work);
bool cancel_work_sync(struct work_struct *work);
bool flush_work(struct work_struct *work);

#endif /* _UNIT_LINUX_WORKQUEUE_H */
