/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_VMALLOC_H
#define _UNIT_LINUX_VMALLOC_H

#include <stddef.h>

#define array_size(n, size)	((size_t)(n) * (size))

void *vzalloc(size_t size);
void vfree(void *p);

#endif /* _UNIT_LINUX_VMALLOC_H */
