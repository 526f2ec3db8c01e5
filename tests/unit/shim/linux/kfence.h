/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_KFENCE_H
#define _UNIT_LINUX_KFENCE_H

#include <linux/mm.h>

static inline bool is_kfence_address(const void *addr)
{
	return (unsigned long)addr - (PAGE_OFFSET + SIM_KFENCE_PFN * PAGE_SIZE) <
	       SIM_KFENCE_PAGES * PAGE_SIZE;
}

#endif /* _UNIT_LINUX_KFENCE_H */
