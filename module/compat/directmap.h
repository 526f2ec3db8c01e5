/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the direct map would have physical address 0.  An address of no direct
 * map is then that of memory beyond all RAM, either way: the map has room for all
 * RAM there is (on arm64 from memstart_addr, which may be "negative"), and
 * what lies outside of it is further away, whichever way it wraps.
 */
#ifndef _ALLOCPROF_COMPAT_DIRECTMAP_H
#define _ALLOCPROF_COMPAT_DIRECTMAP_H

#include <linux/mm.h>

#ifdef CONFIG_ARM64
#define COMPAT_DIRECT_MAP_ZERO	(PAGE_OFFSET - (unsigned long)memstart_addr)
#else
#define COMPAT_DIRECT_MAP_ZERO	PAGE_OFFSET
#endif

#endif /* _ALLOCPROF_COMPAT_DIRECTMAP_H */
