// SPDX-License-Identifier: GPL-2.0
/*
 * Memory for the hooks, allocated outside of them.
 *
 * A hook that sees a reserve run low kicks an irq_work.  That runs as soon as
 * interrupts are on, so a burst of allocations on one CPU, which a kernel
 * thread could not interrupt, is served in its middle; it may only take what
 * is free right away.  What needs sleep (per-CPU counters, memory that must
 * be reclaimed) is left to a work item.  Another gives memory back.  Where there
 * was none to be had, it is tried again in a second: whoever asks next may be in
 * the middle of a burst, and lose all of it.
 *
 * On PREEMPT_RT an irq_work that is not marked hard runs in a thread, which
 * is where the page allocator may be called there.
 *
 * An irq_work that is queued on a CPU which is going away may never run: it has
 * a last look at its queue, and whoever queues one in there finds nobody to look
 * again; until it is back nothing else is served there either.  On PREEMPT_RT the
 * thread that serves it is put to sleep long before.  So it is queued only where
 * that cannot happen: who clears a CPU's bit in the mask of the active ones then
 * waits for all that run with preemption off, and a queue is emptied after that.
 * Wherever a reserve is low the next one elsewhere asks again.
 *
 * Lifetime: refill_stop() comes after all hooks are gone, so nobody kicks any
 * more; it waits for both.
 */
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "callsite_name.h"
#include "refill.h"
#include "tagtable.h"
#include "vecpool.h"

static void retry_work_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(retry_work, retry_work_fn);
static bool stopping;

#define RETRY_DELAY	HZ

static void refill_work_fn(struct work_struct *work)
{
	while (tagtable_needs_refill()) {
		size_t before = tagtable_counter_bytes();

		tagtable_refill();
		if (tagtable_counter_bytes() == before)
			break;
	}
	vecpool_refill(GFP_KERNEL | __GFP_NOWARN | __GFP_NORETRY, UINT_MAX);
	callsite_report_losses();
	if ((tagtable_needs_refill() || vecpool_is_low()) && !READ_ONCE(stopping))
		schedule_delayed_work(&retry_work, RETRY_DELAY);
}

static DECLARE_WORK(refill_work, refill_work_fn);

static void retry_work_fn(struct work_struct *work)
{
	schedule_work(&refill_work);
}

/* It waits for long, which the other may not. */
static void trim_work_fn(struct work_struct *work)
{
	vecpool_trim();
}

static DECLARE_DELAYED_WORK(trim_work, trim_work_fn);

/* More may be given back, or be wanted again, in a moment. */
#define TRIM_DELAY	HZ

/* Each has 32 KiB to be cleared, with interrupts off: some 50 us in all. */
#define IRQ_CHUNKS	16

static void refill_irq_fn(struct irq_work *work)
{
	vecpool_refill(GFP_NOWAIT | __GFP_NOWARN, IRQ_CHUNKS);
	schedule_work(&refill_work);
	if (vecpool_wants_trim())
		schedule_delayed_work(&trim_work, TRIM_DELAY);
}

static struct irq_work refill_irq_work;

/**
 * refill_kick() - a reserve is low, or there is something to report
 *
 * Context: any, NMI included.  Cheap when already pending.
 * Return: false if this CPU is going away: nothing will come of it.
 */
bool refill_kick(void)
{
	bool active;

	preempt_disable_notrace();
	active = cpu_active(raw_smp_processor_id());
	if (likely(active))
		irq_work_queue(&refill_irq_work);
	preempt_enable_notrace();
	return active;
}

/**
 * refill_start() - make refill_kick() usable
 *
 * Context: module load.
 */
void refill_start(void)
{
	init_irq_work(&refill_irq_work, refill_irq_fn);
}

/**
 * refill_stop() - wait until nothing of this runs
 *
 * Context: after the hooks are gone; sleeps.
 */
void refill_stop(void)
{
	WRITE_ONCE(stopping, true);
	irq_work_sync(&refill_irq_work);
	cancel_work_sync(&refill_work);
	/* Nobody asks for that one any more; it may have asked for the other. */
	cancel_delayed_work_sync(&retry_work);
	cancel_work_sync(&refill_work);
	cancel_delayed_work_sync(&trim_work);
	WRITE_ONCE(stopping, false);
}
