/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ap_paths: known amounts of kernel memory from functions with known names.
 *
 * A path is one way to allocate and to free; it is driven in steps through
 * /proc/ap_paths/ctl. Every step says in the model (/proc/ap_paths/model) what
 * should now be live and on which function's account. The model comes from
 * counting what the step itself did; no profiler is asked. Slab slot sizes are
 * not in it, only the cache's name: the reader takes the slot size from
 * /sys/kernel/slab/CACHE/slab_size.
 */
#ifndef AP_H
#define AP_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/types.h>

#include "ap_common.h"
#include "compat.h"

/* The number as the compiler cannot know it: picks the non-constant path. */
#define ap_var(n)						\
({								\
	size_t __n = (n);					\
	OPTIMIZER_HIDE_VAR(__n);				\
	__n;							\
})

#define AP_MAX_STEPS	9

/* Objects of this path may be freed some time after the free step returned. */
#define AP_ASYNC	1
/* Step 0 is to be run before the profiler is on. */
#define AP_EARLY	2

struct ap_path {
	const char *name;
	const char *group;
	unsigned int flags;
	int (*step[AP_MAX_STEPS])(void);
};

extern const struct ap_path ap_slab_paths[];
extern const struct ap_path ap_page_paths[];
extern const struct ap_path ap_ctx_paths[];
extern const struct ap_path ap_fail_paths[];
extern const struct ap_path ap_scale_paths[];
extern const struct ap_path ap_hostile_paths[];

/*
 * The model. A func that starts with '!' is one of the kernel's own. With '?' it
 * is on this function's account or on none of ours: a profiler may do either.
 */
void ap_slab(const char *func, const char *cache, long objects);
void ap_pages(const char *func, long calls, long pages);
void ap_bytes(const char *func, long calls, long bytes);

/* Name of the kmalloc cache that serves this size (GFP_KERNEL). */
const char *ap_kmalloc_cache(size_t size);

/* Caches of our own, created at load. */
enum ap_cache_id {
	AP_C200, AP_C200_CTOR, AP_C700, AP_C1400, AP_C3000, AP_C10000,
	AP_C20, AP_C_RCU, AP_C_ACCT, AP_C_STACK, AP_NR_CACHES
};
extern struct kmem_cache *ap_cache[AP_NR_CACHES];
extern const char *const ap_cache_name[AP_NR_CACHES];

int ap_slab_init(void);
void ap_slab_exit(void);

extern unsigned int ap_rounds;

#endif
