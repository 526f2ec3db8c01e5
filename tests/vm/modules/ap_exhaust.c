// SPDX-License-Identifier: GPL-2.0
/*
 * ap_exhaust: uses up what a profiler has for its records, faster than it can get more; and says how much of that the profiler
 * says it has lost meanwhile.
 *
 *   echo COMMAND > /sys/module/ap_exhaust/parameters/ctl
 *
 *   big I N	N objects of 1024 bytes from the I-th of the big callsites, ap_big_I()
 *   sites A B	an object from each of 1,000 callsites, all in ap_sites(), out of each of the caches A to B - 1; after each cache there
 *		is time to make room
 *   burst A B	the same while nothing else runs
 *   slabs N	N objects of a cache that has none yet, while nothing else runs: ap_slabs()
 *   after N	the same from another callsite, ap_after()
 *   gone N A B	while there is no memory: slabs N and burst A B; some time; again; then memory is back, and after some time
 *		after 20000
 *   many N	N objects, as small as can be: ap_many()
 *   free	all of it
 *
 * "live" says how many objects there are of big (all), sites, slabs, after and many; "lost" what /proc/allocprof/stats has
 * counted while the command allocated, and nothing else ran: the table of tags full, no counter, no vector, and all others.
 */
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/stop_machine.h>
#include <linux/string.h>

#include "ap_common.h"

#define NBIG	8
#define NCACHES	60
#define OBJ_SIZE	16	/* of slabs and after: many in a slab, so large records */
/* As little as a kmalloc() takes. */
#define MANY_SIZE	8

enum { BIG, SITES, SLABS, AFTER, MANY, KINDS };

static unsigned long live[KINDS];
static int nlive = KINDS;
module_param_array(live, ulong, &nlive, 0444);

enum { TABLE_FULL, NO_COUNTER, NO_VECTOR, OTHERS, CAUSES };
static unsigned long lost[CAUSES];
static int nlost = CAUSES;
module_param_array(lost, ulong, &nlost, 0444);

static struct kmem_cache *caches[NCACHES], *slab_cache;
static void *held[NCACHES], *held_big, *held_slabs, *held_many;

static void keep(void *list, void *obj, int kind)
{
	if (!obj)
		return;
	*(void **)obj = *(void **)list;
	*(void **)list = obj;
	live[kind]++;
}

/* --- the callsites */

#define AP_BIG(n)							\
static AP_FN void *ap_big_##n(gfp_t gfp)				\
{									\
	return ap_keep(kmalloc(1024, gfp));				\
}
AP_BIG(0) AP_BIG(1) AP_BIG(2) AP_BIG(3) AP_BIG(4) AP_BIG(5) AP_BIG(6) AP_BIG(7)

static void *(*const bigs[NBIG])(gfp_t gfp) = {
	ap_big_0, ap_big_1, ap_big_2, ap_big_3, ap_big_4, ap_big_5, ap_big_6, ap_big_7,
};

static noinline void keep_site(void *list, void *obj)
{
	keep(list, obj, SITES);
}

/* No kmalloc(): that is inline too, and would take the compiler minutes. */
#define SITE		keep_site(list, kmem_cache_alloc(cache, gfp))
#define TEN(x)		(x, x, x, x, x, x, x, x, x, x)

static AP_FN void ap_sites(struct kmem_cache *cache, gfp_t gfp, void *list)
{
	TEN(TEN(TEN(SITE)));
}

static AP_FN void *ap_slabs(gfp_t gfp)
{
	return ap_keep(kmem_cache_alloc(slab_cache, gfp));
}

static AP_FN void *ap_after(gfp_t gfp)
{
	return ap_keep(kmem_cache_alloc(slab_cache, gfp));
}

static AP_FN void *ap_many(void)
{
	return ap_keep(kmalloc(MANY_SIZE, GFP_KERNEL));
}

/* --- while nothing else runs */

static char text[4096];
static struct seq_file *stats;

static unsigned long stat_of(const char *key)
{
	const char *at = strstr(text, key);
	unsigned long value = 0;

	if (!at || sscanf(at + strlen(key), "%lu", &value) != 1)
		return 0;
	return value;
}

/* What a read() of the file would give, where nobody may sleep: it is open, and has its buffer. */
static void add_losses(long sign)
{
	static const char *const others[] = {
		"lost_vector_too_big: ", "lost_not_slab: ", "lost_beyond_pages: ", "lost_free_nested: ",
		"healed_frees: ", "ended_in_wrapper: ", "negative_tags: ",
	};
	unsigned int i;
	size_t n;

	if (!stats)
		return;
	stats->count = 0;
	stats->op->show(stats, SEQ_START_TOKEN);
	n = min(stats->count, sizeof(text) - 1);
	memcpy(text, stats->buf, n);
	text[n] = 0;
	lost[TABLE_FULL] += sign * stat_of("lost_tag_table_full: ");
	lost[NO_COUNTER] += sign * stat_of("lost_no_counter: ");
	lost[NO_VECTOR] += sign * stat_of("lost_no_vector: ");
	for (i = 0; i < ARRAY_SIZE(others); i++)
		lost[OTHERS] += sign * stat_of(others[i]);
}

struct job {
	void (*fn)(const struct job *job);
	unsigned long from, to;
	gfp_t gfp;
};

static int run_job(void *arg)
{
	const struct job *job = arg;

	add_losses(-1);
	job->fn(job);
	add_losses(1);
	return 0;
}

/* Interrupts off on all CPUs: no refill comes between, and nobody else loses anything. */
static void alone(const struct job *job)
{
#ifdef CONFIG_PREEMPT_RT
	/* Nobody may allocate there with interrupts off; what refills is a thread. */
	migrate_disable();
	sched_set_fifo(current);
	run_job((void *)job);
	sched_set_normal(current, 0);
	migrate_enable();
#else
	stop_machine(run_job, (void *)job, NULL);
#endif
}

static void all_sites(const struct job *job)
{
	unsigned long i;

	for (i = job->from; i < job->to; i++)
		ap_sites(caches[i], job->gfp, &held[i]);
}

static void fill_slabs(const struct job *job)
{
	unsigned long i;

	for (i = 0; i < job->to; i++)
		keep(&held_slabs, ap_slabs(job->gfp), SLABS);
}

static void fill_after(const struct job *job)
{
	unsigned long i;

	for (i = 0; i < job->to; i++)
		keep(&held_slabs, ap_after(job->gfp), AFTER);
}

/* --- memory */

static LIST_HEAD(taken);

static void take_memory(void)
{
	/* Where it is reclaimed page by page and read back at once there is no end. */
	unsigned long end = jiffies + 3 * HZ;
	int order;

	/* Large ones first, as it is quicker; what the kernel keeps for itself stays. */
	for (order = 9; order >= 0; order--)
		for (;;) {
			gfp_t gfp = order || time_after(jiffies, end) ? GFP_NOWAIT : GFP_KERNEL | __GFP_NORETRY;
			struct page *page = alloc_pages(gfp | __GFP_NOWARN, order);

			if (!page)
				break;
			set_page_private(page, order);
			list_add(&page->lru, &taken);
			cond_resched();
		}
}

static void give_memory_back(void)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, &taken, lru) {
		int order = page_private(page);

		list_del(&page->lru);
		set_page_private(page, 0);
		__free_pages(page, order);
		cond_resched();
	}
}

static void gone(unsigned long n, unsigned long from, unsigned long to)
{
	/* Out of what the kernel keeps for itself, which no refill may take. */
	const gfp_t gfp = GFP_ATOMIC | __GFP_MEMALLOC | __GFP_NOWARN;
	const struct job slabs = { fill_slabs, 0, n, gfp }, sites = { all_sites, from, to, gfp };
	const struct job after = { fill_after, 0, 20000, GFP_NOWAIT | __GFP_NOWARN };
	unsigned int i;

	take_memory();
	for (i = 0; i < 2; i++) {
		alone(&slabs);
		alone(&sites);
		/* The refill tries, and gets nothing. */
		msleep(300);
	}
	give_memory_back();
	msleep(3000);
	alone(&after);
}

/* --- commands */

static void free_list(struct kmem_cache *cache, void *list)
{
	unsigned long n = 0;

	while (*(void **)list) {
		void *obj = *(void **)list;

		*(void **)list = *(void **)obj;
		if (cache)
			kmem_cache_free(cache, obj);
		else
			kfree(obj);
		/* As long as nobody waits for tasks to sleep, millions hold up who does. */
		if (!(++n % 1024))
			cond_resched_tasks_rcu_qs();
	}
}

static void free_all(void)
{
	unsigned int i;

	for (i = 0; i < NCACHES; i++)
		free_list(caches[i], &held[i]);
	free_list(NULL, &held_big);
	free_list(NULL, &held_many);
	free_list(slab_cache, &held_slabs);
	memset(live, 0, sizeof(live));
}

static void fill_big(const struct job *job)
{
	unsigned long i;

	for (i = 0; i < job->to; i++)
		keep(&held_big, bigs[job->from](job->gfp), BIG);
}

static int command(char *word, unsigned long a, unsigned long b, unsigned long c)
{
	struct job job = { all_sites, a, b, GFP_NOWAIT | __GFP_NOWARN };
	unsigned long i;

	if (!strcmp(word, "big") && a < NBIG) {
		job.fn = fill_big;
		alone(&job);
	} else if (!strcmp(word, "sites") && b <= NCACHES) {
		for (i = a; i < b; i++) {
			job.from = i;
			job.to = i + 1;
			alone(&job);
			msleep(50);
		}
	} else if (!strcmp(word, "burst") && b <= NCACHES) {
		alone(&job);
	} else if (!strcmp(word, "slabs")) {
		job.fn = fill_slabs;
		job.to = a;
		alone(&job);
	} else if (!strcmp(word, "after")) {
		job.fn = fill_after;
		job.to = a;
		alone(&job);
	} else if (!strcmp(word, "gone") && c <= NCACHES) {
		gone(a, b, c);
	} else if (!strcmp(word, "many")) {
		for (i = 0; i < a; i++) {
			keep(&held_many, ap_many(), MANY);
			if (!(i % 1024))
				cond_resched_tasks_rcu_qs();
		}
	} else if (!strcmp(word, "free")) {
		free_all();
	} else {
		return -EINVAL;
	}
	return 0;
}

static int ctl_set(const char *val, const struct kernel_param *kp)
{
	unsigned long a = 0, b = 0, c = 0;
	struct file *file;
	char word[16];
	loff_t pos = 0;
	int err;

	if (sscanf(val, "%15s %lu %lu %lu", word, &a, &b, &c) < 1)
		return -EINVAL;
	memset(lost, 0, sizeof(lost));
	file = filp_open("/proc/allocprof/stats", O_RDONLY, 0);
	if (IS_ERR(file))
		return PTR_ERR(file);
	if (kernel_read(file, text, sizeof(text), &pos) > 0)
		stats = file->private_data;
	err = command(word, a, b, c);
	stats = NULL;
	filp_close(file, NULL);
	return err;
}

static const struct kernel_param_ops ctl_ops = { .set = ctl_set };
module_param_cb(ctl, &ctl_ops, NULL, 0200);

static void destroy_caches(void)
{
	unsigned int i;

	for (i = 0; i < NCACHES; i++)
		kmem_cache_destroy(caches[i]);
	kmem_cache_destroy(slab_cache);
}

/* A usercopy region: not to be merged with a cache that others use. */
static struct kmem_cache *new_cache(const char *name, unsigned int size)
{
	return kmem_cache_create_usercopy(name, size, 8, 0, 0, 8, NULL);
}

static int __init ap_exhaust_init(void)
{
	char name[32];
	unsigned int i;

	slab_cache = new_cache("ap_exhaust", OBJ_SIZE);
	for (i = 0; slab_cache && i < NCACHES; i++) {
		snprintf(name, sizeof(name), "ap_exhaust_%u", i);
		caches[i] = new_cache(name, 32 + 8 * i);
		if (!caches[i])
			break;
	}
	if (i == NCACHES)
		return 0;
	destroy_caches();
	return -ENOMEM;
}

static void __exit ap_exhaust_exit(void)
{
	free_all();
	destroy_caches();
}

module_init(ap_exhaust_init);
module_exit(ap_exhaust_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("allocprof tests: more callsites, slabs and objects than there is room for");
