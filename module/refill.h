/* SPDX-License-Identifier: GPL-2.0 */
/* Memory for the hooks, allocated outside of them. */
#ifndef _ALLOCPROF_REFILL_H
#define _ALLOCPROF_REFILL_H

#include <linux/types.h>

bool refill_kick(void);
void refill_start(void);
void refill_stop(void);

#endif /* _ALLOCPROF_REFILL_H */
