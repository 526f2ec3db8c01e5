// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU's TCG: which CPU stores into which cache line, and where in
 * the kernel's code, while ap_lines says so.
 *
 *	-plugin lines.so,out=FILE
 *
 * ap_lines says so by nops that do nothing else (lines.h): what is tried, and
 * whether it is to be recorded; and on which CPU it begins and ends there.  In
 * between, each store of kernel or module code on that CPU is counted, by the
 * instruction and by the physical line, as memory may be mapped more than once;
 * and each load of a module's code.  When QEMU ends FILE has
 *
 *	store MODE CASE PC gs|- LINE PHYSICAL-LINE COUNT-OF-CPU-0 ...
 *	load MODE CASE PC gs|- LINE PHYSICAL-LINE COUNT ...
 *	call MODE CASE PC - TARGET TARGET COUNT ...
 *
 * PC and LINE are virtual; gs: the instruction has the segment prefix by which
 * a CPU finds its own per-CPU memory.  A call is one, or a jump, from module
 * text to what is none: what is called there may store as well, and has to be
 * known.  TARGET is 0 where it is not in the instruction.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qemu-plugin.h>

#include "lines.h"

#define KERNEL_START	0xffffffff80000000ULL
#define MODULES_START	0xffffffffc0000000ULL
#define LINE		64U
#define CPUS		16
#define ENTRIES		(1U << 20)

enum kind { STORE, LOAD, CALL };
static const char * const kind_name[] = { "store", "load", "call" };

/* An instruction.  The same one may have several of these. */
struct site {
	uint64_t pc;
	uint64_t target;
	bool gs;
};

struct entry {
	uint64_t pc, line, physical;
	uint32_t count[CPUS];
	uint16_t mode, what;
	enum kind kind;
	bool gs;
};

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries;
static unsigned int used;
static unsigned int mode, what[CPUS];
static FILE *out;

static void die(const char *why)
{
	fprintf(stderr, "lines: %s\n", why);
	exit(1);
}

static void count(enum kind kind, unsigned int cpu, const struct site *site, uint64_t line, uint64_t physical)
{
	uint64_t key = site->pc * 31 + physical + mode * 7 + what[cpu] + kind * 3;
	unsigned int i = (key * 0x9e3779b97f4a7c15ULL) >> 44;
	struct entry *e;

	pthread_mutex_lock(&lock);
	for (;; i = (i + 1) % ENTRIES) {
		e = &entries[i];
		if (!e->pc)
			break;
		if (e->pc == site->pc && e->physical == physical && e->kind == kind &&
		    e->mode == mode && e->what == what[cpu])
			break;
	}
	if (!e->pc) {
		if (++used > ENTRIES / 4 * 3)
			die("too many lines");
		e->pc = site->pc;
		e->line = line;
		e->physical = physical;
		e->mode = mode;
		e->what = what[cpu];
		e->kind = kind;
		e->gs = site->gs;
	}
	e->count[cpu]++;
	pthread_mutex_unlock(&lock);
}

/* QEMU 7.2 tells of loads as well, whatever it was asked for. */
static void on_access(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t addr, void *data)
{
	enum kind kind = qemu_plugin_mem_is_store(info) ? STORE : LOAD;
	const struct site *site = data;
	struct qemu_plugin_hwaddr *hw;

	if (!mode || !what[cpu] || (kind == LOAD && site->pc < MODULES_START))
		return;
	hw = qemu_plugin_get_hwaddr(info, addr);
	if (!hw || qemu_plugin_hwaddr_is_io(hw))
		die("an access that is not to memory");
	count(kind, cpu, site, addr / LINE * LINE, qemu_plugin_hwaddr_phys_addr(hw) / LINE * LINE);
}

static void on_call(unsigned int cpu, void *data)
{
	const struct site *site = data;

	if (mode && what[cpu])
		count(CALL, cpu, site, site->target, site->target);
}

static void on_mark(unsigned int cpu, void *data)
{
	unsigned int mark = (uintptr_t)data;

	if (cpu >= CPUS)
		die("too many CPUs");
	if (mark & AP_MARK_MODE)
		mode = mark & ~AP_MARK_MODE;
	else
		what[cpu] = mark;
}

/* Does it leave module text, as far as can be seen?  To where? */
static bool leaves(const uint8_t *code, size_t size, uint64_t pc, uint64_t *target)
{
	int32_t distance;

	*target = 0;
	if (code[0] == 0xff && size > 1)	/* call or jmp, by a register or memory */
		return (code[1] & 0x38) == 0x10 || (code[1] & 0x38) == 0x20;
	if (size == 6 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80)
		memcpy(&distance, code + 2, sizeof(distance));
	else if (size == 5 && (code[0] == 0xe8 || code[0] == 0xe9))
		memcpy(&distance, code + 1, sizeof(distance));
	else
		return false;
	*target = pc + size + (int64_t)distance;
	return *target < MODULES_START;
}

static void on_instruction(struct qemu_plugin_insn *insn)
{
	uint64_t pc = qemu_plugin_insn_vaddr(insn), target;
	const uint8_t *code = qemu_plugin_insn_data(insn);
	size_t size = qemu_plugin_insn_size(insn), skip = 0;
	struct site *site;
	uint32_t mark;

	if (pc < KERNEL_START)
		return;
	if (size == 8 && !memcmp(code, "\x0f\x1f\x84\x00", 4)) {
		memcpy(&mark, code + 4, sizeof(mark));
		if ((mark & AP_MARK_MASK) == AP_MARK)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, QEMU_PLUGIN_CB_NO_REGS,
							       (void *)(uintptr_t)(mark & ~AP_MARK_MASK));
		return;
	}
	site = calloc(2, sizeof(*site));
	if (!site)
		die("no memory");
	site->pc = pc;
	site->gs = code[0] == 0x65 || (size > 1 && code[0] == 0xf0 && code[1] == 0x65);
	qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
					 QEMU_PLUGIN_MEM_RW, site);
	/* Prefixes that pad a branch. */
	while (skip < size && (code[skip] == 0x2e || code[skip] == 0x3e))
		skip++;
	if (pc < MODULES_START || !leaves(code + skip, size - skip, pc + skip, &target))
		return;
	site++;
	site->pc = pc;
	site->target = target;
	qemu_plugin_register_vcpu_insn_exec_cb(insn, on_call, QEMU_PLUGIN_CB_NO_REGS, site);
}

static void on_block(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
	size_t i;

	for (i = 0; i < qemu_plugin_tb_n_insns(block); i++)
		on_instruction(qemu_plugin_tb_get_insn(block, i));
}

static void on_end(qemu_plugin_id_t id, void *data)
{
	struct entry *e;
	int cpu;

	for (e = entries; e < entries + ENTRIES; e++) {
		if (!e->pc)
			continue;
		fprintf(out, "%s %u %u %016" PRIx64 " %s %016" PRIx64 " %016" PRIx64, kind_name[e->kind],
			e->mode, e->what, e->pc, e->gs ? "gs" : "-", e->line, e->physical);
		for (cpu = 0; cpu < qemu_plugin_n_vcpus(); cpu++)
			fprintf(out, " %u", e->count[cpu]);
		fputc('\n', out);
	}
	fputs("done\n", out);
	fclose(out);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	if (argc != 1 || strncmp(argv[0], "out=", 4) || strcmp(info->target_name, "x86_64"))
		die("out=FILE is wanted, and an x86_64 guest");
	out = fopen(argv[0] + 4, "w");
	entries = calloc(ENTRIES, sizeof(*entries));
	if (!out || !entries)
		die("no file, or no memory");
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_block);
	qemu_plugin_register_atexit_cb(id, on_end, NULL);
	return 0;
}
