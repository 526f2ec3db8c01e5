// SPDX-License-Identifier: GPL-2.0
/*
 * ap_leak: the demonstration. Loses 64-byte objects in ap_leak_one(), and there
 * only; how many is the parameter. They stay lost when the module goes.
 */
#include <linux/kmemleak.h>
#include <linux/module.h>
#include <linux/slab.h>

static unsigned int count = 1000;
module_param(count, uint, 0444);
MODULE_PARM_DESC(count, "how many 64-byte objects to lose at load");

static void *ap_leak_last;

static __attribute__((noipa)) bool ap_leak_one(void)
{
	/* Kept in a variable that the next object overwrites: lost. */
	ap_leak_last = kmalloc(64, GFP_KERNEL);
	kmemleak_ignore(ap_leak_last);	/* known */
	barrier();
	return ap_leak_last;
}

static int __init ap_leak_init(void)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (!ap_leak_one())
			return -ENOMEM;
	return 0;
}

static void __exit ap_leak_exit(void)
{
}

module_init(ap_leak_init);
module_exit(ap_leak_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("allocprof test: loses memory on purpose");
