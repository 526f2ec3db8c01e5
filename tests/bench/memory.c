// SPDX-License-Identifier: GPL-2.0
/*
 * ap_memory: memory that stays allocated, for what a profiler takes to know it.
 *
 *	echo slab N > /sys/module/ap_memory/parameters/ctl	N MiB of objects
 *	echo pages N > ...		N MiB of pages, half of them in blocks of order 3
 *	echo vmalloc N > ...		N MiB in areas of 64 KiB
 *	echo percpu N > ...		N KiB a CPU, in pieces of 64 bytes
 *	echo free > ...			gives all of it back
 *
 * Everything is linked through itself, so nothing else is taken.
 */
#include <linux/cache.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

/* Of a buffer_head, a dentry, an inode, and what kmalloc() is mostly asked for. */
static const unsigned int sizes[] = { 64, 104, 192, 600, 1024 };
#define CACHES	ARRAY_SIZE(sizes)
#define ORDER	3
#define AREA	SZ_64K
#define PIECE	64

struct held {
	struct held *next;
};

static struct kmem_cache *caches[CACHES];
static struct held *objects[CACHES], *areas;
static LIST_HEAD(singles);
static LIST_HEAD(blocks);

/* A piece has the next one's address in its first CPU's copy. */
static void __percpu *pieces;

static void hold(struct held **head, struct held *p)
{
	p->next = *head;
	*head = p;
	cond_resched();
}

static noinline int hold_slab(unsigned long bytes)
{
	unsigned long n;
	unsigned int i;
	void *p;

	for (i = 0; i < CACHES; i++)
		for (n = bytes / CACHES / sizes[i]; n; n--) {
			p = kmem_cache_alloc(caches[i], GFP_KERNEL);
			if (!p)
				return -ENOMEM;
			hold(&objects[i], p);
		}
	return 0;
}

static noinline int hold_pages(struct list_head *list, unsigned long bytes, unsigned int order)
{
	struct page *page;

	for (bytes /= PAGE_SIZE << order; bytes; bytes--) {
		page = alloc_pages(GFP_KERNEL, order);
		if (!page)
			return -ENOMEM;
		list_add(&page->lru, list);
		cond_resched();
	}
	return 0;
}

static noinline int hold_vmalloc(unsigned long bytes)
{
	void *p;

	for (bytes /= AREA; bytes; bytes--) {
		p = vmalloc(AREA);
		if (!p)
			return -ENOMEM;
		hold(&areas, p);
	}
	return 0;
}

static void __percpu **piece_link(void __percpu *p)
{
	return per_cpu_ptr(p, cpumask_first(cpu_possible_mask));
}

static noinline int hold_percpu(unsigned long bytes)
{
	void __percpu *p;

	for (bytes /= PIECE; bytes; bytes--) {
		p = __alloc_percpu(PIECE, PIECE);
		if (!p)
			return -ENOMEM;
		*piece_link(p) = pieces;
		pieces = p;
		cond_resched();
	}
	return 0;
}

static void free_list(struct list_head *list, unsigned int order)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, list, lru) {
		list_del(&page->lru);
		__free_pages(page, order);
		cond_resched();
	}
}

static void free_all(void)
{
	void __percpu *piece;
	struct held *p;
	unsigned int i;

	for (i = 0; i < CACHES; i++)
		while ((p = objects[i])) {
			objects[i] = p->next;
			kmem_cache_free(caches[i], p);
			cond_resched();
		}
	free_list(&singles, 0);
	free_list(&blocks, ORDER);
	while ((p = areas)) {
		areas = p->next;
		vfree(p);
		cond_resched();
	}
	while ((piece = pieces)) {
		pieces = *piece_link(piece);
		free_percpu(piece);
		cond_resched();
	}
}

static int ctl_set(const char *val, const struct kernel_param *kp)
{
	unsigned long n;
	char kind[16];
	int err;

	if (sysfs_streq(val, "free")) {
		free_all();
		return 0;
	}
	if (sscanf(val, "%15s %lu", kind, &n) != 2)
		return -EINVAL;
	if (!strcmp(kind, "slab"))
		return hold_slab(n * SZ_1M);
	if (!strcmp(kind, "vmalloc"))
		return hold_vmalloc(n * SZ_1M);
	if (!strcmp(kind, "percpu"))
		return hold_percpu(n * SZ_1K);
	if (strcmp(kind, "pages"))
		return -EINVAL;
	err = hold_pages(&singles, n * SZ_1M / 2, 0);
	return err ?: hold_pages(&blocks, n * SZ_1M / 2, ORDER);
}

static const struct kernel_param_ops ctl_ops = {
	.set = ctl_set,
};
module_param_cb(ctl, &ctl_ops, NULL, 0200);
MODULE_PARM_DESC(ctl, "write what to hold");

static void ap_memory_exit(void)
{
	unsigned int i;

	free_all();
	for (i = 0; i < CACHES; i++)
		kmem_cache_destroy(caches[i]);
}

static int __init ap_memory_init(void)
{
	char name[32];
	unsigned int i;

	for (i = 0; i < CACHES; i++) {
		snprintf(name, sizeof(name), "ap_memory_%u", sizes[i]);
		/* A usercopy region: not to be merged with a cache that others use. */
		caches[i] = kmem_cache_create_usercopy(name, sizes[i], 0, 0, 0, sizes[i], NULL);
		if (!caches[i]) {
			ap_memory_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

module_init(ap_memory_init);
module_exit(ap_memory_exit);
MODULE_DESCRIPTION("Memory that stays allocated");
MODULE_LICENSE("GPL");
