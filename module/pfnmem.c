// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of the page-frame table: of the RAM there is, and of what is
 * added later.
 *
 * The table is one array, but only those of its pages exist whose frames are
 * online; one page full of PFN_NO_TABLE is mapped wherever there is a hole.
 * To fill a hole, or to go on behind the end, the pages there are, and the new
 * ones, are mapped once more at another address.  Nothing is copied and no
 * hook has to stop: what is written through one mapping is read through all.
 *
 * Notes on locking
 *
 * mapping_lock serialises changes.  It is taken inside the notifier chain of
 * memory hotplug, so the notifier comes and goes without it.
 *
 * Hooks read allocprof_pages and allocprof_pfns without a lock, maybe one from
 * before a change and one from after it.  That is no harm: both mappings have
 * all entries there were, and a frame with a new one is not handed out until
 * the notifier is through (so there is no second try when it has been); whoever
 * sees that frame sees the change.  Where growth has failed, and later growth
 * goes on behind, a frame may be in use before the table reaches it: the end is
 * read first and written last, so who finds it within has an address that is at
 * least as new.  The memory it is mapped from never shrinks while hooks run.
 *
 * An old mapping goes when no hook can be on it any more: hooks do not sleep
 * between reading its address and using it, so a grace period of tasks and
 * one of RCU will do.  A work item waits for them, as it may take long and
 * memory comes in many pieces.
 */
#include <linux/memory.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "pfnmem.h"
#include "pfntable.h"

#define PFNS_PER_PAGE	(PAGE_SIZE / sizeof(u32))
/* The kernel knows RAM from holes, and from a device's memory, in such steps. */
#define ONLINE_STEP	min_t(unsigned long, SZ_2M >> PAGE_SHIFT, PFNS_PER_PAGE)
/* Not worth an OOM kill: a tight machine is told so and stays as it is. */
#define TABLE_GFP	(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

u32 *allocprof_pages;
unsigned long allocprof_pfns;

/**
 * struct mapping - where the table is mapped, and from what
 * @next: among the retired
 * @entries: the address
 * @n: pages
 * @pages: each; @hole where there is none
 */
struct mapping {
	struct mapping *next;
	u32 *entries;
	unsigned long n;
	struct page *pages[];
};

static DEFINE_MUTEX(mapping_lock);
static struct mapping *mapping, *retired;
static struct page *hole;
static unsigned long pages_used, slots_used;	/* table pages; entries of lists of them */

/* mapping_lock held, or hooks gone. */
static void mapping_free(struct mapping *m)
{
	WRITE_ONCE(slots_used, slots_used - m->n);
	vunmap(m->entries);
	vfree(m);
}

static void retire_fn(struct work_struct *work)
{
	struct mapping *m, *next;

	mutex_lock(&mapping_lock);
	m = retired;
	retired = NULL;
	mutex_unlock(&mapping_lock);
	if (!m)
		return;
	compat_synchronize_tasks();
	synchronize_rcu();
	mutex_lock(&mapping_lock);
	for (; m; m = next) {
		next = m->next;
		mapping_free(m);
	}
	mutex_unlock(&mapping_lock);
}

static DECLARE_WORK(retire_work, retire_fn);

/*
 * Has any frame from @pfn on, whose entries share a page, RAM that is in use?
 * Modules cannot keep memory from going away meanwhile, with its struct pages.
 */
static bool any_online(unsigned long pfn, int *nid)
{
	unsigned long end = pfn + PFNS_PER_PAGE;
	struct page *page = NULL, copy;

	rcu_read_lock();
	for (; pfn < end && !page; pfn += ONLINE_STEP)
		page = pfn_to_online_page(pfn);
	rcu_read_unlock();
	if (!page)
		return false;
	if (!copy_from_kernel_nofault(&copy, page, sizeof(copy)) && !PagePoisoned(&copy))
		*nid = page_to_nid(&copy);
	return true;
}

/* Are there entries for all frames from @start to @end?  mapping_lock held. */
static bool covered(unsigned long start, unsigned long end)
{
	unsigned long i = start / PFNS_PER_PAGE, last = DIV_ROUND_UP(end, PFNS_PER_PAGE);

	while (i < last && i < mapping->n && mapping->pages[i] != hole)
		i++;
	return i == last;
}

/*
 * Makes entries for the frames from @start to @end: of all, or of those
 * @online.  mapping_lock held, or hooks not yet attached.
 */
static int cover(unsigned long start, unsigned long end, bool online)
{
	unsigned long first = start / PFNS_PER_PAGE, last = DIV_ROUND_UP(end, PFNS_PER_PAGE), i;
	unsigned long had = mapping ? mapping->n : 0, made = 0;
	unsigned long n = max(had, last);
	struct mapping *m;

	m = __vmalloc(struct_size(m, pages, n), TABLE_GFP | __GFP_ZERO);
	if (!m)
		return -ENOMEM;
	m->n = n;
	for (i = 0; i < n; i++)
		m->pages[i] = i < had ? mapping->pages[i] : hole;
	for (i = first; i < last; i++) {
		int nid = NUMA_NO_NODE;
		struct page *page;

		if (m->pages[i] != hole || (online && !any_online(i * PFNS_PER_PAGE, &nid)))
			continue;
		page = alloc_pages_node(nid, TABLE_GFP | __GFP_ZERO, 0);
		if (!page)
			goto err;
		m->pages[i] = page;
		made++;
		cond_resched();
	}
	m->entries = vmap(m->pages, n, VM_MAP, PAGE_KERNEL);
	if (!m->entries)
		goto err;

	WRITE_ONCE(allocprof_pages, m->entries);
	smp_wmb();	/* whoever sees more frames sees their entries */
	WRITE_ONCE(allocprof_pfns, n * PFNS_PER_PAGE);
	if (mapping) {
		mapping->next = retired;
		retired = mapping;
		schedule_work(&retire_work);
	}
	mapping = m;
	WRITE_ONCE(slots_used, slots_used + n);
	WRITE_ONCE(pages_used, pages_used + made);
	return 0;
err:
	for (i = first; i < last; i++)
		if (m->pages[i] != hole && (i >= had || mapping->pages[i] == hole))
			__free_page(m->pages[i]);
	vfree(m);
	return -ENOMEM;
}

/*
 * Each growth takes time and memory by the size of the whole table, and memory
 * comes in many small pieces: where there is much, 1/64 more is made room for.
 * (In steps of 8 GiB; below that a growth is cheap.)
 */
static unsigned long room_ahead(unsigned long n)
{
	return n / 2048 * 32 * PFNS_PER_PAGE;
}

static void grow(unsigned long start, unsigned long end, unsigned long ahead)
{
	if (!ahead || cover(start, end + ahead, false))
		cover(start, end, false);
}

static int memory_event(struct notifier_block *nb, unsigned long action, void *data)
{
	const struct memory_notify *arg = data;
	unsigned long start = arg->start_pfn, end = start + arg->nr_pages;

	mutex_lock(&mapping_lock);
	if (!mapping)
		goto out;
	switch (action) {
	case MEM_GOING_ONLINE:
		/* Memory that comes back has its table: none is wanted that may be short. */
		if (!covered(start, end))
			grow(start, end, room_ahead(mapping->n));
		break;
	case MEM_ONLINE:
		/*
		 * Whoever adds memory needs it: it was not refused.  Now that it is in
		 * use it is too late for a table; also of what was on its way when we came.
		 */
		if (!covered(start, end))
			pr_warn("no memory for the table of frames %#lx to %#lx: what is allocated there is not seen until profiling is switched off and on again\n",
				start, end - 1);
		break;
	case MEM_OFFLINE:
		/* What was not moved out of it was a driver's that takes it away, or broken. */
		pfntable_forget(start, end);
		break;
	}
out:
	mutex_unlock(&mapping_lock);
	return NOTIFY_OK;
}

static struct notifier_block memory_nb = { .notifier_call = memory_event };

static unsigned long end_of_ram(void)
{
	unsigned long end = 0;
	struct zone *zone;
	int nid, i;

	/*
	 * Not pgdat_end_pfn(): a node also spans its device memory, which the
	 * page allocator does not own, and which for a GPU is put at the very
	 * end of the address space.
	 */
	for_each_online_node(nid)
		for (i = 0; i < MAX_NR_ZONES; i++) {
			zone = &NODE_DATA(nid)->node_zones[i];
			if (managed_zone(zone))
				end = max(end, zone_end_pfn(zone));
		}
	return end;
}

static int make_hole(void)
{
	u32 *entry;
	int i;

	hole = alloc_page(TABLE_GFP);
	if (!hole)
		return -ENOMEM;
	entry = page_address(hole);
	for (i = 0; i < PFNS_PER_PAGE; i++)
		entry[i] = PFN_NO_TABLE;
	return 0;
}

/**
 * pfnmem_init() - an empty table for all memory there is, and what will be added
 *
 * Context: no hook attached; sleeps.
 * Return: 0 or -ENOMEM; then pfnmem_exit() is called all the same.
 */
int pfnmem_init(void)
{
	unsigned long end;
	int err = make_hole();

	if (!err)
		err = register_memory_notifier(&memory_nb);
	if (err)
		return err;
	mutex_lock(&mapping_lock);
	/* A zone that shrinks can be seen half changed; the second look is at what is settled. */
	do {
		end = end_of_ram();
		err = cover(0, end, true);
	} while (!err && end_of_ram() > end);
	mutex_unlock(&mapping_lock);
	return err;
}

/**
 * pfnmem_exit() - free the table
 *
 * Context: hooks gone and drained; sleeps.
 */
void pfnmem_exit(void)
{
	unsigned long i;

	unregister_memory_notifier(&memory_nb);
	flush_work(&retire_work);
	allocprof_pfns = 0;
	allocprof_pages = NULL;
	if (mapping) {
		for (i = 0; i < mapping->n; i++) {
			if (mapping->pages[i] != hole)
				__free_page(mapping->pages[i]);
			cond_resched();
		}
		mapping_free(mapping);
		mapping = NULL;
		pages_used = 0;
	}
	if (hole)
		__free_page(hole);
	hole = NULL;
}

/**
 * pfnmem_scan() - look at each frame that has a record
 * @visit: told its number
 *
 * Meanwhile its memory does not go, nor its struct page.
 * Context: sleeps; @visit must not.
 */
void pfnmem_scan(void (*visit)(unsigned long pfn))
{
	unsigned long i, pfn;
	bool more = true;

	for (i = 0; more; i++) {
		mutex_lock(&mapping_lock);
		more = mapping && i < mapping->n;
		for (pfn = i * PFNS_PER_PAGE; more && pfn < (i + 1) * PFNS_PER_PAGE; pfn++) {
			u32 entry = READ_ONCE(mapping->entries[pfn]);

			if (entry && entry != PFN_NO_TABLE)
				visit(pfn);
		}
		mutex_unlock(&mapping_lock);
		cond_resched();
	}
}

/**
 * pfnmem_bytes() - memory of the table, in bytes
 *
 * Context: any.
 */
size_t pfnmem_bytes(void)
{
	/* A mapping has a list of its pages, and as much again in the kernel's page tables. */
	return READ_ONCE(pages_used) * PAGE_SIZE + READ_ONCE(slots_used) * 2 * sizeof(void *);
}
