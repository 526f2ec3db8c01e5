// SPDX-License-Identifier: GPL-2.0
/*
 * ap_paths: very many live objects. They are linked through themselves, so that
 * the test needs no memory of its own to hold them.
 */
#include <linux/sched.h>

#include "ap.h"

#define AP_SCALE_OBJECTS	1000000
#define AP_SCALE_PAGES		16384

static void **ap_scale_list;
static struct page *ap_scale_page_list;

static AP_FN void **ap_scale(void)
{
	void **o = kmalloc(64, GFP_KERNEL);

	return ap_keep(o);
}

static AP_FN struct page *ap_scale_page(void)
{
	return ap_keep(alloc_page(GFP_KERNEL));
}

static int ap_scale_alloc(void)
{
	unsigned int i;

	for (i = 0; i < AP_SCALE_OBJECTS; i++) {
		void **o = ap_scale();

		if (!o)
			break;
		*o = ap_scale_list;
		ap_scale_list = o;
		if (!(i % 1024))
			cond_resched_tasks_rcu_qs();
	}
	ap_slab("ap_scale", "kmalloc-64", i);
	return i == AP_SCALE_OBJECTS ? 0 : -ENOMEM;
}

static int ap_scale_free_n(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n && ap_scale_list; i++) {
		void **o = ap_scale_list;

		ap_scale_list = *o;
		kfree(o);
		if (!(i % 1024))
			cond_resched_tasks_rcu_qs();
	}
	ap_slab("ap_scale", "kmalloc-64", -(long)i);
	return 0;
}

static int ap_scale_free_some(void)
{
	return ap_scale_free_n(AP_SCALE_OBJECTS / 3);
}

static int ap_scale_free_rest(void)
{
	return ap_scale_free_n(AP_SCALE_OBJECTS);
}

static int ap_scale_page_alloc(void)
{
	unsigned int i;

	for (i = 0; i < AP_SCALE_PAGES; i++) {
		struct page *page = ap_scale_page();

		if (!page)
			break;
		set_page_private(page, (unsigned long)ap_scale_page_list);
		ap_scale_page_list = page;
		if (!(i % 1024))
			cond_resched_tasks_rcu_qs();
	}
	ap_pages("ap_scale_page", i, i);
	return i == AP_SCALE_PAGES ? 0 : -ENOMEM;
}

static int ap_scale_page_free(void)
{
	unsigned int i = 0;

	while (ap_scale_page_list) {
		struct page *page = ap_scale_page_list;

		ap_scale_page_list = (struct page *)page_private(page);
		set_page_private(page, 0);
		__free_page(page);
		if (!(++i % 1024))
			cond_resched_tasks_rcu_qs();
	}
	ap_pages("ap_scale_page", -(long)i, -(long)i);
	return 0;
}

const struct ap_path ap_scale_paths[] = {
	{ "ap_scale", "scale", 0,
	  { ap_scale_alloc, ap_scale_free_some, ap_scale_free_rest } },
	{ "ap_scale_page", "scale", 0,
	  { ap_scale_page_alloc, ap_scale_page_free } },
	{ }
};
