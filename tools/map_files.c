// SPDX-License-Identifier: GPL-2.0
/*
 * Where the distributions put the kernel's debug information, and the map's
 * own place.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "map.h"

char *running_release(void)
{
	struct utsname u;

	if (uname(&u))
		die("uname: %s", strerror(errno));
	return xasprintf("%s", u.release);
}

char *hex_build_id(const uint8_t id[MAP_BUILD_ID])
{
	char *text = xasprintf("%*s", 2 * MAP_BUILD_ID, "");
	int i;

	for (i = 0; i < MAP_BUILD_ID; i++)
		sprintf(text + 2 * i, "%02x", id[i]);
	return text;
}

/* The build-id in a file of notes, such as /sys/kernel/notes. */
bool build_id_of_notes(const char *path, uint8_t id[MAP_BUILD_ID])
{
	uint32_t buf[4096], *n = buf;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;
	bool found = false;

	if (fd < 0)
		return false;
	len = read(fd, buf, sizeof(buf));
	close(fd);
	while (len >= 12) {
		size_t name = (n[0] + 3) & ~3u, desc = (n[1] + 3) & ~3u;

		if (name > (size_t)len || desc > (size_t)len || 12 + name + desc > (size_t)len)
			break;
		if (n[2] == 3 && n[0] == 4 && n[1] == MAP_BUILD_ID && !memcmp(n + 3, "GNU", 4)) {
			memcpy(id, n + 4, MAP_BUILD_ID);
			found = true;
			break;
		}
		len -= 12 + name + desc;
		n += 3 + (name + desc) / 4;
	}
	return found;
}

/* Of a build-id: /usr/lib/debug/.build-id/xx/yyyy.debug, or what a server sent. NULL: nowhere. */
char *find_by_build_id(const uint8_t id[MAP_BUILD_ID], bool debuginfod)
{
	char *hex = hex_build_id(id);
	char *path = xasprintf("/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2);
	void *lib, *client, *(*begin)(void);
	int fd, (*find)(void *client, const unsigned char *id, int len, char **path);

	free(hex);
	if (!access(path, R_OK))
		return path;
	free(path);
	path = NULL;
	if (!debuginfod)
		return NULL;
	lib = dlopen("libdebuginfod.so.1", RTLD_NOW);
	if (!lib)
		die("--debuginfod: %s; install libdebuginfod1", dlerror());
	begin = (void *(*)(void))dlsym(lib, "debuginfod_begin");
	find = (int (*)(void *, const unsigned char *, int, char **))dlsym(lib, "debuginfod_find_debuginfo");
	client = begin && find ? begin() : NULL;
	if (!client)
		die("--debuginfod: cannot start a client");
	fd = find(client, id, MAP_BUILD_ID, &path);
	if (fd < 0)
		return NULL;
	close(fd);
	return path;
}

char *find_vmlinux(const char *release, bool debuginfod)
{
	static const char *const places[] = {
		"/usr/lib/debug/boot/vmlinux-%s",		/* Debian, Ubuntu, SUSE */
		"/usr/lib/debug/lib/modules/%s/vmlinux",	/* Fedora, and all that follow it */
		"/usr/lib/debug/boot/vmlinux-%s.debug",
		"/usr/lib/debug/usr/lib/modules/%s/vmlinux.debug",
		"/usr/lib/debug/vmlinux-%s",
		"/lib/modules/%s/build/vmlinux",		/* built here */
		"/boot/vmlinux-%s",
	};
	char *running = running_release(), *path;
	uint8_t id[MAP_BUILD_ID];
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		path = xasprintf(places[i], release);
		if (!access(path, R_OK)) {
			free(running);
			return path;
		}
		free(path);
	}
	path = NULL;
	if (!strcmp(running, release) && build_id_of_notes("/sys/kernel/notes", id))
		path = find_by_build_id(id, debuginfod);
	free(running);
	return path;
}

/* The directory with the modules' debug information, or NULL. */
char *find_modules(const char *release)
{
	static const char *const places[] = {
		"/usr/lib/debug/lib/modules/%s",
		"/usr/lib/debug/usr/lib/modules/%s",
		"/lib/modules/%s",
	};
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		char *path = xasprintf(places[i], release);

		if (!access(path, R_OK | X_OK))
			return path;
		free(path);
	}
	return NULL;
}

static int by_path(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Every module below a directory, in the order of their paths. */
int for_each_module(const char *dir, int (*visit)(const char *path, void *data), void *data)
{
	char *argv[] = { (char *)dir, NULL };
	FTS *fts = fts_open(argv, FTS_PHYSICAL | FTS_NOCHDIR, by_path);
	FTSENT *e;
	int err = 0;

	if (!fts)
		die("%s: %s", dir, strerror(errno));
	while (!err && (e = fts_read(fts))) {
		const char *ko;

		if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR)
			die("%s: %s", e->fts_path, strerror(e->fts_errno));
		/* Directories that link to sources are links and not followed. */
		if (e->fts_info != FTS_F)
			continue;
		ko = strstr(e->fts_name, ".ko");
		if (ko && (!ko[3] || ko[3] == '.'))
			err = visit(e->fts_path, data);
	}
	fts_close(fts);
	return err;
}
