// SPDX-License-Identifier: GPL-2.0
/*
 * ap_paths: every way to a slab object and back.
 */
#include <linux/kallsyms.h>
#include <linux/mempool.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/rhashtable.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "ap.h"

/* Enough to fill more than one slab of most caches: every slot gets used. */
#define AP_N	40

struct kmem_cache *ap_cache[AP_NR_CACHES];

const char *const ap_cache_name[AP_NR_CACHES] = {
	[AP_C200]	= "ap_c200",
	[AP_C200_CTOR]	= "ap_c200_ctor",
	[AP_C700]	= "ap_c700",
	[AP_C1400]	= "ap_c1400",
	[AP_C3000]	= "ap_c3000",
	[AP_C10000]	= "ap_c10000",
	[AP_C20]	= "ap_c20",
	[AP_C_RCU]	= "ap_c_rcu",
	[AP_C_ACCT]	= "ap_c_acct",
	[AP_C_STACK]	= "ap_c_stack",
};

static void ap_ctor(void *obj)
{
	memset(obj, 0x5a, 8);
}

/*
 * Runs inside the allocator: can the kernel still see who called that? Stack
 * traces, lockdep and oopses go through whatever a profiler put in between.
 */
static unsigned int ap_stack_seen, ap_stack_lost;

static void ap_stack_ctor(void *obj)
{
	unsigned long entries[32];
	char name[KSYM_SYMBOL_LEN];
	unsigned int n, i;

	memset(obj, 0x5a, 8);
	n = stack_trace_save(entries, ARRAY_SIZE(entries), 0);
	for (i = 0; i < n; i++) {
		sprint_symbol_no_offset(name, entries[i]);
		if (!strncmp(name, "ap_stack ", 9)) {
			ap_stack_seen++;
			return;
		}
	}
	ap_stack_lost++;
}

/*
 * ap_c200, ap_c700 and ap_c_acct may be merged with others; a constructor or
 * TYPESAFE_BY_RCU forbids it, so both kinds are here. Sizes that are no power
 * of two make objects straddle page borders.
 */
static const struct {
	unsigned int size, align;
	slab_flags_t flags;
	void (*ctor)(void *obj);
} ap_cache_desc[AP_NR_CACHES] = {
	[AP_C200]	= { 200, 0, 0, NULL },
	[AP_C200_CTOR]	= { 200, 0, 0, ap_ctor },
	[AP_C700]	= { 700, 0, 0, NULL },
	[AP_C1400]	= { 1400, 0, SLAB_HWCACHE_ALIGN, ap_ctor },
	[AP_C3000]	= { 3000, 0, 0, NULL },
	[AP_C10000]	= { 10000, 0, 0, ap_ctor },
	[AP_C20]	= { 20, 4, 0, ap_ctor },
	[AP_C_RCU]	= { 120, 0, SLAB_TYPESAFE_BY_RCU, NULL },
	[AP_C_ACCT]	= { 88, 0, SLAB_ACCOUNT | SLAB_RECLAIM_ACCOUNT, NULL },
	[AP_C_STACK]	= { 600, 0, 0, ap_stack_ctor },
};

void ap_slab_exit(void)
{
	unsigned int i;

	/* Objects of TYPESAFE_BY_RCU caches and of kfree_rcu() may be waiting. */
	rcu_barrier();
	for (i = 0; i < AP_NR_CACHES; i++)
		kmem_cache_destroy(ap_cache[i]);
}

int ap_slab_init(void)
{
	unsigned int i;

	for (i = 0; i < AP_NR_CACHES; i++) {
		ap_cache[i] = kmem_cache_create(ap_cache_name[i],
						ap_cache_desc[i].size,
						ap_cache_desc[i].align,
						ap_cache_desc[i].flags,
						ap_cache_desc[i].ctor);
		if (!ap_cache[i]) {
			ap_slab_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

/*
 * AP_SIMPLE(name, cache, allocate, free): function `name` allocates AP_N
 * objects by the expression `allocate`; `free` frees pointer p.
 */
#define AP_SIMPLE(nm, cache, allocate, free)				\
static void *nm##_obj[AP_N];						\
static int nm##_nr;							\
static AP_FN int nm(void)						\
{									\
	int i;								\
									\
	for (i = 0; i < AP_N; i++) {					\
		void *p = ap_keep((void *)(allocate));			\
									\
		if (!p)							\
			break;						\
		nm##_obj[i] = p;					\
	}								\
	return i;							\
}									\
static int nm##_alloc(void)						\
{									\
	nm##_nr = nm();							\
	ap_slab(#nm, cache, nm##_nr);					\
	return nm##_nr == AP_N ? 0 : -ENOMEM;				\
}									\
static int nm##_free(void)						\
{									\
	int i;								\
									\
	for (i = 0; i < nm##_nr; i++) {					\
		void *p = nm##_obj[i];					\
									\
		free;							\
	}								\
	ap_slab(#nm, cache, -nm##_nr);					\
	return 0;							\
}

#define AP_STEPS2(nm)	{ #nm, "slab", 0, { nm##_alloc, nm##_free } }

/* kmalloc: constant size, every bucket. */
#define AP_CONST(sz, cache)						\
	AP_SIMPLE(ap_kmalloc_##sz, cache, kmalloc(sz, GFP_KERNEL), kfree(p))
AP_CONST(8, "kmalloc-8")
AP_CONST(16, "kmalloc-16")
AP_CONST(32, "kmalloc-32")
AP_CONST(64, "kmalloc-64")
AP_CONST(96, "kmalloc-96")
AP_CONST(128, "kmalloc-128")
AP_CONST(192, "kmalloc-192")
AP_CONST(256, "kmalloc-256")
AP_CONST(512, "kmalloc-512")
AP_CONST(1024, "kmalloc-1k")
AP_CONST(2048, "kmalloc-2k")
AP_CONST(4096, "kmalloc-4k")
AP_CONST(8192, "kmalloc-8k")

/*
 * Each on one line: which line a call in a macro's argument is on depends on
 * who is asked, the preprocessor or the debug information.
 */
#define ap_new(i)	kmem_cache_alloc(ap_cache[i], GFP_KERNEL)
#define ap_put(i, p)	kmem_cache_free(ap_cache[i], p)

/* A variable size goes through another allocator function. */
AP_SIMPLE(ap_kmalloc_var, "kmalloc-64", kmalloc(ap_var(60), GFP_KERNEL), kfree(p))
AP_SIMPLE(ap_kmalloc_var_8k, "kmalloc-8k", kmalloc(ap_var(4097), GFP_KERNEL), kfree(p))
AP_SIMPLE(ap_kzalloc, "kmalloc-128", kzalloc(100, GFP_KERNEL), kfree(p))
AP_SIMPLE(ap_kcalloc, "kmalloc-256", kcalloc(ap_var(10), 24, GFP_KERNEL), kfree(p))
AP_SIMPLE(ap_kmalloc_array, "kmalloc-1k", kmalloc_array(ap_var(33), 24, GFP_KERNEL), kfree(p))
AP_SIMPLE(ap_kmalloc_node, "kmalloc-512", kmalloc_node(400, GFP_KERNEL, 0), kfree(p))
AP_SIMPLE(ap_kmalloc_node_var, "kmalloc-96", kmalloc_node(ap_var(90), GFP_KERNEL, 0), kfree(p))
AP_SIMPLE(ap_kmalloc_track, "kmalloc-32", kmalloc_track_caller(ap_var(20), GFP_KERNEL), kfree(p))
#define ap_track(size)	kmalloc_node_track_caller(ap_var(size), GFP_KERNEL, 0)
AP_SIMPLE(ap_kmalloc_node_track, "kmalloc-192", ap_track(150), kfree(p))
AP_SIMPLE(ap_kmalloc_atomic, "kmalloc-64", kmalloc(64, GFP_ATOMIC), kfree(p))
AP_SIMPLE(ap_kmalloc_acct, "kmalloc-cg-64", kmalloc(64, GFP_KERNEL_ACCOUNT), kfree(p))
AP_SIMPLE(ap_kmalloc_rcl, "kmalloc-rcl-128", kmalloc(128, GFP_KERNEL | __GFP_RECLAIMABLE), kfree(p))
AP_SIMPLE(ap_kmalloc_dma, "dma-kmalloc-64", kmalloc(64, GFP_KERNEL | GFP_DMA), kfree(p))
AP_SIMPLE(ap_kfree_sensitive, "kmalloc-64", kmalloc(50, GFP_KERNEL), kfree_sensitive(p))
AP_SIMPLE(ap_kfree_const, "kmalloc-64", kmalloc(50, GFP_KERNEL), kfree_const(p))
AP_SIMPLE(ap_kvfree_slab, "kmalloc-64", kvmalloc(50, GFP_KERNEL), kvfree(p))
AP_SIMPLE(ap_kmemdup, "kmalloc-64", kmemdup(ap_cache_desc, 64, GFP_KERNEL), kfree(p))

/* A jump to the allocator: no return address is in the function that is the callsite. */
static void *ap_tail_obj[AP_N];

static AP_FN void *ap_tail(size_t size)
{
	return kmalloc(size, GFP_KERNEL);
}

static int ap_tail_alloc(void)
{
	int i, n = 0;

	for (i = 0; i < AP_N; i++) {
		ap_tail_obj[i] = ap_keep(ap_tail(64));
		n += !!ap_tail_obj[i];
	}
	ap_slab("ap_tail", "kmalloc-64", n);
	return n == AP_N ? 0 : -ENOMEM;
}

static int ap_tail_free(void)
{
	int i;

	for (i = 0; i < AP_N; i++) {
		if (ap_tail_obj[i])
			ap_slab("ap_tail", "kmalloc-64", -1);
		kfree(ap_tail_obj[i]);
	}
	return 0;
}

AP_SIMPLE(ap_stack, "ap_c_stack", ap_new(AP_C_STACK), ap_put(AP_C_STACK, p))

static int ap_stack_check(void)
{
	/* A slab that is kept is not constructed again. */
	kmem_cache_shrink(ap_cache[AP_C_STACK]);
	ap_stack_seen = 0;
	ap_stack_lost = 0;
	if (ap_stack_alloc())
		return -ENOMEM;
	return ap_stack_seen && !ap_stack_lost ? 0 : -EINVAL;
}

/* kmem_cache_*. */
AP_SIMPLE(ap_cache_200, "ap_c200", ap_new(AP_C200), ap_put(AP_C200, p))
AP_SIMPLE(ap_cache_ctor, "ap_c200_ctor", ap_new(AP_C200_CTOR), ap_put(AP_C200_CTOR, p))
AP_SIMPLE(ap_cache_node, "ap_c700", kmem_cache_alloc_node(ap_cache[AP_C700], GFP_KERNEL, 0), ap_put(AP_C700, p))
#ifdef HAVE_KMEM_CACHE_ALLOC_LRU
AP_SIMPLE(ap_cache_lru, "ap_c1400", kmem_cache_alloc_lru(ap_cache[AP_C1400], NULL, GFP_KERNEL), ap_put(AP_C1400, p))
#endif
AP_SIMPLE(ap_cache_zalloc, "ap_c3000", kmem_cache_zalloc(ap_cache[AP_C3000], GFP_KERNEL), ap_put(AP_C3000, p))
AP_SIMPLE(ap_cache_10000, "ap_c10000", ap_new(AP_C10000), ap_put(AP_C10000, p))
AP_SIMPLE(ap_cache_20, "ap_c20", ap_new(AP_C20), ap_put(AP_C20, p))
AP_SIMPLE(ap_cache_rcu, "ap_c_rcu", ap_new(AP_C_RCU), ap_put(AP_C_RCU, p))
AP_SIMPLE(ap_cache_acct, "ap_c_acct", ap_new(AP_C_ACCT), ap_put(AP_C_ACCT, p))
/* kfree() takes objects of any slab cache. */
AP_SIMPLE(ap_cache_kfree, "ap_c700", kmem_cache_alloc(ap_cache[AP_C700], GFP_KERNEL), kfree(p))

#ifdef HAVE_KMALLOC_NOLOCK
/* Without CMPXCHG16B it only serves caches that are debugged: tests/vm/boot. */
AP_SIMPLE(ap_nolock, "kmalloc-96", kmalloc_nolock(90, 0, NUMA_NO_NODE), kfree_nolock(p))
AP_SIMPLE(ap_nolock_kfree, "kmalloc-96", kmalloc_nolock(90, 0, NUMA_NO_NODE), kfree(p))
#endif

#ifdef HAVE_KFREE_RCU_NOLOCK
static void ap_free_rcu_nolock(void *p)
{
	struct {
		struct kvfree_rcu_head rcu;
	} *o = p;

	kfree_rcu_nolock(o, rcu);
}

AP_SIMPLE(ap_rcu_nolock, "kmalloc-256", kmalloc(200, GFP_KERNEL), ap_free_rcu_nolock(p))
#endif

/* All sizes from one callsite: sizes and caches must not mix up. */
static const size_t ap_sizes[] = {
	1, 8, 15, 31, 64, 65, 100, 129, 192, 255, 500, 1000, 2000, 4000, 8000,
};
static void *ap_sizes_obj[ARRAY_SIZE(ap_sizes)];

static AP_FN void *ap_kmalloc_sizes(size_t size)
{
	return ap_keep(kmalloc(size, GFP_KERNEL));
}

static int ap_kmalloc_sizes_alloc(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ap_sizes); i++) {
		ap_sizes_obj[i] = ap_kmalloc_sizes(ap_sizes[i]);
		if (!ap_sizes_obj[i])
			return -ENOMEM;
		ap_slab("ap_kmalloc_sizes", ap_kmalloc_cache(ap_sizes[i]), 1);
	}
	return 0;
}

static int ap_kmalloc_sizes_free(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ap_sizes); i++) {
		kfree(ap_sizes_obj[i]);
		ap_slab("ap_kmalloc_sizes", ap_kmalloc_cache(ap_sizes[i]), -1);
	}
	return 0;
}

/* Zero bytes are no object. */
static void *ap_zero_obj;

static AP_FN void *ap_kmalloc_zero(void)
{
	return ap_keep(kmalloc(ap_var(0), GFP_KERNEL));
}

static int ap_kmalloc_zero_alloc(void)
{
	ap_zero_obj = ap_kmalloc_zero();
	ap_slab("ap_kmalloc_zero", "kmalloc-8", 0);
	return ap_zero_obj == ZERO_SIZE_PTR ? 0 : -EINVAL;
}

static int ap_kmalloc_zero_free(void)
{
	kfree(ap_zero_obj);
	kfree(NULL);
	kfree_sensitive(NULL);
	return 0;
}

/*
 * Bulk. Array bigger than a slab and than a per-CPU freelist, so that the
 * allocator's slow path is in it too.
 */
#define AP_BULK	128

static void *ap_bulk_obj[AP_BULK];

static AP_FN int ap_bulk_alloc(struct kmem_cache *s, gfp_t gfp, size_t n, void **p)
{
	int got = kmem_cache_alloc_bulk(s, gfp, n, p) ? n : 0;

	barrier();
	return got;
}

static int ap_bulk_free_even(void)
{
	unsigned int i;

	for (i = 0; i < AP_BULK; i += 2)
		kmem_cache_free(ap_cache[AP_C200], ap_bulk_obj[i]);
	ap_slab("ap_bulk_alloc", "ap_c200", -AP_BULK / 2);
	return 0;
}

static int ap_bulk_free_odd(void)
{
	unsigned int i;

	for (i = 1; i < AP_BULK; i += 2)
		kmem_cache_free(ap_cache[AP_C200], ap_bulk_obj[i]);
	ap_slab("ap_bulk_alloc", "ap_c200", -AP_BULK / 2);
	return 0;
}

static int ap_bulk_alloc_single_free(void)
{
	if (ap_bulk_alloc(ap_cache[AP_C200], GFP_KERNEL, AP_BULK, ap_bulk_obj) !=
	    AP_BULK)
		return -ENOMEM;
	ap_slab("ap_bulk_alloc", "ap_c200", AP_BULK);
	return 0;
}

static void *ap_bulk_both_obj[AP_BULK];

static AP_FN int ap_bulk_both(size_t n, void **p)
{
	int got = kmem_cache_alloc_bulk(ap_cache[AP_C700],
					GFP_KERNEL | __GFP_ZERO, n, p) ? n : 0;

	barrier();
	return got;
}

static int ap_bulk_both_alloc(void)
{
	/* In unequal parts, one of them a single object. */
	if (ap_bulk_both(1, ap_bulk_both_obj) != 1)
		return -ENOMEM;
	ap_slab("ap_bulk_both", "ap_c700", 1);
	if (ap_bulk_both(16, ap_bulk_both_obj + 1) != 16)
		return -ENOMEM;
	ap_slab("ap_bulk_both", "ap_c700", 16);
	if (ap_bulk_both(AP_BULK - 17, ap_bulk_both_obj + 17) != AP_BULK - 17)
		return -ENOMEM;
	ap_slab("ap_bulk_both", "ap_c700", AP_BULK - 17);
	return 0;
}

static int ap_bulk_both_free_some(void)
{
	kmem_cache_free_bulk(ap_cache[AP_C700], 50, ap_bulk_both_obj);
	ap_slab("ap_bulk_both", "ap_c700", -50);
	return 0;
}

static int ap_bulk_both_free_rest(void)
{
	kmem_cache_free_bulk(ap_cache[AP_C700], AP_BULK - 50,
			     ap_bulk_both_obj + 50);
	ap_slab("ap_bulk_both", "ap_c700", -(AP_BULK - 50));
	return 0;
}

/* Single allocations, freed in one bulk. */
static void *ap_bulk_singles_obj[AP_BULK];

static AP_FN void *ap_bulk_singles(void)
{
	return ap_keep(kmem_cache_alloc(ap_cache[AP_C1400], GFP_KERNEL));
}

static int ap_bulk_singles_alloc(void)
{
	unsigned int i;

	for (i = 0; i < AP_BULK; i++) {
		ap_bulk_singles_obj[i] = ap_bulk_singles();
		if (!ap_bulk_singles_obj[i])
			return -ENOMEM;
		ap_slab("ap_bulk_singles", "ap_c1400", 1);
	}
	return 0;
}

static int ap_bulk_singles_free(void)
{
	kmem_cache_free_bulk(ap_cache[AP_C1400], AP_BULK, ap_bulk_singles_obj);
	ap_slab("ap_bulk_singles", "ap_c1400", -AP_BULK);
	return 0;
}

/* kfree_bulk(): mixed caches and a large kmalloc (pages, no slab) among them. */
static void *ap_kfree_bulk_obj[AP_BULK + 2];

static AP_FN void *ap_kfree_bulk(size_t size)
{
	return ap_keep(kmalloc(size, GFP_KERNEL));
}

static int ap_kfree_bulk_alloc(void)
{
	unsigned int i;

	for (i = 0; i < AP_BULK; i++) {
		size_t size = i % 3 ? 64 : 200;

		ap_kfree_bulk_obj[i] = ap_kfree_bulk(size);
		if (!ap_kfree_bulk_obj[i])
			return -ENOMEM;
		ap_slab("ap_kfree_bulk", ap_kmalloc_cache(size), 1);
	}
	for (; i < AP_BULK + 2; i++) {
		ap_kfree_bulk_obj[i] = ap_kfree_bulk(16384);
		if (!ap_kfree_bulk_obj[i])
			return -ENOMEM;
		ap_pages("ap_kfree_bulk", 1, 4);
	}
	return 0;
}

static int ap_kfree_bulk_free(void)
{
	unsigned int i;

	kfree_bulk(AP_BULK + 2, ap_kfree_bulk_obj);
	for (i = 0; i < AP_BULK; i++)
		ap_slab("ap_kfree_bulk", i % 3 ? "kmalloc-64" : "kmalloc-256",
			-1);
	ap_pages("ap_kfree_bulk", -2, -8);
	return 0;
}

/*
 * kfree_rcu() with a head: objects are linked, so that no array is needed.  A
 * million where the kernel has a way of its own for them.
 */
#ifdef HAVE_SLAB_SHEAVES
#define AP_RCU_OBJECTS	1000000
#else
#define AP_RCU_OBJECTS	100000
#endif

struct ap_rcu_obj {
	struct ap_rcu_obj *next;
	unsigned long pad[3];
	struct rcu_head rcu;
};

static struct ap_rcu_obj *ap_rcu_list;

static AP_FN struct ap_rcu_obj *ap_kfree_rcu(void)
{
	struct ap_rcu_obj *o = kmalloc(sizeof(*o), GFP_KERNEL);

	return ap_keep(o);
}

static int ap_kfree_rcu_alloc(void)
{
	struct ap_rcu_obj *o;
	unsigned int i;

	for (i = 0; i < AP_RCU_OBJECTS; i++) {
		o = ap_kfree_rcu();
		if (!o)
			break;
		o->next = ap_rcu_list;
		ap_rcu_list = o;
		if (!(i % 1024))
			cond_resched_tasks_rcu_qs();
	}
	ap_slab("ap_kfree_rcu", "kmalloc-64", i);
	return i == AP_RCU_OBJECTS ? 0 : -ENOMEM;
}

static int ap_kfree_rcu_free(void)
{
	unsigned int i = 0;

	while (ap_rcu_list) {
		struct ap_rcu_obj *o = ap_rcu_list;

		ap_rcu_list = o->next;
		kfree_rcu(o, rcu);
		if (!(++i % 1024))
			cond_resched_tasks_rcu_qs();
	}
	ap_slab("ap_kfree_rcu", "kmalloc-64", -(long)i);
	return 0;
}

/* The form with one argument, which may sleep. */
static struct ap_rcu_obj *ap_rcu1_list;

static AP_FN struct ap_rcu_obj *ap_kfree_rcu_1(void)
{
	struct ap_rcu_obj *o = kmalloc(200, GFP_KERNEL);

	return ap_keep(o);
}

static int ap_kfree_rcu_1_alloc(void)
{
	struct ap_rcu_obj *o;
	unsigned int i;

	for (i = 0; i < AP_RCU_OBJECTS; i++) {
		o = ap_kfree_rcu_1();
		if (!o)
			break;
		o->next = ap_rcu1_list;
		ap_rcu1_list = o;
		if (!(i % 1024))
			cond_resched_tasks_rcu_qs();
	}
	ap_slab("ap_kfree_rcu_1", "kmalloc-256", i);
	return i == AP_RCU_OBJECTS ? 0 : -ENOMEM;
}

static int ap_kfree_rcu_1_free(void)
{
	unsigned int i = 0;

	while (ap_rcu1_list) {
		struct ap_rcu_obj *o = ap_rcu1_list;

		ap_rcu1_list = o->next;
		kfree_rcu_mightsleep(o);
		if (!(++i % 1024))
			cond_resched_tasks_rcu_qs();
	}
	ap_slab("ap_kfree_rcu_1", "kmalloc-256", -(long)i);
	return 0;
}

/* Large kmalloc and vmalloc memory through the same door. */
static struct ap_rcu_obj *ap_kvfree_rcu_big_obj, *ap_kvfree_rcu_vm_obj;

static AP_FN struct ap_rcu_obj *ap_kvfree_rcu_big(void)
{
	struct ap_rcu_obj *o = kmalloc(20000, GFP_KERNEL);

	return ap_keep(o);
}

static AP_FN struct ap_rcu_obj *ap_kvfree_rcu_vm(void)
{
	struct ap_rcu_obj *o = vmalloc(10 * PAGE_SIZE);

	return ap_keep(o);
}

static int ap_kvfree_rcu_alloc(void)
{
	ap_kvfree_rcu_big_obj = ap_kvfree_rcu_big();
	if (!ap_kvfree_rcu_big_obj)
		return -ENOMEM;
	ap_pages("ap_kvfree_rcu_big", 1, 8);
	ap_kvfree_rcu_vm_obj = ap_kvfree_rcu_vm();
	if (!ap_kvfree_rcu_vm_obj)
		return -ENOMEM;
	ap_pages("ap_kvfree_rcu_vm", 10, 10);
	ap_slab("ap_kvfree_rcu_vm", ap_kmalloc_cache(10 * sizeof(void *)), 1);
	return 0;
}

static int ap_kvfree_rcu_free(void)
{
	kvfree_rcu(ap_kvfree_rcu_big_obj, rcu);
	kvfree_rcu_mightsleep(ap_kvfree_rcu_vm_obj);
	ap_pages("ap_kvfree_rcu_big", -1, -8);
	ap_pages("ap_kvfree_rcu_vm", -10, -10);
	ap_slab("ap_kvfree_rcu_vm", ap_kmalloc_cache(10 * sizeof(void *)), -1);
	return 0;
}

/* Objects of a cache of our own through kfree_rcu(), and through call_rcu(). */
static struct ap_rcu_obj *ap_rcu_cache_obj[AP_N], *ap_call_rcu_obj[AP_N];

static AP_FN struct ap_rcu_obj *ap_kfree_rcu_cache(void)
{
	struct ap_rcu_obj *o = kmem_cache_alloc(ap_cache[AP_C700], GFP_KERNEL);

	return ap_keep(o);
}

static AP_FN struct ap_rcu_obj *ap_call_rcu(void)
{
	struct ap_rcu_obj *o = kmem_cache_alloc(ap_cache[AP_C200_CTOR], GFP_KERNEL);

	return ap_keep(o);
}

static void ap_call_rcu_cb(struct rcu_head *head)
{
	kmem_cache_free(ap_cache[AP_C200_CTOR],
			container_of(head, struct ap_rcu_obj, rcu));
}

static int ap_rcu_cache_alloc(void)
{
	unsigned int i;

	for (i = 0; i < AP_N; i++) {
		ap_rcu_cache_obj[i] = ap_kfree_rcu_cache();
		ap_call_rcu_obj[i] = ap_call_rcu();
		if (!ap_rcu_cache_obj[i] || !ap_call_rcu_obj[i])
			return -ENOMEM;
	}
	ap_slab("ap_kfree_rcu_cache", "ap_c700", AP_N);
	ap_slab("ap_call_rcu", "ap_c200_ctor", AP_N);
	return 0;
}

static int ap_rcu_cache_free(void)
{
	unsigned int i;

	for (i = 0; i < AP_N; i++) {
		kfree_rcu(ap_rcu_cache_obj[i], rcu);
		call_rcu(&ap_call_rcu_obj[i]->rcu, ap_call_rcu_cb);
	}
	ap_slab("ap_kfree_rcu_cache", "ap_c700", -AP_N);
	ap_slab("ap_call_rcu", "ap_c200_ctor", -AP_N);
	return 0;
}

/*
 * krealloc: in place nothing changes hands; a move is an allocation by the
 * caller of krealloc() and a free; to 0 is a free.
 */
static void *ap_krealloc_obj;

static AP_FN void *ap_krealloc_first(void)
{
	return ap_keep(kmalloc(50, GFP_KERNEL));
}

static AP_FN void *ap_krealloc_inplace(void *p)
{
	return ap_keep(krealloc(p, ap_var(64), GFP_KERNEL));
}

static AP_FN void *ap_krealloc_grow(void *p)
{
	return ap_keep(krealloc(p, ap_var(200), GFP_KERNEL));
}

static AP_FN void *ap_krealloc_shrink(void *p)
{
	return ap_keep(krealloc(p, ap_var(10), GFP_KERNEL));
}

static AP_FN void *ap_krealloc_large(void *p)
{
	return ap_keep(krealloc(p, ap_var(20000), GFP_KERNEL));
}

static AP_FN void *ap_krealloc_zero(void *p)
{
	return ap_keep(krealloc(p, ap_var(0), GFP_KERNEL));
}

static int ap_krealloc_step0(void)
{
	ap_krealloc_obj = ap_krealloc_first();
	ap_slab("ap_krealloc_first", "kmalloc-64", 1);
	return ap_krealloc_obj ? 0 : -ENOMEM;
}

static int ap_krealloc_step1(void)
{
	void *p = ap_krealloc_inplace(ap_krealloc_obj);

	ap_slab("ap_krealloc_inplace", "kmalloc-64", 0);
	return p == ap_krealloc_obj ? 0 : -EINVAL;
}

static int ap_krealloc_step2(void)
{
	void *p = ap_krealloc_grow(ap_krealloc_obj);

	if (!p)
		return -ENOMEM;
	ap_krealloc_obj = p;
	ap_slab("ap_krealloc_first", "kmalloc-64", -1);
	ap_slab("ap_krealloc_grow", "kmalloc-256", 1);
	return 0;
}

static int ap_krealloc_step3(void)
{
	void *p = ap_krealloc_shrink(ap_krealloc_obj);

	ap_slab("ap_krealloc_shrink", "kmalloc-16", 0);
	return p == ap_krealloc_obj ? 0 : -EINVAL;
}

static int ap_krealloc_step4(void)
{
	void *p = ap_krealloc_large(ap_krealloc_obj);

	if (!p)
		return -ENOMEM;
	ap_krealloc_obj = p;
	ap_slab("ap_krealloc_grow", "kmalloc-256", -1);
	ap_pages("ap_krealloc_large", 1, 8);
	return 0;
}

static int ap_krealloc_step5(void)
{
	void *p = ap_krealloc_zero(ap_krealloc_obj);

	ap_pages("ap_krealloc_large", -1, -8);
	ap_slab("ap_krealloc_zero", "kmalloc-8", 0);
	return p == ZERO_SIZE_PTR ? 0 : -EINVAL;
}

/*
 * Helpers that are callsites themselves: nothing may be on our account. How
 * much the helper's own account grew is checked with a margin, because others
 * use it too.
 */
#define AP_HELPER_N	1000

static void *ap_helper_obj[AP_HELPER_N * 2];
static char ap_helper_text[300];

static AP_FN char *ap_kstrdup(void)
{
	return ap_keep(kstrdup(ap_helper_text, GFP_KERNEL));
}

static AP_FN char *ap_kmemdup_nul(void)
{
	return ap_keep(kmemdup_nul(ap_helper_text, 250, GFP_KERNEL));
}

static int ap_helper_alloc(void)
{
	unsigned int i;

	memset(ap_helper_text, 'x', sizeof(ap_helper_text) - 1);
	for (i = 0; i < AP_HELPER_N; i++) {
		ap_helper_obj[2 * i] = ap_kstrdup();
		ap_helper_obj[2 * i + 1] = ap_kmemdup_nul();
		if (!ap_helper_obj[2 * i] || !ap_helper_obj[2 * i + 1])
			return -ENOMEM;
	}
	ap_slab("ap_kstrdup", "kmalloc-512", 0);
	ap_slab("ap_kmemdup_nul", "kmalloc-256", 0);
	ap_slab("!kstrdup", "kmalloc-512", AP_HELPER_N);
	ap_slab("!kmemdup_nul", "kmalloc-256", AP_HELPER_N);
	return 0;
}

static int ap_helper_free(void)
{
	unsigned int i;

	for (i = 0; i < 2 * AP_HELPER_N; i++)
		kfree(ap_helper_obj[i]);
	ap_slab("!kstrdup", "kmalloc-512", -AP_HELPER_N);
	ap_slab("!kmemdup_nul", "kmalloc-256", -AP_HELPER_N);
	return 0;
}

/* Above 8 KiB kmalloc is pages: one call, a power of two of them. */
#define AP_LARGE(nm, pages, allocate, free)				\
static void *nm##_obj;							\
static AP_FN void *nm(void)						\
{									\
	return ap_keep((void *)(allocate));				\
}									\
static int nm##_alloc(void)						\
{									\
	nm##_obj = nm();						\
	if (!nm##_obj)							\
		return -ENOMEM;						\
	ap_pages(#nm, 1, pages);					\
	return 0;							\
}									\
static int nm##_free(void)						\
{									\
	void *p = nm##_obj;						\
									\
	free;								\
	ap_pages(#nm, -1, -(pages));					\
	return 0;							\
}

AP_LARGE(ap_large_8193, 4, kmalloc(8193, GFP_KERNEL), kfree(p))
AP_LARGE(ap_large_64k, 16, kmalloc(65536, GFP_KERNEL), kfree(p))
AP_LARGE(ap_large_1m, 256, kmalloc(1 << 20, GFP_KERNEL), kfree(p))
AP_LARGE(ap_large_var, 4, kmalloc(ap_var(8193), GFP_KERNEL), kfree(p))
AP_LARGE(ap_large_node, 8, kmalloc_node(20000, GFP_KERNEL, 0), kfree(p))
AP_LARGE(ap_large_node_var, 8, kmalloc_node(ap_var(20000), GFP_KERNEL, 0),
	 kfree_sensitive(p))
AP_LARGE(ap_large_track, 8, kmalloc_track_caller(ap_var(20000), GFP_KERNEL),
	 kvfree(p))
AP_LARGE(ap_large_kcalloc, 4, kcalloc(ap_var(3), 4096, GFP_KERNEL), kfree(p))
AP_LARGE(ap_large_kmemdup, 4, kmemdup(ap_helper_obj, 9000, GFP_KERNEL), kfree(p))

#define AP_LARGE2(nm)	{ #nm, "large", 0, { nm##_alloc, nm##_free } }

/*
 * vmalloc: each page is a call, and the array of page pointers is one more. The
 * extent is measured in the page tables, because vmalloc may round up to huge
 * pages.
 */
static long ap_mapped_pages(void *p)
{
	long n = 0;

	while (n < (1L << 20) && is_vmalloc_addr(p + n * PAGE_SIZE) &&
	       vmalloc_to_page(p + n * PAGE_SIZE))
		n++;
	return n;
}

static void ap_vm_account(const char *func, long pages, int sign)
{
	size_t array = pages * sizeof(void *);

	ap_pages(func, sign * pages, sign * pages);
	if (array <= PAGE_SIZE) {
		ap_slab(func, ap_kmalloc_cache(array), sign);
		return;
	}
	/* An array over one page comes from vmalloc, and has an array. */
	ap_vm_account(func, DIV_ROUND_UP(array, PAGE_SIZE), sign);
}

#define AP_VM(nm, allocate, free)					\
static void *nm##_obj;							\
static long nm##_extent;						\
static AP_FN void *nm(void)						\
{									\
	return ap_keep((void *)(allocate));				\
}									\
static int nm##_alloc(void)						\
{									\
	nm##_obj = nm();						\
	if (!nm##_obj)							\
		return -ENOMEM;						\
	nm##_extent = ap_mapped_pages(nm##_obj);			\
	ap_vm_account(#nm, nm##_extent, 1);				\
	return 0;							\
}									\
static int nm##_free(void)						\
{									\
	void *p = nm##_obj;						\
									\
	free;								\
	ap_vm_account(#nm, nm##_extent, -1);				\
	return 0;							\
}

AP_VM(ap_vmalloc_1, vmalloc(100), vfree(p))
AP_VM(ap_vmalloc_64k, vmalloc(65536), vfree(p))
AP_VM(ap_vzalloc_1m, vzalloc(1 << 20), vfree(p))
AP_VM(ap_vmalloc_3m, vmalloc(3 << 20), vfree(p))
AP_VM(ap_vmalloc_user, vmalloc_user(100000), vfree(p))
AP_VM(ap_vmalloc_node, vmalloc_node(50000, 0), vfree(p))
AP_VM(ap_vmalloc_32, vmalloc_32(50000), vfree(p))
AP_VM(ap_vmalloc_gfp, __vmalloc(40000, GFP_KERNEL | __GFP_ZERO), kvfree(p))
/* Over KMALLOC_MAX_SIZE: kmalloc cannot, the fallback must. */
AP_VM(ap_kvmalloc_big, kvmalloc(KMALLOC_MAX_SIZE + PAGE_SIZE, GFP_KERNEL), kvfree(p))
AP_VM(ap_kvzalloc_big, kvzalloc(KMALLOC_MAX_SIZE + PAGE_SIZE, GFP_KERNEL), kvfree(p))

#define AP_VM2(nm)	{ #nm, "vmalloc", 0, { nm##_alloc, nm##_free } }

/* kvmalloc between: large kmalloc if it can, vmalloc if not. */
static void *ap_kvmalloc_mid_obj;
static long ap_kvmalloc_mid_extent;

static AP_FN void *ap_kvmalloc_mid(void)
{
	return ap_keep(kvmalloc(60000, GFP_KERNEL));
}

static int ap_kvmalloc_mid_alloc(void)
{
	ap_kvmalloc_mid_obj = ap_kvmalloc_mid();
	if (!ap_kvmalloc_mid_obj)
		return -ENOMEM;
	ap_kvmalloc_mid_extent = 0;
	if (is_vmalloc_addr(ap_kvmalloc_mid_obj)) {
		ap_kvmalloc_mid_extent = ap_mapped_pages(ap_kvmalloc_mid_obj);
		ap_vm_account("ap_kvmalloc_mid", ap_kvmalloc_mid_extent, 1);
	} else {
		ap_pages("ap_kvmalloc_mid", 1, 16);
	}
	return 0;
}

static int ap_kvmalloc_mid_free(void)
{
	kvfree(ap_kvmalloc_mid_obj);
	if (ap_kvmalloc_mid_extent)
		ap_vm_account("ap_kvmalloc_mid", ap_kvmalloc_mid_extent, -1);
	else
		ap_pages("ap_kvmalloc_mid", -1, -16);
	return 0;
}

/*
 * mempool: pool and reserve belong to who created it; the array of elements to
 * mempool_init_node() by the kernel's own profiler, but to who created it where a
 * function is seen through for all that it calls, or not at all: either is right.
 * An element taken from the reserve keeps its account.
 */
static mempool_t *ap_pool;
static void *ap_pool_obj[10];

static AP_FN mempool_t *ap_mempool_create(void)
{
	return ap_keep(mempool_create_kmalloc_pool(4, 128));
}

static AP_FN void *ap_mempool_alloc(void)
{
	return ap_keep(mempool_alloc(ap_pool, GFP_KERNEL));
}

static int ap_mempool_step0(void)
{
	ap_pool = ap_mempool_create();
	if (!ap_pool)
		return -ENOMEM;
	ap_slab("ap_mempool_create", ap_kmalloc_cache(sizeof(mempool_t)), 1);
	ap_slab("ap_mempool_create", "kmalloc-128", 4);
	ap_slab("?ap_mempool_create", ap_kmalloc_cache(4 * sizeof(void *)), 1);
	return 0;
}

static int ap_mempool_step1(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ap_pool_obj); i++)
		ap_pool_obj[i] = ap_mempool_alloc();
	ap_slab("ap_mempool_alloc", "kmalloc-128", ARRAY_SIZE(ap_pool_obj));
	return ap_pool->curr_nr == 4 ? 0 : -EINVAL;
}

static int ap_mempool_step2(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ap_pool_obj); i++)
		mempool_free(ap_pool_obj[i], ap_pool);
	ap_slab("ap_mempool_alloc", "kmalloc-128", -ARRAY_SIZE(ap_pool_obj));
	return 0;
}

static int ap_mempool_step3(void)
{
	mempool_destroy(ap_pool);
	ap_slab("ap_mempool_create", ap_kmalloc_cache(sizeof(mempool_t)), -1);
	ap_slab("ap_mempool_create", "kmalloc-128", -4);
	ap_slab("?ap_mempool_create", ap_kmalloc_cache(4 * sizeof(void *)), -1);
	return 0;
}

/*
 * A hash table that grows: a work item allocates each larger table, and it is
 * still the memory of who made the hash table.
 */
#define AP_RHT_N	1000	/* in the end 2048 buckets: more than half a block of order 3 */

struct ap_rht_entry {
	struct rhash_head head;
	u32 key;
};

static struct rhashtable ap_rht_table;
static struct ap_rht_entry ap_rht_entries[AP_RHT_N];
static const struct rhashtable_params ap_rht_params = {
	.head_offset = offsetof(struct ap_rht_entry, head),
	.key_offset = offsetof(struct ap_rht_entry, key),
	.key_len = sizeof(u32),
};

static AP_FN int ap_rht(void)
{
	return ap_keep(rhashtable_init(&ap_rht_table, &ap_rht_params));
}

static long ap_rht_pages(void)
{
	return 1L << get_order(struct_size((struct bucket_table *)NULL, buckets, 2048));
}

static int ap_rht_step0(void)
{
	unsigned int i;
	int err = ap_rht();

	for (i = 0; !err && i < AP_RHT_N; i++) {
		ap_rht_entries[i].key = i;
		err = rhashtable_insert_fast(&ap_rht_table, &ap_rht_entries[i].head, ap_rht_params);
		/* Before an insertion finds the table full and makes the larger one itself. */
		if (!(i % 8))
			flush_work(&ap_rht_table.run_work);
	}
	flush_work(&ap_rht_table.run_work);
	ap_pages("ap_rht", 1, ap_rht_pages());
	return err;
}

static int ap_rht_step1(void)
{
	rhashtable_destroy(&ap_rht_table);
	ap_pages("ap_rht", -1, -ap_rht_pages());
	return 0;
}

/*
 * percpu: one unit for each possible CPU, and 8 bytes for every 4 of a unit for
 * the memory controller.
 */
static void __percpu *ap_percpu_obj[AP_N];

static AP_FN void __percpu *ap_percpu(void)
{
	return ap_keep(__alloc_percpu(64, 8));
}

static long ap_percpu_size(void)
{
	return 64 * num_possible_cpus() +
	       (IS_ENABLED(CONFIG_MEMCG) ? 64 / 4 * sizeof(void *) : 0);
}

static int ap_percpu_alloc(void)
{
	unsigned int i;

	for (i = 0; i < AP_N; i++) {
		ap_percpu_obj[i] = ap_percpu();
		if (!ap_percpu_obj[i])
			return -ENOMEM;
		ap_bytes("ap_percpu", 1, ap_percpu_size());
	}
	return 0;
}

static int ap_percpu_free(void)
{
	unsigned int i;

	for (i = 0; i < AP_N; i++) {
		free_percpu(ap_percpu_obj[i]);
		ap_bytes("ap_percpu", -1, -ap_percpu_size());
	}
	return 0;
}

/*
 * Allocated before the profiler was on, freed after: never on any account, and
 * never below zero. The krealloc'ed ones are on the account of who grew them.
 */
static void *ap_early_obj[AP_N], *ap_early_cache_obj[AP_N];
static void *ap_early_grown_obj[AP_N], *ap_early_large_obj, *ap_early_vm_obj;

static AP_FN void *ap_early_kmalloc(void)
{
	return ap_keep(kmalloc(64, GFP_KERNEL));
}

static AP_FN void *ap_early_cache(void)
{
	return ap_keep(kmem_cache_alloc(ap_cache[AP_C200_CTOR], GFP_KERNEL));
}

static AP_FN void *ap_early_large(void)
{
	return ap_keep(kmalloc(50000, GFP_KERNEL));
}

static AP_FN void *ap_early_vmalloc(void)
{
	return ap_keep(vmalloc(50000));
}

static AP_FN void *ap_early_grow(void *p)
{
	return ap_keep(krealloc(p, ap_var(500), GFP_KERNEL));
}

static int ap_early_step0(void)
{
	unsigned int i;

	for (i = 0; i < AP_N; i++) {
		ap_early_obj[i] = ap_early_kmalloc();
		ap_early_grown_obj[i] = ap_early_kmalloc();
		ap_early_cache_obj[i] = ap_early_cache();
		if (!ap_early_obj[i] || !ap_early_grown_obj[i] ||
		    !ap_early_cache_obj[i])
			return -ENOMEM;
	}
	ap_early_large_obj = ap_early_large();
	ap_early_vm_obj = ap_early_vmalloc();
	ap_slab("ap_early_kmalloc", "kmalloc-64", 0);
	ap_slab("ap_early_cache", "ap_c200_ctor", 0);
	ap_pages("ap_early_large", 0, 0);
	ap_pages("ap_early_vmalloc", 0, 0);
	return ap_early_large_obj && ap_early_vm_obj ? 0 : -ENOMEM;
}

static int ap_early_step1(void)
{
	unsigned int i;

	for (i = 0; i < AP_N; i++) {
		void *p = ap_early_grow(ap_early_grown_obj[i]);

		if (!p)
			return -ENOMEM;
		ap_early_grown_obj[i] = p;
		ap_slab("ap_early_grow", "kmalloc-512", 1);
		kfree(ap_early_obj[i]);
		kmem_cache_free(ap_cache[AP_C200_CTOR], ap_early_cache_obj[i]);
	}
	kfree(ap_early_large_obj);
	vfree(ap_early_vm_obj);
	return 0;
}

static int ap_early_step2(void)
{
	unsigned int i;

	for (i = 0; i < AP_N; i++)
		kfree(ap_early_grown_obj[i]);
	ap_slab("ap_early_grow", "kmalloc-512", -AP_N);
	return 0;
}

const struct ap_path ap_slab_paths[] = {
	{ "ap_early", "early", AP_EARLY,
	  { ap_early_step0, ap_early_step1, ap_early_step2 } },
	AP_STEPS2(ap_kmalloc_8), AP_STEPS2(ap_kmalloc_16),
	AP_STEPS2(ap_kmalloc_32), AP_STEPS2(ap_kmalloc_64),
	AP_STEPS2(ap_kmalloc_96), AP_STEPS2(ap_kmalloc_128),
	AP_STEPS2(ap_kmalloc_192), AP_STEPS2(ap_kmalloc_256),
	AP_STEPS2(ap_kmalloc_512), AP_STEPS2(ap_kmalloc_1024),
	AP_STEPS2(ap_kmalloc_2048), AP_STEPS2(ap_kmalloc_4096),
	AP_STEPS2(ap_kmalloc_8192),
	AP_STEPS2(ap_kmalloc_var), AP_STEPS2(ap_kmalloc_var_8k),
	AP_STEPS2(ap_kmalloc_sizes), AP_STEPS2(ap_kmalloc_zero),
	AP_STEPS2(ap_kzalloc), AP_STEPS2(ap_kcalloc),
	AP_STEPS2(ap_kmalloc_array), AP_STEPS2(ap_kmalloc_node),
	AP_STEPS2(ap_kmalloc_node_var), AP_STEPS2(ap_kmalloc_track),
	AP_STEPS2(ap_kmalloc_node_track), AP_STEPS2(ap_kmalloc_atomic),
	AP_STEPS2(ap_kmalloc_acct), AP_STEPS2(ap_kmalloc_rcl),
	AP_STEPS2(ap_kmalloc_dma),
	AP_STEPS2(ap_kfree_sensitive), AP_STEPS2(ap_kfree_const),
	AP_STEPS2(ap_kvfree_slab), AP_STEPS2(ap_kmemdup),
	AP_STEPS2(ap_cache_200), AP_STEPS2(ap_cache_ctor),
#ifdef HAVE_KMALLOC_NOLOCK
	AP_STEPS2(ap_nolock), AP_STEPS2(ap_nolock_kfree),
#endif
#ifdef HAVE_KFREE_RCU_NOLOCK
	AP_STEPS2(ap_rcu_nolock),
#endif
	AP_STEPS2(ap_cache_node),
#ifdef HAVE_KMEM_CACHE_ALLOC_LRU
	AP_STEPS2(ap_cache_lru),
#endif

	AP_STEPS2(ap_cache_zalloc), AP_STEPS2(ap_cache_10000),
	AP_STEPS2(ap_cache_20), AP_STEPS2(ap_cache_rcu),
	AP_STEPS2(ap_cache_acct), AP_STEPS2(ap_cache_kfree),
	AP_STEPS2(ap_tail),
	{ "ap_stack", "slab", 0, { ap_stack_check, ap_stack_free } },
	{ "ap_bulk_alloc", "bulk", 0,
	  { ap_bulk_alloc_single_free, ap_bulk_free_even, ap_bulk_free_odd } },
	{ "ap_bulk_both", "bulk", 0,
	  { ap_bulk_both_alloc, ap_bulk_both_free_some,
	    ap_bulk_both_free_rest } },
	{ "ap_bulk_singles", "bulk", 0,
	  { ap_bulk_singles_alloc, ap_bulk_singles_free } },
	{ "ap_kfree_bulk", "bulk", 0,
	  { ap_kfree_bulk_alloc, ap_kfree_bulk_free } },
	{ "ap_kfree_rcu", "rcu", AP_ASYNC,
	  { ap_kfree_rcu_alloc, ap_kfree_rcu_free } },
	{ "ap_kfree_rcu_1", "rcu", AP_ASYNC,
	  { ap_kfree_rcu_1_alloc, ap_kfree_rcu_1_free } },
	{ "ap_kvfree_rcu", "rcu", AP_ASYNC,
	  { ap_kvfree_rcu_alloc, ap_kvfree_rcu_free } },
	{ "ap_rcu_cache", "rcu", AP_ASYNC,
	  { ap_rcu_cache_alloc, ap_rcu_cache_free } },
	{ "ap_krealloc", "krealloc", 0,
	  { ap_krealloc_step0, ap_krealloc_step1, ap_krealloc_step2,
	    ap_krealloc_step3, ap_krealloc_step4, ap_krealloc_step5 } },
	{ "ap_helper", "helper", 0, { ap_helper_alloc, ap_helper_free } },
	{ "ap_rht", "helper", AP_ASYNC, { ap_rht_step0, ap_rht_step1 } },
	AP_LARGE2(ap_large_8193), AP_LARGE2(ap_large_64k),
	AP_LARGE2(ap_large_1m), AP_LARGE2(ap_large_var),
	AP_LARGE2(ap_large_node), AP_LARGE2(ap_large_node_var),
	AP_LARGE2(ap_large_track), AP_LARGE2(ap_large_kcalloc),
	AP_LARGE2(ap_large_kmemdup),
	AP_VM2(ap_vmalloc_1), AP_VM2(ap_vmalloc_64k), AP_VM2(ap_vzalloc_1m),
	AP_VM2(ap_vmalloc_3m), AP_VM2(ap_vmalloc_user),
	AP_VM2(ap_vmalloc_node), AP_VM2(ap_vmalloc_32), AP_VM2(ap_vmalloc_gfp),
	AP_VM2(ap_kvmalloc_big), AP_VM2(ap_kvzalloc_big),
	{ "ap_kvmalloc_mid", "vmalloc", 0,
	  { ap_kvmalloc_mid_alloc, ap_kvmalloc_mid_free } },
	{ "ap_mempool", "mempool", 0,
	  { ap_mempool_step0, ap_mempool_step1, ap_mempool_step2,
	    ap_mempool_step3 } },
	{ "ap_percpu", "percpu", 0, { ap_percpu_alloc, ap_percpu_free } },
	{ }
};
