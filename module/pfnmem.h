/* SPDX-License-Identifier: GPL-2.0 */
/* The memory of the page-frame table.  See pfnmem.c. */
#ifndef _ALLOCPROF_PFNMEM_H
#define _ALLOCPROF_PFNMEM_H

#include <linux/types.h>

int pfnmem_init(void);
void pfnmem_exit(void);
void pfnmem_scan(void (*visit)(unsigned long pfn));
size_t pfnmem_bytes(void);

#endif /* _ALLOCPROF_PFNMEM_H */
