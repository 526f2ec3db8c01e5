/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_ATOMIC_H
#define _UNIT_LINUX_ATOMIC_H

#include <linux/compiler.h>
#include <linux/types.h>

static inline int atomic_read(const atomic_t *v)
{
	return READ_ONCE(v->counter);
}

static inline int atomic_read_acquire(const atomic_t *v)
{
	return smp_load_acquire(&v->counter);
}

static inline void atomic_set(atomic_t *v, int i)
{
	WRITE_ONCE(v->counter, i);
}

static inline void atomic_set_release(atomic_t *v, int i)
{
	smp_store_release(&v->counter, i);
}

static inline void atomic_or(int i, atomic_t *v)
{
	sim_point();
	__atomic_fetch_or(&v->counter, i, __ATOMIC_RELAXED);
	sim_point();
}

static inline void atomic_andnot(int i, atomic_t *v)
{
	sim_point();
	__atomic_fetch_and(&v->counter, ~i, __ATOMIC_RELAXED);
	sim_point();
}

static inline void atomic_add(int i, atomic_t *v)
{
	sim_point();
	__atomic_fetch_add(&v->counter, i, __ATOMIC_RELAXED);
	sim_point();
}

static inline void atomic_inc(atomic_t *v)
{
	sim_point();
	__atomic_fetch_add(&v->counter, 1, __ATOMIC_RELAXED);
	sim_point();
}

static inline void atomic_dec(atomic_t *v)
{
	sim_point();
	__atomic_fetch_sub(&v->counter, 1, __ATOMIC_RELAXED);
	sim_point();
}

static inline int atomic_inc_return(atomic_t *v)
{
	int new;

	sim_point();
	new = __atomic_add_fetch(&v->counter, 1, __ATOMIC_SEQ_CST);
	sim_point();
	return new;
}

static inline bool atomic_try_cmpxchg(atomic_t *v, int *old, int new)
{
	bool done;

	sim_point();
	done = __atomic_compare_exchange_n(&v->counter, old, new, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
	sim_point();
	return done;
}

static inline int atomic_fetch_add_unless(atomic_t *v, int i, int unless)
{
	int old = atomic_read(v);

	while (old != unless && !atomic_try_cmpxchg(v, &old, old + i))
		;
	return old;
}

/* What fails writes nothing, but ThreadSanitizer thinks so: what is bound to fail is not tried. */
#define cmpxchg(p, old, new)							\
({										\
	__typeof__(*(p)) __expected = (old), __new = (new), __old;		\
	sim_point();								\
	sim_publish((unsigned long)__new);					\
	__old = __atomic_load_n(p, __ATOMIC_SEQ_CST);				\
	if (__old == __expected)						\
		__atomic_compare_exchange_n(p, &__old, __new, false,		\
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);	\
	sim_point();								\
	__old;									\
})

#define xchg(p, new)								\
({										\
	__typeof__(*(p)) __was;							\
	sim_point();								\
	__was = __atomic_exchange_n(p, (new), __ATOMIC_SEQ_CST);		\
	sim_point();								\
	__was;									\
})

#endif /* _UNIT_LINUX_ATOMIC_H */
