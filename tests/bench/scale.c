// SPDX-License-Identifier: GPL-2.0
/*
 * ap_scale: does a pair cost more among many live objects, or callsites?
 *
 *	echo live N > /sys/module/ap_scale/parameters/ctl	N objects: live.c
 *	echo sites > ...					sites.c
 *	cat /sys/module/ap_scale/parameters/ctl		as ap_bench has it
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "ap_bench.h"

static struct ap_results results;

static int run_live(unsigned long n)
{
	struct ap_case c = ap_live_case;
	char name[32];
	int err;

	snprintf(name, sizeof(name), "live_%lu", n);
	c.name = name;
	err = live_set(n);
	if (!err)
		err = measure_case(&c, &results);
	live_set(0);
	return err;
}

static int run_sites(void)
{
	unsigned int i;
	int err = 0;

	sites_meet();
	for (i = 0; i < ap_nsites && !err; i++)
		err = measure_case(&ap_sites_cases[i], &results);
	return err;
}

static int ctl_set(const char *val, const struct kernel_param *kp)
{
	unsigned long n;
	int err = calibrate();

	results.len = 0;
	if (err)
		return err;
	if (sysfs_streq(val, "sites"))
		return run_sites();
	if (!strncmp(val, "live ", 5) && !kstrtoul(val + 5, 0, &n) && n)
		return run_live(n);
	return -EINVAL;
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

static int __init ap_scale_init(void)
{
	return sites_init();
}

static void __exit ap_scale_exit(void)
{
	sites_exit();
}

module_init(ap_scale_init);
module_exit(ap_scale_exit);
MODULE_DESCRIPTION("Instructions per memory allocation among many");
MODULE_LICENSE("GPL");
