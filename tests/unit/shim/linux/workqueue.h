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

/* Its delay is for how long a test does not let it run. */
struct delayed_work {
	struct work_struct work;
};

#define DECLARE_DELAYED_WORK(name, fn)	struct delayed_work name = { .work = { .func = fn } }
#define HZ				250

bool schedule_work(struct work_struct *work);
bool cancel_work_sync(struct work_struct *work);
bool flush_work(struct work_struct *work);

static inline bool schedule_delayed_work(struct delayed_work *work, unsigned long delay)
{
	return schedule_work(&work->work);
}

static inline bool cancel_delayed_work_sync(struct delayed_work *work)
{
	return cancel_work_sync(&work->work);
}

#endif /* _UNIT_LINUX_WORKQUEUE_H */
