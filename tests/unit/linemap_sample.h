/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A small line map, and a user of one who believes everything that
 * linemap_open() has let pass.  For the unit test and for the fuzzer, who bring
 * CHECK().
 */
#ifndef _LINEMAP_SAMPLE_H
#define _LINEMAP_SAMPLE_H

#include <linux/crc32.h>
#include <linux/types.h>
#include <string.h>

#include "linemap.h"

enum { KERNEL, EXT4, EXT4_AGAIN, INIT_ONLY, SAMPLE_OBJECTS };

#define SAMPLE_SITES	9
#define SAMPLE_NAMES	6

struct sample {
	struct map_header header;
	struct map_object objects[SAMPLE_OBJECTS];
	struct map_site sites[SAMPLE_SITES];
	struct map_name names[SAMPLE_NAMES];
	char strings[400];
};

/* At the end of the strings there is one of any length up to this. */
#define SAMPLE_TAIL	200
#define SAMPLE_TAIL_OF(length)	(sizeof(((struct sample *)NULL)->strings) - 1 - (length))

static inline u32 sample_crc(const void *data, size_t size)
{
	const size_t from = offsetof(struct map_header, size);

	return ~crc32_le(~0, (const u8 *)data + from, size - from);
}

/* Makes the sums fit again. */
static inline void sample_seal(struct sample *s)
{
	s->header.size = sizeof(*s);
	s->header.crc = sample_crc(s, sizeof(*s));
}

/* Offset of a new string; @next: behind the last one. */
static inline u32 sample_string(struct sample *s, u32 *next, const char *text)
{
	u32 offset = *next;

	strcpy(s->strings + offset, text);
	*next += strlen(text) + 1;
	return offset;
}

/*
 * The kernel with four sites, one a wrapper, one at the very end; a module with
 * two in its text and two in its init text; another build of it without any; one
 * with nothing but init text.  Names 3 and 1 were inlined.
 */
static inline void sample_init(struct sample *s)
{
	static const char *const modules[] = { "", "ext4", "ext4", "init_only" };
	static const u32 sites[] = { 4, 4, 0, 1 }, init_sites[] = { 0, 2, 0, 1 };
	static const struct map_site site[] = {
		{ 0x10, 0 }, { 0x20, MAP_TRANSPARENT }, { 0x35, 1 }, { ~0U, 2 },
		{ 0x8, 3 }, { 0x40, 4 }, { 0x4, 5 }, { 0x40, 3 },
		{ 0, 0 },
	};
	static const struct {
		const char *file, *func;
		u32 line, outer;
	} names[] = {
		{ "mm/slub.c", "new_slab", 1900, 0 },
		{ "./include/linux/slab.h", "kmalloc", 600, 1 },
		{ "kernel/fork.c", "copy_process", 2200, 0 },
		{ "./include/linux/slab.h", "kzalloc", 724, 2 },
		{ "fs/ext4/super.c", "ext4_fill_super", 5000, 0 },
		{ "fs/ext4/super.c", "ext4_init_fs", 7000, 0 },
	};
	u32 next = 0, first = 0, i;

	memset(s, 0, sizeof(*s));
	memcpy(s->header.magic, MAP_MAGIC, sizeof(s->header.magic));
	s->header.version = MAP_VERSION;
	s->header.objects = SAMPLE_OBJECTS;
	s->header.sites = SAMPLE_SITES;
	s->header.names = SAMPLE_NAMES;
	s->header.strings = sizeof(s->strings);
	s->header.anchor = 0x1000;
	for (i = 0; i < SAMPLE_OBJECTS; i++) {
		struct map_object *o = &s->objects[i];

		o->name = sample_string(s, &next, modules[i]);
		memset(o->build_id, 0x11 * (i + 1), sizeof(o->build_id));
		o->site = first;
		o->sites = sites[i];
		o->init_sites = init_sites[i];
		first += sites[i];
	}
	memcpy(s->sites, site, sizeof(site));
	for (i = 0; i < SAMPLE_NAMES; i++)
		s->names[i] = (struct map_name){ sample_string(s, &next, names[i].file),
						 sample_string(s, &next, names[i].func),
						 names[i].line, names[i].outer };
	memset(s->strings + SAMPLE_TAIL_OF(SAMPLE_TAIL), 'x', SAMPLE_TAIL);
	sample_seal(s);
}

static inline void walk_string(const struct linemap *map, u32 offset, size_t max)
{
	const char *p = linemap_string(map, offset);

	CHECK(strlen(p) <= max);
	for (; *p; p++)
		CHECK(*p > ' ' && *p <= '~' && *p != ':');
}

/* A line, and what its function was inlined into: comes to an end. */
static inline void walk_name(const struct linemap *map, const struct map_name *name)
{
	for (;;) {
		walk_string(map, name->file, LINEMAP_FILE_MAX);
		walk_string(map, name->func, LINEMAP_FUNC_MAX);
		if (!name->outer)
			break;
		CHECK(name->outer - 1 < name - map->names);
		name = &map->names[name->outer - 1];
	}
}

/* Each is found by its own offset; beside it there is what has just that offset, or nothing. */
static inline void walk_sites(const struct linemap *map, const struct map_object *o, bool init,
			      u32 first, u32 n)
{
	const struct map_site *site = &map->sites[first], *end = site + n, *found;
	int beside;

	for (; site < end; site++) {
		CHECK(linemap_find(map, o, init, site->offset) == site);
		for (beside = -1; beside <= 1; beside += 2) {
			found = linemap_find(map, o, init, site->offset + beside);
			CHECK(!found || (found >= end - n && found < end));
			CHECK(!found || found->offset == site->offset + beside);
		}
		if (site->name != MAP_TRANSPARENT)
			walk_name(map, &map->names[site->name]);
	}
}

static inline void linemap_walk(const struct linemap *map)
{
	u32 i, text, next = 0;

	for (i = 0; i < map->header->objects; i++) {
		const struct map_object *o = &map->objects[i], *found;
		const char *name = linemap_string(map, o->name);

		walk_string(map, o->name, LINEMAP_MODULE_MAX);
		CHECK(!*name == !i);
		/* One after another, there is each. */
		found = linemap_module(map, name);
		while (found && found < o)
			found = linemap_same_name(map, found);
		CHECK(found == (i ? o : NULL));
		CHECK(o->site == next);
		next += o->sites;
		text = o->sites - o->init_sites;
		walk_sites(map, o, false, o->site, text);
		walk_sites(map, o, true, o->site + text, o->init_sites);
	}
	CHECK(next == map->header->sites);
	for (i = 0; i < map->header->names; i++)
		walk_name(map, &map->names[i]);
}

#endif /* _LINEMAP_SAMPLE_H */
