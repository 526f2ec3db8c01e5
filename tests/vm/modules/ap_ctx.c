// SPDX-License-Identifier: GPL-2.0
/*
 * ap_paths: the same allocations and frees from every context, and races
 * between contexts and between CPUs.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/smp.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "ap.h"

/*
 * Running a function in a context. One job at a time: steps are serialised.
 */
static void (*ap_job)(void);
static struct completion ap_job_done;

static void ap_job_run(void)
{
	ap_job();
	complete(&ap_job_done);
}

static void ap_in_tasklet_fn(struct tasklet_struct *t)
{
	ap_job_run();
}

static void ap_in_tasklet(void)
{
	static struct tasklet_struct tasklet;

	tasklet_setup(&tasklet, ap_in_tasklet_fn);
	tasklet_schedule(&tasklet);
	wait_for_completion(&ap_job_done);
	tasklet_kill(&tasklet);
}

static void ap_in_timer_fn(struct timer_list *t)
{
	ap_job_run();
}

static void ap_in_timer(void)
{
	static struct timer_list timer;

	timer_setup(&timer, ap_in_timer_fn, 0);
	mod_timer(&timer, jiffies + 1);
	wait_for_completion(&ap_job_done);
	/* Its softirq may still be on the way out of our function. */
	timer_delete_sync(&timer);
}

/* With PREEMPT_RT nobody may allocate in a hard interrupt, or where interrupts are off: it is threads there. */
#ifdef CONFIG_PREEMPT_RT
#define AP_HRTIMER_MODE	HRTIMER_MODE_REL_SOFT
#define AP_HRTIMER_PINNED	HRTIMER_MODE_REL_PINNED_SOFT
#else
#define AP_HRTIMER_MODE	HRTIMER_MODE_REL_HARD
#define AP_HRTIMER_PINNED	HRTIMER_MODE_REL_PINNED_HARD
#endif

static enum hrtimer_restart ap_in_hrtimer_fn(struct hrtimer *t)
{
	ap_job_run();
	return HRTIMER_NORESTART;
}

static void ap_in_hrtimer(void)
{
	static struct hrtimer timer;

	hrtimer_setup(&timer, ap_in_hrtimer_fn, CLOCK_MONOTONIC, AP_HRTIMER_MODE);
	hrtimer_start(&timer, ns_to_ktime(50000), AP_HRTIMER_MODE);
	wait_for_completion(&ap_job_done);
	hrtimer_cancel(&timer);
}

static void ap_in_irq_work_fn(struct irq_work *w)
{
	ap_job_run();
}

static void ap_in_irq_work(void)
{
	static struct irq_work work;

	init_irq_work(&work, ap_in_irq_work_fn);
	irq_work_queue(&work);
	wait_for_completion(&ap_job_done);
	irq_work_sync(&work);
}

static void ap_in_workqueue_fn(struct work_struct *w)
{
	ap_job_run();
}

static void ap_in_workqueue(void)
{
	static struct work_struct work;

	INIT_WORK(&work, ap_in_workqueue_fn);
	schedule_work(&work);
	wait_for_completion(&ap_job_done);
	flush_work(&work);
}

#ifdef CONFIG_PREEMPT_RT
static long ap_in_ipi_fn(void *unused)
{
	ap_job_run();
	return 0;
}

static void ap_in_ipi(void)
{
	work_on_cpu(cpumask_last(cpu_online_mask), ap_in_ipi_fn, NULL);
	wait_for_completion(&ap_job_done);
}

static void ap_in_irqsoff(void)
{
	migrate_disable();
	ap_job_run();
	migrate_enable();
	wait_for_completion(&ap_job_done);
}
#else
static void ap_in_ipi_fn(void *unused)
{
	ap_job_run();
}

/* A function call interrupt on the highest CPU that is online. */
static void ap_in_ipi(void)
{
	smp_call_function_single(cpumask_last(cpu_online_mask), ap_in_ipi_fn,
				 NULL, 1);
	wait_for_completion(&ap_job_done);
}

static void ap_in_irqsoff(void)
{
	unsigned long flags;

	local_irq_save(flags);
	ap_job_run();
	local_irq_restore(flags);
	wait_for_completion(&ap_job_done);
}
#endif

static void ap_in_task(void)
{
	ap_job_run();
	wait_for_completion(&ap_job_done);
}

/*
 * AP_CTX(context): three allocating functions for it, and steps that allocate
 * in it. Freeing happens in the next context of the table.
 */
#define AP_NC	32
#define AP_NCP	8

struct ap_ctx {
	void *kmalloc[AP_NC], *cache[AP_NC], *page[AP_NCP];
	int nr_kmalloc, nr_cache, nr_page;
};

static void ap_ctx_free(struct ap_ctx *c)
{
	int i;

	for (i = 0; i < c->nr_kmalloc; i++)
		kfree(c->kmalloc[i]);
	for (i = 0; i < c->nr_cache; i++)
		kmem_cache_free(ap_cache[AP_C700], c->cache[i]);
	for (i = 0; i < c->nr_page; i++)
		__free_pages(c->page[i], 1);
}

#define AP_CTX(ctx, next)						\
static struct ap_ctx ap_ctx_##ctx;					\
static AP_FN void *ap_kmalloc_in_##ctx(void)				\
{									\
	return ap_keep(kmalloc(64, GFP_ATOMIC));			\
}									\
static AP_FN void *ap_cache_in_##ctx(void)				\
{									\
	return ap_keep(kmem_cache_alloc(ap_cache[AP_C700], GFP_ATOMIC)); \
}									\
static AP_FN struct page *ap_page_in_##ctx(void)			\
{									\
	return ap_keep(alloc_pages(GFP_ATOMIC, 1));			\
}									\
static void ap_ctx_alloc_##ctx(void)					\
{									\
	struct ap_ctx *c = &ap_ctx_##ctx;				\
									\
	c->nr_kmalloc = c->nr_cache = c->nr_page = 0;			\
	while (c->nr_kmalloc < AP_NC &&					\
	       (c->kmalloc[c->nr_kmalloc] = ap_kmalloc_in_##ctx()))	\
		c->nr_kmalloc++;					\
	while (c->nr_cache < AP_NC &&					\
	       (c->cache[c->nr_cache] = ap_cache_in_##ctx()))		\
		c->nr_cache++;						\
	while (c->nr_page < AP_NCP &&					\
	       (c->page[c->nr_page] = ap_page_in_##ctx()))		\
		c->nr_page++;						\
}									\
static void ap_ctx_free_##ctx(void)					\
{									\
	ap_ctx_free(&ap_ctx_##ctx);					\
}									\
static void ap_ctx_account_##ctx(int sign)				\
{									\
	struct ap_ctx *c = &ap_ctx_##ctx;				\
									\
	ap_slab("ap_kmalloc_in_" #ctx, "kmalloc-64",			\
		sign * c->nr_kmalloc);					\
	ap_slab("ap_cache_in_" #ctx, "ap_c700", sign * c->nr_cache);	\
	ap_pages("ap_page_in_" #ctx, sign * c->nr_page,			\
		 sign * c->nr_page * 2);				\
}									\
static int ap_ctx_step0_##ctx(void)					\
{									\
	init_completion(&ap_job_done);					\
	ap_job = ap_ctx_alloc_##ctx;					\
	ap_in_##ctx();							\
	ap_ctx_account_##ctx(1);					\
	return ap_ctx_##ctx.nr_page ? 0 : -ENOMEM;			\
}									\
static int ap_ctx_step1_##ctx(void)					\
{									\
	init_completion(&ap_job_done);					\
	ap_job = ap_ctx_free_##ctx;					\
	ap_in_##next();							\
	ap_ctx_account_##ctx(-1);					\
	return 0;							\
}

#define AP_CTX2(ctx)							\
	{ "ap_in_" #ctx, "context", 0,					\
	  { ap_ctx_step0_##ctx, ap_ctx_step1_##ctx } }

AP_CTX(task, tasklet)
AP_CTX(tasklet, hrtimer)
AP_CTX(hrtimer, irq_work)
AP_CTX(irq_work, workqueue)
AP_CTX(workqueue, ipi)
AP_CTX(ipi, timer)
AP_CTX(timer, irqsoff)
AP_CTX(irqsoff, task)

/*
 * Task against timer. Both put new objects into one mailbox and free what they
 * took out of it, so the task's objects die in the interrupt and the other way
 * round; the interrupt hits the task in the middle of its allocation or free.
 * The first word of an object says who allocated it: what is in the mailbox at
 * the end is what is live.
 */
#define AP_BOX	64

enum { AP_BY_TASK, AP_BY_TIMER };

static void *ap_race_box[AP_BOX], *ap_race_pbox[AP_BOX];
static struct hrtimer ap_race_hrtimer;
static unsigned long ap_race_hits;

static AP_FN void *ap_race_task(void)
{
	return ap_keep(kmalloc(64, GFP_ATOMIC));
}

static AP_FN void *ap_race_timer(void)
{
	return ap_keep(kmalloc(64, GFP_ATOMIC));
}

static AP_FN struct page *ap_race_task_page(void)
{
	return ap_keep(alloc_page(GFP_ATOMIC));
}

static AP_FN struct page *ap_race_timer_page(void)
{
	return ap_keep(alloc_page(GFP_ATOMIC));
}

static void ap_race_swap(unsigned long *obj, unsigned long who, unsigned int slot)
{
	if (obj)
		*obj = who;
	kfree(xchg(&ap_race_box[slot % AP_BOX], obj));
}

static void ap_race_swap_page(struct page *page, unsigned long who,
			      unsigned int slot)
{
	if (page)
		set_page_private(page, who);
	page = xchg(&ap_race_pbox[slot % AP_BOX], page);
	if (page) {
		set_page_private(page, 0);
		__free_page(page);
	}
}

static enum hrtimer_restart ap_race_fire(struct hrtimer *t)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		ap_race_swap(ap_race_timer(), AP_BY_TIMER,
			     ap_race_hits * 4 + i);
	ap_race_swap_page(ap_race_timer_page(), AP_BY_TIMER, ap_race_hits);
	ap_race_hits++;
	hrtimer_forward_now(t, ns_to_ktime(50000));
	return HRTIMER_RESTART;
}

static int ap_race_step0(void)
{
	unsigned long end = jiffies + 30 * HZ;
	unsigned int i;

	ap_race_hits = 0;
	/* Same CPU: the timer is pinned to where it was started. */
	migrate_disable();
	hrtimer_setup(&ap_race_hrtimer, ap_race_fire, CLOCK_MONOTONIC,
			 AP_HRTIMER_PINNED);
	hrtimer_start(&ap_race_hrtimer, ns_to_ktime(50000),
		      AP_HRTIMER_PINNED);
	/* On PREEMPT_RT the timer is a thread's work, which may come late. */
	for (i = 0; i < ap_rounds || (READ_ONCE(ap_race_hits) <= 10 && time_before(jiffies, end)); i++) {
		ap_race_swap(ap_race_task(), AP_BY_TASK, i);
		if (!(i % 8))
			ap_race_swap_page(ap_race_task_page(), AP_BY_TASK,
					  i / 8);
		if (!(i % 1024))
			cond_resched_tasks_rcu_qs();
	}
	hrtimer_cancel(&ap_race_hrtimer);
	migrate_enable();

	for (i = 0; i < AP_BOX; i++) {
		unsigned long *obj = ap_race_box[i];
		struct page *page = ap_race_pbox[i];

		if (obj)
			ap_slab(*obj == AP_BY_TASK ? "ap_race_task" :
						     "ap_race_timer",
				"kmalloc-64", 1);
		if (page)
			ap_pages(page_private(page) == AP_BY_TASK ?
					 "ap_race_task_page" :
					 "ap_race_timer_page", 1, 1);
	}
	/* Without interrupts it was no race. */
	return ap_race_hits > 10 ? 0 : -EAGAIN;
}

static int ap_race_step1(void)
{
	unsigned int i;

	for (i = 0; i < AP_BOX; i++) {
		unsigned long *obj = ap_race_box[i];
		struct page *page = ap_race_pbox[i];

		if (obj)
			ap_slab(*obj == AP_BY_TASK ? "ap_race_task" :
						     "ap_race_timer",
				"kmalloc-64", -1);
		if (page)
			ap_pages(page_private(page) == AP_BY_TASK ?
					 "ap_race_task_page" :
					 "ap_race_timer_page", -1, -1);
		ap_race_swap(NULL, 0, i);
		ap_race_swap_page(NULL, 0, i);
	}
	return 0;
}

/*
 * CPUs against each other: one thread a CPU, one mailbox for all, so most
 * objects are freed on another CPU than they came from. One mailbox each for
 * kmalloc objects, pages, and objects of a bulk allocation freed in bulk.
 */
#define AP_STORM_BATCH	16

static void *ap_storm_box[AP_BOX], *ap_storm_pbox[AP_BOX];
static struct task_struct *ap_storm_task[NR_CPUS];
static atomic_t ap_storm_running;
static struct completion ap_storm_done;
static bool ap_storm_forever;
static bool ap_storm_stop;

static AP_FN void *ap_storm(size_t size)
{
	return ap_keep(kmalloc(size, GFP_KERNEL));
}

static AP_FN struct page *ap_storm_page(unsigned int order)
{
	return ap_keep(alloc_pages(GFP_KERNEL | __GFP_COMP, order));
}

static AP_FN int ap_storm_bulk(void **p)
{
	int got = kmem_cache_alloc_bulk(ap_cache[AP_C200], GFP_KERNEL,
					AP_STORM_BATCH, p) ? AP_STORM_BATCH : 0;

	barrier();
	return got;
}

static int ap_storm_thread(void *unused)
{
	void *batch[AP_STORM_BATCH];
	unsigned int i;

	for (i = 0; ap_storm_forever ? !READ_ONCE(ap_storm_stop) : i < ap_rounds;
	     i++) {
		unsigned long *obj = ap_storm(i % 2 ? 64 : 200);

		if (obj)
			*obj = i % 2 ? 64 : 200;
		kfree(xchg(&ap_storm_box[i % AP_BOX], obj));
		if (!(i % 8)) {
			struct page *page = ap_storm_page(i / 8 % 3);

			page = xchg(&ap_storm_pbox[i / 8 % AP_BOX], page);
			if (page)
				put_page(page);
		}
		if (!(i % 16) && ap_storm_bulk(batch))
			kmem_cache_free_bulk(ap_cache[AP_C200], AP_STORM_BATCH,
					     batch);
		/*
		 * Plain cond_resched() would hold up tasks-RCU for good. In the
		 * background be load, not a hog: all of the profiler's switching
		 * waits for tasks to give up their CPU.
		 */
		if (!(i % 256))
			cond_resched_tasks_rcu_qs();
		if (ap_storm_forever && !(i % 2048))
			schedule_timeout_uninterruptible(1);
	}
	if (atomic_dec_and_test(&ap_storm_running))
		complete(&ap_storm_done);
	return ap_stay_until_stopped();
}

static int ap_storm_start(void)
{
	struct task_struct *t;
	unsigned int cpu;
	int err = 0;

	init_completion(&ap_storm_done);
	WRITE_ONCE(ap_storm_stop, false);
	atomic_set(&ap_storm_running, 1);
	for_each_online_cpu(cpu) {
		t = kthread_create(ap_storm_thread, NULL, "ap_storm/%u", cpu);
		if (IS_ERR(t)) {
			err = PTR_ERR(t);
			break;
		}
		kthread_bind(t, cpu);
		ap_storm_task[cpu] = t;
		atomic_inc(&ap_storm_running);
		wake_up_process(t);
	}
	return err;
}

static void ap_storm_wait(void)
{
	unsigned int cpu;

	if (!atomic_dec_and_test(&ap_storm_running))
		wait_for_completion(&ap_storm_done);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (ap_storm_task[cpu])
			kthread_stop(ap_storm_task[cpu]);
		ap_storm_task[cpu] = NULL;
	}
}

static void ap_storm_account(int sign)
{
	unsigned int i;

	for (i = 0; i < AP_BOX; i++) {
		unsigned long *obj = ap_storm_box[i];
		struct page *page = ap_storm_pbox[i];

		if (obj)
			ap_slab("ap_storm", ap_kmalloc_cache(*obj), sign);
		if (page)
			ap_pages("ap_storm_page", sign,
				 sign * (long)compound_nr(page));
	}
}

static void ap_storm_drain(void)
{
	unsigned int i;

	for (i = 0; i < AP_BOX; i++) {
		kfree(ap_storm_box[i]);
		if (ap_storm_pbox[i])
			put_page(ap_storm_pbox[i]);
		ap_storm_box[i] = ap_storm_pbox[i] = NULL;
	}
}

static int ap_storm_step0(void)
{
	int err;

	ap_storm_forever = false;
	err = ap_storm_start();
	ap_storm_wait();
	ap_storm_account(1);
	ap_slab("ap_storm_bulk", "ap_c200", 0);
	return err;
}

static int ap_storm_step1(void)
{
	ap_storm_account(-1);
	ap_storm_drain();
	return 0;
}

/*
 * The same in the background until stopped, as load while the profiler comes
 * and goes. What was allocated while it was off is on no account, so nothing is
 * promised but that all is zero when all is freed.
 */
static int ap_churn_step0(void)
{
	ap_storm_forever = true;
	ap_slab("ap_storm", "kmalloc-64", 0);
	ap_pages("ap_storm_page", 0, 0);
	ap_slab("ap_storm_bulk", "ap_c200", 0);
	return ap_storm_start();
}

static int ap_churn_step1(void)
{
	WRITE_ONCE(ap_storm_stop, true);
	ap_storm_wait();
	ap_storm_drain();
	return 0;
}

const struct ap_path ap_ctx_paths[] = {
	AP_CTX2(task), AP_CTX2(tasklet), AP_CTX2(hrtimer), AP_CTX2(irq_work),
	AP_CTX2(workqueue), AP_CTX2(ipi), AP_CTX2(timer), AP_CTX2(irqsoff),
	{ "ap_race", "race", 0, { ap_race_step0, ap_race_step1 } },
	{ "ap_storm", "race", 0, { ap_storm_step0, ap_storm_step1 } },
	{ "ap_churn", "churn", 0, { ap_churn_step0, ap_churn_step1 } },
	{ }
};
