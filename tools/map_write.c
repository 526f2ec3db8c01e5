// SPDX-License-Identifier: GPL-2.0
/* Keeps what was found, each string and each line once, and writes it down (module/mapformat.h). */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "map.h"
#include "../module/linemap.h"

/* Open addressing, at most half full; 0 is a free place, so entries are kept plus one. */
struct strings {
	char *text;
	uint32_t size, room;
	uint32_t *index;
	size_t n, index_room;
};

static uint32_t hash_bytes(const void *data, size_t len)
{
	const uint8_t *p = data;
	uint32_t h = 2166136261u;

	while (len--)
		h = (h ^ *p++) * 16777619u;
	return h;
}

struct strings *strings_new(void)
{
	struct strings *s = xrealloc(NULL, 1, sizeof(*s));

	memset(s, 0, sizeof(*s));
	s->index_room = 1024;
	s->index = calloc(s->index_room, sizeof(*s->index));
	if (!s->index)
		die("no memory");
	return s;
}

void strings_free(struct strings *s)
{
	if (!s)
		return;
	free(s->text);
	free(s->index);
	free(s);
}

const char *strings_get(const struct strings *s, uint32_t offset)
{
	return s->text + offset;
}

uint32_t strings_size(const struct strings *s)
{
	return s->size;
}

static uint32_t *strings_place(struct strings *s, const char *text)
{
	size_t i = hash_bytes(text, strlen(text)) & (s->index_room - 1);

	while (s->index[i] && strcmp(s->text + s->index[i] - 1, text))
		i = (i + 1) & (s->index_room - 1);
	return &s->index[i];
}

static void strings_grow_index(struct strings *s)
{
	uint32_t *old = s->index;
	size_t i, room = s->index_room;

	s->index_room *= 2;
	s->index = calloc(s->index_room, sizeof(*s->index));
	if (!s->index)
		die("no memory");
	for (i = 0; i < room; i++)
		if (old[i])
			*strings_place(s, s->text + old[i] - 1) = old[i];
	free(old);
}

uint32_t strings_add(struct strings *s, const char *text)
{
	uint32_t *place = strings_place(s, text);
	size_t len = strlen(text) + 1;

	if (*place)
		return *place - 1;
	if (s->size + len > s->room) {
		s->room = (s->size + len) * 2;
		s->text = xrealloc(s->text, s->room, 1);
	}
	memcpy(s->text + s->size, text, len);
	*place = s->size + 1;
	s->size += len;
	if (++s->n * 2 > s->index_room)
		strings_grow_index(s);
	return s->size - len;
}

struct map *map_new(void)
{
	struct map *map = xrealloc(NULL, 1, sizeof(*map));

	memset(map, 0, sizeof(*map));
	map->strings = strings_new();
	strings_add(map->strings, "");
	return map;
}

void map_free(struct map *map)
{
	size_t i;

	for (i = 0; i < map->objects; i++) {
		free(map->text[i].site);
		free(map->init[i].site);
	}
	strings_free(map->strings);
	free(map->text);
	free(map->init);
	free(map->object);
	free(map->name);
	free(map->name_index);
	free(map);
}

/*
 * Fields of /proc/allocinfo end at a blank or a colon: what is in a path is
 * replaced. Of what is too long the end is kept, which says most of a path.
 */
static uint32_t add_clean(struct map *map, const char *text, size_t max)
{
	size_t len = strlen(text);
	char *clean = xasprintf("%s", len > max ? text + len - max : text), *p;
	uint32_t offset;

	for (p = clean; *p; p++)
		if (*p <= ' ' || *p > '~' || *p == ':')
			*p = '_';
	offset = strings_add(map->strings, clean);
	free(clean);
	return offset;
}

size_t map_add_object(struct map *map, const char *name, const uint8_t build_id[MAP_BUILD_ID],
		      uint32_t note)
{
	size_t n = map->objects++;

	map->object = xrealloc(map->object, n + 1, sizeof(*map->object));
	map->text = xrealloc(map->text, n + 1, sizeof(*map->text));
	map->init = xrealloc(map->init, n + 1, sizeof(*map->init));
	memset(&map->object[n], 0, sizeof(*map->object));
	memset(&map->text[n], 0, sizeof(*map->text));
	memset(&map->init[n], 0, sizeof(*map->init));
	map->object[n].name = add_clean(map, name, LINEMAP_MODULE_MAX);
	map->object[n].note = note;
	memcpy(map->object[n].build_id, build_id, MAP_BUILD_ID);
	return n;
}

static uint32_t *name_place(struct map *map, const struct map_name *name)
{
	size_t i = hash_bytes(name, sizeof(*name)) & (map->name_index_room - 1);

	while (map->name_index[i] &&
	       memcmp(&map->name[map->name_index[i] - 1], name, sizeof(*name)))
		i = (i + 1) & (map->name_index_room - 1);
	return &map->name_index[i];
}

static void name_grow(struct map *map)
{
	size_t i;

	map->names_room = map->names_room ? map->names_room * 2 : 1024;
	map->name = xrealloc(map->name, map->names_room, sizeof(*map->name));
	free(map->name_index);
	map->name_index_room = map->names_room * 2;
	map->name_index = calloc(map->name_index_room, sizeof(*map->name_index));
	if (!map->name_index)
		die("no memory");
	for (i = 0; i < map->names; i++)
		*name_place(map, &map->name[i]) = i + 1;
}

uint32_t map_add_name(struct map *map, const char *file, const char *func, uint32_t line,
		      uint32_t outer)
{
	struct map_name name = {
		.file = add_clean(map, file, LINEMAP_FILE_MAX),
		.func = add_clean(map, func, LINEMAP_FUNC_MAX),
		.line = line,
		.outer = outer,
	};
	uint32_t *place;

	if (map->names == map->names_room)
		name_grow(map);
	place = name_place(map, &name);
	if (!*place) {
		map->name[map->names++] = name;
		*place = map->names;
	}
	return *place - 1;
}

void map_add_site(struct sites *sites, uint32_t offset, uint32_t name)
{
	if (sites->n == sites->room) {
		sites->room = sites->room ? sites->room * 2 : 64;
		sites->site = xrealloc(sites->site, sites->room, sizeof(*sites->site));
	}
	sites->site[sites->n++] = (struct map_site){ offset, name };
}

static int by_offset(const void *a, const void *b)
{
	const struct map_site *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* In order, each address once; a line is better than none. */
static void tidy(struct sites *sites)
{
	size_t i, n = 0;

	if (!sites->n)
		return;
	qsort(sites->site, sites->n, sizeof(*sites->site), by_offset);
	for (i = 0; i < sites->n; i++)
		if (!n || sites->site[i].offset != sites->site[n - 1].offset)
			sites->site[n++] = sites->site[i];
	sites->n = n;
}

static void put(FILE *f, uint32_t *crc, const void *data, size_t len)
{
	if (!len)
		return;
	*crc = crc32(*crc, data, len);
	fwrite(data, 1, len, f);
}

static void put_words(FILE *f, uint32_t *crc, const uint32_t *word, size_t n)
{
	while (n--) {
		uint32_t le = htole32(*word++);

		put(f, crc, &le, sizeof(le));
	}
}

static int by_object_name(const void *a, const void *b, void *data)
{
	const struct map *map = data;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int c = strcmp(strings_get(map->strings, map->object[x].name),
		       strings_get(map->strings, map->object[y].name));

	return c ? c : x < y ? -1 : x > y;
}

/* The kernel first, then the modules in the order of their names. */
static size_t *by_name(const struct map *map)
{
	size_t *order = xrealloc(NULL, map->objects, sizeof(*order)), i;

	for (i = 0; i < map->objects; i++)
		order[i] = i;
	qsort_r(order + 1, map->objects - 1, sizeof(*order), by_object_name, (void *)map);
	return order;
}

/* Nobody is to see the half of a map, or its name. */
static void __attribute__((noreturn)) give_up(const char *tmp, const char *path)
{
	int error = errno;

	unlink(tmp);
	die("%s: %s", path, strerror(error));
}

/* A map that its reader would refuse is worth nothing. */
static void check(const char *tmp, const char *path, size_t size)
{
	void *data = xrealloc(NULL, 1, size);
	FILE *f = fopen(tmp, "r");
	struct linemap map;
	const char *wrong;

	if (!f || fread(data, 1, size, f) != size)
		give_up(tmp, path);
	fclose(f);
	wrong = linemap_open(&map, data, size);
	free(data);
	if (!wrong)
		return;
	unlink(tmp);
	die("no map written, it would be %s; please report this with the kernel's release", wrong);
}

static void cannot_write(const char *dir, int error, bool elsewhere)
{
	die("cannot write to %s (%s)%s", dir, strerror(error),
	    elsewhere || error == EACCES || error == EPERM ? "; run as root, or say --output FILE" : "");
}

static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return xasprintf(".");
	return slash == path ? xasprintf("/") : xasprintf("%.*s", (int)(slash - path), path);
}

static int writable(const char *dir)
{
	struct stat st;

	if (stat(dir, &st))
		return errno;
	if (!S_ISDIR(st.st_mode))
		return ENOTDIR;
	return access(dir, W_OK | X_OK) ? errno : 0;
}

/* Only a file may be replaced: what is moved over a device node, or a link, has destroyed it. */
static void check_kind(const char *path)
{
	struct stat st;

	if (!lstat(path, &st) && !S_ISREG(st.st_mode))
		die("%s: is there, and not a regular file; it is not replaced", path);
}

/* Can it be written?  For who wants to know that before the work. */
void map_check_output(const char *path)
{
	char *dir = directory_of(path);
	int error;

	check_kind(path);
	error = writable(dir);
	if (error)
		cannot_write(dir, error, false);
	free(dir);
}

/* Can files be written there, once it is made? */
void map_check_directory(const char *dir)
{
	char *there = xasprintf("%s", dir), *up;
	int error;

	while ((error = writable(there)) == ENOENT && strcmp(there, "/")) {
		up = directory_of(there);
		free(there);
		there = up;
	}
	if (error)
		cannot_write(dir, error, true);
	free(there);
}

/*
 * Everything is written beside the file and moved there when it is whole, so
 * that what reads it meanwhile sees the old one or the new one.
 */
void map_write(struct map *map, const char *path)
{
	struct map_header h = { .version = MAP_VERSION, .anchor = map->anchor };
	char *tmp = xasprintf("%s.XXXXXX", path);
	uint32_t crc = crc32(0, NULL, 0), sites = 0;
	size_t *order = by_name(map), i;
	FILE *f;
	int fd;

	check_kind(path);
	fd = mkstemp(tmp);
	if (fd < 0)
		cannot_write(directory_of(path), errno, false);
	f = fdopen(fd, "w");
	if (!f || fchmod(fd, 0644))
		give_up(tmp, path);
	for (i = 0; i < map->objects; i++) {
		size_t n = order[i];

		tidy(&map->text[n]);
		tidy(&map->init[n]);
		map->object[n].site = sites;
		map->object[n].init_sites = map->init[n].n;
		map->object[n].sites = map->text[n].n + map->init[n].n;
		sites += map->object[n].sites;
	}
	memcpy(h.magic, MAP_MAGIC, sizeof(h.magic));
	h.objects = map->objects;
	h.sites = sites;
	h.names = map->names;
	h.strings = strings_size(map->strings);
	h.size = sizeof(h) + h.objects * sizeof(*map->object) + h.sites * sizeof(struct map_site) +
		 h.names * sizeof(*map->name) + h.strings;

	fwrite(&h, 1, offsetof(struct map_header, size), f);	/* filled in last */
	put_words(f, &crc, &h.size, (sizeof(h) - offsetof(struct map_header, size)) / 4);
	for (i = 0; i < map->objects; i++) {
		const struct map_object *o = &map->object[order[i]];

		put_words(f, &crc, &o->name, 1);
		put(f, &crc, o->build_id, sizeof(o->build_id));
		put_words(f, &crc, &o->note, (sizeof(*o) - offsetof(struct map_object, note)) / 4);
	}
	for (i = 0; i < map->objects; i++) {
		put_words(f, &crc, (uint32_t *)map->text[order[i]].site, map->text[order[i]].n * 2);
		put_words(f, &crc, (uint32_t *)map->init[order[i]].site, map->init[order[i]].n * 2);
	}
	put_words(f, &crc, (uint32_t *)map->name, map->names * 4);
	put(f, &crc, strings_get(map->strings, 0), h.strings);

	h.crc = crc;
	fseek(f, 0, SEEK_SET);
	fwrite(h.magic, 1, sizeof(h.magic), f);
	put_words(f, &crc, &h.version, 2);
	if (fflush(f) || ferror(f) || fsync(fileno(f)) || fclose(f))
		give_up(tmp, path);
	check(tmp, path, h.size);
	if (rename(tmp, path))
		give_up(tmp, path);
	free(order);
	free(tmp);
}
