/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_PREEMPT_H
#define _UNIT_LINUX_PREEMPT_H

#define preempt_disable_notrace()	do { } while (0)
#define preempt_enable_notrace()	do { } while (0)

#endif /* _UNIT_LINUX_PREEMPT_H */
