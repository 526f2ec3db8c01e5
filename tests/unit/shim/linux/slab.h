/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_SLAB_H
#define _UNIT_LINUX_SLAB_H

#include <linux/gfp.h>

#define struct_size(p, member, n)	(sizeof(*(p)) + (size_t)(n) * sizeof((p)->member[0]))

void *kvzalloc(size_t size, gfp_t gfp);
void kvfree(void *p);

#endif /* _UNIT_LINUX_SLAB_H */
