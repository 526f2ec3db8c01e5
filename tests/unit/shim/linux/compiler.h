/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every marked access is a point where the simulated machine can let something
 * else happen: an interrupt, an NMI, another CPU (sim.h).
 */
#ifndef _UNIT_LINUX_COMPILER_H
#define _UNIT_LINUX_COMPILER_H

#include "sim.h"

#undef __always_inline
#define __always_inline		inline __attribute__((__always_inline__))
#define noinline		__attribute__((__noinline__))
#define __printf(a, b)		__attribute__((__format__(printf, a, b)))
#define __force
#define __percpu
#define __read_mostly

#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)

#define BUILD_BUG_ON(condition)	_Static_assert(!(condition), #condition)

#define READ_ONCE(x)							\
({									\
	sim_point();							\
	__typeof__(x) __value = __atomic_load_n(&(x), __ATOMIC_RELAXED);	\
	sim_point();							\
	__value;							\
})

#define WRITE_ONCE(x, value)						\
do {									\
	sim_point();							\
	__atomic_store_n(&(x), (__typeof__(x))(value), __ATOMIC_RELAXED);	\
	sim_point();							\
} while (0)

#define OPTIMIZER_HIDE_VAR(x)	__asm__("" : "+r" (x))

#define smp_mb()		__sync_synchronize()
/* As on x86, which keeps these orders by itself: for the compiler alone. */
#define smp_rmb()		__asm__ __volatile__("" : : : "memory")
#define smp_wmb()		__asm__ __volatile__("" : : : "memory")
#define smp_load_acquire(p)						\
({									\
	sim_point();							\
	__typeof__(*(p)) __value = __atomic_load_n(p, __ATOMIC_ACQUIRE);	\
	sim_point();							\
	__value;							\
})
#define smp_store_release(p, value)					\
do {									\
	sim_point();							\
	__atomic_store_n(p, (__typeof__(*(p)))(value), __ATOMIC_RELEASE);	\
	sim_point();							\
} while (0)

#endif /* _UNIT_LINUX_COMPILER_H */
