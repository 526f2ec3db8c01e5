/* SPDX-License-Identifier: GPL-2.0 */
/* The running kernel's line map, and which loaded modules it knows.  See mapfile.c. */
#ifndef _ALLOCPROF_MAPFILE_H
#define _ALLOCPROF_MAPFILE_H

#include <linux/types.h>

#include "linemap.h"

struct module;
struct seq_file;

/**
 * struct map_hit - what the map says of a return address
 * @object: where it lies
 * @name: the line, or NULL: the caller is a wrapper
 */
struct map_hit {
	const struct map_object *object;
	const struct map_name *name;
};

void mapfile_init(void);
void mapfile_load(void);
void mapfile_unload(void);
void mapfile_bind(struct module *mod);
void mapfile_unbind(const struct module *mod, bool init_only);
bool mapfile_find(unsigned long ret, struct map_hit *hit);
const char *mapfile_string(u32 offset);
void mapfile_for_each(void (*visit)(const struct map_hit *hit, void *data), void *data);
const struct map_name *mapfile_outer(const struct map_name *name);
size_t mapfile_sites(void);
size_t mapfile_bytes(void);
void mapfile_show(struct seq_file *m);

#endif /* _ALLOCPROF_MAPFILE_H */
