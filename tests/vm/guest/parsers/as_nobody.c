// SPDX-License-Identifier: GPL-2.0
/* Exit 0 if an unprivileged user is refused to open the file, 1 if not. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc != 2 || setgroups(0, NULL) || setgid(65534) || setuid(65534)) {
		perror("as_nobody");
		return 2;
	}
	if (open(argv[1], O_RDONLY) >= 0) {
		fprintf(stderr, "nobody can open %s\n", argv[1]);
		return 1;
	}
	if (errno != EACCES && errno != EPERM) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}
