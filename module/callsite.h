/* SPDX-License-Identifier: GPL-2.0 */
/* Which frame is the callsite.  See callsite.c. */
#ifndef _ALLOCPROF_CALLSITE_H
#define _ALLOCPROF_CALLSITE_H

#include <linux/types.h>

struct allocprof_tag;
struct map_hit;
struct pt_regs;

/* Frames to walk through before a wrapper itself is taken as the callsite. */
#define CALLSITE_WALK_MAX		16

unsigned long callsite_address(u64 key);
u32 callsite_classify(unsigned long ret);
bool callsite_is_trampoline(unsigned long ret);
unsigned long callsite_entered_from(struct pt_regs *regs);
struct pt_regs *callsite_returning(struct pt_regs *regs);
unsigned long callsite_next(struct allocprof_tag *tag, unsigned long ret, unsigned long **frame);
bool callsite_line(unsigned long ret, struct map_hit *hit);
void callsite_function(unsigned long ret, char *name);
void callsite_begin(void);

#endif /* _ALLOCPROF_CALLSITE_H */
