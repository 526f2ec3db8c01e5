/* SPDX-License-Identifier: GPL-2.0 */
/* Which frame is the callsite, and what it is called.  See callsite.c. */
#ifndef _ALLOCPROF_CALLSITE_H
#define _ALLOCPROF_CALLSITE_H

#include <linux/types.h>

struct allocprof_tag;
struct pt_regs;

/* Longest text of one callsite, with its terminator; in-tree tools keep 63 of each name. */
#define CALLSITE_TEXT	256

/* Frames to walk through before a wrapper itself is taken as the callsite. */
#define WALK_MAX		16

unsigned long callsite_address(u64 key);
u32 callsite_classify(unsigned long ret);
unsigned long callsite_entered_from(struct pt_regs *regs);
unsigned long callsite_next(struct allocprof_tag *tag, unsigned long ret, unsigned long **frame);
void callsite_text(const struct allocprof_tag *tag, char text[CALLSITE_TEXT]);
void callsite_report_losses(void);
int callsite_init(void);
void callsite_exit(void);

#endif /* _ALLOCPROF_CALLSITE_H */
