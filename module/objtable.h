/* SPDX-License-Identifier: GPL-2.0 */
/* Slab object -> tag.  See objtable.c. */
#ifndef _ALLOCPROF_OBJTABLE_H
#define _ALLOCPROF_OBJTABLE_H

#include <linux/types.h>
#include "compat/ibt.h"

#include "vecpool.h"

struct allocprof_tag;

__noendbr void *objtable_alloc(void *obj, unsigned long ret, unsigned long *frame);
void objtable_alloc_bulk(void **objs, size_t n, unsigned long ret, unsigned long *frame);
__noendbr void objtable_free(const void *obj);
void objtable_free_bulk(void **objs, size_t n);
void objtable_drop_slab(struct allocprof_vec *vec, unsigned long pfn);
struct allocprof_tag *objtable_owner(const void *obj);

#endif /* _ALLOCPROF_OBJTABLE_H */
