/* SPDX-License-Identifier: GPL-2.0 */
/* Reads what the kernel says of itself in a file and nowhere else. */
#ifndef _ALLOCPROF_READFILE_H
#define _ALLOCPROF_READFILE_H

#include <linux/types.h>

ssize_t readfile(const char *path, void *buf, size_t size);

#endif /* _ALLOCPROF_READFILE_H */
