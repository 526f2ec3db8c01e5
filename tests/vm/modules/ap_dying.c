// SPDX-License-Identifier: GPL-2.0
/*
 * ap_dying: allocates, and frees pages, on a CPU that is on its way down, where an irq_work that is queued stays until the CPU
 * is back: in an irq_work that was queued last; on PREEMPT_RT, which serves them by a thread, behind the end of that.
 *
 *	insmod ap_dying.ko count=N pages=P	takes P pages (ap_dying_page); and then the first CPU that goes offline allocates
 *						N objects on the way and frees the pages
 *	echo N > /sys/module/ap_dying/parameters/more		N more, here
 *	echo CPU > /sys/module/ap_dying/parameters/serve	do irq_works that are queued there still run?
 */
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>

#include "ap_common.h"

#define MAX_OBJECTS	400000U

static uint count;
module_param(count, uint, 0444);
static uint pages;
module_param(pages, uint, 0444);
static uint on_the_way;
module_param(on_the_way, uint, 0444);
MODULE_PARM_DESC(on_the_way, "how many were allocated on the way down");

static void **objects;
static unsigned int nobjects;
static bool armed = true;

#define MAX_PAGES	1024U

static struct page *held[MAX_PAGES];

static AP_FN struct page *ap_dying_page(void)
{
	return ap_keep(alloc_page(GFP_KERNEL));
}

static void free_held(void)
{
	unsigned int i;

	for (i = 0; i < MAX_PAGES; i++) {
		if (held[i])
			__free_page(held[i]);
		held[i] = NULL;
	}
}

/* The smallest: most of them in a slab, and so the largest records. */
static void allocate(unsigned int n, gfp_t gfp)
{
	for (; n && nobjects < MAX_OBJECTS; n--) {
		objects[nobjects] = kmalloc(8, gfp | __GFP_NOWARN);
		if (!objects[nobjects])
			break;
		nobjects++;
	}
}

static void allocate_on_the_way(gfp_t gfp)
{
	unsigned int before = nobjects;

	allocate(count, gfp);
	on_the_way = nobjects - before;
	free_held();
}

#ifdef CONFIG_PREEMPT_RT
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
static void on_its_way(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, struct ftrace_regs *regs)
#else
static void on_its_way(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, struct pt_regs *regs)
#endif
{
	if (!armed)
		return;
	armed = false;
	allocate_on_the_way(GFP_KERNEL);
}

static struct ftrace_ops ops = { .func = on_its_way };

static int watch(void)
{
	return ftrace_set_filter(&ops, "sched_cpu_wait_empty", 20, 0) ?: register_ftrace_function(&ops);
}

static void unwatch(void)
{
	unregister_ftrace_function(&ops);
}
#else
static void last_work_fn(struct irq_work *work)
{
	allocate_on_the_way(GFP_ATOMIC);
}

static struct irq_work last_work;

static int on_its_way(struct kprobe *kp, struct pt_regs *regs)
{
	if (armed)
		irq_work_queue(&last_work);
	armed = false;
	return 0;
}

static struct kprobe probe = { .symbol_name = "smpcfd_dying_cpu", .pre_handler = on_its_way };

static int watch(void)
{
	init_irq_work(&last_work, last_work_fn);
	return register_kprobe(&probe);
}

static void unwatch(void)
{
	unregister_kprobe(&probe);
}
#endif

static int more_set(const char *val, const struct kernel_param *kp)
{
	unsigned int n, before = nobjects;
	int err = kstrtouint(val, 0, &n);

	if (err || !objects)
		return err ?: -EINVAL;
	allocate(n, GFP_KERNEL);
	return nobjects - before == n ? 0 : -ENOMEM;
}

static bool served;

static void served_fn(struct irq_work *work)
{
	WRITE_ONCE(served, true);
}

static struct irq_work served_work;

static void queue_here(void *unused)
{
	irq_work_queue(&served_work);
}

static int serve_set(const char *val, const struct kernel_param *kp)
{
	unsigned int cpu, i;
	int err = kstrtouint(val, 0, &cpu);

	if (err)
		return err;
	served = false;
	init_irq_work(&served_work, served_fn);
	err = smp_call_function_single(cpu, queue_here, NULL, true);
	for (i = 0; i < 100 && !err && !READ_ONCE(served); i++)
		msleep(100);
	return err ?: served ? 0 : -ETIMEDOUT;
}

static const struct kernel_param_ops more_ops = { .set = more_set }, serve_ops = { .set = serve_set };
module_param_cb(more, &more_ops, NULL, 0200);
module_param_cb(serve, &serve_ops, NULL, 0200);

static int __init ap_dying_init(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < min(pages, MAX_PAGES); i++)
		held[i] = ap_dying_page();
	objects = vzalloc(MAX_OBJECTS * sizeof(*objects));
	err = objects ? watch() : -ENOMEM;
	if (err) {
		vfree(objects);
		free_held();
	}
	return err;
}

static void __exit ap_dying_exit(void)
{
	unwatch();
	while (nobjects)
		kfree(objects[--nobjects]);
	vfree(objects);
	free_held();
}

module_init(ap_dying_init);
module_exit(ap_dying_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("allocprof tests: allocations on a CPU that goes offline");
