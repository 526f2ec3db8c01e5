/* SPDX-License-Identifier: GPL-2.0 */
/* Which frame is the callsite, and what it is called.  See callsite.c. */
#ifndef _ALLOCPROF_CALLSITE_H
#define _ALLOCPROF_CALLSITE_H

#include <linux/types.h>

#include "mapfile.h"

struct allocprof_tag;
struct module;
struct pt_regs;

/* Longest text of one callsite, with its terminator. */
#define CALLSITE_TEXT	384

/* Frames to walk through before a wrapper itself is taken as the callsite. */
#define CALLSITE_WALK_MAX		16

/**
 * struct callsite_id - one row of /proc/allocinfo
 * @saved: its text, if its module is gone
 * @line: or its line, if the map has one
 * @ret: or the return address
 */
struct callsite_id {
	const char *saved;
	struct map_hit line;
	unsigned long ret;
};

unsigned long callsite_address(u64 key);
u32 callsite_classify(unsigned long ret);
unsigned long callsite_entered_from(struct pt_regs *regs);
unsigned long callsite_next(struct allocprof_tag *tag, unsigned long ret, unsigned long **frame);
void callsite_text(const struct allocprof_tag *tag, char text[CALLSITE_TEXT]);
void callsite_identity(const struct allocprof_tag *tag, struct callsite_id *id);
int callsite_compare(const struct callsite_id *a, const struct callsite_id *b);
void callsite_line_text(const struct map_hit *hit, char text[CALLSITE_TEXT]);
struct module *callsite_next_module(struct module *mod);
void callsite_begin(void);
unsigned long callsite_kernel_text(void);
void callsite_report_losses(void);
int callsite_init(void);
void callsite_exit(void);

#endif /* _ALLOCPROF_CALLSITE_H */
