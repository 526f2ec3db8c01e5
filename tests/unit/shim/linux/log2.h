/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_LOG2_H
#define _UNIT_LINUX_LOG2_H

#define ilog2(n)		(63 - __builtin_clzll(n))

#endif /* _UNIT_LINUX_LOG2_H */
