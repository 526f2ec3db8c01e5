/* SPDX-License-Identifier: GPL-2.0 */
/* Reads a line map (mapformat.h).  See linemap.c. */
#ifndef _ALLOCPROF_LINEMAP_H
#define _ALLOCPROF_LINEMAP_H

#include <linux/types.h>

#include "mapformat.h"

/* Longest names in a map: with all of them a line of /proc/allocinfo stays below 512 bytes. */
#define LINEMAP_FILE_MAX	160
#define LINEMAP_FUNC_MAX	127
#define LINEMAP_MODULE_MAX	63

/**
 * struct linemap - a map that linemap_open() has found well-formed
 * @header: its first bytes
 * @objects: the four tables, in the bytes given
 * @sites: likewise
 * @names: likewise
 * @strings: likewise
 */
struct linemap {
	const struct map_header *header;
	const struct map_object *objects;
	const struct map_site *sites;
	const struct map_name *names;
	const char *strings;
};

const char *linemap_open(struct linemap *map, const void *data, size_t size);
const struct map_site *linemap_find(const struct linemap *map, const struct map_object *object,
				    bool init, u32 offset);
const struct map_object *linemap_module(const struct linemap *map, const char *name);
const struct map_object *linemap_same_name(const struct linemap *map,
					   const struct map_object *object);

static inline const char *linemap_string(const struct linemap *map, u32 offset)
{
	return map->strings + offset;
}

#endif /* _ALLOCPROF_LINEMAP_H */
