/* SPDX-License-Identifier: GPL-2.0 */
/* KFENCE came with 5.12. */
#ifndef _ALLOCPROF_COMPAT_KFENCE_H
#define _ALLOCPROF_COMPAT_KFENCE_H

#ifdef HAVE_KFENCE
#include <linux/kfence.h>
#else
#define is_kfence_address(addr) false
#endif

#endif /* _ALLOCPROF_COMPAT_KFENCE_H */
