/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_RCUPDATE_H
#define _UNIT_LINUX_RCUPDATE_H

#define rcu_read_lock()		do { } while (0)
#define rcu_read_unlock()	do { } while (0)

/* Waits for the hooks that run: sim_hook_begin(). */
void synchronize_rcu(void);

#endif /* _UNIT_LINUX_RCUPDATE_H */
