/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_BITMAP_H
#define _UNIT_LINUX_BITMAP_H

#include <string.h>

#include <linux/bitops.h>

#define DECLARE_BITMAP(name, bits)	unsigned long name[((bits) + BITS_PER_LONG - 1) / BITS_PER_LONG]

static inline void bitmap_zero(unsigned long *map, unsigned int bits)
{
	memset(map, 0, (bits + BITS_PER_LONG - 1) / BITS_PER_LONG * sizeof(long));
}

#endif /* _UNIT_LINUX_BITMAP_H */
