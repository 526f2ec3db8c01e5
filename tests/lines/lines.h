/* SPDX-License-Identifier: GPL-2.0 */
/* How ap_lines speaks to the plugin: by nops, which have the number in them that they mean. */
#ifndef _AP_LINES_H
#define _AP_LINES_H

#define AP_MARK		0x4c410000
#define AP_MARK_MASK	0xffff0000
/* A case begins on this CPU; 0: it ends.  With this bit: what is recorded on all CPUs from here on; 0: nothing. */
#define AP_MARK_MODE	0x100

#ifdef __KERNEL__
/* nopl AP_MARK + mark(%rax,%rax) */
static __always_inline void ap_mark(const unsigned int mark)
{
	asm volatile(".byte 0x0f, 0x1f, 0x84, 0x00; .long %c0" : : "i" (AP_MARK + mark) : "memory");
}
#endif

#endif /* _AP_LINES_H */
