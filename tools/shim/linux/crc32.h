/* SPDX-License-Identifier: GPL-2.0 */
#include <linux/types.h>
#include <zlib.h>

/* The kernel leaves it to the caller to invert. */
static inline u32 crc32_le(u32 seed, const u8 *p, size_t len)
{
	return ~crc32(~seed, p, len);
}
