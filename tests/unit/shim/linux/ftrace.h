/* SPDX-License-Identifier: GPL-2.0 */
/* Only so that hooks.h compiles; nothing is hooked here. */
#ifndef _UNIT_LINUX_FTRACE_H
#define _UNIT_LINUX_FTRACE_H

struct ftrace_ops {
	void *func;
};

#endif /* _UNIT_LINUX_FTRACE_H */
