// SPDX-License-Identifier: GPL-2.0
/*
 * A BPF program on each of some kernel functions, as bpftrace and others attach them:
 *     bpf_tracer fentry|fexit|fmod_ret|kprobe|kretprobe FUNCTION...
 * (the last two by one link for all functions, 5.18 and later). Says "FUNCTION attached", or "FUNCTION ERRNO" where it is
 * refused, then "ready"; traces until SIGTERM; then says "FUNCTION hits N" ("all hits N" of the last two) and "done". Exits with 1
 * where it could attach nothing. By bare system calls: no library is needed, nor the kernel's headers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX	64

static char *btf;
static const struct btf_header *header;

static void die(const char *what)
{
	fprintf(stderr, "bpf_tracer: %s: %s\n", what, strerror(errno));
	exit(2);
}

static int bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static void read_btf(void)
{
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY);
	struct stat st;
	off_t at = 0;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st))
		die("/sys/kernel/btf/vmlinux");
	btf = malloc(st.st_size);
	if (!btf)
		die("memory");
	while (at < st.st_size && (n = read(fd, btf + at, st.st_size - at)) > 0)
		at += n;
	if (at < st.st_size)
		die("/sys/kernel/btf/vmlinux");
	close(fd);
	header = (void *)btf;
}

/* What stands behind a type's common part. */
static size_t tail(const struct btf_type *type)
{
	unsigned int n = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return n * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return n * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return n * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return n * sizeof(struct btf_var_secinfo);
	default:
		return 0;
	}
}

/* The function's number in the kernel's types; 0 if they have none of that name. */
static unsigned int btf_function(const char *name)
{
	const char *at = btf + header->hdr_len + header->type_off, *end = at + header->type_len;
	const char *strings = btf + header->hdr_len + header->str_off;
	unsigned int id;

	for (id = 1; at < end; id++) {
		const struct btf_type *type = (const void *)at;

		if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC && !strcmp(strings + type->name_off, name))
			return id;
		at += sizeof(*type) + tail(type);
	}
	return 0;
}

/* Counters that programs address directly: all in the one element of an array. */
static int counters(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8 * MAX, .max_entries = 1,
	};
	int fd = bpf(BPF_MAP_CREATE, &attr);

	if (fd < 0)
		die("no map");
	return fd;
}

static unsigned long long counter(int map, unsigned int i)
{
	uint64_t values[MAX];
	uint32_t first = 0;
	union bpf_attr attr = { .map_fd = map, .key = (uintptr_t)&first, .value = (uintptr_t)values };

	if (bpf(BPF_MAP_LOOKUP_ELEM, &attr))
		die("counter");
	return values[i];
}

/* One that counts itself in counter @i; its descriptor, or -1. */
static int load(unsigned int type, unsigned int attach, unsigned int btf_id, int map, unsigned int i)
{
	/* counter[i] += 1; return 0; */
	const struct bpf_insn insns[] = {
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = 1, .src_reg = BPF_PSEUDO_MAP_VALUE, .imm = map },
		{ .imm = i * 8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = 1 },
		{ .code = BPF_STX | BPF_DW | BPF_ATOMIC, .dst_reg = 1, .src_reg = 2, .imm = BPF_ADD },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = type, .insns = (uintptr_t)insns, .insn_cnt = sizeof(insns) / sizeof(*insns),
		.license = (uintptr_t)"GPL", .expected_attach_type = attach, .attach_btf_id = btf_id,
	};

	return bpf(BPF_PROG_LOAD, &attr);
}

/* The descriptor that holds it there, or -1. */
static int attach_one(unsigned int kind, const char *function, int map, unsigned int i)
{
	union bpf_attr attr = { .raw_tracepoint.prog_fd = -1 };
	unsigned int id = btf_function(function);
	int prog, link;

	if (!id) {
		errno = ENOENT;
		return -1;
	}
	prog = load(BPF_PROG_TYPE_TRACING, kind, id, map, i);
	if (prog < 0)
		return -1;
	attr.raw_tracepoint.prog_fd = prog;
	link = bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
	close(prog);
	return link;
}

static int attach_all(unsigned int flags, char **functions, unsigned int n, int map)
{
	int prog = load(BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI, 0, map, 0);
	union bpf_attr attr = {
		.link_create = {
			.prog_fd = prog, .attach_type = BPF_TRACE_KPROBE_MULTI,
			.kprobe_multi = { .flags = flags, .cnt = n, .syms = (uintptr_t)functions },
		},
	};

	return prog < 0 ? -1 : bpf(BPF_LINK_CREATE, &attr);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		unsigned int attach;
	} kinds[] = {
		{ "fentry", BPF_TRACE_FENTRY }, { "fexit", BPF_TRACE_FEXIT },
		{ "fmod_ret", BPF_MODIFY_RETURN }, { "kprobe", 0 }, { "kretprobe", BPF_F_KPROBE_MULTI_RETURN },
	};
	unsigned int kind, i, n = argc - 2, there = 0;
	int links[MAX], map, sig;
	sigset_t stop;

	for (kind = 0; argc > 2 && kind < 5 && strcmp(kinds[kind].name, argv[1]); kind++)
		;
	if (argc < 3 || kind == 5 || n > MAX) {
		fprintf(stderr, "usage: bpf_tracer fentry|fexit|fmod_ret|kprobe|kretprobe FUNCTION...\n");
		return 2;
	}
	sigemptyset(&stop);
	sigaddset(&stop, SIGTERM);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	map = counters();
	if (kind < 3)
		read_btf();
	for (i = 0; i < (kind < 3 ? n : 1); i++) {
		const char *name = kind < 3 ? argv[2 + i] : "all";

		links[i] = kind < 3 ? attach_one(kinds[kind].attach, name, map, i) :
			   attach_all(kinds[kind].attach, argv + 2, n, map);
		printf("%s %s\n", name, links[i] < 0 ? strerrorname_np(errno) ?: strerror(errno) : "attached");
		there += links[i] >= 0;
	}
	n = i;
	puts("ready");
	fflush(stdout);
	if (!there)
		return 1;
	sigwait(&stop, &sig);
	for (i = 0; i < n; i++)
		if (links[i] >= 0) {
			close(links[i]);
			printf("%s hits %llu\n", kind < 3 ? argv[2 + i] : "all", counter(map, i));
		}
	puts("done");
	return 0;
}
