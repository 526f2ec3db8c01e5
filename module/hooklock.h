/* SPDX-License-Identifier: GPL-2.0 */
/* The locks that hooks take.  See hooklock.c. */
#ifndef _ALLOCPROF_HOOKLOCK_H
#define _ALLOCPROF_HOOKLOCK_H

#include <linux/spinlock.h>
#include <linux/types.h>

/* Of these, the pool's may be taken inside of the others. */
enum hook_lock_bit {
	HOOK_LOCK_POOL		= 1,
	HOOK_LOCK_SPLIT		= 2,
	HOOK_LOCK_PERCPU	= 4,
};

struct hook_lock {
	raw_spinlock_t lock;
	enum hook_lock_bit bit;
};

#define DEFINE_HOOK_LOCK(name, _bit)	\
	struct hook_lock name = { .lock = __RAW_SPIN_LOCK_UNLOCKED(name.lock), .bit = _bit }

bool hook_lock(struct hook_lock *l, unsigned long *flags);
void hook_unlock(struct hook_lock *l, unsigned long flags);

#endif /* _ALLOCPROF_HOOKLOCK_H */
