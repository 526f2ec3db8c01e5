// SPDX-License-Identifier: GPL-2.0
/*
 * One system call, or a few, of which the N-th allocation fails (a kernel with CONFIG_FAULT_INJECTION):
 *     failnth N load MODULE.ko [PARAMETERS]	finit_module()
 *     failnth N write FILE TEXT
 *     failnth N read FILE			open() and read() to its end
 * Prints "RESULT INJECTED": 0 or an errno; 1 if there was an N-th.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void die(const char *what)
{
	fprintf(stderr, "failnth: %s: %s\n", what, strerror(errno));
	exit(2);
}

static int read_all(const char *name)
{
	static char data[65536];
	int fd = open(name, O_RDONLY), err = 0;
	ssize_t n;

	if (fd < 0)
		return errno;
	while ((n = read(fd, data, sizeof(data))) > 0)
		;
	if (n < 0)
		err = errno;
	close(fd);
	return err;
}

int main(int argc, char **argv)
{
	int nth, fd = -1, err = 0;
	char left[32] = "";

	if (argc < 4) {
		fprintf(stderr, "usage: failnth N load|write|read FILE [TEXT]\n");
		return 2;
	}
	nth = open("/proc/thread-self/fail-nth", O_RDWR);
	if (nth < 0)
		die("fail-nth");
	if (strcmp(argv[2], "read")) {
		fd = open(argv[3], !strcmp(argv[2], "load") ? O_RDONLY : O_WRONLY);
		if (fd < 0)
			die(argv[3]);
	}
	if (write(nth, argv[1], strlen(argv[1])) < 0)
		die(argv[1]);
	if (!strcmp(argv[2], "load"))
		err = syscall(SYS_finit_module, fd, argc > 4 ? argv[4] : "", 0) ? errno : 0;
	else if (!strcmp(argv[2], "write"))
		err = write(fd, argv[4], strlen(argv[4])) < 0 ? errno : 0;
	else
		err = read_all(argv[3]);
	if (pread(nth, left, sizeof(left) - 1, 0) <= 0)
		die("fail-nth");
	if (write(nth, "0", 1) < 0)
		die("fail-nth");
	printf("%d %d\n", err, !atoi(left));
	return 0;
}
