/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_KERNEL_H
#define _UNIT_LINUX_KERNEL_H

#include <errno.h>
#include <limits.h>

#include <linux/compiler.h>
#include <linux/log2.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define pr_err(...)		do { } while (0)
#define pr_warn(...)		sim_warn(__VA_ARGS__)
#define ALIGN(n, step)	(((n) + (step) - 1) & ~((step) - 1))
#define DIV_ROUND_UP_ULL(n, d)	DIV_ROUND_UP((unsigned long long)(n), d)

/* Both of one type, as in the kernel. */
#define min(a, b)							\
({									\
	__typeof__(a) __a = (a);					\
	__typeof__(b) __b = (b);					\
	(void)(&__a == &__b);						\
	__a < __b ? __a : __b;						\
})
#define max(a, b)							\
({									\
	__typeof__(a) __a = (a);					\
	__typeof__(b) __b = (b);					\
	(void)(&__a == &__b);						\
	__a > __b ? __a : __b;						\
})
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define clamp(value, low, high)	min(max(value, low), high)

#define U16_MAX			0xffff
#define swap(a, b)							\
do {									\
	__typeof__(a) __a = (a);					\
	(a) = (b);							\
	(b) = __a;							\
} while (0)

#define in_nmi()		(sim_nmi)

#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))

#endif /* _UNIT_LINUX_KERNEL_H */
