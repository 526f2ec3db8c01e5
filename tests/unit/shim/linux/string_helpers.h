/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_STRING_HELPERS_H
#define _UNIT_LINUX_STRING_HELPERS_H

#include <stdio.h>

#define STRING_UNITS_2	0

static inline void string_get_size(u64 size, u64 block, int units, char *text, int length)
{
	snprintf(text, length, "%.0e", (double)(size * block));
}

#define pr_notice(...)	printf("# " __VA_ARGS__)

#endif /* _UNIT_LINUX_STRING_HELPERS_H */
