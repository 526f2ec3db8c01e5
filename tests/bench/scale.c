// SPDX-License-Identifier: GPL-2.0
/*
 * ap_scale: does a pair cost more among many live objects, or callsites?
 *
 *	echo live N > /sys/module/ap_bench/parameters/ctl	N objects: live.c
 *	echo sites > ...					sites.c
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>

#include "ap_bench.h"

static int run_live(unsigned long n, struct ap_results *results)
{
	struct ap_case c = ap_live_case;
	char name[32];
	int err;

	snprintf(name, sizeof(name), "live_%lu", n);
	c.name = name;
	err = live_set(n);
	if (!err)
		err = measure_case(&c, results);
	live_set(0);
	return err;
}

static int run_sites(struct ap_results *results)
{
	unsigned int i;
	int err = 0;

	sites_meet();
	for (i = 0; i < ap_nsites && !err; i++)
		err = measure_case(&ap_sites_cases[i], results);
	return err;
}

static int run(const char *what, struct ap_results *results)
{
	unsigned long n;

	if (sysfs_streq(what, "sites"))
		return run_sites(results);
	if (!strncmp(what, "live ", 5) && !kstrtoul(what + 5, 0, &n) && n)
		return run_live(n, results);
	return -EINVAL;
}

static int __init ap_scale_init(void)
{
	int err = sites_init();

	if (!err)
		ap_scale = run;
	return err;
}

static void __exit ap_scale_exit(void)
{
	ap_scale = NULL;
	sites_exit();
}

module_init(ap_scale_init);
module_exit(ap_scale_exit);
MODULE_DESCRIPTION("Instructions per memory allocation among many");
MODULE_LICENSE("GPL");
