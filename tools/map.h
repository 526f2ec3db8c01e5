/* SPDX-License-Identifier: GPL-2.0 */
/* A line map in the making: what map_dwarf.c finds and map_write.c writes. */
#ifndef ALLOCPROF_MAP_H
#define ALLOCPROF_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../module/mapformat.h"

struct strings;

/* The string's offset, the same for equal ones. */
uint32_t strings_add(struct strings *s, const char *text);
const char *strings_get(const struct strings *s, uint32_t offset);
uint32_t strings_size(const struct strings *s);
struct strings *strings_new(void);
void strings_free(struct strings *s);

/* Collected sites of one object; offsets are in its text or init text. */
struct sites {
	struct map_site *site;
	size_t n, room;
};

struct map {
	struct strings *strings;
	struct map_object *object;
	struct sites *text, *init;	/* one each an object */
	size_t objects;
	struct map_name *name;
	size_t names, names_room;
	uint32_t *name_index;		/* hash of the names; see map_write.c */
	size_t name_index_room;
	uint32_t anchor;
	size_t ambiguous;		/* tail calls of one function to several lines */
	size_t stripped;		/* modules without debug information */
};

struct map *map_new(void);
void map_free(struct map *map);
size_t map_add_object(struct map *map, const char *name, const uint8_t build_id[MAP_BUILD_ID],
		      uint32_t note);
uint32_t map_add_name(struct map *map, const char *file, const char *func, uint32_t line,
		      uint32_t outer);
void map_add_site(struct sites *sites, uint32_t offset, uint32_t name);
void map_check_output(const char *path);
void map_check_directory(const char *dir);
void map_write(struct map *map, const char *path);

/*
 * map_dwarf.c: everything in one file. 0; 1: a module without debug
 * information; or -1, and why has been said.
 */
int map_collect(struct map *map, const char *path, bool kernel);

/* map_files.c */
char *running_release(void);
char *hex_build_id(const uint8_t id[MAP_BUILD_ID]);
bool build_id_of_notes(const char *path, uint8_t id[MAP_BUILD_ID]);
void must_be_file(const char *path, const char *advice);
char *find_vmlinux(const char *release, bool debuginfod);
char *find_modules(const char *release);
int for_each_module(const char *dir, int (*visit)(const char *path, void *data), void *data);

/* map_cmd.c */
int map_build_main(int argc, char **argv);
int map_show_main(int argc, char **argv);
int map_verify_main(int argc, char **argv);

/* map_dwarf.c: functions that count as wrappers besides those of transparent.h. */
void add_wrappers(const char *list);
void warn_of_unknown_wrappers(void);

/* allocprof.c */
int usage(void);
int finish(void);
void wrong_usage(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
void die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void *xrealloc(void *p, size_t n, size_t size);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
