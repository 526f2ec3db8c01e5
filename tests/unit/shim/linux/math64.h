/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_MATH64_H
#define _UNIT_LINUX_MATH64_H

#include <linux/types.h>

static inline u64 mul_u64_u64_shr(u64 a, u64 b, unsigned int shift)
{
	return (u64)(((unsigned __int128)a * b) >> shift);
}

#endif
