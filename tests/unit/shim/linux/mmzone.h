/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_MMZONE_H
#define _UNIT_LINUX_MMZONE_H

#include "sim.h"

#define MAX_PAGE_ORDER		10

struct pglist_data;

/* Two nodes, so that the larger end must be looked for. */
#define for_each_online_node(nid)	for ((nid) = 0; (nid) < 2; (nid)++)
#define NODE_DATA(nid)		((struct pglist_data *)(unsigned long)(nid))

static inline unsigned long pgdat_end_pfn(struct pglist_data *node)
{
	return node ? SIM_RAM_PAGES / 2 : SIM_RAM_PAGES;
}

#endif /* _UNIT_LINUX_MMZONE_H */
