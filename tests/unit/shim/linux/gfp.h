/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_GFP_H
#define _UNIT_LINUX_GFP_H

#include <linux/mmzone.h>
#include <linux/types.h>

#define GFP_KERNEL		0x01u
#define GFP_NOWAIT		0x02u
#define gfpflags_allow_blocking(gfp)	(!((gfp) & GFP_NOWAIT))
#define __GFP_ZERO		0x10u
#define __GFP_NOWARN		0x20u
#define __GFP_NORETRY		0x40u
#define __GFP_RETRY_MAYFAIL	0x80u

unsigned long __get_free_pages(gfp_t gfp, unsigned int order);
void free_pages(unsigned long addr, unsigned int order);

struct page;

struct page *alloc_pages_node(int nid, gfp_t gfp, unsigned int order);
void __free_pages(struct page *page, unsigned int order);

#define alloc_page(gfp)		alloc_pages_node(NUMA_NO_NODE, gfp, 0)
#define __free_page(page)	__free_pages(page, 0)

#endif /* _UNIT_LINUX_GFP_H */
