// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "prof.h"

static int kmsg = -1;

void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(2);
}

int open_file(const char *file, int flags)
{
	int fd = open(file, flags | O_CLOEXEC);

	if (fd < 0)
		die(file);
	return fd;
}

/* From an open file, which it closes; 0 or an errno. */
int load_module(int fd, const char *parameters)
{
	int err = syscall(SYS_finit_module, fd, parameters, 0) ? errno : 0;

	close(fd);
	return err;
}

/* As rmmod does it. */
int unload_module(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? errno : 0;
}

/* The first such line, until the next call; NULL: there is none. */
char *line_of(const char *file, bool (*wanted)(const char *line))
{
	static char *line;
	static size_t room;
	FILE *f = fopen(file, "r");
	bool found = false;

	if (!f)
		die(file);
	while (!found && getline(&line, &room, f) > 0)
		found = wanted(line);
	if (ferror(f))
		die(file);
	fclose(f);
	return found ? line : NULL;
}

static const char *text_wanted;

static bool has_text(const char *line)
{
	return strstr(line, text_wanted);
}

bool file_says(const char *file, const char *text)
{
	text_wanted = text;
	return line_of(file, has_text);
}

bool write_file(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done;
}

static bool is_ours(const char *line)
{
	return strstr(line, "allocprof");
}

static bool is_our_module(const char *line)
{
	return !strncmp(line, "allocprof ", 10);
}

static bool is_any(const char *line)
{
	return *line;
}

/* Memory whose owner's code is gone shows by its address. */
static bool is_ours_or_nobodys(const char *line)
{
	char caller[3] = "";

	return is_ours(line) || (sscanf(line, "%*s %*s %2s", caller) == 1 && !strcmp(caller, "0x"));
}

/* With its files; says what is there. */
bool module_gone(void)
{
	const char * const files[] = { getenv("AI_PROC"), "/proc/allocprof", getenv("AI_SYSCTL") };
	unsigned int i;

	if (line_of("/proc/modules", is_our_module)) {
		fprintf(stderr, "it is loaded\n");
		return false;
	}
	for (i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (!files[i] || !access(files[i], F_OK)) {
			fprintf(stderr, "%s is there\n", files[i] ?: "no AI_PROC, or AI_SYSCTL: it");
			return false;
		}
	return true;
}

/* It is gone, and so is all that it had; says what is there. */
bool nothing_left(void)
{
	static const struct {
		const char *file;
		bool (*left)(const char *line);
	} places[] = {
		{ "/sys/kernel/tracing/enabled_functions", is_ours },
		{ "/proc/slabinfo", is_ours },
		{ "/sys/kernel/debug/kprobes/list", is_any },
		{ "/proc/vmallocinfo", is_ours_or_nobodys },
	};
	struct dirent *entry;
	unsigned int i;
	bool left = false;
	DIR *dir;

	if (!module_gone())
		return false;
	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const char *line = line_of(places[i].file, places[i].left);

		if (line) {
			fprintf(stderr, "%s: %s", places[i].file, line);
			return false;
		}
	}
	dir = opendir("/sys/kernel/slab");
	if (!dir)
		die("/sys/kernel/slab");
	while (!left && (entry = readdir(dir))) {
		left = is_ours(entry->d_name);
		if (left)
			fprintf(stderr, "/sys/kernel/slab/%s\n", entry->d_name);
	}
	closedir(dir);
	return !left;
}

void log_mark(void)
{
	if (kmsg < 0)
		kmsg = open_file("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	if (lseek(kmsg, 0, SEEK_END) < 0)
		die("/dev/kmsg");
}

/* How many such lines since the mark, which is here then. */
int log_since(bool (*wanted)(const char *text))
{
	char record[8192], *text;
	int found = 0;
	ssize_t n;

	while ((n = read(kmsg, record, sizeof(record) - 1)) > 0) {
		record[n] = '\0';
		text = strchr(record, ';');
		if (text && wanted(text + 1))
			found++;
	}
	/* Overwritten before it was read: then nobody knows. */
	if (n < 0 && errno != EAGAIN)
		die("/dev/kmsg");
	return found;
}
