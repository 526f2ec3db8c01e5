// SPDX-License-Identifier: GPL-2.0
/*
 * Locks that can be taken in any context, because they need not be had.
 *
 * A hook runs wherever something is allocated or freed: in an NMI, and in the
 * program of a tracer.  That may be attached to the very functions that take
 * and release a lock here, and so run where this CPU holds it, with no NMI to
 * tell (7.x serves allocations there).  Waiting would be for ever.
 *
 * So each CPU keeps which of these locks it holds, or is about to take, or has
 * not quite released.  Who finds his own among them does not get it.  Who finds
 * another than he could have taken himself, or is an NMI, has interrupted a
 * holder: he only tries, as the one who has what he wants may be waiting for
 * what is held here.  What is lost by that is counted by the caller.
 *
 * Raw locks, interrupts off: what a CPU keeps is changed by nested contexts
 * alone, which put it back.
 */
#include <linux/hardirq.h>
#include <linux/percpu.h>

#include "hooklock.h"

static DEFINE_PER_CPU(unsigned int, held_here);

static bool take(struct hook_lock *l, bool wait)
{
	if (wait)
		raw_spin_lock(&l->lock);
	else if (!raw_spin_trylock(&l->lock))
		return false;
	__release(&l->lock); /* sparse has no word for what a caller may or may not hold */
	return true;
}

/**
 * hook_lock() - take a lock, or say that it cannot be had here
 * @l: the lock
 * @flags: out: for hook_unlock()
 *
 * Context: any, NMI and tracers of the lock itself included.  From where no
 * hook can have been interrupted it is always had.
 * Return: false if it was not taken: it is, or may be, held by what this has
 * interrupted.
 */
bool hook_lock(struct hook_lock *l, unsigned long *flags)
{
	unsigned int held;

	local_irq_save(*flags);
	held = this_cpu_read(held_here);
	if (!(held & l->bit)) {
		this_cpu_write(held_here, held | l->bit);
		if (take(l, !in_nmi() && (!held || l->bit == HOOK_LOCK_POOL)))
			return true;
		this_cpu_write(held_here, held);
	}
	local_irq_restore(*flags);
	return false;
}

/**
 * hook_unlock() - release a lock
 * @l: the lock, as hook_lock() took it
 * @flags: what it gave
 *
 * Context: as hook_lock().
 */
void hook_unlock(struct hook_lock *l, unsigned long flags)
{
	__acquire(&l->lock); /* as take() told sparse */
	raw_spin_unlock(&l->lock);
	this_cpu_write(held_here, this_cpu_read(held_here) & ~l->bit);
	local_irq_restore(flags);
}
