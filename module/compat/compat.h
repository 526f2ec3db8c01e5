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

/* Everything below is C; the stubs need only the HAVE_* flags. */
#include "compat/ftrace.h"
#include "compat/mmzone.h"
#include "compat/module.h"
#include "compat/sysctl.h"

#endif /* _ALLOCPROF_COMPAT_H */
