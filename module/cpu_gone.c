// SPDX-License-Identifier: GPL-2.0
/*
 * What was freed unseen on a CPU that went away.
 *
 * Tracepoints are silent on a CPU that is no longer online; yet on its way down
 * it runs what was queued there, irq_works that free memory among it.  The
 * records of such pages would stay, and be taken for those of what lies there
 * next.  So as soon as a CPU is gone, the records go of whatever is in its own
 * lists of free pages, from where nobody has taken them yet, and of whatever the
 * buddy allocator has.
 *
 * Notes on locking and lifetime
 *
 * A record is made when an allocation is done and forgotten before a free
 * begins.  So what is in there under the lock without which nothing leaves, and
 * has a record, is what was freed unseen.  That lock is the zone's; a CPU's own
 * lists nobody touches when it is gone, until the kernel, later on the same way
 * down, empties them.  (What is looked at without the zone's lock is looked at
 * again.)  What has left before we look, and lies in the middle of a larger
 * block now, stays on the account.
 *
 * Struct pages may go with the memory: not while a CPU does, and with a record
 * there is one for as long as pfnmem_scan() holds its lock.
 */
#include <linux/cpuhotplug.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/spinlock.h>

#include "cpu_gone.h"
#include "pfnmem.h"
#include "pfntable.h"

static bool in_buddy(struct page *page)
{
	unsigned long pfn = page_to_pfn(page);
	unsigned int order;

	for (order = 0; order < COMPAT_ORDERS; order++) {
		struct page *head = page - (pfn & ((1UL << order) - 1));

		if (PageBuddy(head) && page_private(head) >= order)
			return true;
	}
	return false;
}

static void forget_if_free(unsigned long pfn)
{
	struct page *page = pfn_to_page(pfn);
	struct zone *zone = page_zone(page);
	unsigned long flags;

	if (!in_buddy(page))
		return;
	spin_lock_irqsave(&zone->lock, flags);
	if (in_buddy(page))
		pfntable_heal(pfn);
	spin_unlock_irqrestore(&zone->lock, flags);
}

/* What it has freed last: blocks of any order, their records are at the first frame. */
static void forget_lists(struct zone *zone, unsigned int cpu)
{
	struct per_cpu_pages *pcp = compat_pcp(zone, cpu);
	struct page *page;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pcp->lists); i++)
		list_for_each_entry(page, &pcp->lists[i], lru)
			pfntable_heal(page_to_pfn(page));
}

static int cpu_gone(unsigned int cpu)
{
	int nid, i;

	for_each_online_node(nid)
		for (i = 0; i < MAX_NR_ZONES; i++)
			if (populated_zone(&NODE_DATA(nid)->node_zones[i]))
				forget_lists(&NODE_DATA(nid)->node_zones[i], cpu);
	pfnmem_scan(forget_if_free);
	return 0;
}

static enum cpuhp_state state;

/**
 * cpu_gone_init() - be told of CPUs that go
 *
 * Context: the table of frames is there; sleeps.
 * Return: 0; or an error of the kernel's, with a line in the log.
 */
int cpu_gone_init(void)
{
	int err = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "mm/allocprof:gone", NULL,
					    cpu_gone);

	if (err < 0) {
		pr_err("not profiling: cannot be told of CPUs that go (error %d)\n", err);
		return err;
	}
	state = err;
	return 0;
}

/**
 * cpu_gone_exit() - be told no more
 *
 * Context: the table of frames is still there; sleeps.  Also if it never began.
 */
void cpu_gone_exit(void)
{
	if (state > 0)
		cpuhp_remove_state_nocalls(state);
	state = 0;
}
