/* SPDX-License-Identifier: GPL-2.0 */
/* Where a module's text starts: core_layout until 6.3, mem[MOD_TEXT] after. */
#ifndef _ALLOCPROF_COMPAT_MODULE_H
#define _ALLOCPROF_COMPAT_MODULE_H

#include <linux/module.h>

static inline unsigned long compat_module_text(const struct module *mod)
{
#ifdef HAVE_MODULE_MEMORY
	return (unsigned long)mod->mem[MOD_TEXT].base;
#else
	return (unsigned long)mod->core_layout.base;
#endif
}

#endif /* _ALLOCPROF_COMPAT_MODULE_H */
