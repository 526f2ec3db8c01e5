// SPDX-License-Identifier: GPL-2.0
/*
 * ap_paths: the control files and the model of what should be live.
 *
 *   /proc/ap_paths/list   one line a path:  NAME GROUP STEPS FLAGS
 *   /proc/ap_paths/ctl    write "NAME STEP": run that step. Steps of a path run
 *                         in order; after the last one the first is next.
 *   /proc/ap_paths/model  one line an account:  PATH FUNC CACHE CALLS UNITS
 *                         CACHE "page": UNITS are pages; "byte": bytes; else
 *                         the account holds CALLS objects of that slab cache
 */
#include <linux/ctype.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "ap.h"

unsigned int ap_rounds = 300000;
module_param_named(rounds, ap_rounds, uint, 0644);
MODULE_PARM_DESC(rounds, "rounds of the interrupt and CPU races");

struct ap_account {
	const char *path;
	const char *func;
	const char *cache;
	long calls;
	long units;
};

static const struct ap_path *const ap_tables[] = {
	ap_slab_paths, ap_page_paths, ap_ctx_paths, ap_fail_paths,
	ap_scale_paths, ap_hostile_paths,
};

#define AP_MAX_ACCOUNTS	1024
#define AP_MAX_PATHS	256

/* Static, so that the test's own bookkeeping allocates nothing. */
static struct ap_account ap_accounts[AP_MAX_ACCOUNTS];
static unsigned int ap_nr_accounts;
static const struct ap_path *ap_paths[AP_MAX_PATHS];
static unsigned int ap_next[AP_MAX_PATHS];
static unsigned int ap_nr_paths;
static const struct ap_path *ap_running;
static bool ap_overflow;

/* Serialises steps; model and step state are only touched under it. */
static DEFINE_MUTEX(ap_lock);

static void ap_account(const char *func, const char *cache, long calls,
		       long units)
{
	struct ap_account *a;
	unsigned int i;

	lockdep_assert_held(&ap_lock);
	for (i = 0; i < ap_nr_accounts; i++) {
		a = &ap_accounts[i];
		if (!strcmp(a->func, func) && !strcmp(a->cache, cache) &&
		    !strcmp(a->path, ap_running->name))
			goto found;
	}
	if (ap_nr_accounts == AP_MAX_ACCOUNTS) {
		ap_overflow = true;
		return;
	}
	a = &ap_accounts[ap_nr_accounts++];
	a->path = ap_running->name;
	a->func = func;
	a->cache = cache;
found:
	a->calls += calls;
	a->units += units;
}

/**
 * ap_slab() - account slab objects to a function
 * @func: the function that allocated them
 * @cache: name of the cache, as in /sys/kernel/slab
 * @objects: how many more (or fewer) are live
 */
void ap_slab(const char *func, const char *cache, long objects)
{
	ap_account(func, cache, objects, objects);
}

/**
 * ap_pages() - account pages to a function
 * @func: the function that allocated them
 * @calls: how many more (or fewer) allocations are live
 * @pages: how many pages more (or fewer) they hold
 */
void ap_pages(const char *func, long calls, long pages)
{
	ap_account(func, "page", calls, pages);
}

/**
 * ap_bytes() - account bytes to a function
 * @func: the function that allocated them
 * @calls: how many more (or fewer) allocations are live
 * @bytes: how many bytes more (or fewer) they hold
 */
void ap_bytes(const char *func, long calls, long bytes)
{
	ap_account(func, "byte", calls, bytes);
}

/**
 * ap_kmalloc_cache() - which cache kmalloc(GFP_KERNEL) takes for a size
 * @size: the size asked for, at most 8192
 *
 * Return: its name.
 */
const char *ap_kmalloc_cache(size_t size)
{
	static const struct {
		size_t size;
		const char *name;
	} caches[] = {
		{ 8, "kmalloc-8" }, { 16, "kmalloc-16" },
		{ 32, "kmalloc-32" }, { 64, "kmalloc-64" },
		{ 96, "kmalloc-96" }, { 128, "kmalloc-128" },
		{ 192, "kmalloc-192" }, { 256, "kmalloc-256" },
		{ 512, "kmalloc-512" }, { 1024, "kmalloc-1k" },
		{ 2048, "kmalloc-2k" }, { 4096, "kmalloc-4k" },
		{ 8192, "kmalloc-8k" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(caches); i++)
		if (size <= caches[i].size)
			return caches[i].name;
	return "none";
}

static int ap_run(const char *name, unsigned int step)
{
	unsigned int i;
	int err;

	for (i = 0; i < ap_nr_paths; i++)
		if (!strcmp(ap_paths[i]->name, name))
			break;
	if (i == ap_nr_paths)
		return -ENOENT;
	if (step >= AP_MAX_STEPS || !ap_paths[i]->step[step])
		return -EINVAL;
	if (step != ap_next[i])
		return -EBUSY;

	ap_running = ap_paths[i];
	err = ap_running->step[step]();
	if (err)
		pr_info("ap_paths: %s step %u: error %d\n", name, step, err);
	step++;
	ap_next[i] = step < AP_MAX_STEPS && ap_paths[i]->step[step] ? step : 0;
	ap_running = NULL;
	return err;
}

static ssize_t ap_ctl_write(struct file *file, const char __user *ubuf,
			    size_t len, loff_t *pos)
{
	char buf[64], name[48];
	unsigned int step;
	int err;

	if (len >= sizeof(buf))
		return -EINVAL;
	if (copy_from_user(buf, ubuf, len))
		return -EFAULT;
	buf[len] = 0;
	if (sscanf(buf, "%47s %u", name, &step) != 2)
		return -EINVAL;
	mutex_lock(&ap_lock);
	err = ap_run(name, step);
	mutex_unlock(&ap_lock);
	return err ? err : len;
}

static int ap_list_show(struct seq_file *m, void *v)
{
	unsigned int i, n;

	for (i = 0; i < ap_nr_paths; i++) {
		const struct ap_path *p = ap_paths[i];

		for (n = 0; n < AP_MAX_STEPS && p->step[n]; n++)
			;
		seq_printf(m, "%s %s %u %u\n", p->name, p->group, n, p->flags);
	}
	return 0;
}

static int ap_model_show(struct seq_file *m, void *v)
{
	unsigned int i;

	mutex_lock(&ap_lock);
	for (i = 0; i < ap_nr_accounts; i++) {
		const struct ap_account *a = &ap_accounts[i];

		seq_printf(m, "%s %s %s %ld %ld\n", a->path, a->func, a->cache,
			   a->calls, a->units);
	}
	if (ap_overflow)
		seq_puts(m, "overflow overflow byte 1 1\n");
	mutex_unlock(&ap_lock);
	return 0;
}

static int ap_ctl_open(struct inode *inode, struct file *file)
{
	return 0;
}

static const struct proc_ops ap_ctl_ops = {
	.proc_open	= ap_ctl_open,
	.proc_write	= ap_ctl_write,
};

static int __init ap_init(void)
{
	struct proc_dir_entry *dir;
	const struct ap_path *p;
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(ap_tables); i++)
		for (p = ap_tables[i]; p->name; p++) {
			if (WARN_ON(ap_nr_paths == AP_MAX_PATHS))
				return -ENOSPC;
			ap_paths[ap_nr_paths++] = p;
		}
	err = ap_slab_init();
	if (err)
		return err;
	dir = proc_mkdir("ap_paths", NULL);
	if (!dir || !proc_create("ctl", 0200, dir, &ap_ctl_ops) ||
	    !proc_create_single("list", 0400, dir, ap_list_show) ||
	    !proc_create_single("model", 0400, dir, ap_model_show)) {
		proc_remove(dir);
		ap_slab_exit();
		return -ENOMEM;
	}
	return 0;
}

static void __exit ap_exit(void)
{
	remove_proc_subtree("ap_paths", NULL);
	ap_slab_exit();
}

module_init(ap_init);
module_exit(ap_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("allocprof test: known allocations from known functions");
