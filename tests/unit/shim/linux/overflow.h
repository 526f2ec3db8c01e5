/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_OVERFLOW_H
#define _UNIT_LINUX_OVERFLOW_H

#define struct_size(p, member, n)	(sizeof(*(p)) + (size_t)(n) * sizeof((p)->member[0]))

#endif /* _UNIT_LINUX_OVERFLOW_H */
