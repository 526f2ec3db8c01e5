// SPDX-License-Identifier: GPL-2.0
/*
 * System calls that no shell command makes: BPF maps of each type and a
 * program, io_uring, perf events, and sockets of each family that there is.
 * What a kernel refuses is passed over. Everything goes with the process.
 */
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <netinet/in.h>
#include <time.h>
#include <unistd.h>

static long bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static void maps(void)
{
	uint64_t key = 0, value[8] = { 1 };
	uint32_t i;
	int type, fd;

	for (type = BPF_MAP_TYPE_HASH; type <= BPF_MAP_TYPE_RINGBUF; type++) {
		union bpf_attr attr = {
			.map_type = type, .key_size = 4, .value_size = 8, .max_entries = 64,
		};

		if (type == BPF_MAP_TYPE_LPM_TRIE) {
			attr.key_size = 8;
			attr.map_flags = BPF_F_NO_PREALLOC;
		} else if (type == BPF_MAP_TYPE_RINGBUF) {
			attr.key_size = attr.value_size = 0;
			attr.max_entries = 4096;
		} else if (type == BPF_MAP_TYPE_STACK_TRACE) {
			attr.value_size = 64;
		}
		fd = bpf(BPF_MAP_CREATE, &attr);
		if (fd < 0) {
			attr.value_size = 4;	/* a file descriptor, for some types */
			fd = bpf(BPF_MAP_CREATE, &attr);
		}
		if (fd < 0)
			continue;
		for (i = 0; i < 32; i++) {
			union bpf_attr update = {
				.map_fd = fd, .key = (uintptr_t)&key, .value = (uintptr_t)value,
			};

			key = type == BPF_MAP_TYPE_LPM_TRIE ? 32 | (uint64_t)i << 32 : i;
			bpf(BPF_MAP_UPDATE_ELEM, &update);
		}
	}
}

static void program(void)
{
	/* return 0 */
	struct bpf_insn insn[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .insn_cnt = 2,
		.insns = (uintptr_t)insn, .license = (uintptr_t)"GPL",
	};
	int fd = bpf(BPF_PROG_LOAD, &attr), s = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd >= 0 && s >= 0)
		setsockopt(s, SOL_SOCKET, SO_ATTACH_BPF, &fd, sizeof(fd));
}

static void rings(void)
{
	struct io_uring_params params = { 0 };
	int fds[2];
	long fd = syscall(SYS_io_uring_setup, 64, &params);

	if (fd < 0 || pipe(fds))
		return;
	syscall(SYS_io_uring_register, fd, IORING_REGISTER_FILES, fds, 2);
	syscall(SYS_io_uring_register, fd, IORING_REGISTER_EVENTFD, fds, 1);
}

static void counters(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES, .sample_period = 1000,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd >= 0)
		mmap(NULL, 2 * sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static void sockets(void)
{
	static const int types[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET };
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	unsigned int family, type;
	int s;

	for (family = 1; family < 46; family++)
		for (type = 0; type < 4; type++) {
			s = socket(family, types[type], 0);
			if (s >= 0 && family == AF_INET && !type && !bind(s, (void *)&in, sizeof(in)))
				listen(s, 8);
		}
}

static void watches(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct itimerspec at = { .it_value.tv_sec = 1000 };
	int poll = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
	int in = inotify_init1(0), fan = fanotify_init(FAN_CLASS_NOTIF, O_RDONLY);
	timer_t posix;

	timerfd_settime(timer, 0, &at, NULL);
	epoll_ctl(poll, EPOLL_CTL_ADD, timer, &event);
	inotify_add_watch(in, "/tmp", IN_ALL_EVENTS);
	if (fan >= 0)
		fanotify_mark(fan, FAN_MARK_ADD | FAN_MARK_MOUNT, FAN_OPEN, AT_FDCWD, "/tmp");
	close(open("/tmp", O_RDONLY));
	if (!timer_create(CLOCK_MONOTONIC, NULL, &posix))
		timer_settime(posix, 0, &at, NULL);
}

int main(void)
{
	maps();
	program();
	rings();
	counters();
	sockets();
	watches();
	return 0;
}
