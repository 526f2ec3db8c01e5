// SPDX-License-Identifier: GPL-2.0
/*
 * The portable methods: a kretprobe where a function's result is needed, an
 * ftrace callback where its entry is enough.
 *
 * A kretprobe is lossy by design: an interrupt that allocates while a probe's
 * handler runs, or more sleepers than instances, miss it.  A missed
 * allocation is an undercount, shown as "missed"; a missed free would be a
 * leak for ever, so frees never depend on one.  Callbacks of ftrace nest
 * without limit as long as they do not ask for recursion protection, which
 * ours do not need: they call nothing that is hooked.
 *
 * Lifetime: see hooks.c.  A probe's return handler does not run for tasks
 * that were in the function when it was unregistered; nothing here depends on
 * it having run.
 */
#include "callsite.h"
#include "frame.h"
#include "hooks.h"
#include "retslots.h"

struct call {
	unsigned long *frame;
	unsigned long ret;	/* 0: what the kretprobe has found there */
	u32 slot;		/* retslots.c's */
	unsigned long args[HOOK_ARGS];
};

static int probe_enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct allocprof_hook *hook = container_of(get_kretprobe(ri), struct allocprof_hook, rp);
	struct call *call = (struct call *)ri->data;
	unsigned int i;

	this_cpu_inc(allocprof_hook_counts[hook->id].entered);
#ifdef CONFIG_X86_64
	call->frame = (unsigned long *)regs->sp;
#elif defined(CONFIG_ARM64)
	call->frame = (unsigned long *)regs->regs[29];
#else
	call->frame = NULL;
#endif
	call->ret = callsite_entered_from(regs);
#if RETSLOTS_NEEDED
	call->slot = retslot_enter(call->frame, regs);
#endif
	for (i = 0; i < HOOK_ARGS; i++)
		call->args[i] = regs_get_kernel_argument(regs, i);
	if (hook->enter)
		hook->enter(call->args);
	return 0;
}
NOKPROBE_SYMBOL(probe_enter);

static void record(struct allocprof_hook *hook, struct pt_regs *regs, unsigned long ret,
		   const struct call *call)
{
#if RETSLOTS_NEEDED
	struct pt_regs there = *regs, *outer;

	/* As if it had returned, but still in the instruction that called. */
	there.ip = ret - 1;
	there.sp = (unsigned long)(call->frame + 1);
	outer = callsite_returning(&there);
	hook->exit(regs_return_value(regs), ret, call->frame, call->args);
	callsite_returning(outer);
	retslot_leave(call->slot);
#else
	hook->exit(regs_return_value(regs), ret, call->frame, call->args);
#endif
}
NOKPROBE_SYMBOL(record);

static int probe_exit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct call *call = (struct call *)ri->data;
	struct allocprof_hook *hook;
	unsigned long ret;

	if (!rp)
		return 0;
	hook = container_of(rp, struct allocprof_hook, rp);
	ret = frame_in_reach(call->ret ?: get_kretprobe_retaddr(ri), &call->frame);
	/* Nobody there has a name: the allocator itself, which is a wrapper. */
	record(hook, regs, ret ?: (unsigned long)hook->rp.kp.addr + 1, call);
	this_cpu_inc(allocprof_hook_counts[hook->id].left);
	return 0;
}
NOKPROBE_SYMBOL(probe_exit);

/**
 * hook_probe_attach() - put a kretprobe on the function
 * @hook: the hook, its symbol chosen
 *
 * Context: sleeps.
 * Return: 0 or register_kretprobe()'s error.
 */
int hook_probe_attach(struct allocprof_hook *hook)
{
	/* Registration leaves traces in the structure: start from nothing each time. */
	memset(&hook->rp, 0, sizeof(hook->rp));
	hook->rp.kp.symbol_name = hook->symbol->name;
	hook->rp.entry_handler = probe_enter;
	hook->rp.handler = probe_exit;
	hook->rp.data_size = sizeof(struct call);
	/*
	 * Hundreds of tasks may sleep in reclaim at once, each holding one.  From
	 * 6.7 on each CPU gets a ring with room for all: memory grows with the
	 * square of CPUs, so there is an end.
	 */
	hook->rp.maxactive = clamp(32 * num_possible_cpus(), 512U, 2048U);
	return register_kretprobe(&hook->rp);
}

/**
 * hook_probe_detach() - take kretprobes off, in one go
 * @hooks: hooks
 * @n: how many
 *
 * Context: sleeps; waits for running handlers.
 */
void hook_probe_detach(struct allocprof_hook **hooks, unsigned int n)
{
	struct kretprobe *rps[HOOK_COUNT];
	unsigned int i;

	for (i = 0; i < n; i++)
		rps[i] = &hooks[i]->rp;
	unregister_kretprobes(rps, n);
	for (i = 0; i < n; i++)
		hooks[i]->missed += rps[i]->nmissed + rps[i]->kp.nmissed;
}

static void ftrace_enter(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			 struct ftrace_regs *fregs)
{
	struct allocprof_hook *hook = container_of(ops, struct allocprof_hook, ops);
	unsigned long args[HOOK_ARGS];
	unsigned int i;

	this_cpu_inc(allocprof_hook_counts[hook->id].entered);
	for (i = 0; i < HOOK_ARGS; i++)
		args[i] = ftrace_regs_get_argument(fregs, i);
	hook->enter(args);
}

/*
 * kernel.ftrace_enabled=0 would drop frees behind our back; and what comes or
 * goes while it is 0 leaves flags behind, for which ftrace complains and shuts
 * itself down with the last of its users.  A "permanent" ops keeps it at 1, but
 * one with a direct call can be marked only when it is in, which is too late.
 * So this one is there before the first hook, until after the last, on a
 * function that is not called.
 */
static struct ftrace_ops hold_ops;
static unsigned long hold_site;
static bool held;

static void hold_enter(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		       struct ftrace_regs *fregs)
{
}

/**
 * hook_ftrace_hold() - keep kernel.ftrace_enabled at 1
 * @site: where ftrace patches a function that is not called
 *
 * Context: before any hook; sleeps.
 * Return: 0, also if it is kept so already; -EBUSY if it is 0; or another of
 * ftrace's.
 */
int hook_ftrace_hold(unsigned long site)
{
	int err;

	if (held)
		return 0;
	memset(&hold_ops, 0, sizeof(hold_ops));
	hold_ops.func = hold_enter;
	hold_ops.flags = FTRACE_OPS_FL_PERMANENT | COMPAT_FTRACE_OPS_FLAGS;
	hold_site = site;
	err = ftrace_set_filter_ip(&hold_ops, site, 0, 0);
	if (!err)
		err = register_ftrace_function(&hold_ops);
	if (err)
		compat_free_filter(&hold_ops, site);
	held = !err;
	return err;
}

/**
 * hook_ftrace_release() - let it be whatever it is
 *
 * Context: after all hooks; sleeps.
 * Return: 0 or ftrace's error; then it is kept, and the module must stay.
 */
int hook_ftrace_release(void)
{
	int err = held ? unregister_ftrace_function(&hold_ops) : 0;

	if (err || !held)
		return err;
	compat_free_filter(&hold_ops, hold_site);
	held = false;
	return 0;
}

/**
 * hook_ftrace_held() - is it kept at 1, for hooks that may still be in?
 *
 * Context: any.
 */
bool hook_ftrace_held(void)
{
	return READ_ONCE(held);
}

/**
 * hook_ftrace_attach() - have the function's entry call back
 * @hook: the hook, its symbol chosen
 *
 * Context: sleeps.
 * Return: 0 or ftrace's error.
 */
int hook_ftrace_attach(struct allocprof_hook *hook)
{
	int err;

	memset(&hook->ops, 0, sizeof(hook->ops));
	hook->ops.func = ftrace_enter;
	hook->ops.flags = COMPAT_FTRACE_OPS_FLAGS;
	err = ftrace_set_filter_ip(&hook->ops, hook->site, 0, 0);
	if (!err)
		err = register_ftrace_function(&hook->ops);
	if (err)
		compat_free_filter(&hook->ops, hook->site);
	return err;
}

/**
 * hook_ftrace_detach() - stop calling back
 * @hook: the hook
 *
 * Context: sleeps; waits for running callbacks.
 * Return: 0 or ftrace's error.
 */
int hook_ftrace_detach(struct allocprof_hook *hook)
{
	int err = unregister_ftrace_function(&hook->ops);

	/* Only now: an ops with an empty filter is called by every function. */
	if (!err)
		compat_free_filter(&hook->ops, hook->site);
	return err;
}
