// SPDX-License-Identifier: GPL-2.0
/*
 * ap_traced: a tracer of the functions that take and release locks, whose program allocates where allocprof calls them:
 * while a lock of allocprof's is held, or about to be. To be there before allocprof. "nested" under
 * /sys/module/ap_traced/parameters says how often; at most MAX_OBJECTS times. All is freed when it goes.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "ap_caller.h"

#define MAX_OBJECTS	2048U

static uint nested;
module_param(nested, uint, 0444);

static const char * const symbols[] = {
	"_raw_spin_lock", "_raw_spin_trylock", "_raw_spin_unlock",
	"_raw_spin_lock_irqsave", "_raw_spin_unlock_irqrestore",
};
static struct kprobe probes[ARRAY_SIZE(symbols)];
static bool probing[ARRAY_SIZE(symbols)];

/* Few to a slab, as a slab's first one needs most. */
static struct kmem_cache *cache;
static void *objects[MAX_OBJECTS];
static atomic_t nobjects;

/* Not of the allocator's own calls: from there, allocating would be that one's deadlock. */
static int entered(struct kprobe *kp, struct pt_regs *regs)
{
	unsigned int i;

	if (!allocprof_calls(regs) || atomic_read(&nobjects) >= MAX_OBJECTS)
		return 0;
	i = atomic_inc_return(&nobjects) - 1;
	if (i < MAX_OBJECTS) {
		objects[i] = kmem_cache_alloc(cache, GFP_ATOMIC | __GFP_NOWARN);
		nested++;
	}
	return 0;
}

static void remove(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(symbols); i++)
		if (probing[i])
			unregister_kprobe(&probes[i]);
	unregister_module_notifier(&notifier);
	for (i = 0; i < MAX_OBJECTS; i++)
		if (objects[i])
			kmem_cache_free(cache, objects[i]);
	kmem_cache_destroy(cache);
}

static int __init ap_traced_init(void)
{
	unsigned int i, n = 0;
	int err;

	/* With a raw lock held nothing is allocated there. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return -EOPNOTSUPP;
	cache = kmem_cache_create("ap_traced", 2000, 0, 0, NULL);
	if (!cache)
		return -ENOMEM;
	err = register_module_notifier(&notifier);
	if (err) {
		kmem_cache_destroy(cache);
		return err;
	}
	/* Where some are inlined there are no such functions. */
	for (i = 0; i < ARRAY_SIZE(symbols); i++) {
		probes[i] = (struct kprobe){ .symbol_name = symbols[i], .pre_handler = entered };
		probing[i] = !register_kprobe(&probes[i]);
		n += probing[i];
	}
	if (n)
		return 0;
	remove();
	return -ENOENT;
}

static void __exit ap_traced_exit(void)
{
	remove();
}

module_init(ap_traced_init);
module_exit(ap_traced_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("allocprof tests: a tracer that allocates inside of locks");
