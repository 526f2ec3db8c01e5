/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The simulated machine: memory, CPUs, interrupts.  See sim.c.
 */
#ifndef _UNIT_SIM_H
#define _UNIT_SIM_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

#define SIM_CPUS		8

/* 1.25 GiB for the tests, then what the module itself allocates from. */
#define SIM_TEST_PAGES		((1UL << 18) + (1UL << 16))
#define SIM_CHUNK_PFN		SIM_TEST_PAGES
#define SIM_CHUNK_PAGES		(1UL << 14)
#define SIM_RAM_PAGES		(SIM_CHUNK_PFN + SIM_CHUNK_PAGES)
/* Not there at boot: beyond the module's table, unless it is told. */
#define SIM_HOTPLUG_PAGES	(1UL << 16)
#define SIM_PAGES		(SIM_RAM_PAGES + SIM_HOTPLUG_PAGES)

/* Memory is online, or not, in steps of 4 MiB: what one page of the table describes. */
#define SIM_STEP		1024UL

#define SIM_KFENCE_PAGES	64UL
#define SIM_KFENCE_PFN		(SIM_TEST_PAGES - SIM_KFENCE_PAGES)

struct kmem_cache;

extern unsigned long sim_page_offset;
extern __thread unsigned int sim_cpu;
extern __thread bool sim_nmi;
extern __thread bool sim_armed;

/* Faults to inject. */
extern unsigned int sim_fail_orders;	/* a mask: orders that cannot be had */
extern long sim_fail_after;		/* allocations of what is not per-CPU that still succeed; -1: all */
extern bool sim_fail_percpu, sim_fail_notifier;

/* What is allocated now: pages got by address and by struct page; bytes. */
extern long sim_pages_out, sim_frames_out, sim_percpu_out, sim_vmalloc_out;
extern unsigned long sim_vmaps;		/* mappings made so far */
extern unsigned long sim_warnings;	/* lines in the log */

void sim_boot(void);
void sim_reset(void);
void sim_slab(unsigned long pfn, unsigned int order, struct kmem_cache *cache);
void sim_compound(unsigned long pfn, unsigned int order);
void sim_plain(unsigned long pfn, unsigned int order);
void sim_run_deferred(void);
bool sim_deferred_pending(void);
/* What a test that failed was in the middle of is over. */
void sim_abandon(void);
void __attribute__((__noreturn__, __format__(printf, 1, 2))) sim_die(const char *format, ...);
void __attribute__((__format__(printf, 1, 2))) sim_warn(const char *format, ...);

/* Addresses that were mapped once may be used again. */
void sim_forget_mappings(void);
/* How much of the RAM is there; for those who ask next. */
void sim_set_ram(unsigned long npages);
/* Memory goes on- or offline; who has registered for it is told by sim_memory_event() alone. */
void sim_set_online(unsigned long pfn, unsigned long npages, bool online);
void sim_memory_event(unsigned long action, unsigned long pfn, unsigned long npages);

/*
 * A hook runs on this CPU from here to there: grace periods wait for it.  To
 * be said only where there can be any.
 */
void sim_hook_begin(void);
void sim_hook_end(void);

/* What comes in between, and so where it can. */
enum sim_kind {
	SIM_ANY,	/* an interrupt, or another CPU, that may want the lock held here */
	SIM_LOCKLESS,	/* another CPU, that does not */
	SIM_NMI,
	SIM_TRACER,	/* a program that traces what is called here, locks too */
};

/*
 * Interleavings, made to happen: @event runs at the @n'th point from now where
 * it could.
 */
void sim_arm(unsigned long n, enum sim_kind kind, void (*event)(void *data), void *data);
bool sim_disarm(void);
void sim_point_slow(void);

static inline void sim_point(void)
{
	if (__builtin_expect(sim_armed, 0))
		sim_point_slow();
}

void *sim_per_cpu(const volatile void *p, unsigned int cpu);

/*
 * The kernel's memory model orders what was written to an object before its
 * address was published, and what is read from it through that address.
 * ThreadSanitizer does not know dependencies: it is told where an address is
 * published (each cmpxchg(), of which the value may be one; vmap()) and
 * followed (vectors, per-CPU counters, the page table).
 */
#ifdef __SANITIZE_THREAD__
bool sim_is_memory(unsigned long addr);

static inline void sim_publish(unsigned long addr)
{
	/* Or a vector's number. */
	if (sim_is_memory(addr) || addr >> 31 == 1)
		__tsan_release((void *)addr);
}

static inline void sim_follow(const volatile void *p)
{
	__tsan_acquire((void *)p);
}
#else
static inline void sim_publish(unsigned long addr)
{
}

static inline void sim_follow(const volatile void *p)
{
}
#endif

#endif /* _UNIT_SIM_H */
