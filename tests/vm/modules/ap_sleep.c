// SPDX-License-Identifier: GPL-2.0
/*
 * ap_sleep: many tasks that sleep inside kmem_cache_alloc(), for as long as it takes: in the constructor of their cache's objects.
 *
 *	insmod ap_sleep.ko tasks=N			N tasks allocate one object each, in ap_sleep_one()
 *	cat /sys/module/ap_sleep/parameters/sleeping	how many of them are asleep in there
 *	echo 1 > /sys/module/ap_sleep/parameters/wake	all go on
 *
 * The objects are freed when the module goes.
 */
#include <linux/atomic.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "ap_common.h"

#define MAX_TASKS	1000U

static uint tasks = 100;
module_param(tasks, uint, 0444);

static struct kmem_cache *cache;
static struct task_struct *task[MAX_TASKS];
static void *object[MAX_TASKS];
static atomic_t asleep;
static bool awake;
static DECLARE_WAIT_QUEUE_HEAD(wait);

static void constructor(void *obj)
{
	if (READ_ONCE(awake))
		return;
	atomic_inc(&asleep);
	/* As one that waits for memory does: nobody can kill it. */
	wait_event(wait, READ_ONCE(awake));
	atomic_dec(&asleep);
}

static AP_FN void *ap_sleep_one(void)
{
	return ap_keep(kmem_cache_alloc(cache, GFP_KERNEL));
}

static int allocate(void *where)
{
	*(void **)where = ap_sleep_one();
	return ap_stay_until_stopped();
}

static int wake_set(const char *val, const struct kernel_param *kp)
{
	WRITE_ONCE(awake, true);
	wake_up_all(&wait);
	return 0;
}

static int sleeping_get(char *buffer, const struct kernel_param *kp)
{
	return sprintf(buffer, "%d\n", atomic_read(&asleep));
}

static const struct kernel_param_ops wake_ops = { .set = wake_set }, sleeping_ops = { .get = sleeping_get };
module_param_cb(wake, &wake_ops, NULL, 0200);
module_param_cb(sleeping, &sleeping_ops, NULL, 0400);

static void ap_sleep_exit(void)
{
	unsigned int i;

	wake_set(NULL, NULL);
	for (i = 0; i < MAX_TASKS; i++) {
		if (task[i])
			kthread_stop(task[i]);
		if (object[i])
			kmem_cache_free(cache, object[i]);
	}
	kmem_cache_destroy(cache);
}

static int __init ap_sleep_init(void)
{
	unsigned int i;

	/* Few to a slab, so that each task makes one of its own. */
	cache = kmem_cache_create("ap_sleep", 4096, 0, 0, constructor);
	if (!cache)
		return -ENOMEM;
	for (i = 0; i < min(tasks, MAX_TASKS); i++) {
		task[i] = kthread_run(allocate, &object[i], "ap_sleep/%u", i);
		if (IS_ERR(task[i])) {
			task[i] = NULL;
			ap_sleep_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

module_init(ap_sleep_init);
module_exit(ap_sleep_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("allocprof tests: tasks that sleep in an allocator");
