/* SPDX-License-Identifier: GPL-2.0 */
/* /proc/allocinfo and /proc/allocprof.  See procfs.c. */
#ifndef _ALLOCPROF_PROCFS_H
#define _ALLOCPROF_PROCFS_H

int procfs_init(void);
void procfs_exit(void);

#endif /* _ALLOCPROF_PROCFS_H */
