// SPDX-License-Identifier: GPL-2.0
/*
 * The cases: each takes memory in one way and gives it back.  Those with
 * interrupts off may not sleep, and none of them may dip into reserves.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "ap_bench.h"

#define GFP		GFP_NOWAIT
#define GFP_ACCOUNTED	(GFP_NOWAIT | __GFP_ACCOUNT)

#define ROUNDS		19200U	/* a multiple of BULK * 10, and of the number of sizes */
#define OBJ_SIZE	64U
/*
 * memcpy() of 32 bytes and more picks its direction by the low bytes of the
 * addresses, and the count would depend on which object it happens to be.
 */
#define DUP_SIZE	24U
/* 8, 16 ... 240, as the authors of the kernel's own profiler have it: a size the compiler does not know. */
#define SIZES		30U
#define SOME_SIZE(n)	((n) % SIZES * 8 + 8)

#define BLOCK_ORDER	3
#define BLOCKS		1024	/* 32 MiB */
#define HUGE_ORDER	9

/* Objects and pages of a "fresh" case, all of them held at a time; pages are 75 MiB. */
#define FRESH		ROUNDS

static struct kmem_cache *cache;
static struct page *blocks[BLOCKS];
static void **held;
static char source[DUP_SIZE];

/*
 * A callsite in 800 returns to the first bytes of a page, and its kretprobe has
 * to look harder for the call: not one of these, wherever they come to lie.
 */
#define LOOP_ALIGN	256

/* Takes and gives back @rounds times.  The barrier keeps a loop from being unrolled or removed. */
#define AP_LOOP(name, type, take, give_back)				\
static noinline __aligned(LOOP_ALIGN) int loop_##name(unsigned int rounds)	\
{									\
	type p;								\
									\
	for (; rounds; rounds--) {					\
		barrier();						\
		p = take;						\
		if (unlikely(!p))					\
			return -ENOMEM;					\
		give_back;						\
	}								\
	return 0;							\
}

AP_LOOP(kmalloc_64, void *, kmalloc(OBJ_SIZE, GFP), kfree(p))
AP_LOOP(kmalloc_8_240, void *, kmalloc(SOME_SIZE(rounds), GFP), kfree(p))
AP_LOOP(kvmalloc_64, void *, kvmalloc(OBJ_SIZE, GFP), kvfree(p))
AP_LOOP(kmem_cache, void *, kmem_cache_alloc(cache, GFP), kmem_cache_free(cache, p))
AP_LOOP(alloc_page, struct page *, alloc_page(GFP), __free_page(p))
AP_LOOP(get_free_page, unsigned long, __get_free_page(GFP), free_page(p))
AP_LOOP(alloc_pages_3, struct page *, alloc_pages(GFP, BLOCK_ORDER), __free_pages(p, BLOCK_ORDER))
AP_LOOP(alloc_pages_9, struct page *, alloc_pages(GFP | __GFP_COMP, HUGE_ORDER),
	__free_pages(p, HUGE_ORDER))
AP_LOOP(kmemdup_24, void *, kmemdup(source, DUP_SIZE, GFP), kfree(p))

AP_LOOP(vmalloc_4096, void *, vmalloc(PAGE_SIZE), vfree(p))
AP_LOOP(percpu_64, void __percpu *, __alloc_percpu_gfp(OBJ_SIZE, 8, GFP_KERNEL), free_percpu(p))

AP_LOOP(kmalloc_8_240_acct, void *, kmalloc(SOME_SIZE(rounds), GFP_ACCOUNTED), kfree(p))
AP_LOOP(get_free_page_acct, unsigned long, __get_free_page(GFP_ACCOUNTED), free_page(p))

static noinline int loop_empty(unsigned int rounds)
{
	for (; rounds; rounds--)
		barrier();
	return 0;
}

static noinline __aligned(LOOP_ALIGN) int loop_kmem_cache_bulk16(unsigned int rounds)
{
	void *p[BULK];

	for (; rounds; rounds -= BULK) {
		barrier();
		if (unlikely(!kmem_cache_alloc_bulk(cache, GFP, BULK, p)))
			return -ENOMEM;
		kmem_cache_free_bulk(cache, BULK, p);
	}
	return 0;
}

static noinline int loop_empty_bulk16(unsigned int rounds)
{
	for (; rounds; rounds -= BULK)
		barrier();
	return 0;
}

struct ap_deferred {
	struct rcu_head rcu;
	char pad[OBJ_SIZE - sizeof(struct rcu_head)];
};

static noinline __aligned(LOOP_ALIGN) int loop_kfree_rcu_64(unsigned int rounds)
{
	struct ap_deferred *p;

	for (; rounds; rounds--) {
		p = kmalloc(sizeof(*p), GFP_KERNEL);
		if (!p)
			return -ENOMEM;
		kfree_rcu(p, rcu);
	}
	return 0;
}

/* Takes @rounds of them, then gives them back in the same order. */
#define AP_FRESH(name, take, give_back)					\
static noinline __aligned(LOOP_ALIGN) int loop_##name(unsigned int rounds)	\
{									\
	unsigned int n, i;						\
									\
	for (n = 0; n < rounds; n++) {					\
		held[n] = take;						\
		if (!held[n])						\
			break;						\
	}								\
	for (i = 0; i < n; i++)						\
		give_back;						\
	return n == rounds ? 0 : -ENOMEM;				\
}

AP_FRESH(kmalloc_64_fresh, kmalloc(OBJ_SIZE, GFP_KERNEL), kfree(held[i]))
AP_FRESH(alloc_page_fresh, alloc_page(GFP_KERNEL), __free_page(held[i]))

#define AP_CASE(case_, empty_, rounds_, settle_, flags_)		\
	{ .name = #case_, .loop = loop_##case_, .empty = empty_,	\
	  .rounds = rounds_, .settle = settle_, .flags = flags_ }
/* With interrupts off, and with them on. */
#define AP_QUIET(case_, flags_)	AP_CASE(case_, loop_empty, ROUNDS, 0, flags_)
#define AP_BUSY(case_, rounds_, settle_, flags_)	AP_CASE(case_, loop_empty, rounds_, settle_, flags_)

const struct ap_case ap_cases[] = {
	AP_QUIET(kmalloc_64, 0),
	AP_QUIET(kmalloc_8_240, 0),
	AP_QUIET(kvmalloc_64, 0),
	AP_QUIET(kmem_cache, 0),
	AP_CASE(kmem_cache_bulk16, loop_empty_bulk16, ROUNDS, 0, 0),
	AP_QUIET(kmemdup_24, 0),
	AP_QUIET(alloc_page, 0),
	AP_QUIET(get_free_page, 0),
	/* Their path through the allocator depends on what is free, a little or a lot. */
	AP_QUIET(alloc_pages_3, CASE_LOOSE),
	AP_QUIET(alloc_pages_9, CASE_VARIES),
	/* From 6.18 on the first depends on how full the caches' sheaves are. */
	AP_BUSY(kmalloc_64_fresh, FRESH, 1, CASE_VARIES),
	AP_BUSY(alloc_page_fresh, FRESH, 1, CASE_VARIES),
	AP_BUSY(kfree_rcu_64, 160000, 15, CASE_LOOSE),
	AP_BUSY(vmalloc_4096, 16000, 2, CASE_LOOSE),
	AP_BUSY(percpu_64, 16000, 2, CASE_VARIES),
	AP_QUIET(kmalloc_8_240_acct, CASE_ACCOUNTED | CASE_VARIES),
	AP_QUIET(get_free_page_acct, CASE_ACCOUNTED | CASE_VARIES),
};

const unsigned int ap_ncases = ARRAY_SIZE(ap_cases);

/*
 * The watermark check of an order-3 allocation walks up the free lists from
 * that order to the first that is not empty, so its cost would depend on the
 * machine's free memory of the moment.  Take a good many blocks and give back
 * the lower one of each pair of buddies: with the upper one held it cannot
 * merge, and more come back than the per-CPU lists hold.
 */
static void release_blocks(bool upper)
{
	unsigned int i;

	for (i = 0; i < BLOCKS; i++) {
		if (!blocks[i] || !(page_to_pfn(blocks[i]) & BIT(BLOCK_ORDER)) == upper)
			continue;
		__free_pages(blocks[i], BLOCK_ORDER);
		blocks[i] = NULL;
	}
}

/**
 * cases_init() - what the cases need
 *
 * Context: process; sleeps.
 * Return: 0 or -ENOMEM, with nothing left behind.
 */
int cases_init(void)
{
	unsigned int i;

	held = vzalloc(FRESH * sizeof(*held));
	/*
	 * A usercopy region keeps the cache from being merged with another one,
	 * whose objects would leave it anything but steady.
	 */
	cache = kmem_cache_create_usercopy("ap_bench", OBJ_SIZE, 0, 0, 0, OBJ_SIZE, NULL);
	if (!held || !cache) {
		cases_exit();
		return -ENOMEM;
	}
	for (i = 0; i < BLOCKS; i++)
		blocks[i] = alloc_pages(GFP_KERNEL | __GFP_NORETRY, BLOCK_ORDER);
	release_blocks(false);
	return 0;
}

/**
 * cases_exit() - give it back
 *
 * Context: process; sleeps.
 */
void cases_exit(void)
{
	release_blocks(true);
	kmem_cache_destroy(cache);
	vfree(held);
}
