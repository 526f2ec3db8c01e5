// SPDX-License-Identifier: GPL-2.0
/*
 * The slab hooks: which kernel functions hand out and take back objects.
 *
 * Every path ends in one of these; none is inlined into another caller on the
 * kernels we know (who calls ___slab_alloc() and __slab_free() was checked).
 * kfree_rcu() frees by kfree() and kmem_cache_free_bulk(); where the kernel
 * collects such objects in sheaves, they count as freed once they are in one.
 * kvmalloc() has the body of kmalloc() inlined on some kernels, calls it on
 * others.  krealloc() that stays in place passes nothing and changes nothing.
 * Objects larger than two pages are pages, and hooks_page.c's.
 */
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "hooks.h"
#include "hooks_proof.h"
#include "hooks_stubs.h"
#include "objtable.h"
#include "tagtable.h"

static void object_exit(unsigned long result, unsigned long ret, unsigned long *frame,
			const unsigned long args[HOOK_ARGS])
{
	objtable_alloc((void *)result, ret, frame);
}

/* kmem_cache_alloc_bulk(cache, flags, size, objects): all of them, or 0. */
void allocprof_objects_exit(unsigned long result, unsigned long ret, unsigned long *frame,
			    const unsigned long args[HOOK_ARGS])
{
	if (compat_bulk_succeeded(result))
		objtable_alloc_bulk((void **)args[3], args[2], ret, frame);
}

static void kfree_enter(const unsigned long args[HOOK_ARGS])
{
	objtable_free((void *)args[0]);
}

/*
 * kmem_cache_free(cache, object), and __kfree_rcu_sheaf(cache, object, flags).
 * An object that the latter takes is freed, after a grace period, with the
 * whole sheaf, by nothing that could be hooked.  One that it declines goes by
 * kfree_bulk() or kfree() later, which find it forgotten.  Until either happens
 * nobody can be given the slot.
 */
void allocprof_object_enter_free(const unsigned long args[HOOK_ARGS])
{
	objtable_free((void *)args[1]);
}

/* kmem_cache_free_bulk(cache, size, objects), kfree_bulk() too. */
void allocprof_objects_enter_free(const unsigned long args[HOOK_ARGS])
{
	objtable_free_bulk((void **)args[2], args[1]);
}

/* Is the object recorded as ours?  Somebody else's record does not count. */
static bool ours(const void *obj)
{
	return proof_is_ours(objtable_owner(obj));
}

static bool prove_object(void *obj, void (*put)(void *obj))
{
	bool seen = obj && ours(obj);

	if (!obj)
		return false;
	put(obj);
	return seen && !ours(obj);
}

static void put_kfree(void *obj)
{
	kfree(obj);
}

/* Kept from the compiler, so that it does not choose the variant for constants. */
static size_t variable_size(void)
{
	size_t size = 40;

	OPTIMIZER_HIDE_VAR(size);
	return size;
}

static bool prove_kmalloc(void)
{
	return prove_object(kmalloc(variable_size(), GFP_KERNEL), put_kfree);
}

static bool prove_kmalloc_node(void)
{
	return prove_object(kmalloc_node(variable_size(), GFP_KERNEL, numa_mem_id()), put_kfree);
}

static bool prove_kmalloc_track(void)
{
	return prove_object(kmalloc_node_track_caller(variable_size(), GFP_KERNEL, numa_mem_id()),
			    put_kfree);
}

#ifdef HAVE_SYM___kmalloc_track_caller
static bool prove_kmalloc_track_caller(void)
{
	return prove_object(kmalloc_track_caller(variable_size(), GFP_KERNEL), put_kfree);
}
#endif

static bool prove_kmalloc_cache(void)
{
	return prove_object(kmalloc(40, GFP_KERNEL), put_kfree);
}

static bool prove_kmalloc_cache_node(void)
{
	return prove_object(kmalloc_node(40, GFP_KERNEL, numa_mem_id()), put_kfree);
}

#ifdef HAVE_SYM___kvmalloc_node_noprof
static bool prove_kvmalloc(void)
{
	return prove_object(kvmalloc(variable_size(), GFP_KERNEL), put_kfree);
}
#endif

/*
 * A constructor keeps the cache from being merged with another one, of which a
 * link would stay in /sys/kernel/slab.
 */
static void never_merge(void *obj)
{
}

/* Does @get and @put on a cache made for it; says whether both were seen. */
static bool prove_cache(bool (*test)(struct kmem_cache *cache))
{
	struct kmem_cache *cache = kmem_cache_create("allocprof_proof", 88, 8, 0, never_merge);
	bool seen;

	if (!cache)
		return false;
	seen = test(cache);
	kmem_cache_destroy(cache);
	return seen;
}

static bool prove_cache_object(struct kmem_cache *cache, void *obj)
{
	bool seen = obj && ours(obj);

	if (!obj)
		return false;
	kmem_cache_free(cache, obj);
	return seen && !ours(obj);
}

static bool test_cache_alloc(struct kmem_cache *cache)
{
	return prove_cache_object(cache, kmem_cache_alloc(cache, GFP_KERNEL));
}

#ifdef HAVE_KMEM_CACHE_ALLOC_LRU
static bool test_cache_alloc_lru(struct kmem_cache *cache)
{
	return prove_cache_object(cache, kmem_cache_alloc_lru(cache, NULL, GFP_KERNEL));
}

static bool prove_cache_alloc_lru(void)
{
	return prove_cache(test_cache_alloc_lru);
}
#endif

static bool test_cache_alloc_node(struct kmem_cache *cache)
{
	return prove_cache_object(cache, kmem_cache_alloc_node(cache, GFP_KERNEL, numa_mem_id()));
}

static bool test_bulk(struct kmem_cache *cache)
{
	void *obj[4];
	bool seen = true;
	int i;

	if (!kmem_cache_alloc_bulk(cache, GFP_KERNEL, ARRAY_SIZE(obj), obj))
		return false;
	for (i = 0; i < ARRAY_SIZE(obj); i++)
		seen &= ours(obj[i]);
	kmem_cache_free_bulk(cache, ARRAY_SIZE(obj), obj);
	for (i = 0; i < ARRAY_SIZE(obj); i++)
		seen &= !ours(obj[i]);
	return seen;
}

static bool prove_cache_alloc(void)
{
	return prove_cache(test_cache_alloc);
}

static bool prove_cache_alloc_node(void)
{
	return prove_cache(test_cache_alloc_node);
}

static bool prove_bulk(void)
{
	return prove_cache(test_bulk);
}

/*
 * Frees are proven whether or not the allocator they borrow is hooked: what it
 * did not record they record themselves, as allocated here.
 */
static void *recorded(void *obj)
{
	if (obj && !ours(obj))
		objtable_alloc(obj, _THIS_IP_, NULL);
	return obj;
}

static bool prove_kfree(void)
{
	return prove_object(recorded(kmalloc(40, GFP_KERNEL)), put_kfree);
}

#ifdef HAVE_KMALLOC_NOLOCK
static void put_kfree_nolock(void *obj)
{
	kfree_nolock(obj);
}

/* There may be none to be had: then all that is proven is that the hook was passed. */
static bool prove_kmalloc_nolock(void)
{
	void *obj = kmalloc_nolock(40, 0, NUMA_NO_NODE);

	return !obj || prove_object(obj, put_kfree_nolock);
}

static bool prove_kfree_nolock(void)
{
	void *obj = recorded(kmalloc_nolock(40, 0, NUMA_NO_NODE));

	put_kfree_nolock(obj);
	return !obj || !ours(obj);
}
#endif

/* On PREEMPT_RT kfree_rcu() passes the sheaves by, and only its form for any context uses them. */
#if !defined(HAVE_SLAB_SHEAVES)
#elif !defined(CONFIG_PREEMPT_RT)
#define FREES_INTO_SHEAVES
#define sheaf_head rcu_head
#define sheaf_free(obj) kfree_rcu(obj, rcu)
#elif defined(HAVE_KFREE_RCU_NOLOCK)
#define FREES_INTO_SHEAVES
#define sheaf_head kvfree_rcu_head
#define sheaf_free(obj) kfree_rcu_nolock(obj, rcu)
#endif

#ifdef FREES_INTO_SHEAVES
/*
 * What is queued is not reused before a grace period has passed.  Sheaves take
 * objects of this node's memory only, and on some kernels not from kmalloc():
 * what does not come by here shows nothing.
 */
static bool try_kfree_rcu_sheaf(void)
{
	struct queued {
		struct sheaf_head rcu;
		char payload[40];
	} *obj;
	bool seen = true;
	u64 hits;

	migrate_disable();
	obj = recorded(kmalloc_node(sizeof(*obj), GFP_KERNEL | __GFP_THISNODE, numa_mem_id()));
	if (obj) {
		seen = ours(obj);
		rcu_read_lock();
		preempt_disable();
		hits = this_cpu_read(allocprof_hook_counts[HOOK_KFREE_RCU_SHEAF].entered);
		sheaf_free(obj);
		if (hits != this_cpu_read(allocprof_hook_counts[HOOK_KFREE_RCU_SHEAF].entered))
			seen &= !ours(obj);
		preempt_enable();
		rcu_read_unlock();
	}
	migrate_enable();
	return seen;
}

static bool prove_kfree_rcu_sheaf(void)
{
	bool seen = false;
	int tries;

	/* An interrupt's may come by on this CPU where ours does not. */
	for (tries = 0; tries < 5 && !seen; tries++)
		seen = try_kfree_rcu_sheaf();
	return seen;
}
#endif

static bool test_cache_free(struct kmem_cache *cache)
{
	return prove_cache_object(cache, recorded(kmem_cache_alloc(cache, GFP_KERNEL)));
}

static bool test_cache_free_bulk(struct kmem_cache *cache)
{
	void *obj = recorded(kmem_cache_alloc(cache, GFP_KERNEL));
	bool seen = obj && ours(obj);

	if (!obj)
		return false;
	kmem_cache_free_bulk(cache, 1, &obj);
	return seen && !ours(obj);
}

static bool prove_cache_free(void)
{
	return prove_cache(test_cache_free);
}

static bool prove_cache_free_bulk(void)
{
	return prove_cache(test_cache_free_bulk);
}

/* Names, newest kernel first; only those that this kernel exports are here. */
static const struct hook_symbol kmalloc_symbols[] = {
	HOOK_SYMBOL(__kmalloc_noprof)
	HOOK_SYMBOL(__kmalloc)
	{} };
static const struct hook_symbol kmalloc_node_symbols[] = {
	HOOK_SYMBOL(__kmalloc_node_noprof)
	HOOK_SYMBOL(__kmalloc_node)
	{} };
static const struct hook_symbol kmalloc_track_symbols[] = {
	HOOK_SYMBOL(__kmalloc_node_track_caller_noprof)
	HOOK_SYMBOL(__kmalloc_node_track_caller)
	{} };
static const struct hook_symbol kmalloc_cache_symbols[] = {
	HOOK_SYMBOL(__kmalloc_cache_noprof)
	HOOK_SYMBOL(kmalloc_trace_noprof)
	HOOK_SYMBOL(kmalloc_trace)
	HOOK_SYMBOL(kmem_cache_alloc_trace)
	{} };
static const struct hook_symbol kmalloc_cache_node_symbols[] = {
	HOOK_SYMBOL(__kmalloc_cache_node_noprof)
	HOOK_SYMBOL(kmalloc_node_trace_noprof)
	HOOK_SYMBOL(kmalloc_node_trace)
	HOOK_SYMBOL(kmem_cache_alloc_node_trace)
	{} };
static const struct hook_symbol cache_alloc_symbols[] = {
	HOOK_SYMBOL(kmem_cache_alloc_noprof)
	HOOK_SYMBOL(kmem_cache_alloc)
	{} };
static const struct hook_symbol cache_alloc_node_symbols[] = {
	HOOK_SYMBOL(kmem_cache_alloc_node_noprof)
	HOOK_SYMBOL(kmem_cache_alloc_node)
	{} };
static const struct hook_symbol cache_alloc_bulk_symbols[] = {
	HOOK_SYMBOL(kmem_cache_alloc_bulk_noprof)
	HOOK_SYMBOL(kmem_cache_alloc_bulk)
	{} };
static const struct hook_symbol kfree_symbols[] = { HOOK_SYMBOL(kfree) {} };
static const struct hook_symbol cache_free_symbols[] = { HOOK_SYMBOL(kmem_cache_free) {} };
static const struct hook_symbol cache_free_bulk_symbols[] = {
	HOOK_SYMBOL(kmem_cache_free_bulk) {} };

/* Paths that not every kernel has. */
#ifdef HAVE_SYM___kmalloc_track_caller
static const struct hook_symbol kmalloc_track_caller_symbols[] = {
	HOOK_SYMBOL(__kmalloc_track_caller) {} };
#endif
#ifdef HAVE_KMEM_CACHE_ALLOC_LRU
static const struct hook_symbol cache_alloc_lru_symbols[] = {
	HOOK_SYMBOL(kmem_cache_alloc_lru_noprof)
	HOOK_SYMBOL(kmem_cache_alloc_lru)
	{} };
#endif
#ifdef HAVE_SYM___kvmalloc_node_noprof
static const struct hook_symbol kvmalloc_symbols[] = { HOOK_SYMBOL(__kvmalloc_node_noprof) {} };
#endif
#ifdef HAVE_KMALLOC_NOLOCK
static const struct hook_symbol kmalloc_nolock_symbols[] = {
	HOOK_SYMBOL(_kmalloc_nolock_noprof)
	HOOK_SYMBOL(kmalloc_nolock_noprof)
	{} };
static const struct hook_symbol kfree_nolock_symbols[] = { HOOK_SYMBOL(kfree_nolock) {} };
#endif
#ifdef HAVE_SLAB_SHEAVES
static const struct hook_symbol kmalloc_flags_symbols[] = {
	HOOK_FOUND_PAST(__kmalloc_flags_noprof) {} };
static const struct hook_symbol cache_alloc_sheaf_symbols[] = {
	HOOK_FOUND_PAST(kmem_cache_alloc_from_sheaf_noprof) {} };
#endif
#ifdef FREES_INTO_SHEAVES
static const struct hook_symbol kfree_rcu_sheaf_symbols[] = { HOOK_FOUND(__kfree_rcu_sheaf) {} };
#endif

#define ALLOCATES(_id, _event, _symbols, _exit, _prove, _loss)				\
	{ .id = _id, .event = _event, .symbols = _symbols, .exit = _exit,		\
	  .prove = _prove, .loss = _loss }
#define FREES(_id, _event, _symbols, _enter, _prove)					\
	{ .id = _id, .event = _event, .symbols = _symbols, .enter = _enter,		\
	  .prove = _prove, .fatal = true, .loss = "frees: live counts would only grow" }

struct allocprof_hook allocprof_slab_hooks[] = {
	ALLOCATES(HOOK_KMALLOC, "kmalloc", kmalloc_symbols, object_exit,
		  prove_kmalloc, "kmalloc() of variable size"),
	ALLOCATES(HOOK_KMALLOC_NODE, "kmalloc_node", kmalloc_node_symbols, object_exit,
		  prove_kmalloc_node, "kmalloc_node() of variable size, kvmalloc()"),
	ALLOCATES(HOOK_KMALLOC_TRACK, "kmalloc_track", kmalloc_track_symbols, object_exit,
		  prove_kmalloc_track, "kmemdup(), kstrdup(), krealloc(), network buffers"),
#ifdef HAVE_SYM___kmalloc_track_caller
	ALLOCATES(HOOK_KMALLOC_TRACK_CALLER, "kmalloc_track_caller", kmalloc_track_caller_symbols,
		  object_exit, prove_kmalloc_track_caller, "kmemdup(), kstrdup(), krealloc()"),
#endif
	ALLOCATES(HOOK_KMALLOC_CACHE, "kmalloc_cache", kmalloc_cache_symbols, object_exit,
		  prove_kmalloc_cache, "kmalloc() of constant size"),
	ALLOCATES(HOOK_KMALLOC_CACHE_NODE, "kmalloc_cache_node", kmalloc_cache_node_symbols,
		  object_exit, prove_kmalloc_cache_node, "kmalloc_node() of constant size"),
#ifdef HAVE_KMALLOC_NOLOCK
	ALLOCATES(HOOK_KMALLOC_NOLOCK, "kmalloc_nolock", kmalloc_nolock_symbols, object_exit,
		  prove_kmalloc_nolock, "kmalloc_nolock(): BPF"),
#endif
#ifdef HAVE_SLAB_SHEAVES
	/* Only mm/slub.c calls it. */
	ALLOCATES(HOOK_KMALLOC_FLAGS, "kmalloc_flags", kmalloc_flags_symbols, object_exit, NULL,
		  "the slab allocator's own sheaves"),
#endif
	ALLOCATES(HOOK_CACHE_ALLOC, "cache_alloc", cache_alloc_symbols, object_exit,
		  prove_cache_alloc, "kmem_cache_alloc()"),
#ifdef HAVE_KMEM_CACHE_ALLOC_LRU
	ALLOCATES(HOOK_CACHE_ALLOC_LRU, "cache_alloc_lru", cache_alloc_lru_symbols, object_exit,
		  prove_cache_alloc_lru, "inodes, dentries and what else hangs on an LRU list"),
#endif
	ALLOCATES(HOOK_CACHE_ALLOC_NODE, "cache_alloc_node", cache_alloc_node_symbols, object_exit,
		  prove_cache_alloc_node, "kmem_cache_alloc_node(): task structs, skb heads"),
	ALLOCATES(HOOK_CACHE_ALLOC_BULK, "cache_alloc_bulk", cache_alloc_bulk_symbols,
		  allocprof_objects_exit, prove_bulk,
		  "kmem_cache_alloc_bulk(): network receive, io_uring, maple nodes"),
#ifdef HAVE_SYM___kvmalloc_node_noprof
	{ .id = HOOK_KVMALLOC, .event = "kvmalloc", .symbols = kvmalloc_symbols,
	  .exit = object_exit, .covered = prove_kvmalloc, .prove = prove_kvmalloc,
	  .loss = "kvmalloc() of less than two pages" },
#endif
#ifdef HAVE_SLAB_SHEAVES
	/* Nor can a module make a sheaf. */
	ALLOCATES(HOOK_CACHE_ALLOC_SHEAF, "cache_alloc_sheaf", cache_alloc_sheaf_symbols,
		  object_exit, NULL, "objects of a prefilled sheaf: maple nodes"),
#endif
	FREES(HOOK_KFREE, "kfree", kfree_symbols, kfree_enter, prove_kfree),
#ifdef HAVE_KMALLOC_NOLOCK
	FREES(HOOK_KFREE_NOLOCK, "kfree_nolock", kfree_nolock_symbols, kfree_enter,
	      prove_kfree_nolock),
#endif
#ifdef FREES_INTO_SHEAVES
	{ .id = HOOK_KFREE_RCU_SHEAF, .event = "kfree_rcu_sheaf",
	  .symbols = kfree_rcu_sheaf_symbols, .enter = allocprof_object_enter_free,
	  .prove = prove_kfree_rcu_sheaf, .elusive = true, .fatal = true,
	  .loss = "frees: live counts would only grow" },
#endif
	FREES(HOOK_CACHE_FREE, "cache_free", cache_free_symbols, allocprof_object_enter_free,
	      prove_cache_free),
	FREES(HOOK_CACHE_FREE_BULK, "cache_free_bulk", cache_free_bulk_symbols,
	      allocprof_objects_enter_free, prove_cache_free_bulk),
};

/* What frees, and has no hook in this build: the headers did not tell, or nothing can be hooked. */
const char * const allocprof_unhooked_frees[] = {
#ifndef HAVE_KMALLOC_NOLOCK
	"kfree_nolock",
#endif
#ifndef FREES_INTO_SHEAVES
	IS_ENABLED(CONFIG_PREEMPT_RT) ? "kfree_call_rcu_nolock" : "__kfree_rcu_sheaf",
#endif
#ifndef CONFIG_KVFREE_RCU_BATCHED
	/* From 6.15 on: its callback passes by kfree(). */
	"kvfree_rcu_cb",
#endif
	NULL
};

const unsigned int allocprof_slab_hooks_count = ARRAY_SIZE(allocprof_slab_hooks);
