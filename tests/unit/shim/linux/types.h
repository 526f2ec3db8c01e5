/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_TYPES_H
#define _UNIT_LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef int8_t s8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int32_t s32;
typedef unsigned long long u64;
typedef long long s64;
typedef u8 __u8;
typedef u32 __u32;
typedef unsigned int gfp_t;

typedef struct {
	int counter;
} atomic_t;

#endif /* _UNIT_LINUX_TYPES_H */
