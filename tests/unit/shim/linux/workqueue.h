/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_WORKQUEUE_H
#define _UNIT_LINUX_WORKQUEUE_H

#include <linux/types.h>

struct work_struct {
	void (*func)(struct work_struct *work);
	int pending;
};

#define DECLARE_WORK(name, fn)	struct work_struct name = { .func = fn }

bool schedule_work(struct work_struct *work);
bool cancel_work_sync(struct work_struct *work);

#endif /* _UNIT_LINUX_WORKQUEUE_H */
