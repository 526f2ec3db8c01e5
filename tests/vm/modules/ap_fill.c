// SPDX-License-Identifier: GPL-2.0
/*
 * Fills the boot-time chunk of per-CPU memory, and holds it until unloaded. The kernel's own profiler cannot see
 * allocations in that chunk; with it full, they go where both profilers see them.
 */
#include <linux/list.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sizes.h>
#include <linux/slab.h>

struct fill {
	struct list_head list;
	void __percpu *ptr;
};

static LIST_HEAD(fills);

/* Pointers into the first chunk are small offsets; all others are far away. */
static bool in_first_chunk(void __percpu *ptr)
{
	return (__force unsigned long)ptr < SZ_64M;
}

static bool fill_one(size_t size)
{
	struct fill *fill = kmalloc(sizeof(*fill), GFP_KERNEL);

	if (!fill)
		return false;
	fill->ptr = __alloc_percpu(size, 4);
	if (!fill->ptr || !in_first_chunk(fill->ptr)) {
		free_percpu(fill->ptr);
		kfree(fill);
		return false;
	}
	list_add(&fill->list, &fills);
	return true;
}

static void ap_fill_exit(void)
{
	struct fill *fill, *next;

	list_for_each_entry_safe(fill, next, &fills, list) {
		free_percpu(fill->ptr);
		kfree(fill);
	}
}

static int __init ap_fill_init(void)
{
	unsigned int n = 0;
	size_t size;

	/* From large to small, so that it takes few; the smallest is the least there is. */
	for (size = SZ_16K; size >= 4; size /= 2)
		while (n < 100000 && fill_one(size))
			n++;
	pr_info("ap_fill: %u per-CPU allocations held\n", n);
	return 0;
}

module_init(ap_fill_init);
module_exit(ap_fill_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Fills the first chunk of per-CPU memory");
