/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_NOTIFIER_H
#define _UNIT_LINUX_NOTIFIER_H

#define NOTIFY_DONE	0x0000
#define NOTIFY_OK	0x0001

struct notifier_block {
	int (*notifier_call)(struct notifier_block *nb, unsigned long action, void *data);
};

#endif /* _UNIT_LINUX_NOTIFIER_H */
