/* SPDX-License-Identifier: GPL-2.0 */
/* What a callsite is called.  See callsite_name.c. */
#ifndef _ALLOCPROF_CALLSITE_NAME_H
#define _ALLOCPROF_CALLSITE_NAME_H

#include <linux/types.h>

#include "mapfile.h"

struct allocprof_tag;
struct module;

/* Longest text of one callsite, with its terminator. */
#define CALLSITE_TEXT	384

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

void callsite_text(const struct allocprof_tag *tag, char text[CALLSITE_TEXT]);
void callsite_text_at(unsigned long ret, char text[CALLSITE_TEXT]);
void callsite_identity(const struct allocprof_tag *tag, struct callsite_id *id);
void callsite_identity_at(unsigned long ret, struct callsite_id *id);
bool callsite_has_lost(const struct callsite_id *id);
int callsite_compare(const struct callsite_id *a, const struct callsite_id *b);
void callsite_line_text(const struct map_hit *hit, char text[CALLSITE_TEXT]);
bool callsite_of_kernel(unsigned long addr);
struct module *callsite_next_module(struct module *mod);
unsigned long callsite_kernel_text(void);
void callsite_report_losses(void);
int callsite_names_init(void);
void callsite_names_exit(void);

#endif /* _ALLOCPROF_CALLSITE_NAME_H */
