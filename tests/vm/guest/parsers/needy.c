// SPDX-License-Identifier: GPL-2.0
/*
 * needy TASKS CGROUP [KIB]: so many processes that fill pipes until SIGTERM, in that cgroup. The pages are charged to it while they
 * are allocated, and where it is over its memory.high by more than a few the kernel lets them sleep for it there and then. Each
 * has so much memory beside, that can be swapped out for the pipes, and stops itself before those until SIGCONT.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define PIPES	2

static char data[1 << 20];

static void fill_pipes(size_t beside)
{
	char *memory = beside ? malloc(beside) : NULL;
	int fd[PIPES][2];
	int i;

	if (memory) {
		memset(memory, 1, beside);
		raise(SIGSTOP);
	}
	for (;;) {
		for (i = 0; i < PIPES && !pipe2(fd[i], O_NONBLOCK); i++)
			while (fcntl(fd[i][1], F_SETPIPE_SZ, sizeof(data)) >= 0 && write(fd[i][1], data, sizeof(data)) > 0)
				;
		while (i--) {
			close(fd[i][0]);
			close(fd[i][1]);
		}
	}
}

static void join(const char *cgroup)
{
	char name[4096];
	int fd;

	snprintf(name, sizeof(name), "%s/cgroup.procs", cgroup);
	fd = open(name, O_WRONLY);
	if (fd < 0 || write(fd, "0", 1) != 1)
		_exit(1);
	close(fd);
}

int main(int argc, char **argv)
{
	int tasks = argc == 3 || argc == 4 ? atoi(argv[1]) : 0;

	if (tasks < 1) {
		fprintf(stderr, "usage: needy TASKS CGROUP [KIB]\n");
		return 2;
	}
	while (tasks--) {
		switch (fork()) {
		case -1:
			perror("fork");
			kill(0, SIGTERM);
			return 1;
		case 0:
			prctl(PR_SET_PDEATHSIG, SIGTERM);
			join(argv[2]);
			fill_pipes(argc == 4 ? atoi(argv[3]) * 1024UL : 0);
		}
	}
	pause();
	return 0;
}
