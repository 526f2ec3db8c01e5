/* SPDX-License-Identifier: GPL-2.0 */
/* What a kretprobe's instance belongs to and returns to: fields until 5.10. */
#ifndef _ALLOCPROF_COMPAT_KPROBES_H
#define _ALLOCPROF_COMPAT_KPROBES_H

#include <linux/kprobes.h>

#ifndef HAVE_GET_KRETPROBE
#define get_kretprobe(ri) READ_ONCE((ri)->rp)
#endif

#ifndef HAVE_GET_KRETPROBE_RETADDR
#define get_kretprobe_retaddr(ri) ((unsigned long)(ri)->ret_addr)
#endif

/* Until 5.15 the unwinder stops at a kretprobe. */
#if defined(HAVE_KRETPROBE_FIND_RET_ADDR) || defined(HAVE_RETHOOK_FIND_RET_ADDR)
#define COMPAT_UNWINDS_KRETPROBES 1
#else
#define COMPAT_UNWINDS_KRETPROBES 0
#endif

#endif /* _ALLOCPROF_COMPAT_KPROBES_H */
