/* SPDX-License-Identifier: GPL-2.0 */
/* Exported, but declared only for mm/ itself. */
#ifndef _ALLOCPROF_COMPAT_GFP_H
#define _ALLOCPROF_COMPAT_GFP_H

#include <linux/gfp.h>

#ifdef HAVE_SYM___alloc_frozen_pages_noprof
struct page *__alloc_frozen_pages_noprof(gfp_t gfp, unsigned int order, int nid,
					 nodemask_t *nodemask);
#endif

#endif /* _ALLOCPROF_COMPAT_GFP_H */
