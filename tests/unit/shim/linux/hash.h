/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_HASH_H
#define _UNIT_LINUX_HASH_H

#include <linux/types.h>

static inline u32 hash_long(unsigned long value, unsigned int bits)
{
	return value * 0x61c8864680b583ebUL >> (64 - bits);
}

static inline u32 hash_32(u32 value, unsigned int bits)
{
	return value * 0x61c88647U >> (32 - bits);
}

#define hash_64(value, bits)	hash_long(value, bits)
#define hash_ptr(ptr, bits)	hash_long((unsigned long)(ptr), bits)

#endif /* _UNIT_LINUX_HASH_H */
