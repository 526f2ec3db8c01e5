/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_SPINLOCK_H
#define _UNIT_LINUX_SPINLOCK_H

#include <linux/compiler.h>

/* Who holds it; NULL: nobody. */
typedef struct {
	void *owner;
} raw_spinlock_t;

#define __RAW_SPIN_LOCK_UNLOCKED(name)	{ NULL }

bool sim_lock(raw_spinlock_t *lock, bool wait);
void sim_unlock(raw_spinlock_t *lock);
void sim_irqs_off(void);
void sim_irqs_on(void);

#define local_irq_save(flags)						\
do {									\
	(flags) = 0;							\
	sim_irqs_off();							\
} while (0)
#define local_irq_restore(flags)					\
do {									\
	(void)(flags);							\
	sim_irqs_on();							\
} while (0)
#define raw_spin_lock(lock)	((void)sim_lock(lock, true))
#define raw_spin_trylock(lock)	sim_lock(lock, false)
#define raw_spin_unlock(lock)	sim_unlock(lock)
/* For sparse alone. */
#define __acquire(lock)	do { } while (0)
#define __release(lock)	do { } while (0)

#endif /* _UNIT_LINUX_SPINLOCK_H */
