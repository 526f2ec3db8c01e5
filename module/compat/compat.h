/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Forced into every C file.  The rest of the module is written to the newest
 * API; what older kernels lack is made up for here, by HAVE_* flags that
 * configure.sh probed.  No other file may ask what kernel this is.
 */
#ifndef _ALLOCPROF_COMPAT_H
#define _ALLOCPROF_COMPAT_H

#include <linux/kconfig.h>

#define pr_fmt(fmt) "allocprof: " fmt

#ifndef HAVE_ALLOCPROF_CONFIGURE
#error "allocprof: build by the Kbuild in the top directory (make module)"
#endif
#if !IS_ENABLED(CONFIG_SLUB)
#error "allocprof: this kernel does not use the SLUB allocator (CONFIG_SLUB)"
#endif
#if !IS_ENABLED(CONFIG_KRETPROBES) || !IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_ARGS)
#error "allocprof: needs CONFIG_KRETPROBES and CONFIG_DYNAMIC_FTRACE_WITH_ARGS"
#endif
#if !IS_ENABLED(CONFIG_TRACEPOINTS) || !IS_ENABLED(CONFIG_KALLSYMS) || \
	!IS_ENABLED(CONFIG_IRQ_WORK)
#error "allocprof: this kernel needs CONFIG_TRACEPOINTS, CONFIG_KALLSYMS and CONFIG_IRQ_WORK"
#endif

/* Everything below is C; the stubs need only the HAVE_* flags. */
#include "compat/ftrace.h"
#include "compat/mmzone.h"
#include "compat/module.h"
#include "compat/sysctl.h"

#endif /* _ALLOCPROF_COMPAT_H */
