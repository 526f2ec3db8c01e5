/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_OOM_H
#define _UNIT_LINUX_OOM_H

#include <linux/notifier.h>

static inline int register_oom_notifier(struct notifier_block *nb)
{
	return 0;
}

static inline int unregister_oom_notifier(struct notifier_block *nb)
{
	return 0;
}

#endif /* _UNIT_LINUX_OOM_H */
