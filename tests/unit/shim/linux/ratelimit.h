/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_RATELIMIT_H
#define _UNIT_LINUX_RATELIMIT_H

#define HZ				250
#define DEFINE_RATELIMIT_STATE(name, interval, burst)	int name = (interval) * (burst)
#define __ratelimit(state)		(*(state) > 0)

#endif /* _UNIT_LINUX_RATELIMIT_H */
