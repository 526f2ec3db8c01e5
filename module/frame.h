/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a walk needs to know of arm64's stack and code.  See frame_arm64.c.
 * There a "frame" is not the stack slot of a return address, but the frame
 * record of the function that is returned to: where x29 points then.
 */
#ifndef _ALLOCPROF_FRAME_H
#define _ALLOCPROF_FRAME_H

#include <linux/types.h>

#ifdef CONFIG_ARM64
unsigned long frame_next(unsigned long **frame);
unsigned long frame_in_reach(unsigned long ret, unsigned long **frame);
unsigned long frame_untangle(const unsigned long *frame);
unsigned long frame_call_target(unsigned long ret);
bool frame_head_of_modules(const void *entry);
#else
static inline unsigned long frame_in_reach(unsigned long ret, unsigned long **frame)
{
	return ret;
}
#endif

#endif /* _ALLOCPROF_FRAME_H */
