/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_BITOPS_H
#define _UNIT_LINUX_BITOPS_H

#include <linux/types.h>

#define BITS_PER_LONG	64

static inline bool test_bit(unsigned long n, const unsigned long *map)
{
	return __atomic_load_n(&map[n / BITS_PER_LONG], __ATOMIC_RELAXED) >> n % BITS_PER_LONG & 1;
}

static inline bool test_and_set_bit(unsigned long n, unsigned long *map)
{
	unsigned long bit = 1UL << n % BITS_PER_LONG;

	return __atomic_fetch_or(&map[n / BITS_PER_LONG], bit, __ATOMIC_SEQ_CST) & bit;
}

static inline void set_bit(unsigned long n, unsigned long *map)
{
	test_and_set_bit(n, map);
}

static inline void clear_bit(unsigned long n, unsigned long *map)
{
	__atomic_fetch_and(&map[n / BITS_PER_LONG], ~(1UL << n % BITS_PER_LONG), __ATOMIC_RELAXED);
}

#endif /* _UNIT_LINUX_BITOPS_H */
