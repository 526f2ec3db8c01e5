// SPDX-License-Identifier: GPL-2.0
/*
 * Exit 0 if an unprivileged user is refused to read and to write the file, also as the root of a user namespace of its own; 1 if
 * not.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static int try(const char *file, const char *who)
{
	static const int how[] = { O_RDONLY, O_WRONLY };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (open(file, how[i]) >= 0) {
			fprintf(stderr, "%s can %s %s\n", who, i ? "write" : "read", file);
			return 1;
		}
		if (errno != EACCES && errno != EPERM && !(how[i] == O_WRONLY && errno == EISDIR)) {
			perror(file);
			return 1;
		}
	}
	return 0;
}

static int become_root(void)
{
	static const char map[] = "0 65534 1";
	int fd;

	/* Or what lies in our /proc/self were root's, from whom we come. */
	if (prctl(PR_SET_DUMPABLE, 1) || unshare(CLONE_NEWUSER | CLONE_NEWNS))
		return -1;
	fd = open("/proc/self/uid_map", O_WRONLY);
	return fd < 0 || write(fd, map, strlen(map)) < 0 || getuid() ? -1 : 0;
}

int main(int argc, char **argv)
{
	if (argc != 2 || setgroups(0, NULL) || setgid(65534) || setuid(65534)) {
		perror("as_nobody");
		return 2;
	}
	if (try(argv[1], "nobody"))
		return 1;
	if (become_root()) {
		perror("a user namespace");
		return 2;
	}
	return try(argv[1], "nobody, as a namespace's root,");
}
