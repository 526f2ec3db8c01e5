/* SPDX-License-Identifier: GPL-2.0 */
/* Nothing but what is to be measured. */
#ifndef _AP_QUIET_H
#define _AP_QUIET_H

#include <linux/irqflags.h>
#include <linux/preempt.h>

/*
 * The code under test may switch interrupts on by itself (6.1's
 * kmem_cache_alloc_bulk() does).  The task priority register holds back every
 * maskable interrupt even then.
 */
static inline unsigned long quiet_begin(unsigned long *flags)
{
	unsigned long tpr;

	preempt_disable();
	local_irq_save(*flags);
	asm volatile("mov %%cr8, %0" : "=r" (tpr));
	asm volatile("mov %0, %%cr8" : : "r" (15UL) : "memory");
	return tpr;
}

static inline void quiet_end(unsigned long tpr, unsigned long flags)
{
	asm volatile("mov %0, %%cr8" : : "r" (tpr) : "memory");
	local_irq_restore(flags);
	preempt_enable();
}

#endif /* _AP_QUIET_H */
