/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Direct calls: one ops per stub, (ops, addr), from 6.3 on; until then that
 * API was called *_multi and kept the filter at unregistration; 5.10 has only
 * (ip, addr), with one ops of its own, permanent, for all.
 *
 * Callbacks: struct ftrace_regs from 5.11 on; 5.10 hands out struct pt_regs, to
 * who asks for them, and protects from recursion who does not say it is safe.
 * Where WITH_ARGS is not offered (arm64 until 6.1), they ask for all registers.
 */
#ifndef _ALLOCPROF_COMPAT_FTRACE_H
#define _ALLOCPROF_COMPAT_FTRACE_H

#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/rcupdate.h>

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
#if defined(HAVE_FTRACE_DIRECT_OPS)
#define COMPAT_REGISTER_DIRECT(ops, addr)	register_ftrace_direct(ops, addr)
#define COMPAT_UNREGISTER_DIRECT(ops, addr)	unregister_ftrace_direct(ops, addr, false)
#elif defined(HAVE_FTRACE_DIRECT_MULTI)
#define COMPAT_REGISTER_DIRECT(ops, addr)	register_ftrace_direct_multi(ops, addr)
#define COMPAT_UNREGISTER_DIRECT(ops, addr)	unregister_ftrace_direct_multi(ops, addr)
#elif defined(HAVE_FTRACE_DIRECT_IP)
#define COMPAT_DIRECT_BY_IP
#endif
#endif

#ifdef COMPAT_DIRECT_BY_IP
#define COMPAT_DIRECT_FORGETS	true
#else
#define COMPAT_DIRECT_FORGETS	false
#endif

static inline int compat_register_direct(struct ftrace_ops *ops, unsigned long ip,
					 unsigned long addr)
{
#if defined(COMPAT_REGISTER_DIRECT)
	return ftrace_set_filter_ip(ops, ip, 0, 0) ?: COMPAT_REGISTER_DIRECT(ops, addr);
#elif defined(COMPAT_DIRECT_BY_IP)
	return register_ftrace_direct(ip, addr);
#else
	return -EOPNOTSUPP;
#endif
}

/* The filter is freed by the caller, after this: an empty filter means "every function". */
static inline int compat_unregister_direct(struct ftrace_ops *ops, unsigned long ip,
					   unsigned long addr)
{
#if defined(COMPAT_UNREGISTER_DIRECT)
	return COMPAT_UNREGISTER_DIRECT(ops, addr);
#elif defined(COMPAT_DIRECT_BY_IP)
	return unregister_ftrace_direct(ip, addr);
#else
	return -EOPNOTSUPP;
#endif
}

/*
 * Gives back what ftrace_set_filter_ip() took, of an ops that is not registered.
 * Where that is not offered, a filter that loses its last entry holds nothing.
 */
static inline void compat_free_filter(struct ftrace_ops *ops, unsigned long ip)
{
#ifdef HAVE_SYM_ftrace_free_filter
	ftrace_free_filter(ops);
#else
	int tries = 50;

	if (ops->flags & FTRACE_OPS_FL_INITIALIZED)
		while (ftrace_set_filter_ip(ops, ip, 1, 0) == -ENOMEM && tries--)
			msleep(20);
#endif
}

/* For callbacks that do not recurse and want their function's arguments. */
#if defined(HAVE_FTRACE_REGS)
#define COMPAT_FTRACE_OPS_FLAGS \
	(IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_ARGS) ? 0 : FTRACE_OPS_FL_SAVE_REGS)
#else
#define COMPAT_FTRACE_OPS_FLAGS	(FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_RECURSION_SAFE)
#define ftrace_regs pt_regs
#define ftrace_get_regs(fregs) (fregs)
#endif

/* With arguments only, what ftrace_get_regs() would give is not whole, and it gives nothing. */
#if defined(HAVE_FTRACE_REGS_GET_ARGUMENT)
#elif defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS)
#define ftrace_regs_get_argument(fregs, n) regs_get_kernel_argument(&(fregs)->regs, n)
#else
#define ftrace_regs_get_argument(fregs, n) regs_get_kernel_argument(ftrace_get_regs(fregs), n)
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
