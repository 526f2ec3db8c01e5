// SPDX-License-Identifier: GPL-2.0
/*
 * ap_bench: how many instructions does one allocation and its free take?
 *
 * Meant for a guest under "qemu -accel tcg -icount shift=0 -smp 1": measure.c.
 *
 *	echo run > /sys/module/ap_bench/parameters/ctl	measure all cases but
 *	echo accounted > ...				those charged to a memory cgroup
 *	echo busy > ...					how long the CPU was, until now
 *	echo sites > ..., echo live N > ...		with ap_scale: scale.c
 *	cat /sys/module/ap_bench/parameters/ctl		"case sum/pairs" lines
 *
 * A result is instructions per allocate-and-free pair, of the same object over
 * and over (steady state), without the loop around it.  It is kept as the sum
 * over all pairs: two results are equal only when every instruction is.
 *
 * What sleeps, or is done by others later, is measured with interrupts on: the
 * time that passes less the time the CPU is idle, timer ticks and all.  Such a
 * result is "loose": good to some instructions a pair.  So are those of memory
 * that is taken piece by piece, never used before, and then given back, as it
 * depends on what the machine has free.  Where that, or how a cgroup's charges
 * happen to be batched, is most of the cost, the result "varies": it says what
 * is usual.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "ap_bench.h"

static struct ap_results results;

int (*ap_scale)(const char *what, struct ap_results *results);
EXPORT_SYMBOL_GPL(ap_scale);

static int run(bool accounted)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < ap_ncases && !err; i++)
		if (accounted == !!(ap_cases[i].flags & CASE_ACCOUNTED))
			err = measure_case(&ap_cases[i], &results);
	return err;
}

static int ctl_set(const char *val, const struct kernel_param *kp)
{
	int err = calibrate();

	results.len = 0;
	if (err)
		return err;
	if (sysfs_streq(val, "run"))
		return run(false);
	if (sysfs_streq(val, "accounted"))
		return run(true);
	if (sysfs_streq(val, "busy"))
		return measure_busy(&results);
	return ap_scale ? ap_scale(val, &results) : -EINVAL;
}

static int ctl_get(char *buf, const struct kernel_param *kp)
{
	return results.len ? scnprintf(buf, PAGE_SIZE, "%s", results.text) : -ENODATA;
}

static const struct kernel_param_ops ctl_ops = {
	.set = ctl_set,
	.get = ctl_get,
};
module_param_cb(ctl, &ctl_ops, NULL, 0600);
MODULE_PARM_DESC(ctl, "write what to measure, read the results");

static int __init ap_bench_init(void)
{
	return cases_init();
}

static void __exit ap_bench_exit(void)
{
	cases_exit();
}

module_init(ap_bench_init);
module_exit(ap_bench_exit);
MODULE_DESCRIPTION("Instructions per memory allocation under qemu -icount");
MODULE_LICENSE("GPL");
