// SPDX-License-Identifier: GPL-2.0
/*
 * Reads a line map.
 *
 * linemap_open() looks at every byte once; what it has let pass can be used
 * without another check, in any context.  Nothing here allocates, keeps state,
 * or knows of the running kernel, so the same file is compiled into the tool
 * and into the fuzzer.  Both ends are little-endian, as is every machine that
 * allocprof runs on.
 */
#include <linux/build_bug.h>
#include <linux/crc32.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "linemap.h"

/* One string, as /proc/allocinfo can print it: no blank, no colon, not too long. */
static bool good_string(const struct linemap *map, u32 offset, size_t max)
{
	const char *p;

	if (offset >= map->header->strings)
		return false;
	p = map->strings + offset;
	if (strnlen(p, max + 1) > max)
		return false;
	for (; *p; p++)
		if (*p <= ' ' || *p > '~' || *p == ':')
			return false;
	return true;
}

static const char *check_objects(const struct linemap *map)
{
	const struct map_object *o = map->objects;
	u32 i, j, next = 0;

	for (i = 0; i < map->header->objects; i++, o++) {
		u32 text = o->site + o->sites - o->init_sites;

		if (o->site != next || o->sites > map->header->sites - next ||
		    o->init_sites > o->sites)
			return "damaged (an object's sites)";
		next += o->sites;
		if (!good_string(map, o->name, LINEMAP_MODULE_MAX) ||
		    !map->strings[o->name] != !i || o->spare)
			return "damaged (an object's name)";
		if (i > 1 && strcmp(map->strings + o[-1].name, map->strings + o->name) > 0)
			return "damaged (modules out of order)";
		for (j = o->site; j < next; j++) {
			const struct map_site *site = &map->sites[j];

			if (j != o->site && j != text && site->offset <= site[-1].offset)
				return "damaged (sites out of order)";
			if (site->name >= map->header->names && site->name != MAP_TRANSPARENT)
				return "damaged (a site's name)";
		}
	}
	return next == map->header->sites ? NULL : "damaged (sites of no object)";
}

static const char *check_names(const struct linemap *map)
{
	u32 i;

	for (i = 0; i < map->header->names; i++) {
		const struct map_name *name = &map->names[i];

		if (!good_string(map, name->file, LINEMAP_FILE_MAX) ||
		    !good_string(map, name->func, LINEMAP_FUNC_MAX))
			return "damaged (a file or function name)";
		if (name->outer > i)
			return "damaged (an inline chain)";
	}
	return NULL;
}

/**
 * linemap_open() - check a map and find its tables
 * @map: out
 * @data: the file, aligned to 4 bytes; must stay as long as @map is used
 * @size: its size in bytes
 *
 * Context: any; takes as long as reading @size bytes a few times.
 * Return: NULL, or what is wrong with it.
 */
const char *linemap_open(struct linemap *map, const void *data, size_t size)
{
	const struct map_header *h = data;
	const char *wrong;
	u64 want;

	BUILD_BUG_ON(sizeof(struct map_object) != 44 || sizeof(struct map_name) != 16);
	if (size < sizeof(*h) || memcmp(h->magic, MAP_MAGIC, sizeof(h->magic)))
		return "not a line map";
	if (h->version != MAP_VERSION)
		return "of another version; build it again with the tool of this module";
	/* Each count first, so that the sum cannot overflow. */
	if (size > MAP_SIZE_MAX || h->objects > size || h->sites > size || h->names > size ||
	    h->strings > size)
		return "damaged (sizes)";
	want = sizeof(*h) + (u64)h->objects * sizeof(struct map_object) +
	       (u64)h->sites * sizeof(struct map_site) + (u64)h->names * sizeof(struct map_name) +
	       h->strings;
	if (h->size != size || want != size)
		return "cut short, or too long";
	if (~crc32_le(~0, (const u8 *)&h->size, size - offsetof(struct map_header, size)) != h->crc)
		return "damaged (checksum)";

	map->header = h;
	map->objects = (const void *)(h + 1);
	map->sites = (const void *)(map->objects + h->objects);
	map->names = (const void *)(map->sites + h->sites);
	map->strings = (const void *)(map->names + h->names);
	if (!h->objects || !h->strings || map->strings[h->strings - 1])
		return "damaged (empty, or strings without an end)";
	wrong = check_objects(map);
	return wrong ?: check_names(map);
}

/**
 * linemap_find() - what is known of a return address
 * @map: the map
 * @object: where it lies
 * @init: in its init text?
 * @offset: bytes from the first one of that text
 *
 * Context: any.
 * Return: its entry or NULL.
 */
const struct map_site *linemap_find(const struct linemap *map, const struct map_object *object,
				    bool init, u32 offset)
{
	const struct map_site *site = &map->sites[object->site];
	u32 low = 0, high = object->sites - object->init_sites;

	if (init) {
		site += high;
		high = object->init_sites;
	}
	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (site[middle].offset == offset)
			return &site[middle];
		if (site[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/**
 * linemap_module() - a module's first entry
 * @map: the map
 * @name: the module's name
 *
 * Context: any.
 * Return: the entry or NULL.  That it is the same build is for the caller to
 * see, who may go on to linemap_same_name().
 */
const struct map_object *linemap_module(const struct linemap *map, const char *name)
{
	u32 low = 1, high = map->header->objects;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (strcmp(linemap_string(map, map->objects[middle].name), name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < map->header->objects &&
	    !strcmp(linemap_string(map, map->objects[low].name), name))
		return &map->objects[low];
	return NULL;
}

/**
 * linemap_same_name() - another build of the same module
 * @map: the map
 * @object: one
 *
 * Context: any.
 * Return: the next one, or NULL.
 */
const struct map_object *linemap_same_name(const struct linemap *map,
					   const struct map_object *object)
{
	const struct map_object *next = object + 1;

	if (next == map->objects + map->header->objects ||
	    strcmp(linemap_string(map, next->name), linemap_string(map, object->name)))
		return NULL;
	return next;
}
