/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Per-CPU memory of the simulated machine.  A thread is a CPU; one CPU's copy
 * is written by its thread alone, and read by all.
 */
#ifndef _UNIT_LINUX_PERCPU_H
#define _UNIT_LINUX_PERCPU_H

#include <linux/compiler.h>
#include <linux/types.h>

#define DECLARE_PER_CPU(type, name)	extern __typeof__(type) name
#define DEFINE_PER_CPU(type, name)					\
	__attribute__((section("sim_percpu"))) __typeof__(type) name

#define per_cpu_ptr(p, cpu)	((__typeof__(p))sim_per_cpu(p, cpu))
#define per_cpu(var, cpu)	(*per_cpu_ptr(&(var), cpu))

/* One instruction in the kernel: nothing comes between its load and store. */
#define this_cpu_add(var, n)						\
do {									\
	__typeof__(&(var)) __p;						\
	sim_point();							\
	__p = per_cpu_ptr(&(var), sim_cpu);				\
	__atomic_store_n(__p, __atomic_load_n(__p, __ATOMIC_RELAXED) + (n), __ATOMIC_RELAXED);	\
	sim_point();							\
} while (0)
#define this_cpu_read(var)						\
({									\
	sim_point();							\
	__atomic_load_n(per_cpu_ptr(&(var), sim_cpu), __ATOMIC_RELAXED);	\
})
#define this_cpu_write(var, n)						\
do {									\
	__typeof__(var) __n = (n);					\
	sim_point();							\
	__atomic_store_n(per_cpu_ptr(&(var), sim_cpu), __n, __ATOMIC_RELAXED);	\
	sim_point();							\
} while (0)
#define this_cpu_sub(var, n)	this_cpu_add(var, -(n))
#define this_cpu_inc(var)	this_cpu_add(var, 1)
#define this_cpu_dec(var)	this_cpu_add(var, -1)

#define num_possible_cpus()	SIM_CPUS
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < SIM_CPUS; (cpu)++)

void *__alloc_percpu_gfp(size_t size, size_t align, gfp_t gfp);
void free_percpu(void *p);

#endif /* _UNIT_LINUX_PERCPU_H */
