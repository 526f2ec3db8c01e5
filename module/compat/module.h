/* SPDX-License-Identifier: GPL-2.0 */
/* Where a module's parts lie: core_layout and init_layout until 6.3, mem[] after. */
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

static inline unsigned int compat_module_text_size(const struct module *mod)
{
#ifdef HAVE_MODULE_MEMORY
	return mod->mem[MOD_TEXT].size;
#else
	return mod->core_layout.text_size;
#endif
}

static inline unsigned long compat_module_init_text(const struct module *mod)
{
#ifdef HAVE_MODULE_MEMORY
	return (unsigned long)mod->mem[MOD_INIT_TEXT].base;
#else
	return (unsigned long)mod->init_layout.base;
#endif
}

static inline unsigned int compat_module_init_text_size(const struct module *mod)
{
#ifdef HAVE_MODULE_MEMORY
	return mod->mem[MOD_INIT_TEXT].size;
#else
	return mod->init_layout.text_size;
#endif
}

static inline const void *compat_module_rodata(const struct module *mod)
{
#ifdef HAVE_MODULE_MEMORY
	return mod->mem[MOD_RODATA].base;
#else
	return mod->core_layout.base + mod->core_layout.text_size;
#endif
}

static inline unsigned int compat_module_rodata_size(const struct module *mod)
{
#ifdef HAVE_MODULE_MEMORY
	return mod->mem[MOD_RODATA].size;
#else
	return mod->core_layout.ro_size - mod->core_layout.text_size;
#endif
}

#endif /* _ALLOCPROF_COMPAT_MODULE_H */
