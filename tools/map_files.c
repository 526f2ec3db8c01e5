// SPDX-License-Identifier: GPL-2.0
/*
 * Where the distributions put the kernel's debug information, and the map's
 * own place.
 */
#include <dlfcn.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* A device or a fifo is not even opened: that may wait, or do something. */
void must_be_file(const char *path, const char *advice)
{
	struct stat st;

	if (stat(path, &st) || (S_ISREG(st.st_mode) && access(path, R_OK)))
		die("%s: %s%s", path, strerror(errno), advice);
	if (!S_ISREG(st.st_mode))
		die("%s: is no file", path);
}

/*
 * Has it debug information?  Packages of headers bring a vmlinux that has none.
 * Its build-id too; zeros if there is none, which is no kernel's.
 */
static bool has_debug_info(const char *path, uint8_t id[MAP_BUILD_ID])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf_Scn *scn = NULL;
	bool found = false;
	const void *note;
	const char *name;
	size_t strndx;
	GElf_Shdr sh;
	Elf *elf;

	if (fd < 0)
		return false;
	memset(id, 0, MAP_BUILD_ID);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && !elf_getshdrstrndx(elf, &strndx)) {
		while (!found && (scn = elf_nextscn(elf, scn)))
			found = gelf_getshdr(scn, &sh) && sh.sh_type != SHT_NOBITS &&
				(name = elf_strptr(elf, strndx, sh.sh_name)) &&
				(!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info"));
		if (dwelf_elf_gnu_build_id(elf, &note) == MAP_BUILD_ID)
			memcpy(id, note, MAP_BUILD_ID);
	}
	elf_end(elf);
	close(fd);
	return found;
}

/* From the servers that the user has named; NULL, and why. */
static char *ask_debuginfod(const uint8_t id[MAP_BUILD_ID], const char **why)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	void *lib, *client, *(*begin)(void);
	int fd, (*find)(void *client, const unsigned char *id, int len, char **path);
	char *path = NULL;

	if (!urls || !*urls) {
		*why = "DEBUGINFOD_URLS is not set";
		return NULL;
	}
	lib = dlopen("libdebuginfod.so.1", RTLD_NOW);
	if (!lib) {
		*why = xasprintf("%s; install libdebuginfod1", dlerror());
		return NULL;
	}
	begin = (void *(*)(void))dlsym(lib, "debuginfod_begin");
	find = (int (*)(void *, const unsigned char *, int, char **))dlsym(lib, "debuginfod_find_debuginfo");
	client = begin && find ? begin() : NULL;
	if (!client) {
		*why = "cannot start a client";
		return NULL;
	}
	fd = find(client, id, MAP_BUILD_ID, &path);
	if (fd >= 0) {
		close(fd);
		return path;
	}
	*why = xasprintf("%s: %s", urls, fd == -ENOENT ? "does not have it" : strerror(-fd));
	return NULL;
}

/*
 * Where the debug information of a kernel is.  Of the running one it must be
 * of the very build: a release keeps its name when the distribution builds it
 * again, and the package of one build is easily left beside another's.
 */
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
	char *name = running_release(), *other = NULL, *path;
	bool running = !strcmp(name, release), known;
	uint8_t id[MAP_BUILD_ID], its[MAP_BUILD_ID];
	const char *why = NULL;
	size_t i;

	free(name);
	known = running && build_id_of_notes("/sys/kernel/notes", id);
	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		path = xasprintf(places[i], release);
		if (has_debug_info(path, its)) {
			if (!known || !memcmp(id, its, MAP_BUILD_ID))
				goto found;
			if (!other) {
				other = path;
				continue;
			}
		}
		free(path);
	}
	if (known) {
		name = hex_build_id(id);
		path = xasprintf("/usr/lib/debug/.build-id/%.2s/%s.debug", name, name + 2);
		free(name);
		if (has_debug_info(path, its))
			goto found;
		free(path);
	}
	if (debuginfod && known) {
		path = ask_debuginfod(id, &why);
		if (path)
			goto found;
	} else if (debuginfod) {
		why = running ? "/sys/kernel/notes has no build-id to ask for" :
				"it is asked only for the running kernel's";
	}
	if (why)
		name = xasprintf(" (--debuginfod: %s)", why);
	else
		name = xasprintf("%s", "");
	if (other)
		die("the debug information in %s is of another build of %s%s; install the linux-image-%s-dbg of the running one (its version: uname -v)",
		    other, release, name, release);
	die("no debug information of %s found%s: install it (Debian: linux-image-%s-dbg), or name a vmlinux by --vmlinux",
	    release, name, release);
found:
	free(other);
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
	FTS *fts = fts_open(argv, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_path);
	FTSENT *e;
	int err = 0;

	if (!fts)
		die("%s: %s", dir, strerror(errno));
	while (!err && (e = fts_read(fts))) {
		const char *ko;

		if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR || e->fts_info == FTS_NS)
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
