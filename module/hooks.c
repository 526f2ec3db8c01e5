// SPDX-License-Identifier: GPL-2.0
/*
 * Attaches, proves and detaches tables of hooks.  Knows the methods and their
 * order; knows nothing of slab or pages.
 *
 * Lifetime
 *
 * Frees are attached before allocators, so that nothing can be recorded whose
 * free would not be seen; they are detached after them, for the same reason.
 * hooks_detach() returns only when no CPU and no task can be in the module's
 * text because of a hook, however long a task sleeps in the allocator:
 *
 *  - kretprobes: a task that sleeps in the function returns through the
 *    kernel's own trampoline, which no longer finds a handler;
 *  - ftrace_ops: unregistering waits for tasks preempted in the callback;
 *  - tracepoints: tracepoint_synchronize_unregister();
 *  - direct stubs call the function and so have text under a sleeper:
 *    hook_direct_drain() waits for its return.
 *
 * All functions here sleep and are serialised by control.c's mutex, except
 * hooks_show(), which only reads.
 */
#include <linux/seq_file.h>
#include <linux/tracepoint.h>

#include "compat/kprobes.h"
#include "hooks.h"

DEFINE_PER_CPU(struct hook_count [HOOK_COUNT], allocprof_hook_counts);

/* All hooks, slab's first; NULL behind the last. */
static struct allocprof_hook *hook_at(unsigned int i)
{
	if (i < allocprof_slab_hooks_count)
		return &allocprof_slab_hooks[i];
	i -= allocprof_slab_hooks_count;
	if (i < allocprof_page_hooks_count)
		return &allocprof_page_hooks[i];
	i -= allocprof_page_hooks_count;
	return i < allocprof_percpu_hooks_count ? &allocprof_percpu_hooks[i] : NULL;
}

static u64 hook_hits(const struct allocprof_hook *hook)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(allocprof_hook_counts, cpu)[hook->id].entered);
	return sum;
}

static unsigned long hook_missed(const struct allocprof_hook *hook)
{
	unsigned long missed = hook->missed;

	if (hook->method == METHOD_KRETPROBE)
		missed += hook->rp.nmissed + hook->rp.kp.nmissed;
	return missed;
}

/*
 * 0 if there is no such function.  A probe knows the address of one that is not
 * exported.  (An ftrace filter by name would do for callbacks, but that forgets
 * to say when it found no memory, and a filter that is empty means every
 * function.)
 */
static unsigned long find_function(const char *name)
{
	struct kprobe kp = { .symbol_name = name, .flags = KPROBE_FLAG_DISABLED };

	if (register_kprobe(&kp))
		return 0;
	unregister_kprobe(&kp);
	return (unsigned long)kp.addr;
}

/* Where ftrace patches the function. */
static unsigned long find_site(const struct hook_symbol *symbol)
{
	return symbol->addr ? symbol->addr + HOOK_SITE_OFFSET : find_function(symbol->name);
}

static int attach_function(struct allocprof_hook *hook, enum hook_engine engine)
{
	int err = -EOPNOTSUPP;

	hook->symbol = &hook->symbols[0];
	if (!hook->symbol->name)
		return -ENOENT;
	hook->site = find_site(hook->symbol);
	if (!hook->site)
		return -ENOENT;
	if (engine != ENGINE_KRETPROBE && hook->symbol->stub) {
		err = hook_direct_attach(hook);
		if (!err) {
			hook->method = METHOD_DIRECT;
			return 0;
		}
		pr_info("%s: no direct call (error %d%s), using the other engine for it\n",
			hook->symbol->name, err,
			err == -EBUSY ? ": BPF or a livepatch holds it" : "");
	}
	err = hook_is_alloc(hook) ? hook_probe_attach(hook) : hook_ftrace_attach(hook);
	if (!err)
		hook->method = hook_is_alloc(hook) ? METHOD_KRETPROBE : METHOD_FTRACE;
	return err;
}

/* Says what a hook that does not work costs; an error if that is everything. */
static int do_without(const struct allocprof_hook *hook, const char *why, int err)
{
	const char *name = hook->tracepoint ?: hook->symbol->name ?: "no such function here";

	if (!hook->fatal) {
		pr_warn("%s %s (%s, error %d); lost: %s\n", why, hook->event, name, err,
			hook->loss);
		return 0;
	}
	pr_err("not profiling: %s %s (%s, error %d), and without it live memory would look leaked\n",
	       why, hook->event, name, err);
	return err;
}

static int attach_one(struct allocprof_hook *hook, enum hook_engine engine)
{
	int err, cpu;

	/* A kretprobe may have left the two unequal; nothing runs here now. */
	for_each_possible_cpu(cpu)
		memset(&per_cpu(allocprof_hook_counts, cpu)[hook->id], 0,
		       sizeof(struct hook_count));
	hook->missed = 0;

	if (hook->covered && hook->covered()) {
		hook->state = HOOK_COVERED;
		return 0;
	}
	if (hook->tracepoint) {
		err = hook_event_attach(hook);
		if (!err)
			hook->method = METHOD_EVENT;
	} else {
		err = attach_function(hook, engine);
	}
	if (!err) {
		hook->state = HOOK_ATTACHED;
		return 0;
	}
	hook->state = HOOK_MISSING;
	hook->method = METHOD_NONE;
	return do_without(hook, "cannot hook", err);
}

static int prove_one(struct allocprof_hook *hook)
{
	u64 before = hook_hits(hook);
	bool seen;

	if (!hook->prove)
		return 0;
	seen = hook->prove();
	if (seen && hook_hits(hook) > before) {
		hook->state = HOOK_PROVEN;
		return 0;
	}
	if (seen && hook->elusive)
		return 0;
	hook->state = HOOK_BLIND;
	return do_without(hook, "blind, saw nothing of its own test:", -EIO);
}

static int attach_all(enum hook_engine engine)
{
	struct allocprof_hook *hook;
	bool seeing = false;
	unsigned int i;
	int pass, err;

	for (i = 0; allocprof_unhooked_frees[i]; i++)
		if (find_function(allocprof_unhooked_frees[i])) {
			pr_err("not profiling: %s() of this kernel frees, and this build has no hook for it; live memory would look leaked\n",
			       allocprof_unhooked_frees[i]);
			return -EOPNOTSUPP;
		}
	for (pass = 0; pass < 2; pass++)
		for (i = 0; (hook = hook_at(i)); i++) {
			if (hook_is_alloc(hook) != pass)
				continue;
			err = attach_one(hook, engine);
			if (err)
				return err;
		}
	for (i = 0; (hook = hook_at(i)); i++) {
		err = hook->state == HOOK_ATTACHED ? prove_one(hook) : 0;
		if (err)
			return err;
		seeing |= hook_is_alloc(hook) && hook->state == HOOK_PROVEN;
	}
	if (seeing)
		return 0;
	pr_err("not profiling: not one allocator can be hooked%s\n",
	       COMPAT_UNWINDS_KRETPROBES || engine == ENGINE_KRETPROBE ? "" :
	       "; other tools' kretprobes on them do that on this kernel: stop them, or use hooks=kretprobe");
	return -EOPNOTSUPP;
}

/**
 * hooks_attach() - attach all hooks and prove each
 * @engine: which methods to use for functions
 *
 * Context: tables ready; sleeps.
 * Return: 0 if profiling can run, perhaps degraded; else an error, a line in
 * the log, and nothing attached, unless hooks_any_attached().
 */
int hooks_attach(enum hook_engine engine)
{
	int err;

	/* A function that every kernel has, and calls once at most. */
	err = hook_ftrace_hold(find_function("orderly_poweroff"));
	if (err) {
		pr_err("not profiling: ftrace refuses (error %d)%s\n", err,
		       err == -EBUSY ? "; is kernel.ftrace_enabled 0?" : "");
		return err;
	}
	hook_direct_begin();
	err = attach_all(engine);
	if (err)
		hooks_detach();
	return err;
}

static int detach_pass(bool allocators)
{
	struct allocprof_hook *probes[HOOK_COUNT];
	struct allocprof_hook *hook;
	unsigned int i, n = 0;
	int err = 0, ret;

	for (i = 0; (hook = hook_at(i)); i++) {
		if (hook_is_alloc(hook) != allocators)
			continue;
		ret = 0;
		if (hook->method == METHOD_DIRECT)
			ret = hook_direct_detach(hook);
		else if (hook->method == METHOD_FTRACE)
			ret = hook_ftrace_detach(hook);
		else if (hook->method == METHOD_EVENT)
			hook_event_detach(hook);
		else if (hook->method == METHOD_KRETPROBE)
			probes[n++] = hook;
		if (ret) {
			pr_err("cannot unhook %s (error %d)\n", hook->symbol->name, ret);
			err = ret;
			continue;
		}
		/* hook_probe_detach() adds what a kretprobe has missed. */
		if (hook->method != METHOD_KRETPROBE)
			hook->method = METHOD_NONE;
		if (hook->state != HOOK_MISSING)
			hook->state = HOOK_OFF;
	}
	if (n) {
		hook_probe_detach(probes, n);
		while (n--)
			probes[n]->method = METHOD_NONE;
	}
	return err;
}

/**
 * hooks_detach() - take all hooks out and wait until none is running
 *
 * Context: sleeps, as long as any task sleeps in a hooked allocator.
 * Return: 0, or the error of a hook that ftrace will not let go (ftrace has
 * shut itself down); it stays attached and the module must stay with it.
 */
int hooks_detach(void)
{
	struct allocprof_hook *hook;
	bool wait = false;
	unsigned int i;
	int err;

	for (i = 0; (hook = hook_at(i)); i++) {
		if (hook->method != METHOD_DIRECT)
			continue;
		hook_direct_silence(hook);
		wait = true;
	}
	if (wait)
		compat_synchronize_tasks();
	err = detach_pass(true);
	err = detach_pass(false) ?: err;
	tracepoint_synchronize_unregister();
	hook_direct_drain();
	if (err)
		return err;
	hook_direct_end();
	return hook_ftrace_release();
}

/**
 * hooks_any_attached() - is any hook still in, though all were to be detached?
 *
 * Context: any.
 */
bool hooks_any_attached(void)
{
	return hook_ftrace_held();
}

/**
 * hooks_degraded() - is any hook missing or blind?
 *
 * Context: any.
 */
bool hooks_degraded(void)
{
	struct allocprof_hook *hook;
	unsigned int i;

	for (i = 0; (hook = hook_at(i)); i++)
		if (hook->state == HOOK_MISSING || hook->state == HOOK_BLIND)
			return true;
	return false;
}

/**
 * hooks_show() - the table of /proc/allocprof/hooks
 * @m: where to
 *
 * Context: sleeps.  Reads without a lock; a line may be one toggle old.
 */
void hooks_show(struct seq_file *m)
{
	static const char * const method[] = { "-", "direct", "kretprobe", "ftrace", "event" };
	static const char * const state[] = { "off", "missing", "attached", "proven", "blind",
					      "covered" };
	struct allocprof_hook *hook;
	unsigned int i;

	seq_printf(m, "%-18s %-36s %-9s %-8s %14s %8s\n",
		   "event", "symbol", "method", "state", "hits", "missed");
	for (i = 0; (hook = hook_at(i)); i++) {
		const char *name = hook->tracepoint ?: hook->symbols[0].name ?: "-";

		seq_printf(m, "%-18s %-36s %-9s %-8s %14llu %8lu", hook->event, name,
			   method[hook->method], state[hook->state], hook_hits(hook),
			   hook_missed(hook));
		if (hook->state == HOOK_MISSING || hook->state == HOOK_BLIND)
			seq_printf(m, "  lost: %s", hook->loss);
		seq_putc(m, '\n');
	}
	if (hooks_degraded())
		seq_puts(m, "degraded: what the hooks that are missing or blind would see is not counted\n");
}
