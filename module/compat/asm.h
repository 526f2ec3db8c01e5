/* SPDX-License-Identifier: GPL-2.0 */
/* What the stubs tell objtool; kernels before 5.18 have no ENDBR to look for. */
#ifndef _ALLOCPROF_COMPAT_ASM_H
#define _ALLOCPROF_COMPAT_ASM_H

#include <linux/linkage.h>
#include <asm/asm-offsets.h>
#include <asm/nospec-branch.h>
#include <asm/percpu.h>
#ifdef HAVE_OBJTOOL_HEADER
#include <linux/objtool.h>
#endif

#ifdef CONFIG_X86_KERNEL_IBT
#define COMPAT_NOENDBR	ANNOTATE_NOENDBR
#else
#define COMPAT_NOENDBR
#endif

#endif /* _ALLOCPROF_COMPAT_ASM_H */
