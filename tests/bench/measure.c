// SPDX-License-Identifier: GPL-2.0
/*
 * Counting instructions by the clock: under "qemu -accel tcg -icount shift=0
 * -smp 1" one instruction is one nanosecond of virtual time and the TSC counts
 * nanoseconds, so a TSC difference is a number of instructions, the same in
 * every run.  calibrate() proves that before anything is believed.
 */
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kernel_stat.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/tick.h>
#include <linux/time64.h>

#include "ap_bench.h"
#include "quiet.h"

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

/* A loop that needs nobody else, with interrupts off, after a tenth of it to warm up. */
static int measure_exact(ap_loop loop, unsigned int rounds, u64 *ticks)
{
	unsigned long flags, tpr;
	u64 start;
	int err;

	tpr = quiet_begin(&flags);
	err = loop(rounds / 10);
	if (!err) {
		start = now();
		err = loop(rounds);
		*ticks = now() - start;
	}
	quiet_end(tpr, flags);
	return err;
}

/* Of this CPU, and there is no other: time that passed, less that in which it had nothing to do. */
static int busy_time(u64 *ticks)
{
	u64 idle = get_cpu_idle_time_us(0, NULL);

	if (idle == -1ULL)
		return -EOPNOTSUPP;
	*ticks = now() - idle * NSEC_PER_USEC;
	return 0;
}

/*
 * A loop that may sleep, and what others do for it within @settle seconds,
 * interrupts and all.
 */
static int measure_loose(ap_loop loop, unsigned int rounds, unsigned int settle, u64 *ticks)
{
	u64 start, end;
	int err;

	err = loop(rounds / 10);
	msleep(settle * MSEC_PER_SEC);
	if (!err)
		err = busy_time(&start);
	if (!err)
		err = loop(rounds);
	msleep(settle * MSEC_PER_SEC);
	if (!err)
		err = busy_time(&end);
	if (!err)
		*ticks = end - start;
	return err;
}

/**
 * calibrate() - is an instruction a nanosecond?
 *
 * 1,000 nops are 1,000 instructions and a loop of two, taken 1,000,000 times,
 * is 2,000,000.  A difference of two readings holds two more: the rdtsc and the
 * mov behind it.  Exactly so, or the unit of every result would be unknown.
 * All in one asm, for the compiler must not add to it; the low halves will do.
 * Context: process.
 * Return: 0 or -ERANGE.
 */
int calibrate(void)
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

static int measure_loop(const struct ap_case *c, ap_loop loop, u64 *ticks)
{
	if (c->settle)
		return measure_loose(loop, c->rounds, c->settle, ticks);
	return measure_exact(loop, c->rounds, ticks);
}

/**
 * measure_case() - instructions that all pairs of a case take, without the loop
 * @c: the case
 * @results: gets a line more
 *
 * Context: process; sleeps where the case does.
 * Return: 0, what the loop said, or -EOPNOTSUPP where the kernel does not know
 * how long it was idle; the log has it.
 */
int measure_case(const struct ap_case *c, struct ap_results *results)
{
	u64 base, all;
	int err;

	err = measure_loop(c, c->empty, &base);
	if (!err)
		err = measure_loop(c, c->loop, &all);
	if (err) {
		pr_err("ap_bench: %s: error %d\n", c->name, err);
		results->len = 0;
		return err;
	}
	results->len += scnprintf(results->text + results->len, sizeof(results->text) - results->len,
				  "%s %lld/%u%s\n", c->name, (s64)(all - base), c->rounds,
				  c->flags & CASE_VARIES ? " varies" : c->flags & CASE_LOOSE ? " loose" : "");
	return 0;
}
EXPORT_SYMBOL_GPL(measure_case);

/**
 * measure_busy() - instructions until now, but for those of an idle CPU
 * @results: gets the one line
 *
 * What lies between two of them is what user space did meanwhile, and all that
 * the kernel did for it, in interrupts and threads as well.
 * Context: process.
 * Return: 0 or -EOPNOTSUPP.
 */
int measure_busy(struct ap_results *results)
{
	u64 ticks;
	int err = busy_time(&ticks);

	if (!err)
		results->len = scnprintf(results->text, sizeof(results->text), "busy %llu\n", ticks);
	return err;
}
