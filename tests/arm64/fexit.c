// SPDX-License-Identifier: GPL-2.0
/*
 * fexit FUNCTION...: attach a BPF program that does nothing to the exit of each of these kernel functions, say
 * "attached", and stay until standard input ends. Exit status 2: it cannot be.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned char data[64 << 20];

/* Bytes behind a type's header, by its kind. */
static size_t behind(const struct btf_type *t)
{
	unsigned int n = BTF_INFO_VLEN(t->info);

	switch (BTF_INFO_KIND(t->info)) {
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
	}
	return 0;
}

static unsigned int find(const char *name)
{
	const struct btf_header *h = (void *)data;
	const unsigned char *p = data + h->hdr_len + h->type_off;
	const unsigned char *end = p + h->type_len;
	const char *strings = (char *)data + h->hdr_len + h->str_off;
	unsigned int id;

	for (id = 1; p < end; id++) {
		const struct btf_type *t = (const void *)p;

		if (BTF_INFO_KIND(t->info) == BTF_KIND_FUNC && !strcmp(strings + t->name_off, name))
			return id;
		p += sizeof(*t) + behind(t);
	}
	return 0;
}

static int attach(const char *name)
{
	/* return 0 */
	struct bpf_insn insn[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr load = {
		.prog_type = BPF_PROG_TYPE_TRACING, .expected_attach_type = BPF_TRACE_FEXIT, .insn_cnt = 2,
		.insns = (uintptr_t)insn, .license = (uintptr_t)"GPL", .attach_btf_id = find(name),
	};
	union bpf_attr link = { 0 };
	int fd = syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof(load));

	link.raw_tracepoint.prog_fd = fd;
	if (load.attach_btf_id && fd >= 0 && syscall(SYS_bpf, BPF_RAW_TRACEPOINT_OPEN, &link, sizeof(link)) >= 0)
		return 0;
	fprintf(stderr, "fexit: %s: %s\n", name, strerror(errno));
	return 2;
}

int main(int argc, char **argv)
{
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY), i;
	size_t len = 0;
	ssize_t n;
	char c;

	while (fd >= 0 && (n = read(fd, data + len, sizeof(data) - len)) > 0)
		len += n;
	for (i = 1; i < argc; i++)
		if (!len || attach(argv[i]))
			return 2;
	puts("attached");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	return 0;
}
