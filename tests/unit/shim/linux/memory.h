/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_MEMORY_H
#define _UNIT_LINUX_MEMORY_H

#include <linux/notifier.h>

#define MEM_ONLINE		(1 << 0)
#define MEM_GOING_OFFLINE	(1 << 1)
#define MEM_OFFLINE		(1 << 2)
#define MEM_GOING_ONLINE	(1 << 3)
#define MEM_CANCEL_ONLINE	(1 << 4)
#define MEM_CANCEL_OFFLINE	(1 << 5)

struct memory_notify {
	unsigned long start_pfn;
	unsigned long nr_pages;
};

int register_memory_notifier(struct notifier_block *nb);
void unregister_memory_notifier(struct notifier_block *nb);

#endif /* _UNIT_LINUX_MEMORY_H */
