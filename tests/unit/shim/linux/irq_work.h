/* SPDX-License-Identifier: GPL-2.0 */
/* Runs when a test lets it: sim_run_deferred(). */
#ifndef _UNIT_LINUX_IRQ_WORK_H
#define _UNIT_LINUX_IRQ_WORK_H

#include <linux/types.h>

struct irq_work {
	void (*func)(struct irq_work *work);
	int pending;
};

static inline void init_irq_work(struct irq_work *work, void (*func)(struct irq_work *work))
{
	work->func = func;
	work->pending = 0;
}

bool irq_work_queue(struct irq_work *work);
void irq_work_sync(struct irq_work *work);

#endif /* _UNIT_LINUX_IRQ_WORK_H */
