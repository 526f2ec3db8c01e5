/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernels before 6.6 end a table with an empty entry, later ones count; the
 * table keeps its sentinel and register_sysctl_sz() is told not to count it.
 */
#ifndef _ALLOCPROF_COMPAT_SYSCTL_H
#define _ALLOCPROF_COMPAT_SYSCTL_H

#include <linux/sysctl.h>

#ifdef HAVE_CONST_CTL_TABLE_HANDLER
#define COMPAT_CTL_TABLE const struct ctl_table
#else
#define COMPAT_CTL_TABLE struct ctl_table
#endif

static inline struct ctl_table_header *compat_register_sysctl(const char *path,
							      struct ctl_table *table,
							      size_t entries)
{
#ifdef HAVE_REGISTER_SYSCTL_SZ
	return register_sysctl_sz(path, table, entries);
#else
	return register_sysctl(path, table);
#endif
}

#endif /* _ALLOCPROF_COMPAT_SYSCTL_H */
