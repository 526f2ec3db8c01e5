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

/* Options without a letter. */
enum {
	OPT_LONG = 256,
	OPT_KERNEL,
	OPT_VMLINUX,
	OPT_MODULES,
	OPT_OUTPUT,
	OPT_WRAPPER,
	OPT_DEBUGINFOD,
};

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

static int count_module(const char *path, void *data)
{
	++*(size_t *)data;
	return 0;
}

static const char *s(size_t n)
{
	return n == 1 ? "" : "s";
}

/* getopt_long(), but wrong options are complained of as everything else is. */
static int next_option(int argc, char **argv, const char *letters, const struct option *options)
{
	int opt;

	opterr = 0;
	opt = getopt_long(argc, argv, letters, options, NULL);
	if (opt == 'h')
		exit(usage());
	if (opt == ':')
		wrong_usage("map %s: %s of what?", argv[0], argv[optind - 1]);
	if (opt == '?' && optopt && optopt < OPT_LONG)
		wrong_usage("map %s: what is '-%c'?", argv[0], optopt);
	if (opt == '?')
		wrong_usage("map %s: what is '%s'?", argv[0], argv[optind - 1]);
	if (opt != -1 && optarg && !*optarg) {
		while (options->val != opt)
			options++;
		wrong_usage("map %s: --%s of nothing", argv[0], options->name);
	}
	return opt;
}

/* All that can be told before the work, which takes a while. */
static void check_places(const char *output, const char *vmlinux, const char **modules, size_t n)
{
	size_t i, found;

	if (output)
		map_check_output(output);
	else
		map_check_directory(MAP_DIR);
	if (vmlinux)
		must_be_file(vmlinux, "");
	for (i = 0; i < n; i++) {
		found = 0;
		for_each_module(modules[i], count_module, &found);
		if (!found)
			die("%s: no modules in it", modules[i]);
	}
}

static void make_map_dir(void)
{
	char *path = xasprintf(MAP_DIR), *slash = path;

	/* What goes wrong here is said when the map is written. */
	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	mkdir(path, 0755);
	free(path);
}

int map_build_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "kernel", required_argument, NULL, OPT_KERNEL },
		{ "vmlinux", required_argument, NULL, OPT_VMLINUX },
		{ "modules", required_argument, NULL, OPT_MODULES },
		{ "output", required_argument, NULL, OPT_OUTPUT },
		{ "wrapper", required_argument, NULL, OPT_WRAPPER },
		{ "debuginfod", no_argument, NULL, OPT_DEBUGINFOD },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	const char *release = NULL, *vmlinux = NULL, **modules = NULL, *output = NULL, *found;
	size_t n_modules = 0;
	bool debuginfod = false, verbose = false;
	struct map *map = map_new();
	size_t i, sites = 0;
	char *path;
	int opt;

	while ((opt = next_option(argc, argv, ":hv", options)) != -1)
		switch (opt) {
		case OPT_KERNEL:
			release = optarg;
			break;
		case OPT_VMLINUX:
			vmlinux = optarg;
			break;
		case OPT_MODULES:
			modules = xrealloc(modules, n_modules + 1, sizeof(*modules));
			modules[n_modules++] = optarg;
			break;
		case OPT_OUTPUT:
			output = optarg;
			break;
		case OPT_WRAPPER:
			add_wrappers(optarg);
			break;
		case OPT_DEBUGINFOD:
			debuginfod = true;
			break;
		case 'v':
			verbose = true;
			break;
		}
	if (optind < argc)
		wrong_usage("map build: what is '%s'?", argv[optind]);
	check_places(output, vmlinux, modules, n_modules);
	/* Given a kernel's file, somebody else's modules are not wanted. */
	if (!release && !vmlinux)
		release = running_release();
	if (!n_modules && release && (found = find_modules(release))) {
		modules = xrealloc(NULL, 1, sizeof(*modules));
		modules[n_modules++] = found;
	}
	if (!vmlinux)
		vmlinux = find_vmlinux(release, debuginfod);
	if (map_collect(map, vmlinux, true))
		return 1;
	for (i = 0; i < n_modules; i++)
		for_each_module(modules[i], collect_module, map);
	warn_of_unknown_wrappers();

	path = output ? xasprintf("%s", output) : default_path(map->object[0].build_id);
	if (!output)
		make_map_dir();
	map_write(map, path);
	for (i = 0; i < map->objects; i++)
		sites += map->object[i].sites;
	printf("%s: %zu call%s on %zu line%s, kernel and %zu module%s\n", path, sites, s(sites),
	       map->names, s(map->names), map->objects - 1, s(map->objects - 1));
	if (map->stripped == 1)
		puts("1 module has no debug information: its callsites keep the names of symbols");
	else if (map->stripped)
		printf("%zu modules have no debug information: their callsites keep the names of symbols\n",
		       map->stripped);
	if (verbose && map->ambiguous)
		printf("%zu tail call%s could come from more than one line; the first is named\n",
		       map->ambiguous, s(map->ambiguous));
	free(path);
	map_free(map);
	return finish();
}

/* The map meant: a file, or that of the running kernel. */
static void read_map(int argc, char **argv, struct linemap *map, char **path)
{
	static const struct option options[] = { { "help", no_argument, NULL, 'h' }, {} };
	const char *advice = "";
	uint8_t id[MAP_BUILD_ID];
	const char *wrong;
	struct stat st;
	const void *data;
	int fd;

	while (next_option(argc, argv, ":h", options) != -1)
		;
	if (optind + 1 < argc)
		wrong_usage("map %s: one map, please", argv[0]);
	if (optind < argc && !*argv[optind])
		wrong_usage("map %s: a map without a name?", argv[0]);
	if (optind < argc) {
		*path = xasprintf("%s", argv[optind]);
	} else {
		if (!build_id_of_notes("/sys/kernel/notes", id))
			die("/sys/kernel/notes: no build-id of the running kernel there; name the file");
		*path = default_path(id);
		advice = "; make it by `allocprof map build`";
	}
	must_be_file(*path, advice);
	fd = open(*path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		die("%s: %s", *path, strerror(errno));
	data = st.st_size ? mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
	if (data == MAP_FAILED)
		die("%s: %s", *path, strerror(errno));
	close(fd);
	wrong = linemap_open(map, data, st.st_size);
	if (wrong)
		die("%s: %s%s", *path, wrong, strstr(wrong, "build it again") ? "" :
		    "; build it again with `allocprof map build`");
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
	u32 i, j, modules;

	read_map(argc, argv, &map, &path);
	hex = hex_build_id(map.objects->build_id);
	modules = map.header->objects - 1;
	printf("# %s: build-id %s, %u module%s, %u call%s, %u line%s\n", path, hex, modules, s(modules),
	       map.header->sites, s(map.header->sites), map.header->names, s(map.header->names));
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
	return finish();
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
	return finish();
}
