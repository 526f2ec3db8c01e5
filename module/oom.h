/* SPDX-License-Identifier: GPL-2.0 */
/* The callsites that hold most, when memory is out.  See oom.c. */
#ifndef _ALLOCPROF_OOM_H
#define _ALLOCPROF_OOM_H

int oom_init(void);
void oom_exit(void);

#endif /* _ALLOCPROF_OOM_H */
