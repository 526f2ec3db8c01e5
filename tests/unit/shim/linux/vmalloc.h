/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_VMALLOC_H
#define _UNIT_LINUX_VMALLOC_H

#include <linux/gfp.h>

#define array_size(n, size)	((size_t)(n) * (size))

void *__vmalloc(size_t size, gfp_t gfp);
void vfree(void *p);

#endif /* _UNIT_LINUX_VMALLOC_H */
