/* SPDX-License-Identifier: GPL-2.0 */
/* Indirect branch tracking: x86 from 5.18 on. */
#ifndef _ALLOCPROF_COMPAT_IBT_H
#define _ALLOCPROF_COMPAT_IBT_H

#ifdef HAVE_ASM_IBT
#include <asm/ibt.h>
#else
#define __noendbr
#endif

#endif /* _ALLOCPROF_COMPAT_IBT_H */
