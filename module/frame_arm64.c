// SPDX-License-Identifier: GPL-2.0
/*
 * arm64: from a return address to the next one.
 *
 * Every function that calls another has a frame record, {the caller's x29, its
 * own return address}, and x29 points to it while it calls (the kernel is built
 * with frame pointers).  At the first instruction of a hooked function, and
 * after its last, x29 is still its caller's: the records lead from there
 * outwards, without any look at the code and whatever the compiler keeps on the
 * stack.  A walk goes through wrappers only, so it never gets to an interrupted
 * function, which may not have made its record yet.
 *
 * A return address in a record may be signed (pointer authentication), or be
 * that of a tracer's trampoline.  What the trampoline stands for only the
 * kernel's unwinder knows; it is not told where to start, but gives one address
 * a record, so counting records finds it.
 *
 * Nothing here allocates, sleeps or takes a lock.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>

#include "callsite.h"
#include "frame.h"

#define INSN_SIZE	4

/* Without the signature.  XPACLRI, which is a NOP where there are none. */
static unsigned long unsigned_address(unsigned long address)
{
	register unsigned long x30 asm("x30") = address;

	asm("hint #7" : "+r" (x30));
	return x30;
}

static bool read_record(const unsigned long *frame, unsigned long record[2])
{
	return IS_ALIGNED((unsigned long)frame, sizeof(long)) &&
	       !copy_from_kernel_nofault(record, frame, 2 * sizeof(record[0]));
}

/**
 * frame_next() - where a function returns to
 * @frame: in: its frame record; out: that of the function it returns to
 *
 * Context: any, NMI included.
 * Return: the address, perhaps a trampoline's; 0 if there is no such record.
 */
unsigned long frame_next(unsigned long **frame)
{
	unsigned long record[2];

	if (!read_record(*frame, record))
		return 0;
	*frame = (unsigned long *)record[0];
	return unsigned_address(record[1]);
}

/**
 * frame_in_reach() - the nearest return address that a tag's key can hold
 * @ret: a return address, or 0
 * @frame: in: the frame record of the function returned to, or NULL; out: as @ret
 *
 * A key has the distance from the kernel's text, 2 GiB either way, which is
 * where all of the kernel and its modules are.  What BPF generates may be
 * anywhere on arm64, and is seen through.
 * Context: any, NMI included.
 * Return: the address; 0 if there is none.
 */
unsigned long frame_in_reach(unsigned long ret, unsigned long **frame)
{
	int i;

	for (i = 0; i < CALLSITE_WALK_MAX; i++) {
		if (!ret || callsite_address((u32)ret) == ret)
			return ret;
		ret = *frame ? frame_next(frame) : 0;
	}
	return 0;
}

/**
 * frame_untangle() - the return address that a tracer has replaced
 * @frame: the frame record of the function that is returned to
 *
 * From the return handler of a kretprobe: the kernel keeps what the probe, and
 * others on the same function, have replaced until all handlers are through.
 * Context: any, NMI included; current's stack.
 * Return: the address as the kernel's unwinder sees it; 0 if it does not get
 * that far.
 */
noinline unsigned long frame_untangle(const unsigned long *frame)
{
	const unsigned long *own = __builtin_frame_address(0);
	unsigned long entries[32], record[2];
	unsigned int n, i;

	/* The first is in this function, the second in the first record, and so on. */
	n = stack_trace_save(entries, ARRAY_SIZE(entries), 0);
	for (i = 1; i < n && read_record(own, record); i++) {
		own = (const unsigned long *)record[0];
		if (own == frame)
			return entries[i];
	}
	return 0;
}

static bool read_insns(unsigned long addr, u32 *insns, unsigned int n)
{
	return !copy_from_kernel_nofault(insns, (void *)addr, n * INSN_SIZE);
}

/*
 * Functions that are too far away for a call are called by way of a veneer,
 * which has no name of its own: adrp x16; add x16, x16; br x16.
 */
static unsigned long behind_veneer(unsigned long addr)
{
	u32 insn[3];
	u64 pages;

	if (!read_insns(addr, insn, ARRAY_SIZE(insn)) || (insn[0] & 0x9f00001f) != 0x90000010 ||
	    (insn[1] & 0xffc003ff) != 0x91000210 || insn[2] != 0xd61f0200)
		return addr;
	pages = (insn[0] >> 5 & 0x7ffff) << 2 | (insn[0] >> 29 & 3);
	/* These pages have 4 KiB whatever the kernel's have. */
	return (addr & ~0xfffUL) + (sign_extend64(pages, 20) << 12) + (insn[1] >> 10 & 0xfff);
}

/**
 * frame_call_target() - what was called where this is the return address
 * @ret: the address
 *
 * Context: any, NMI included.  The code may be gone.
 * Return: the function's first instruction; 0 if it was not called by name.
 */
unsigned long frame_call_target(unsigned long ret)
{
	u32 insn;

	/* bl: 26 bits of distance in instructions */
	if (!read_insns(ret - INSN_SIZE, &insn, 1) || insn >> 26 != 0x25)
		return 0;
	return behind_veneer(ret - INSN_SIZE + sign_extend64((u64)insn << 2, 27));
}

/**
 * frame_head_of_modules() - is this in the kernel's image, and not in a module?
 * @entry: the head of the list of modules, or an entry of it
 *
 * Modules and the image lie in one region, in any order; but only the image
 * stands in pages that the page allocator never had.
 * Context: any; what @entry lies in stays.
 */
bool frame_head_of_modules(const void *entry)
{
	struct page *page = vmalloc_to_page(entry);

	return !page || PageReserved(page);
}
