/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_SIZES_H
#define _UNIT_LINUX_SIZES_H

#define SZ_128K	0x00020000
#define SZ_256K	0x00040000
#define SZ_1M	0x00100000
#define SZ_2M	0x00200000
#define SZ_4M	0x00400000

#endif /* _UNIT_LINUX_SIZES_H */
