/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_SMP_H
#define _UNIT_LINUX_SMP_H

#define raw_smp_processor_id()	0

#endif /* _UNIT_LINUX_SMP_H */
