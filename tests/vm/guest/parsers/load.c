// SPDX-License-Identifier: GPL-2.0
/*
 * Load for the kernel's allocators: processes, files, pipes, sockets, mappings,
 * each in a process of its own, until SIGTERM or for the seconds given:
 *     load DIRECTORY [SECONDS]
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <netinet/in.h>
#include <unistd.h>

static const char *dir;

static void processes(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void files(void)
{
	static unsigned int n;
	char name[256], data[4096];
	struct stat st;
	int fd;

	memset(data, 'x', sizeof(data));
	snprintf(name, sizeof(name), "%s/load.%u", dir, n++ % 64);
	fd = open(name, O_RDWR | O_CREAT, 0600);
	if (fd < 0)
		return;
	for (int i = 0; i < 16; i++)
		if (write(fd, data, sizeof(data)) < 0)
			break;
	lseek(fd, 0, SEEK_SET);
	while (read(fd, data, sizeof(data)) > 0)
		;
	fstat(fd, &st);
	close(fd);
	if (n % 3)
		unlink(name);
}

static void sockets(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof(a);
	char data[2000] = "";
	int s[2], l, c, d;

	if (!socketpair(AF_UNIX, SOCK_DGRAM, 0, s)) {
		for (int i = 0; i < 8; i++)
			send(s[0], data, sizeof(data), MSG_DONTWAIT);
		for (int i = 0; i < 8; i++)
			recv(s[1], data, sizeof(data), MSG_DONTWAIT);
		/* Some stay in the queue and go with the socket. */
		send(s[0], data, sizeof(data), MSG_DONTWAIT);
		close(s[0]);
		close(s[1]);
	}
	l = socket(AF_INET, SOCK_STREAM, 0);
	if (l < 0)
		return;
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (!bind(l, (struct sockaddr *)&a, sizeof(a)) && !listen(l, 4) &&
	    !getsockname(l, (struct sockaddr *)&a, &len)) {
		c = socket(AF_INET, SOCK_STREAM, 0);
		fcntl(c, F_SETFL, O_NONBLOCK);
		connect(c, (struct sockaddr *)&a, sizeof(a));
		fcntl(l, F_SETFL, O_NONBLOCK);
		d = accept(l, NULL, NULL);
		if (d >= 0) {
			send(c, data, sizeof(data), MSG_DONTWAIT | MSG_NOSIGNAL);
			recv(d, data, sizeof(data), MSG_DONTWAIT);
			close(d);
		}
		close(c);
	}
	close(l);
}

static void mappings(void)
{
	size_t len = 4 << 20;
	char *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd[2];

	if (p != MAP_FAILED) {
		for (size_t i = 0; i < len; i += 4096)
			p[i] = 1;
		/* Break a huge page, should there be one. */
		madvise(p + 8192, 8192, MADV_DONTNEED);
		munmap(p, len);
	}
	if (!pipe(fd)) {
		char data[4096] = "";

		for (int i = 0; i < 8; i++)
			if (write(fd[1], data, sizeof(data)) < 0)
				break;
		close(fd[0]);
		close(fd[1]);
	}
}

int main(int argc, char **argv)
{
	void (*const work[])(void) = { processes, files, sockets, mappings, NULL };
	sigset_t set;
	int sig;

	if (argc < 2) {
		fprintf(stderr, "usage: load DIRECTORY [SECONDS]\n");
		return 2;
	}
	dir = argv[1];
	mkdir(dir, 0700);
	setpgid(0, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (unsigned int i = 0; work[i]; i++) {
		if (!fork()) {
			signal(SIGTERM, SIG_DFL);
			sigprocmask(SIG_UNBLOCK, &set, NULL);
			for (;;)
				work[i]();
		}
	}
	if (argc > 2)
		alarm(atoi(argv[2]));
	sigwait(&set, &sig);
	signal(SIGTERM, SIG_IGN);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	kill(0, SIGTERM);
	while (wait(NULL) > 0 || errno == EINTR)
		;
	return 0;
}
