// SPDX-License-Identifier: GPL-2.0
/*
 * ap_paths: requests that fail, and frees of nothing. None may be counted.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/overflow.h>
#include <linux/vmalloc.h>

#include "ap.h"

#define AP_FAIL_GFP	(GFP_KERNEL | __GFP_NOWARN | __GFP_NORETRY)

static AP_FN void *ap_fail_kmalloc(size_t size)
{
	return ap_keep(kmalloc(size, AP_FAIL_GFP));
}

static AP_FN void *ap_fail_kmalloc_node(size_t size)
{
	return ap_keep(kmalloc_node(size, AP_FAIL_GFP, 0));
}

static AP_FN void *ap_fail_array(size_t n)
{
	return ap_keep(kmalloc_array(n, 64, AP_FAIL_GFP));
}

static AP_FN void *ap_fail_krealloc(void *p, size_t size)
{
	return ap_keep(krealloc(p, size, AP_FAIL_GFP));
}

static AP_FN void *ap_fail_vmalloc(unsigned long size)
{
	return ap_keep(__vmalloc(size, AP_FAIL_GFP));
}

static AP_FN void *ap_fail_kept(void)
{
	return ap_keep(kmalloc(100, GFP_KERNEL));
}

static void *ap_fail_obj;

/* Sizes that cannot be, many times over. */
static int ap_fail_sizes(void)
{
	unsigned int i;

	ap_fail_obj = ap_fail_kept();
	if (!ap_fail_obj)
		return -ENOMEM;
	for (i = 0; i < 1000; i++) {
		if (ap_fail_kmalloc(ap_var(1UL << 30)) ||
		    ap_fail_kmalloc_node(ap_var(1UL << 30)) ||
		    ap_fail_array(ap_var(SIZE_MAX / 32)) ||
		    ap_fail_krealloc(ap_fail_obj, ap_var(1UL << 30)) ||
		    ap_fail_vmalloc(1UL << 45))
			return -EINVAL;
	}
	ap_pages("ap_fail_kmalloc", 0, 0);
	ap_pages("ap_fail_kmalloc_node", 0, 0);
	ap_pages("ap_fail_array", 0, 0);
	ap_pages("ap_fail_krealloc", 0, 0);
	ap_pages("ap_fail_vmalloc", 0, 0);
	/* A krealloc() that failed left the object alone. */
	ap_slab("ap_fail_kept", "kmalloc-128", 1);
	return 0;
}

static int ap_fail_sizes_free(void)
{
	kfree(ap_fail_obj);
	ap_slab("ap_fail_kept", "kmalloc-128", -1);
	return 0;
}

/*
 * Large blocks until there are no more: the last request fails for want of
 * memory. No reclaim is allowed, so nobody else loses anything. Some stay for
 * the next step.
 */
#define AP_EXHAUST_ORDER	10
#define AP_EXHAUST_KEEP		3

static struct page *ap_exhaust_list;

static AP_FN struct page *ap_exhaust(void)
{
	return ap_keep(alloc_pages(__GFP_NOWARN | __GFP_NORETRY,
				   AP_EXHAUST_ORDER));
}

static void ap_exhaust_drop(unsigned int keep)
{
	struct page *page, *next;
	unsigned int n = 0;

	for (page = ap_exhaust_list; page; page = next) {
		next = (struct page *)page_private(page);
		if (n++ < keep) {
			if (n == keep)
				set_page_private(page, 0);
			continue;
		}
		set_page_private(page, 0);
		__free_pages(page, AP_EXHAUST_ORDER);
		ap_pages("ap_exhaust", -1, -(1L << AP_EXHAUST_ORDER));
	}
	if (!keep)
		ap_exhaust_list = NULL;
}

static int ap_exhaust_step0(void)
{
	unsigned int failed = 0;
	struct page *page;

	/* Somebody else may give a block back meanwhile; take it as well. */
	while (failed < 1000) {
		page = ap_exhaust();
		if (!page) {
			failed++;
			continue;
		}
		set_page_private(page, (unsigned long)ap_exhaust_list);
		ap_exhaust_list = page;
		ap_pages("ap_exhaust", 1, 1L << AP_EXHAUST_ORDER);
	}
	ap_exhaust_drop(AP_EXHAUST_KEEP);
	return 0;
}

static int ap_exhaust_step1(void)
{
	ap_exhaust_drop(0);
	return 0;
}

/* Frees of nothing. */
static int ap_free_nothing(void)
{
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		kfree(NULL);
		kfree(ZERO_SIZE_PTR);
		kfree_sensitive(NULL);
		kvfree(NULL);
		vfree(NULL);
		free_pages(0, 0);
		kfree_const(_ctype);
	}
	ap_pages("ap_free_nothing", 0, 0);
	return 0;
}

const struct ap_path ap_fail_paths[] = {
	{ "ap_fail_sizes", "fail", 0, { ap_fail_sizes, ap_fail_sizes_free } },
	{ "ap_exhaust", "fail", 0, { ap_exhaust_step0, ap_exhaust_step1 } },
	{ "ap_free_nothing", "fail", 0, { ap_free_nothing } },
	{ }
};
