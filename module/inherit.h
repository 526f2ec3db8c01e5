/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that a work item allocates for somebody else.  See inherit.c. */
#ifndef _ALLOCPROF_INHERIT_H
#define _ALLOCPROF_INHERIT_H

#include <linux/types.h>

bool inherit_applies(const char *function);
unsigned long inherit_callsite(unsigned long ret);

#endif /* _ALLOCPROF_INHERIT_H */
