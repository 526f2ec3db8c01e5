/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_VMALLOC_H
#define _UNIT_LINUX_VMALLOC_H

#define VM_MAP		0x04
#define PAGE_KERNEL	0

#include <linux/gfp.h>

struct page;

void *__vmalloc(size_t size, gfp_t gfp);
void vfree(void *p);

/* The same memory at another address. */
void *vmap(struct page **pages, unsigned int count, unsigned long flags, int prot);
void vunmap(const void *addr);

#endif /* _UNIT_LINUX_VMALLOC_H */
