/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Direct calls: one ops per stub, (ops, addr) on every kernel.
 * 6.1 calls that API *_multi and keeps the filter at unregistration.
 */
#ifndef _ALLOCPROF_COMPAT_FTRACE_H
#define _ALLOCPROF_COMPAT_FTRACE_H

#include <linux/ftrace.h>
#include <linux/rcupdate.h>

#if defined(HAVE_FTRACE_DIRECT_OPS) || defined(HAVE_FTRACE_DIRECT_MULTI)
#define ALLOCPROF_HAVE_DIRECT IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS)
#else
#define ALLOCPROF_HAVE_DIRECT 0
#endif

static inline int compat_register_direct(struct ftrace_ops *ops, unsigned long addr)
{
#if !ALLOCPROF_HAVE_DIRECT
	return -EOPNOTSUPP;
#elif defined(HAVE_FTRACE_DIRECT_OPS)
	return register_ftrace_direct(ops, addr);
#else
	return register_ftrace_direct_multi(ops, addr);
#endif
}

/* The filter is freed by the caller, after this: an empty filter means "every function". */
static inline int compat_unregister_direct(struct ftrace_ops *ops, unsigned long addr)
{
#if !ALLOCPROF_HAVE_DIRECT
	return -EOPNOTSUPP;
#elif defined(HAVE_FTRACE_DIRECT_OPS)
	return unregister_ftrace_direct(ops, addr, false);
#else
	return unregister_ftrace_direct_multi(ops, addr);
#endif
}

#ifndef HAVE_FTRACE_REGS_GET_ARGUMENT
static inline unsigned long compat_ftrace_argument(struct ftrace_regs *fregs, unsigned int n)
{
	return regs_get_kernel_argument(&fregs->regs, n);
}
#define ftrace_regs_get_argument(fregs, n) compat_ftrace_argument(fregs, n)
#endif

/* Waits for tasks that were preempted in, or are about to enter, unhooked text. */
static inline void compat_synchronize_tasks(void)
{
#ifdef HAVE_SYM_synchronize_rcu_tasks_rude
	synchronize_rcu_tasks_rude();
#endif
#ifdef HAVE_SYM_synchronize_rcu_tasks
	synchronize_rcu_tasks();
#endif
	synchronize_rcu();
}

#endif /* _ALLOCPROF_COMPAT_FTRACE_H */
