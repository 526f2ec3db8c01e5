// SPDX-License-Identifier: GPL-2.0
/*
 * ap_lines: all CPUs allocate and free at once, each its own memory, or each
 * the memory that its neighbour has allocated.
 *
 *	insmod ap_lines.ko pages=ADDRESS pfns=... chunk_table=... chunks_used=...
 *	echo ROUNDS > /sys/module/ap_lines/parameters/run
 *	cat /proc/ap_lines
 *
 * For the plugin, which knows by marks (lines.h) what is tried, and when on
 * which CPU: only while a batch is taken or given back, with interrupts off, so
 * that all it sees is the allocator and who has hooked it.
 *
 * The four addresses are of allocprof's variables of these names (the first two
 * with allocprof_ before them); what they point to is listed afterwards, for
 * the report to know a record by its address.
 *
 * All is done without being recorded first, so that each callsite is known and
 * each slab has its vector: what happens once for each of these is no hot path.
 * For the same reason no slab comes or goes while it is recorded: each CPU
 * allocates many objects before, and keeps one in each slab.  The last case is
 * the other one: many are taken, then all given back, with their slabs.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/proc_fs.h>
#include <linux/sched/task_stack.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/vmalloc.h>

#include "lines.h"
#include "quiet.h"

#define GFP		GFP_NOWAIT
#define OBJ_SIZE	64U
#define BATCH		16U
#define RING		8U	/* batches */
#define CPUS		16
#define FILL		4096U	/* objects */
#define BIG_SIZE	1024U
#define MANY		64U	/* batches: 1 MiB */

/* As in module/vecpool.c: how a chunk's address stands in the table. */
#define CHUNK_SHIFT	(PAGE_SHIFT + 3)
#define CHUNK_FIRST	(1UL << (31 - (CHUNK_SHIFT - 6)))

enum mode { WARM_OWN, OWN, WARM_CROSS, CROSS, MODES };

static unsigned long pages, pfns, chunk_table, chunks_used;
module_param(pages, ulong, 0400);
MODULE_PARM_DESC(pages, "address of allocprof_pages");
module_param(pfns, ulong, 0400);
MODULE_PARM_DESC(pfns, "address of allocprof_pfns");
module_param(chunk_table, ulong, 0400);
MODULE_PARM_DESC(chunk_table, "address of allocprof_vec_chunks");
module_param(chunks_used, ulong, 0400);
MODULE_PARM_DESC(chunks_used, "address of chunks_used");

/* From each CPU to the next one; filled and emptied by one each. */
struct ring {
	unsigned int filled ____cacheline_aligned_in_smp;
	unsigned int emptied ____cacheline_aligned_in_smp;
	void *batch[RING][BATCH] ____cacheline_aligned_in_smp;
};

struct worker {
	struct task_struct *task;
	struct completion done;
	unsigned int cpu;
	int err;
	unsigned long stack;
	struct ring ring;
	void **held[2];		/* FILL of each of the two kinds of objects */
	void *many[MANY][BATCH];
};

static struct kmem_cache *cache, *big_cache;
static struct worker *workers;
static unsigned int nworkers, rounds;
static atomic_t arrived;
static bool failed;

/* A line that every CPU writes: the report must find it. */
static struct {
	unsigned long batches;
} ____cacheline_aligned_in_smp control;

struct ap_case {
	const char *name;
	bool (*take)(void **p);
	void (*give)(void **p);
	bool many;
};

/* What is recorded of a case: BATCH of them taken, or given back. */
#define AP_CASE(n, name, take_all, give_all)				\
static noinline bool take_##name(void **p)				\
{									\
	unsigned long flags, tpr = quiet_begin(&flags);			\
	bool good = true;						\
									\
	ap_mark(n);							\
	control.batches++;						\
	take_all;							\
	ap_mark(0);							\
	quiet_end(tpr, flags);						\
	return good;							\
}									\
									\
static noinline void give_##name(void **p)				\
{									\
	unsigned long flags, tpr = quiet_begin(&flags);			\
									\
	ap_mark(n);							\
	give_all;							\
	ap_mark(0);							\
	quiet_end(tpr, flags);						\
}

#define EACH(one)				\
	do {					\
		for (int i = 0; i < BATCH; i++)	\
			one;			\
	} while (0)
#define EACH_TAKEN(take)	EACH(good &= !!(p[i] = take))
#define EACH_GIVEN(give)	EACH(give)

AP_CASE(1, kmalloc_64, EACH_TAKEN(kmalloc(OBJ_SIZE, GFP)), EACH_GIVEN(kfree(p[i])))
AP_CASE(2, kmem_cache, EACH_TAKEN(kmem_cache_alloc(cache, GFP)), EACH_GIVEN(kmem_cache_free(cache, p[i])))
AP_CASE(3, alloc_page, EACH_TAKEN(alloc_page(GFP)), EACH_GIVEN(__free_page(p[i])))
AP_CASE(4, kmem_cache_bulk16, good = kmem_cache_alloc_bulk(cache, GFP, BATCH, p),
	kmem_cache_free_bulk(cache, BATCH, p))
AP_CASE(5, slabs, EACH_TAKEN(kmem_cache_alloc(big_cache, GFP)), EACH_GIVEN(kmem_cache_free(big_cache, p[i])))

#define AP_NAMED(name_)	{ .name = #name_, .take = take_##name_, .give = give_##name_ }
static const struct ap_case cases[] = {
	AP_NAMED(kmalloc_64),
	AP_NAMED(kmem_cache),
	AP_NAMED(alloc_page),
	AP_NAMED(kmem_cache_bulk16),
	{ .name = "slabs", .take = take_slabs, .give = give_slabs, .many = true },
};

/* Nobody goes on before all are here. */
static void meet(unsigned int *met)
{
	int all = ++*met * nworkers;

	atomic_inc(&arrived);
	while (atomic_read(&arrived) < all)
		usleep_range(100, 200);
}

static bool run_own(const struct ap_case *c, struct worker *w)
{
	void **p = w->ring.batch[0];
	unsigned int n;

	for (n = 0; n < rounds; n++) {
		if (!c->take(p))
			return false;
		c->give(p);
		cond_resched();
	}
	return true;
}

static struct worker *next_to(const struct worker *w)
{
	return &workers[(w->cpu + 1) % nworkers];
}

static bool run_cross(const struct ap_case *c, struct worker *w)
{
	struct ring *mine = &w->ring, *theirs = &next_to(w)->ring;
	unsigned int taken = 0, given = 0;

	while ((taken < rounds || given < rounds) && !READ_ONCE(failed)) {
		if (taken < rounds && taken - smp_load_acquire(&mine->emptied) < RING) { /* pairs with its release */
			if (!c->take(mine->batch[taken % RING]))
				return false;
			smp_store_release(&mine->filled, ++taken); /* the batch before that it is there */
		}
		if (given < smp_load_acquire(&theirs->filled)) { /* pairs with its release */
			c->give(theirs->batch[given % RING]);
			smp_store_release(&theirs->emptied, ++given); /* read before it is filled again */
		}
		cond_resched();
		cpu_relax();
	}
	return !READ_ONCE(failed);
}

/* Many, in turns of which each takes MANY batches and gives them, or its neighbour's, back. */
static bool run_many(const struct ap_case *c, struct worker *w, struct worker *whose, unsigned int *met)
{
	unsigned int n, i;
	bool good = true;

	for (n = 0; n < rounds / MANY; n++) {
		for (i = 0; i < MANY; i++)
			good &= c->take(w->many[i]);
		meet(met);
		for (i = 0; i < MANY && good; i++)
			c->give(whose->many[i]);
		meet(met);
	}
	return good;
}

static void set_mode(enum mode mode)
{
	switch (mode) {
	case OWN:
		ap_mark(AP_MARK_MODE + OWN);
		break;
	case CROSS:
		ap_mark(AP_MARK_MODE + CROSS);
		break;
	default:
		ap_mark(AP_MARK_MODE);
	}
}

static int by_address(const void *a, const void *b)
{
	unsigned long x = *(unsigned long *)a, y = *(unsigned long *)b;

	return x < y ? -1 : x > y;
}

/* Many objects, of which the first in each page stays. */
static void **fill(struct kmem_cache *of)
{
	unsigned long page = 0;
	unsigned int i;
	void **p = vzalloc(FILL * sizeof(*p));

	for (i = 0; p && i < FILL; i++)
		p[i] = of ? kmem_cache_alloc(of, GFP_KERNEL) : kmalloc(OBJ_SIZE, GFP_KERNEL);
	if (!p)
		return NULL;
	sort(p, FILL, sizeof(*p), by_address, NULL);
	for (i = 0; i < FILL; i++) {
		if ((unsigned long)p[i] >> PAGE_SHIFT != page) {
			page = (unsigned long)p[i] >> PAGE_SHIFT;
			continue;
		}
		kfree(p[i]);
		p[i] = NULL;
	}
	return p;
}

static void release(void **p)
{
	unsigned int i;

	for (i = 0; p && i < FILL; i++)
		kfree(p[i]);
	vfree(p);
}

static int work(void *data)
{
	struct worker *w = data;
	unsigned int met = 0, i;
	enum mode mode;
	struct worker *whose;
	bool good, own;

	w->stack = (unsigned long)task_stack_page(current);
	w->held[0] = fill(NULL);
	w->held[1] = fill(cache);
	if (!w->held[0] || !w->held[1])
		WRITE_ONCE(failed, true);
	for (mode = 0; mode < MODES; mode++) {
		meet(&met);
		/* What has been asked for meanwhile comes: counters, vectors. */
		if (!w->cpu) {
			msleep(500);
			set_mode(mode);
		}
		own = mode == OWN || mode == WARM_OWN;
		for (i = 0; i < ARRAY_SIZE(cases); i++) {
			w->ring.filled = 0;
			w->ring.emptied = 0;
			meet(&met);
			whose = own ? w : next_to(w);
			if (cases[i].many)
				good = run_many(&cases[i], w, whose, &met);
			else if (own)
				good = run_own(&cases[i], w);
			else
				good = run_cross(&cases[i], w);
			if (!good)
				WRITE_ONCE(failed, true);
			meet(&met);
		}
	}
	if (!w->cpu)
		set_mode(WARM_OWN);
	complete(&w->done);
	return 0;
}

static void stop(void)
{
	unsigned int i;

	for (i = 0; workers && i < nworkers; i++) {
		release(workers[i].held[0]);
		release(workers[i].held[1]);
	}
	vfree(workers);
	workers = NULL;
}

/* All CPUs there are; none comes or goes meanwhile. */
static int run_set(const char *val, const struct kernel_param *kp)
{
	unsigned int i;
	int err = kstrtouint(val, 0, &rounds);

	if (err)
		return err;
	if (workers || rounds % MANY)
		return -EINVAL;
	nworkers = num_online_cpus();
	if (nworkers > CPUS || nworkers != nr_cpu_ids)
		return -EINVAL;
	workers = vzalloc(nworkers * sizeof(*workers));
	if (!workers)
		return -ENOMEM;
	for (i = 0; i < nworkers; i++) {
		init_completion(&workers[i].done);
		workers[i].cpu = i;
		workers[i].task = kthread_create(work, &workers[i], "ap_lines/%u", i);
		if (IS_ERR(workers[i].task))
			return PTR_ERR(workers[i].task); /* the guest ends at this */
		kthread_bind(workers[i].task, i);
	}
	for (i = 0; i < nworkers; i++)
		wake_up_process(workers[i].task);
	for (i = 0; i < nworkers; i++)
		wait_for_completion(&workers[i].done);
	return failed ? -ENOMEM : 0;
}

static const struct kernel_param_ops run_ops = {
	.set = run_set,
};
module_param_cb(run, &run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "write how often each CPU takes 16 and gives them back");

static void show_region(struct seq_file *m, const char *name, unsigned long start, unsigned long bytes)
{
	seq_printf(m, "region %s %016lx %016lx\n", name, start, start + bytes);
}

static int show(struct seq_file *m, void *v)
{
	unsigned long *table, chunk;
	unsigned int i;

	seq_printf(m, "cpus %u\npairs %u\nmode %u own\nmode %u cross\n", nworkers, rounds * BATCH, OWN, CROSS);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		seq_printf(m, "case %u %s\n", i + 1, cases[i].name);
	show_region(m, "control", (unsigned long)&control, sizeof(control));
	for (i = 0; i < nworkers; i++)
		show_region(m, "stack", workers[i].stack, THREAD_SIZE);
	for (i = 0; i < nworkers; i++)
		show_region(m, "argument", (unsigned long)&workers[i], sizeof(workers[i]));
	if (!pages || !pfns || !chunk_table || !chunks_used)
		return 0;
	show_region(m, "page", *(unsigned long *)pages, *(unsigned long *)pfns * sizeof(u32));
	table = *(unsigned long **)chunk_table + CHUNK_FIRST;
	for (i = 0; i < *(unsigned long *)chunks_used; i++) {
		/* An entry that no chunk has is odd. */
		if (table[i] & 1)
			continue;
		chunk = table[i] + ((CHUNK_FIRST + i) << CHUNK_SHIFT);
		show_region(m, "object", chunk, 1UL << CHUNK_SHIFT);
	}
	return 0;
}

static int __init ap_lines_init(void)
{
	/* A usercopy region keeps others' objects out. */
	cache = kmem_cache_create_usercopy("ap_lines", OBJ_SIZE, 0, 0, 0, OBJ_SIZE, NULL);
	big_cache = kmem_cache_create_usercopy("ap_lines_big", BIG_SIZE, 0, 0, 0, BIG_SIZE, NULL);
	if (cache && big_cache && proc_create_single("ap_lines", 0400, NULL, show))
		return 0;
	kmem_cache_destroy(cache);
	kmem_cache_destroy(big_cache);
	return -ENOMEM;
}

static void __exit ap_lines_exit(void)
{
	remove_proc_entry("ap_lines", NULL);
	stop();
	kmem_cache_destroy(cache);
	kmem_cache_destroy(big_cache);
}

module_init(ap_lines_init);
module_exit(ap_lines_exit);
MODULE_DESCRIPTION("Allocate and free on all CPUs at once");
MODULE_LICENSE("GPL");
