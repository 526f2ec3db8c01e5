/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_MMZONE_H
#define _UNIT_LINUX_MMZONE_H

#include "sim.h"

#define MAX_PAGE_ORDER		10
#define MAX_NR_ZONES		3
#define NUMA_NO_NODE		(-1)

struct zone {
	unsigned long zone_end;
	unsigned long managed_pages;
};

typedef struct {
	struct zone node_zones[MAX_NR_ZONES];
} pg_data_t;

extern pg_data_t sim_nodes[2];

#define for_each_online_node(nid)	for ((nid) = 0; (nid) < 2; (nid)++)
#define NODE_DATA(nid)		(&sim_nodes[nid])

static inline bool managed_zone(const struct zone *zone)
{
	return zone->managed_pages;
}

static inline unsigned long zone_end_pfn(const struct zone *zone)
{
	return zone->zone_end;
}

#endif /* _UNIT_LINUX_MMZONE_H */
