/* SPDX-License-Identifier: GPL-2.0 */
/* What module/linemap.c needs of the kernel, for building it into the tool. */
#ifndef ALLOCPROF_SHIM_TYPES_H
#define ALLOCPROF_SHIM_TYPES_H
#include_next <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

typedef __u8 u8;
typedef __u32 u32;
typedef __u64 u64;

#endif
