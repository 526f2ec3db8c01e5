/* SPDX-License-Identifier: GPL-2.0 */
/* What was freed unseen on a CPU that went away.  See cpu_gone.c. */
#ifndef _ALLOCPROF_CPU_GONE_H
#define _ALLOCPROF_CPU_GONE_H

int cpu_gone_init(void);
void cpu_gone_exit(void);

#endif /* _ALLOCPROF_CPU_GONE_H */
