/* SPDX-License-Identifier: GPL-2.0 */
/* Per-CPU allocation -> tag.  See percputable.c. */
#ifndef _ALLOCPROF_PERCPUTABLE_H
#define _ALLOCPROF_PERCPUTABLE_H

#include <linux/compiler.h>
#include <linux/types.h>

struct allocprof_tag;

void percputable_alloc(void __percpu *ptr, size_t size, unsigned long ret, unsigned long *frame);
void percputable_free(void __percpu *ptr);
struct allocprof_tag *percputable_owner(void __percpu *ptr);
void percputable_exit(void);

#endif /* _ALLOCPROF_PERCPUTABLE_H */
