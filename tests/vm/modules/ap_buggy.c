// SPDX-License-Identifier: GPL-2.0
/*
 * ap_buggy: a module that does to the kernel's memory what no module may.
 *
 *   echo NAME > /sys/module/ap_buggy/parameters/run
 *
 * does one of these things in a thread of its own, and "fate" beside it says "survived" or "died"; or "cannot", where the kernel
 * has not handed out what it takes. "live" says how many objects and pages are then live, of those that were allocated in
 * ap_buggy_object() and ap_buggy_page(): by what was freed as it should be, or as good as. Everything happens in caches that
 * nothing else uses, or to pages that are all held here. What is broken is left as it is: unload this, but nothing mends a cache.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "ap_common.h"

#define SIZE	232	/* no kmalloc cache's, and more than one to a page */
#define CANNOT	1

static int live_objects, live_pages;

/* Never merged with another, and never destroyed: it may have been broken. So no name comes twice. */
static struct kmem_cache *new_cache(const char *what, slab_flags_t flags)
{
	static unsigned int n;
	char name[32];

	snprintf(name, sizeof(name), "ap_buggy_%s-%u", what, n++);
	return kmem_cache_create(name, SIZE, 0, SLAB_NOLEAKTRACE | flags, NULL);
}

/* One that the kernel checks, and complains of (but for 5.10); and would first, if it had no object. */
static struct kmem_cache *checked_cache(void)
{
	struct kmem_cache *s = new_cache("checked", SLAB_CONSISTENCY_CHECKS | SLAB_RED_ZONE);

	return s && kmem_cache_alloc(s, GFP_KERNEL) ? s : NULL;
}

static struct kmem_cache *cache, *other;

static AP_FN void *ap_buggy_object(struct kmem_cache *s)
{
	void *p = ap_keep(kmem_cache_alloc(s, GFP_KERNEL));

	live_objects += !!p;
	return p;
}

static AP_FN struct page *ap_buggy_page(unsigned int order)
{
	struct page *page = ap_keep(alloc_pages(GFP_KERNEL, order));

	live_pages += page ? 1 << order : 0;
	return page;
}

static void put(struct kmem_cache *s, void *p)
{
	live_objects--;
	kmem_cache_free(s, p);
}

static void put_page_right(struct page *page)
{
	live_pages--;
	__free_page(page);
}

/* What frees nothing. */
static int free_nothing(void)
{
	kfree(NULL);
	kfree(ZERO_SIZE_PTR);
	kfree_sensitive(NULL);
	vfree(NULL);
	kvfree(NULL);
	free_pages(0, 3);
	free_percpu(NULL);
	return 0;
}

/* Addresses that no allocator has handed out. */
static int free_error(void)
{
	kfree(ERR_PTR(-ENOMEM));
	return 0;
}

static int free_user(void)
{
	kfree((void *)0x1000);
	return 0;
}

static int free_noncanonical(void)
{
	kfree((void *)0x4141414141414141);
	return 0;
}

/* A direct map that had so much memory would end there. */
static int free_beyond(void)
{
	kfree(__va((phys_addr_t)1 << 45));
	return 0;
}

static int free_vmalloc(void)
{
	static void *p;

	p = p ?: vmalloc(PAGE_SIZE);
	kfree(p);
	return 0;
}

static int free_percpu_twice(void)
{
	void __percpu *p = __alloc_percpu(40, 8), *q;

	if (!p)
		return CANNOT;
	free_percpu(p);
	q = __alloc_percpu(40, 8);
	free_percpu(p);
	if (q != p)
		free_percpu(q);
	return 0;
}

/* A page that no slab has. */
static int kfree_page(void)
{
	struct page *page = ap_buggy_page(0);
	bool kept;

	if (!page)
		return CANNOT;
	/* 7.x will not have it. Nobody else is given it meanwhile: this CPU would be the first. */
	preempt_disable();
	kfree(page_address(page));
	kept = page_count(page);
	preempt_enable();
	if (kept)
		put_page_right(page);
	else
		live_pages--;
	return 0;
}

static int double_free(struct kmem_cache *s)
{
	void *p = ap_buggy_object(s);

	if (!p)
		return CANNOT;
	put(s, p);
	kmem_cache_free(s, p);
	return 0;
}

/* The cache of its own that is broken by that; a list that has an object twice, before others, is not to be gone through. */
static int double_free_row(void)
{
	struct kmem_cache *s = new_cache("row", 0);

	return s ? double_free(s) : CANNOT;
}

static int double_free_checked(void)
{
	struct kmem_cache *s = checked_cache();

	return s ? double_free(s) : CANNOT;
}

/* Twice, and it has had another owner in between: as many frees as allocations. */
static int double_free_owner(void)
{
	void *p = ap_buggy_object(cache), *q;

	if (!p)
		return CANNOT;
	put(cache, p);
	q = ap_buggy_object(cache);
	if (!q)
		return CANNOT;
	if (q != p) {
		put(cache, q);
		return CANNOT;
	}
	put(cache, p);
	return 0;
}

/* Twice, and another one in between: then it is handed out twice. Where it is cleared meanwhile, what it led to is lost. */
static int double_free_between(void)
{
	struct kmem_cache *s = new_cache("between", 0);
	bool has_p = false, has_q = false;
	void *p, *q, *r;
	int i;

	if (!s)
		return CANNOT;
	p = ap_buggy_object(s);
	q = ap_buggy_object(s);
	if (!p || !q)
		return CANNOT;
	put(s, p);
	put(s, q);
	kmem_cache_free(s, p);
	for (i = 0; i < 5; i++) {
		r = ap_buggy_object(s);
		if ((r == p && has_p) || (r == q && has_q))
			live_objects--;
		has_p |= r == p;
		has_q |= r == q;
	}
	return 0;
}

static int free_middle(struct kmem_cache *s, unsigned int by)
{
	void *p = ap_buggy_object(s);

	if (!p)
		return CANNOT;
	/* The slot has no owner that would be known: whether the kernel takes it or not. */
	put(s, p + by);
	return 0;
}

static int free_middle_plain(void)
{
	struct kmem_cache *s = new_cache("middle", 0);

	return s ? free_middle(s, 24) : CANNOT;
}

static int free_middle_checked(void)
{
	struct kmem_cache *s = checked_cache();

	return s ? free_middle(s, 24) : CANNOT;
}

/* Behind the last object, where there is a rest. */
static int free_rest_checked(void)
{
	struct kmem_cache *s = checked_cache();
	struct page *slab;
	void *p;

	p = s ? ap_buggy_object(s) : NULL;
	if (!p)
		return CANNOT;
	slab = virt_to_head_page(p);
	kmem_cache_free(s, page_address(slab) + page_size(slab) - 8);
	put(s, p);
	return 0;
}

static int wrong_cache(void)
{
	void *p = ap_buggy_object(cache);

	if (!p)
		return CANNOT;
	live_objects--;
	kmem_cache_free(other, p);
	return 0;
}

/* Into whatever is behind it: here, all of it ours. */
static int overflow(void)
{
	void *p[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(p); i++) {
		p[i] = ap_buggy_object(cache);
		if (!p[i])
			return CANNOT;
	}
	for (i = 0; i < ARRAY_SIZE(p); i++) {
		unsigned long at = (unsigned long)p[i];

		/* Not into the next page, which may be anybody's. */
		OPTIMIZER_HIDE_VAR(at);
		if ((at & ~PAGE_MASK) + 2 * SIZE < PAGE_SIZE)
			memset((void *)at, 0x41, SIZE + 32);
	}
	for (i = 0; i < ARRAY_SIZE(p); i++)
		put(cache, p[i]);
	return 0;
}

static int overflow_checked(void)
{
	struct kmem_cache *s = checked_cache();
	unsigned long at = s ? (unsigned long)ap_buggy_object(s) : 0;

	if (!at)
		return CANNOT;
	OPTIMIZER_HIDE_VAR(at);
	memset((void *)at, 0x41, SIZE + 8);
	put(s, (void *)at);
	return 0;
}

/* Written to after it was freed: the allocator stumbles over it, two objects on. */
static int use_after_free(void)
{
	struct kmem_cache *s = new_cache("after", 0);
	void *p[64];
	unsigned int i;

	if (!s)
		return CANNOT;
	for (i = 0; i < ARRAY_SIZE(p); i++) {
		p[i] = ap_buggy_object(s);
		if (!p[i])
			return CANNOT;
	}
	for (i = 0; i < ARRAY_SIZE(p); i++)
		put(s, p[i]);
	for (i = 0; i < ARRAY_SIZE(p); i++) {
		unsigned long at = (unsigned long)p[i];

		OPTIMIZER_HIDE_VAR(at);
		memset((void *)at, 0x41, SIZE);
	}
	for (i = 0; i < ARRAY_SIZE(p); i++)
		ap_buggy_object(s);
	return 0;
}

/* Who is given the page next finds it. Enough are taken for it to be among them. */
static int double_free_page(void)
{
	static struct page *pages[64];
	struct page *page = ap_buggy_page(0);
	unsigned int i;

	if (!page)
		return CANNOT;
	put_page_right(page);
	__free_page(page);
	for (i = 0; i < ARRAY_SIZE(pages); i++)
		pages[i] = ap_buggy_page(0);
	for (i = 0; i < ARRAY_SIZE(pages); i++)
		if (pages[i])
			put_page_right(pages[i]);
	return 0;
}

static int double_free_page_owner(void)
{
	struct page *page = ap_buggy_page(0), *again;

	if (!page)
		return CANNOT;
	put_page_right(page);
	again = ap_buggy_page(0);
	if (!again)
		return CANNOT;
	put_page_right(page);
	if (again != page)
		return CANNOT;
	return 0;
}

/* As a block of four: the other three are somebody's, and that is seen. */
static int free_page_order(void)
{
	struct page *page = ap_buggy_page(2);

	if (!page)
		return CANNOT;
	split_page(page, 2);
	__free_pages(page, 1);
	/* The kernel keeps it, and the next one is no longer known either. */
	live_pages -= 2;
	__free_page(page + 1);
	put_page_right(page + 2);
	put_page_right(page + 3);
	return 0;
}

/* All of a slab's objects are no longer known. */
static int free_slab_page(void)
{
	struct kmem_cache *s = new_cache("page", 0);
	struct page *slab;
	void *p;

	if (!s)
		return CANNOT;
	p = ap_buggy_object(s);
	if (!p)
		return CANNOT;
	slab = virt_to_head_page(p);
	__free_pages(slab, compound_order(slab));
	put(s, p);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(void);
} bugs[] = {
#define BUG_HERE(name)	{ #name, name }
	BUG_HERE(free_nothing), BUG_HERE(free_error), BUG_HERE(free_user), BUG_HERE(free_noncanonical), BUG_HERE(free_beyond),
	BUG_HERE(free_vmalloc), BUG_HERE(free_percpu_twice), BUG_HERE(kfree_page), BUG_HERE(double_free_row),
	BUG_HERE(double_free_checked), BUG_HERE(double_free_owner), BUG_HERE(double_free_between), BUG_HERE(free_middle_plain),
	BUG_HERE(free_middle_checked), BUG_HERE(free_rest_checked), BUG_HERE(wrong_cache), BUG_HERE(overflow),
	BUG_HERE(overflow_checked), BUG_HERE(use_after_free), BUG_HERE(double_free_page), BUG_HERE(double_free_page_owner),
	BUG_HERE(free_page_order), BUG_HERE(free_slab_page),
};

static const char *fate = "nothing";

static int thread(void *run)
{
	int (*bug)(void) = run;

	WRITE_ONCE(fate, bug() == CANNOT ? "cannot" : "survived");
	return ap_stay_until_stopped();
}

static int set_run(const char *value, const struct kernel_param *kp)
{
	struct task_struct *t;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bugs); i++)
		if (sysfs_streq(value, bugs[i].name))
			break;
	if (i == ARRAY_SIZE(bugs))
		return -ENOENT;
	live_objects = live_pages = 0;
	WRITE_ONCE(fate, "died");
	t = kthread_create(thread, bugs[i].run, "%s", bugs[i].name);
	if (IS_ERR(t))
		return PTR_ERR(t);
	get_task_struct(t);
	wake_up_process(t);
	/* One that has died has ended, too. One that has not begun to run would never do so. */
	while (!READ_ONCE(t->exit_state) && READ_ONCE(fate)[0] == 'd')
		schedule_timeout_uninterruptible(1);
	kthread_stop(t);
	put_task_struct(t);
	return 0;
}

static const struct kernel_param_ops run_ops = { .set = set_run };
module_param_cb(run, &run_ops, NULL, 0200);

static int get_fate(char *buffer, const struct kernel_param *kp)
{
	return sprintf(buffer, "%s\n", READ_ONCE(fate));
}

static const struct kernel_param_ops fate_ops = { .get = get_fate };
module_param_cb(fate, &fate_ops, NULL, 0400);

static int get_live(char *buffer, const struct kernel_param *kp)
{
	return sprintf(buffer, "%d %d\n", live_objects, live_pages);
}

static const struct kernel_param_ops live_ops = { .get = get_live };
module_param_cb(live, &live_ops, NULL, 0400);

static int get_list(char *buffer, const struct kernel_param *kp)
{
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(bugs); i++)
		n += sprintf(buffer + n, "%s\n", bugs[i].name);
	return n;
}

static const struct kernel_param_ops list_ops = { .get = get_list };
module_param_cb(list, &list_ops, NULL, 0400);

static int __init ap_buggy_init(void)
{
	cache = new_cache("plain", 0);
	other = new_cache("other", 0);
	return cache && other ? 0 : -ENOMEM;
}

static void __exit ap_buggy_exit(void)
{
}

module_init(ap_buggy_init);
module_exit(ap_buggy_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("allocprof tests: what no module may do");
