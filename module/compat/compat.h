/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Forced into every C file.  The rest of the module is written to the newest
 * API; what older kernels lack is made up for here, by the HAVE_* that
 * configure.sh probed.  No other file may ask what kernel this is.
 */
#ifndef _ALLOCPROF_COMPAT_H
#define _ALLOCPROF_COMPAT_H

#include <linux/kconfig.h>

#define pr_fmt(fmt) "allocprof: " fmt

#include "compat/have.h"	/* made by configure.sh */

#include "compat/ftrace.h"
#include "compat/gfp.h"
#include "compat/kprobes.h"
#include "compat/mmzone.h"
#include "compat/module.h"
#include "compat/slab.h"
#include "compat/split.h"
#include "compat/sysctl.h"

#endif /* _ALLOCPROF_COMPAT_H */
