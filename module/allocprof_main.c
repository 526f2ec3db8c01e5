// SPDX-License-Identifier: GPL-2.0
/*
 * allocprof: which line of kernel code owns the memory that is live now, on a
 * kernel that nobody rebuilt.  This file is the module's life from load to
 * unload and its parameters; docs/design.md is the map of the rest.
 */
#include <linux/module.h>
#include <linux/string.h>

#include "callsite_name.h"
#include "control.h"
#include "oom.h"
#include "procfs.h"
#include "refill.h"
#include "slab_layout.h"
#include "tagtable.h"

bool allocprof_debug;
static enum control_state wanted = STATE_OFF;
static enum hook_engine engine = ENGINE_AUTO;

/* One line, whatever it was. */
static void refuse(const char *param, const char *value, const char *choice)
{
	pr_err("%s=%*pE is not one of %s\n", param, (int)strnlen(value, 40), value, choice);
}

static int set_enabled(const char *value, const struct kernel_param *param)
{
	static const char * const names[] = { "0", "1", "never" };
	int i = sysfs_match_string(names, value);

	if (i < 0) {
		refuse("enabled", value, "0, 1, never");
		return -EINVAL;
	}
	/* Written to sysfs, which is there a little before we are, and after. */
	if (THIS_MODULE->state == MODULE_STATE_LIVE)
		return i == STATE_NEVER ? -EINVAL : control_set(i);
	/* "never" sticks, so that the kernel's command line wins over modprobe's. */
	if (wanted != STATE_NEVER)
		wanted = i;
	return 0;
}

static int get_enabled(char *buffer, const struct kernel_param *param)
{
	enum control_state state = control_state();

	return sprintf(buffer, "%s\n",
		       state == STATE_NEVER ? "never" : state == STATE_ON ? "1" : "0");
}

static int set_hooks(const char *value, const struct kernel_param *param)
{
	static const char * const names[] = { "auto", "direct", "kretprobe" };
	int i = match_string(names, ARRAY_SIZE(names), value);

	if (i < 0) {
		refuse("hooks", value, "auto, direct, kretprobe");
		return -EINVAL;
	}
	engine = i;
	return 0;
}

static const struct kernel_param_ops enabled_ops = { .set = set_enabled, .get = get_enabled };
static const struct kernel_param_ops hooks_ops = { .set = set_hooks };

module_param_cb(enabled, &enabled_ops, NULL, 0600);
MODULE_PARM_DESC(enabled, "0: load only, switch on later by vm.mem_profiling; 1: profile from load on; never: hook nothing, ever, whatever else is asked; 0 and 1 can be written while loaded [default: 0]");
module_param_cb(hooks, &hooks_ops, NULL, 0);
MODULE_PARM_DESC(hooks, "auto or direct: direct calls where possible; kretprobe: kretprobes and ftrace callbacks only [default: auto]");
module_param_named(debug, allocprof_debug, bool, 0600);
MODULE_PARM_DESC(debug, "1: name each callsite once that has an allocation not accounted [default: 0]");

static int __init allocprof_init(void)
{
	int err;

	refill_start();
	mapfile_init();
	err = slab_layout_find();
	if (err)
		return err;
	err = tagtable_init();
	if (err)
		return err;
	percpu_init();
	err = callsite_names_init();
	if (err)
		goto err_tags;
	control_init(wanted, engine);
	err = control_sysctl_init();
	if (err)
		goto err_callsites;
	err = procfs_init();
	if (err)
		goto err_sysctl;
	err = oom_init();
	if (err)
		goto err_procfs;
	/* Last, so that what says "profiling" is there to stay. */
	err = control_start(wanted);
	if (err)
		goto err_oom;
	return 0;

err_oom:
	oom_exit();
err_procfs:
	procfs_exit();
err_sysctl:
	control_sysctl_exit();
err_callsites:
	control_exit();
	callsite_names_exit();
err_tags:
	refill_stop();
	tagtable_exit();
	/* Whoever failed has said why, in one line. */
	return err;
}

static void __exit allocprof_exit(void)
{
	oom_exit();
	procfs_exit();
	control_sysctl_exit();
	control_exit();
	callsite_names_exit();
	refill_stop();
	tagtable_exit();
}

module_init(allocprof_init);
module_exit(allocprof_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The allocprof authors");
MODULE_DESCRIPTION("Live kernel memory by allocating line, on stock kernels");
MODULE_VERSION("0.1.0");
