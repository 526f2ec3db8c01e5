/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_SPINLOCK_H
#define _UNIT_LINUX_SPINLOCK_H

#include <linux/compiler.h>

/* Who holds it; NULL: nobody. */
typedef struct {
	void *owner;
} raw_spinlock_t;

#define DEFINE_RAW_SPINLOCK(name)	raw_spinlock_t name

bool sim_lock(raw_spinlock_t *lock, bool wait);
void sim_unlock(raw_spinlock_t *lock);

#define raw_spin_lock_irqsave(lock, flags)				\
do {									\
	(flags) = 0;							\
	sim_lock(lock, true);						\
} while (0)
#define raw_spin_trylock_irqsave(lock, flags)				\
({									\
	(flags) = 0;							\
	sim_lock(lock, false);						\
})
#define raw_spin_unlock_irqrestore(lock, flags)				\
do {									\
	(void)(flags);							\
	sim_unlock(lock);						\
} while (0)

#endif /* _UNIT_LINUX_SPINLOCK_H */
