/* SPDX-License-Identifier: GPL-2.0 */
/* The switch: what the user asked for, and what runs.  See control.c. */
#ifndef _ALLOCPROF_CONTROL_H
#define _ALLOCPROF_CONTROL_H

#include <linux/types.h>

#include "hooks.h"

/* The first three are the values of enabled=, in the order of its words. */
enum control_state { STATE_OFF, STATE_ON, STATE_NEVER, STATE_STOPPING, STATE_STUCK };

extern bool allocprof_debug;

void control_init(enum control_state wanted, enum hook_engine hooks);
int control_start(enum control_state wanted);
void control_exit(void);
int control_set(bool on);
enum control_state control_state(void);
const char *control_state_name(void);
int control_sysctl_init(void);
void control_sysctl_exit(void);

#endif /* _ALLOCPROF_CONTROL_H */
