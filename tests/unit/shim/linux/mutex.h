/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_MUTEX_H
#define _UNIT_LINUX_MUTEX_H

#include <pthread.h>

/* @owner: the CPU that holds it; NULL: none */
struct mutex {
	pthread_mutex_t lock;
	void *owner;
};

#define DEFINE_MUTEX(name)	struct mutex name = { .lock = PTHREAD_MUTEX_INITIALIZER }

void mutex_lock(struct mutex *mutex);
void mutex_unlock(struct mutex *mutex);

#endif /* _UNIT_LINUX_MUTEX_H */
