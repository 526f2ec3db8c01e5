// SPDX-License-Identifier: GPL-2.0
/*
 * The switch.
 *
 * Off means detached: not one hook is patched in, and the side tables are
 * gone.  The tags and their counts stay, so what was measured can still be
 * read (each line marked "accurate:no": it has stood still since).  Switching
 * on starts from nothing: what was freed meanwhile must not linger.
 *
 * Notes on locking
 *
 * control_lock serialises switching.  The sysctl's handler takes it, so it is
 * not held while the sysctl is unregistered, which waits for the handler.
 * state is written under it and read without.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/namei.h>
#include <linux/sysctl.h>

#include "callsite.h"
#include "control.h"
#include "cpu_gone.h"
#include "mapfile.h"
#include "percputable.h"
#include "pfnmem.h"
#include "refill.h"
#include "stats.h"
#include "tagtable.h"
#include "vecpool.h"

static DEFINE_MUTEX(control_lock);
static enum control_state state;
static bool closed;	/* for good: nothing is switched on any more */
static enum hook_engine engine;

static void free_tables(void)
{
	percputable_exit();
	cpu_gone_exit();
	/* With it goes the word of memory that leaves, which gives vectors back. */
	pfnmem_exit();
	/* Who gives one back may ask for the work that trims the pool. */
	refill_stop();
	vecpool_exit();
}

/* What was lost before is of no interest any more. */
static void forget_losses(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu(allocprof_losses, cpu), 0, sizeof(allocprof_losses));
}

static int start(void)
{
	int err;

	/* First: what the map says of a return address is asked when its tag is made. */
	mapfile_load();
	callsite_begin();
	err = pfnmem_init();
	if (!err)
		err = vecpool_init(totalram_pages());
	if (err) {
		pr_err("not profiling: no memory for the tables (0.15%% of RAM, %lu MiB here); free some and try again\n",
		       max(3 * totalram_pages() >> (21 - PAGE_SHIFT), 1000UL) / 1000);
		goto err_tables;
	}
	err = cpu_gone_init();
	if (err)
		goto err_tables;
	tagtable_zero();
	forget_losses();
	err = hooks_attach(engine);
	if (err && hooks_any_attached()) {
		/* ftrace broke down on the way: what is in stays, and needs the tables. */
		WRITE_ONCE(state, STATE_STUCK);
		return -EIO;
	}
	if (err)
		goto err_tables;
	if (hooks_degraded())
		pr_warn("profiling, degraded: see /proc/allocprof/hooks for what is not seen\n");
	else
		pr_info("profiling\n");
	return 0;

err_tables:
	free_tables();
	return err;
}

static int stop(void)
{
	int err;

	/* Counts are wrong from the first hook that goes, for as long as tasks sleep. */
	if (state == STATE_ON)
		WRITE_ONCE(state, STATE_STOPPING);
	err = hooks_detach();
	if (err) {
		/* What is still in needs the tables, and its counts make no sense any more. */
		WRITE_ONCE(state, STATE_STUCK);
		return -EIO;
	}
	free_tables();
	pr_info("off, all hooks are out\n");
	return 0;
}

/**
 * control_set() - switch profiling on or off
 * @on: which
 *
 * On, while it is on, looks for a line map that was not there before.
 * Context: sleeps; off takes as long as tasks sleep in the allocators.
 * Return: 0, also if it already is so; -EPERM after enabled=never; -ENODEV after
 * control_exit(), as a writer of our parameter may be that late; -EIO while
 * ftrace refuses to let a hook go (off may be tried again); or why it cannot
 * start, which is in the log too.
 */
int control_set(bool on)
{
	int err = 0;

	mutex_lock(&control_lock);
	if (closed && on)
		err = -ENODEV;
	else if (state == STATE_NEVER)
		err = on ? -EPERM : 0;
	else if (state == STATE_STUCK)
		err = on ? -EIO : stop();
	else if (on != (state == STATE_ON))
		err = on ? start() : stop();
	else if (on)
		mapfile_load();
	if (!err && state != STATE_NEVER)
		WRITE_ONCE(state, on ? STATE_ON : STATE_OFF);
	mutex_unlock(&control_lock);
	return err;
}

/**
 * control_state() - what runs now
 *
 * Context: any.
 */
enum control_state control_state(void)
{
	return READ_ONCE(state);
}

/**
 * control_state_name() - the same as a word
 *
 * Context: any.
 */
const char *control_state_name(void)
{
	static const char * const name[] = { "off", "on", "never", "stopping", "stuck" };

	return name[control_state()];
}

/**
 * control_init() - take over what the parameters say, and stay off for now
 * @wanted: STATE_OFF, STATE_ON or STATE_NEVER
 * @hooks: which methods to use
 *
 * Context: module load, before anybody can call control_set().
 */
void control_init(enum control_state wanted, enum hook_engine hooks)
{
	engine = hooks;
	if (hooks == ENGINE_DIRECT && !IS_ENABLED(CONFIG_X86_64))
		pr_info("hooks=direct: direct calls are made on x86-64 only, using kretprobes\n");
	if (wanted != STATE_NEVER)
		return;
	state = STATE_NEVER;
	pr_info("enabled=never: nothing is hooked, and nothing will be\n");
}

/**
 * control_start() - switch on if that is what the parameters say
 * @wanted: as given to control_init()
 *
 * Context: module load; sleeps.
 * Return: 0; or why profiling cannot start, with a line in the log and nothing
 * left attached.
 */
int control_start(enum control_state wanted)
{
	int err = wanted == STATE_ON ? control_set(true) : 0;

	/* Failing to load would free text that is still called. */
	return control_state() == STATE_STUCK ? 0 : err;
}

/**
 * control_exit() - switch off for good
 *
 * Context: module unload, sysctl gone; sleeps.  Does not return while ftrace
 * refuses to let a hook go: text that is still called must stay.
 */
void control_exit(void)
{
	mutex_lock(&control_lock);
	closed = true;
	mutex_unlock(&control_lock);
	while (control_set(false)) {
		pr_err("ftrace does not release a hook; if it has shut itself down the module must stay until reboot\n");
		schedule_timeout_idle(600 * HZ);
	}
}

static int sysctl_handler(COMPAT_CTL_TABLE *table, int write, void *buffer, size_t *lenp,
			  loff_t *ppos)
{
	/* What is written beyond the start, or is nothing, is left as it is. */
	int on = write ? -1 : control_state() == STATE_ON;
	struct ctl_table copy = *table;
	int err;

	copy.data = &on;
	err = proc_dointvec_minmax(&copy, write, buffer, lenp, ppos);
	if (err || on < 0 || !write)
		return err;
	return control_set(on);
}

/* The empty entry is for kernels that look for it: compat/sysctl.h. */
static struct ctl_table sysctl_table[] = {
	{
		.procname = "mem_profiling",
		.maxlen = sizeof(int),
		.mode = 0600,
		.proc_handler = sysctl_handler,
		.extra1 = SYSCTL_ZERO,
		.extra2 = SYSCTL_ONE,
	},
	{}
};

static struct ctl_table_header *sysctl_header;

/**
 * control_sysctl_init() - vm.mem_profiling, unless the kernel has its own
 *
 * Context: module load; sleeps.
 * Return: 0; or -ENOMEM, with a line in the log.
 */
int control_sysctl_init(void)
{
	struct path path;

	if (IS_ENABLED(CONFIG_MEM_ALLOC_PROFILING) ||
	    !kern_path("/proc/sys/vm/mem_profiling", 0, &path)) {
		if (!IS_ENABLED(CONFIG_MEM_ALLOC_PROFILING))
			path_put(&path);
		pr_info("vm.mem_profiling is the kernel's own here and left alone; switch allocprof by /sys/module/allocprof/parameters/enabled\n");
		return 0;
	}
	if (control_state() == STATE_NEVER)
		sysctl_table[0].mode = 0400;
	sysctl_header = compat_register_sysctl("vm", sysctl_table, ARRAY_SIZE(sysctl_table) - 1);
	if (sysctl_header)
		return 0;
	pr_err("not loaded: no memory for vm.mem_profiling; free some and load it again\n");
	return -ENOMEM;
}

/**
 * control_sysctl_exit() - remove it; waits for its handlers
 *
 * Context: module unload; sleeps.
 */
void control_sysctl_exit(void)
{
	if (sysctl_header)
		unregister_sysctl_table(sysctl_header);
	sysctl_header = NULL;
}
