// SPDX-License-Identifier: GPL-2.0
/*
 * ap_bench: how many instructions does one allocation and its free take?
 *
 * Meant for a guest under "qemu -accel tcg -icount shift=0 -smp 1".  There one
 * instruction is one nanosecond of virtual time and the TSC counts nanoseconds,
 * so a TSC difference is a number of instructions, the same in every run.  A
 * calibration proves that before anything is printed.
 *
 *	echo run > /sys/module/ap_bench/parameters/ctl	measure every case
 *	cat /sys/module/ap_bench/parameters/ctl		"case instructions" lines
 *
 * A result is instructions per allocate-and-free pair, of the same object over
 * and over (steady state), without the loop around it.  It is kept as the sum
 * over ROUNDS pairs: two results are equal only when every instruction is.
 */
#include <linux/gfp.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>

#define ROUNDS		20000U	/* a multiple of BULK and of the number of sizes */
#define WARMUP		2000U
#define BULK		16U
#define OBJ_SIZE	64U
/*
 * memcpy() of 32 bytes and more picks its direction by the low bytes of the
 * addresses, and the count would depend on which object it happens to be.
 */
#define DUP_SIZE	24U

#define BLOCK_ORDER	3
#define BLOCKS		1024	/* 32 MiB */

/* Interrupts are off: nothing may sleep, and no case may dip into reserves. */
#define GFP		GFP_NOWAIT

static struct kmem_cache *cache;
static struct page *blocks[BLOCKS];
static char source[DUP_SIZE];

/* Takes and gives back @rounds times.  The barrier keeps a loop from being unrolled or removed. */
#define AP_LOOP(name, type, take, give_back)				\
static noinline int loop_##name(unsigned int rounds)			\
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
/* 8, 16 ... 256: a size the compiler does not know. */
AP_LOOP(kmalloc_var, void *, kmalloc((rounds * 8) % 256 + 8, GFP), kfree(p))
AP_LOOP(kmem_cache, void *, kmem_cache_alloc(cache, GFP), kmem_cache_free(cache, p))
AP_LOOP(alloc_page, struct page *, alloc_page(GFP), __free_page(p))
AP_LOOP(get_free_page, unsigned long, __get_free_page(GFP), free_page(p))
AP_LOOP(alloc_pages_3, struct page *, alloc_pages(GFP, BLOCK_ORDER), __free_pages(p, BLOCK_ORDER))
AP_LOOP(kmemdup_24, void *, kmemdup(source, DUP_SIZE, GFP), kfree(p))

static noinline int loop_empty(unsigned int rounds)
{
	for (; rounds; rounds--)
		barrier();
	return 0;
}

static noinline int loop_kmem_cache_bulk16(unsigned int rounds)
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

/* The report looks a case's callsite up by the name of its loop. */
#define AP_CASE(name, empty)	{ #name, loop_##name, empty }

static const struct ap_case {
	const char *name;
	int (*loop)(unsigned int rounds);
	int (*empty)(unsigned int rounds);
} cases[] = {
	AP_CASE(kmalloc_64, loop_empty),
	AP_CASE(kmalloc_var, loop_empty),
	AP_CASE(kmem_cache, loop_empty),
	AP_CASE(kmem_cache_bulk16, loop_empty_bulk16),
	AP_CASE(alloc_page, loop_empty),
	AP_CASE(get_free_page, loop_empty),
	AP_CASE(alloc_pages_3, loop_empty),
	AP_CASE(kmemdup_24, loop_empty),
};

static u64 sums[ARRAY_SIZE(cases)];
static bool measured;

/*
 * The TSC read bare: rdtsc_ordered() is patched at boot to something that
 * depends on the CPU, and under TCG nothing is out of order.
 */
static __always_inline u64 now(void)
{
	u32 lo, hi;

	asm volatile("rdtsc" : "=a" (lo), "=d" (hi) : : "memory");
	return (u64)hi << 32 | lo;
}

/*
 * The code under test may switch interrupts on by itself (6.1's
 * kmem_cache_alloc_bulk() does).  The task priority register holds back every
 * maskable interrupt even then.
 */
static unsigned long quiet_begin(unsigned long *flags)
{
	unsigned long tpr;

	preempt_disable();
	local_irq_save(*flags);
	asm volatile("mov %%cr8, %0" : "=r" (tpr));
	asm volatile("mov %0, %%cr8" : : "r" (15UL) : "memory");
	return tpr;
}

static void quiet_end(unsigned long tpr, unsigned long flags)
{
	asm volatile("mov %0, %%cr8" : : "r" (tpr) : "memory");
	local_irq_restore(flags);
	preempt_enable();
}

static int measure(int (*loop)(unsigned int rounds), u64 *ticks)
{
	unsigned long flags, tpr;
	u64 start;
	int err;

	tpr = quiet_begin(&flags);
	err = loop(WARMUP);
	if (!err) {
		start = now();
		err = loop(ROUNDS);
		*ticks = now() - start;
	}
	quiet_end(tpr, flags);
	return err;
}

/*
 * 1,000 nops are 1,000 instructions and a loop of two, taken 1,000,000 times,
 * is 2,000,000.  A difference of two readings holds two more: the rdtsc and the
 * mov behind it.  Exactly so, or the unit of every result would be unknown.
 * All in one asm, for the compiler must not add to it; the low halves will do.
 */
static int calibrate(void)
{
	unsigned long flags, tpr, n = 1000000;
	u32 t0, t1, t2, t3;

	tpr = quiet_begin(&flags);
	asm volatile("rdtsc; mov %%eax, %[t0]\n"
		     "rdtsc; mov %%eax, %[t1]\n"
		     ".rept 1000; nop; .endr\n"
		     "rdtsc; mov %%eax, %[t2]\n"
		     "1: dec %[n]; jnz 1b\n"
		     "rdtsc; mov %%eax, %[t3]\n"
		     : [t0] "=&r" (t0), [t1] "=&r" (t1), [t2] "=&r" (t2),
		       [t3] "=&r" (t3), [n] "+&r" (n)
		     : : "eax", "edx", "cc", "memory");
	quiet_end(tpr, flags);

	if (t1 - t0 != 2 || t2 - t1 != 1002 || t3 - t2 != 2000002) {
		pr_err("ap_bench: calibration is off: 2, 1002 and 2000002 instructions took %u, %u and %u; run under qemu -accel tcg -icount shift=0 -smp 1\n",
		       t1 - t0, t2 - t1, t3 - t2);
		return -ERANGE;
	}
	return 0;
}

static int run(void)
{
	unsigned int i;
	u64 base, all;
	int err;

	measured = false;
	err = calibrate();
	if (err)
		return err;

	/*
	 * A usercopy region keeps the cache from being merged with another one,
	 * whose objects would leave it anything but steady.
	 */
	cache = kmem_cache_create_usercopy("ap_bench", OBJ_SIZE, 0, 0, 0,
					   OBJ_SIZE, NULL);
	if (!cache)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		err = measure(cases[i].empty, &base);
		if (!err)
			err = measure(cases[i].loop, &all);
		if (err)
			break;
		sums[i] = all - base;
	}
	kmem_cache_destroy(cache);
	if (!err)
		measured = true;
	return err;
}

static int print_results(char *buf, size_t size)
{
	unsigned int i;
	int len = 0;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		len += scnprintf(buf + len, size - len, "%s %llu/%u\n",
				 cases[i].name, sums[i], ROUNDS);
	return len;
}

static int ctl_set(const char *val, const struct kernel_param *kp)
{
	return sysfs_streq(val, "run") ? run() : -EINVAL;
}

static int ctl_get(char *buf, const struct kernel_param *kp)
{
	return measured ? print_results(buf, PAGE_SIZE) : -ENODATA;
}

static const struct kernel_param_ops ctl_ops = {
	.set = ctl_set,
	.get = ctl_get,
};
module_param_cb(ctl, &ctl_ops, NULL, 0600);
MODULE_PARM_DESC(ctl, "write \"run\" to measure, read for the results of the last run");

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

static int __init ap_bench_init(void)
{
	unsigned int i;

	for (i = 0; i < BLOCKS; i++)
		blocks[i] = alloc_pages(GFP_KERNEL | __GFP_NORETRY, BLOCK_ORDER);
	release_blocks(false);
	return 0;
}

static void __exit ap_bench_exit(void)
{
	release_blocks(true);
}

module_init(ap_bench_init);
module_exit(ap_bench_exit);
MODULE_DESCRIPTION("Instructions per memory allocation under qemu -icount");
MODULE_LICENSE("GPL");
