// SPDX-License-Identifier: GPL-2.0
/* `allocprof map build`, `show` and `verify`. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "map.h"
#include "../module/linemap.h"

#define MAP_DIR "/lib/firmware/allocprof"

static int collect_module(const char *path, void *data)
{
	struct map *map = data;

	/* One module without debug information does not spoil the rest. */
	map->stripped += map_collect(map, path, false) == 1;
	return 0;
}

static char *default_path(const uint8_t id[MAP_BUILD_ID])
{
	char *hex = hex_build_id(id), *path = xasprintf(MAP_DIR "/%s.map", hex);

	free(hex);
	return path;
}

int map_build_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "kernel", required_argument, NULL, 'k' },
		{ "vmlinux", required_argument, NULL, 'v' },
		{ "modules", required_argument, NULL, 'm' },
		{ "output", required_argument, NULL, 'o' },
		{ "wrapper", required_argument, NULL, 'w' },
		{ "debuginfod", no_argument, NULL, 'd' },
		{}
	};
	const char *release = NULL, *vmlinux = NULL, **modules = NULL, *output = NULL, *found;
	size_t n_modules = 0;
	bool debuginfod = false;
	struct map *map = map_new();
	size_t i, sites = 0;
	char *path;
	int opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (opt) {
		case 'k':
			release = optarg;
			break;
		case 'v':
			vmlinux = optarg;
			break;
		case 'm':
			modules = xrealloc(modules, n_modules + 1, sizeof(*modules));
			modules[n_modules++] = optarg;
			break;
		case 'o':
			output = optarg;
			break;
		case 'w':
			extra_wrappers = xrealloc(extra_wrappers, n_extra_wrappers + 1,
						  sizeof(*extra_wrappers));
			extra_wrappers[n_extra_wrappers++] = optarg;
			break;
		case 'd':
			debuginfod = true;
			break;
		default:
			return 2;
		}
	if (optind < argc)
		die("map build: what is '%s'?", argv[optind]);
	/* Given a kernel's file, somebody else's modules are not wanted. */
	if (!release && !vmlinux)
		release = running_release();
	if (!n_modules && release && (found = find_modules(release))) {
		modules = xrealloc(NULL, 1, sizeof(*modules));
		modules[n_modules++] = found;
	}
	if (!vmlinux)
		vmlinux = find_vmlinux(release, debuginfod);
	if (!vmlinux)
		die("no debug information of %s found: install it (Debian: linux-image-%s-dbg), or name a vmlinux by --vmlinux",
		    release, release);
	if (map_collect(map, vmlinux, true))
		return 1;
	for (i = 0; i < n_modules; i++)
		for_each_module(modules[i], collect_module, map);

	path = output ? xasprintf("%s", output) : default_path(map->object[0].build_id);
	if (!output && mkdir(MAP_DIR, 0755) && errno != EEXIST)
		die(MAP_DIR ": %s", strerror(errno));
	map_write(map, path);
	for (i = 0; i < map->objects; i++)
		sites += map->object[i].sites;
	printf("%s: %zu calls on %zu lines, kernel and %zu modules\n", path, sites, map->names,
	       map->objects - 1);
	if (map->stripped)
		printf("%zu modules have no debug information: their callsites keep the names of symbols\n",
		       map->stripped);
	if (map->ambiguous)
		printf("%zu tail calls could come from more than one line; the first is named\n",
		       map->ambiguous);
	free(path);
	map_free(map);
	return 0;
}

/* The map meant: a file, or that of the running kernel. */
static void read_map(int argc, char **argv, struct linemap *map, char **path)
{
	static const struct option none[] = { {} };
	uint8_t id[MAP_BUILD_ID];
	const char *wrong;
	struct stat st;
	const void *data;
	int fd;

	if (getopt_long(argc, argv, "", none, NULL) != -1)
		exit(2);
	if (optind + 1 < argc)
		die("map %s: one map, please", argv[0]);
	if (optind < argc) {
		*path = xasprintf("%s", argv[optind]);
	} else {
		if (!build_id_of_notes("/sys/kernel/notes", id))
			die("/sys/kernel/notes: no build-id of the running kernel there; name the file");
		*path = default_path(id);
	}
	fd = open(*path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		die("%s: %s; make it by `allocprof map build`", *path, strerror(errno));
	data = st.st_size ? mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
	if (data == MAP_FAILED)
		die("%s: %s", *path, strerror(errno));
	close(fd);
	wrong = linemap_open(map, data, st.st_size);
	if (wrong)
		die("%s: %s", *path, wrong);
}

static void show_chain(const struct linemap *map, const struct map_name *name, const char *module)
{
	printf("%s:%u", linemap_string(map, name->file), name->line);
	if (*module)
		printf(" [%s]", module);
	printf(" func:%s", linemap_string(map, name->func));
	while (name->outer) {
		name = &map->names[name->outer - 1];
		printf(" < %s:%u %s", linemap_string(map, name->file), name->line,
		       linemap_string(map, name->func));
	}
}

int map_show_main(int argc, char **argv)
{
	struct linemap map;
	char *path, *hex;
	u32 i, j;

	read_map(argc, argv, &map, &path);
	hex = hex_build_id(map.objects->build_id);
	printf("# %s: build-id %s, %u modules, %u calls, %u lines\n", path, hex,
	       map.header->objects - 1, map.header->sites, map.header->names);
	free(hex);
	for (i = 0; i < map.header->objects; i++) {
		const struct map_object *o = &map.objects[i];
		const char *module = linemap_string(&map, o->name);

		for (j = 0; j < o->sites; j++) {
			const struct map_site *site = &map.sites[o->site + j];

			printf("%s%s+0x%x ", *module ? module : "vmlinux",
			       j >= o->sites - o->init_sites ? ".init" : "", site->offset);
			if (site->name == MAP_TRANSPARENT)
				printf("wrapper");
			else
				show_chain(&map, &map.names[site->name], module);
			putchar('\n');
		}
	}
	return ferror(stdout) || fclose(stdout);
}

int map_verify_main(int argc, char **argv)
{
	struct linemap map;
	uint8_t id[MAP_BUILD_ID];
	char *path;

	read_map(argc, argv, &map, &path);
	if (!build_id_of_notes("/sys/kernel/notes", id))
		die("%s: well-formed; whether it is this kernel's cannot be told, as /sys/kernel/notes has no build-id", path);
	if (memcmp(id, map.objects->build_id, sizeof(id)))
		die("%s: well-formed, but of another kernel build than the running one", path);
	printf("%s: well-formed, and of the running kernel\n", path);
	return 0;
}
