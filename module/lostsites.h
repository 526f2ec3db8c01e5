/* SPDX-License-Identifier: GPL-2.0 */
/* Callsites that have lost an allocation because there was no tag for it.  See lostsites.c. */
#ifndef _ALLOCPROF_LOSTSITES_H
#define _ALLOCPROF_LOSTSITES_H

#include <linux/types.h>

void lostsites_add(u32 ret, bool callsite);
bool lostsites_has(u32 ret);
bool lostsites_known(u32 ret);
bool lostsites_too_many(void);
unsigned int lostsites_count(void);
u32 lostsites_next(unsigned int *at);
u32 lostsites_next_new(unsigned int *at);
void lostsites_remove(u32 ret);
void lostsites_clear(void);

#endif /* _ALLOCPROF_LOSTSITES_H */
