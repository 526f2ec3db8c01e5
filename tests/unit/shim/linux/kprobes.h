/* SPDX-License-Identifier: GPL-2.0 */
/* Only so that hooks.h compiles; nothing is hooked here. */
#ifndef _UNIT_LINUX_KPROBES_H
#define _UNIT_LINUX_KPROBES_H

struct kretprobe {
	void *handler;
};

#endif /* _UNIT_LINUX_KPROBES_H */
