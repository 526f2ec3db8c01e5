/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_MEMORY_HOTPLUG_H
#define _UNIT_LINUX_MEMORY_HOTPLUG_H

#include <linux/mm.h>

/* NULL: there is none, or it is not in use, or a device's. */
struct page *pfn_to_online_page(unsigned long pfn);

#endif /* _UNIT_LINUX_MEMORY_HOTPLUG_H */
