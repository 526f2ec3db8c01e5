/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_SCHED_H
#define _UNIT_LINUX_SCHED_H

#define cond_resched()		do { } while (0)

#endif /* _UNIT_LINUX_SCHED_H */
