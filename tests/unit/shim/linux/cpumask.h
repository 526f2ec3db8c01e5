/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_CPUMASK_H
#define _UNIT_LINUX_CPUMASK_H

/* All of them are going away. */
extern _Bool sim_cpus_go;

#define cpu_active(cpu)		((void)(cpu), !sim_cpus_go)

#endif /* _UNIT_LINUX_CPUMASK_H */
