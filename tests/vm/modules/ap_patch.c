// SPDX-License-Identifier: GPL-2.0
/*
 * ap_patch: a livepatch of functions that are hooked: an object of a node is any node's (right where there is one node), and an
 * object of a cache is freed by kfree(), which takes it. "patched" under /sys/module/ap_patch/parameters counts both.
 */
#include <linux/livepatch.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "ap_common.h"

static atomic_t calls;

static int get_patched(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%d\n", atomic_read(&calls));
}

static const struct kernel_param_ops patched_ops = { .get = get_patched };
module_param_cb(patched, &patched_ops, NULL, 0444);

static AP_FN void *ap_patch_alloc(struct kmem_cache *cache, gfp_t flags, int node)
{
	atomic_inc(&calls);
	return ap_keep(kmem_cache_alloc(cache, flags));
}

static AP_FN void ap_patch_free(struct kmem_cache *cache, void *object)
{
	atomic_inc(&calls);
	kfree(object);
}

static struct klp_func funcs[] = {
	/* Where that is a macro, this is its function. */
#ifdef kmem_cache_alloc_node
	{ .old_name = "kmem_cache_alloc_node_noprof", .new_func = ap_patch_alloc },
#else
	{ .old_name = "kmem_cache_alloc_node", .new_func = ap_patch_alloc },
#endif
	{ .old_name = "kmem_cache_free", .new_func = ap_patch_free },
	{ }
};

static struct klp_object objs[] = {
	{ .funcs = funcs },
	{ }
};

static struct klp_patch patch = {
	.mod = THIS_MODULE,
	.objs = objs,
};

static int __init ap_patch_init(void)
{
	return klp_enable_patch(&patch);
}

static void __exit ap_patch_exit(void)
{
}

module_init(ap_patch_init);
module_exit(ap_patch_exit);
MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
MODULE_DESCRIPTION("allocprof tests: a livepatch of allocators");
