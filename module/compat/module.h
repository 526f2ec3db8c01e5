/* SPDX-License-Identifier: GPL-2.0 */
/* Where a module's parts lie: core_layout and init_layout until 6.3, mem[] after. */
#ifndef _ALLOCPROF_COMPAT_MODULE_H
#define _ALLOCPROF_COMPAT_MODULE_H

#include <linux/module.h>

struct compat_part {
	unsigned long start;
	unsigned int size;
};

static inline struct compat_part compat_part(const void *start, unsigned int size)
{
	return (struct compat_part){ (unsigned long)start, size };
}

static inline struct compat_part compat_module_text(const struct module *mod)
{
#ifdef HAVE_MODULE_MEMORY
	return compat_part(mod->mem[MOD_TEXT].base, mod->mem[MOD_TEXT].size);
#else
	return compat_part(mod->core_layout.base, mod->core_layout.text_size);
#endif
}

static inline struct compat_part compat_module_init_text(const struct module *mod)
{
#ifdef HAVE_MODULE_MEMORY
	return compat_part(mod->mem[MOD_INIT_TEXT].base, mod->mem[MOD_INIT_TEXT].size);
#else
	return compat_part(mod->init_layout.base, mod->init_layout.text_size);
#endif
}

static inline struct compat_part compat_module_rodata(const struct module *mod)
{
#ifdef HAVE_MODULE_MEMORY
	return compat_part(mod->mem[MOD_RODATA].base, mod->mem[MOD_RODATA].size);
#else
	return compat_part(mod->core_layout.base + mod->core_layout.text_size,
			   mod->core_layout.ro_size - mod->core_layout.text_size);
#endif
}

#endif /* _ALLOCPROF_COMPAT_MODULE_H */
