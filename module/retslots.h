/* SPDX-License-Identifier: GPL-2.0 */
/* What stood on the stack where a kretprobe of ours has put its own address.  See retslots.c. */
#ifndef _ALLOCPROF_RETSLOTS_H
#define _ALLOCPROF_RETSLOTS_H

#include <linux/ptrace.h>
#include <linux/types.h>

#include "compat/kprobes.h"

#define RETSLOT_NONE	(~0U)

/* Where the unwinder cannot do it itself; elsewhere than on x86-64 nobody walks. */
#define RETSLOTS_NEEDED (IS_ENABLED(CONFIG_X86_64) && !COMPAT_UNWINDS_KRETPROBES)

#if RETSLOTS_NEEDED
u32 retslot_enter(unsigned long *frame, const struct pt_regs *regs);
void retslot_leave(u32 slot);
bool retslot_return(const unsigned long *frame, struct pt_regs *regs);
void retslots_begin(void);
#else
static inline bool retslot_return(const unsigned long *frame, struct pt_regs *regs)
{
	return false;
}

static inline void retslots_begin(void)
{
}
#endif

#endif /* _ALLOCPROF_RETSLOTS_H */
