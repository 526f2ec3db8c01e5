/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_CRC32_H
#define _UNIT_LINUX_CRC32_H

#include <linux/types.h>

/* As in the kernel, the caller inverts it before and after. */
static inline u32 crc32_le(u32 crc, const u8 *p, size_t len)
{
	int bit;

	while (len--) {
		crc ^= *p++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return crc;
}

#endif /* _UNIT_LINUX_CRC32_H */
