// SPDX-License-Identifier: GPL-2.0
/*
 * The direct method: ftrace calls a stub of ours straight from a function's
 * entry (trampoline_x86.S).
 *
 * Lifetime
 *
 * An allocator's stub calls the function and so stays on the stack of a task
 * that sleeps in it, for any time.  After the call sites are gone:
 *
 *  1. tasks-RCU: whoever had entered a stub has counted itself, or left;
 *  2. per hook, wait until as many have left as entered.  No new ones enter,
 *     so the sum of "left" only grows, and reading the CPUs one by one cannot
 *     see too many;
 *  3. tasks-RCU again: the few instructions behind the count are done.
 *
 * A task can also die in there, by a fault of the kernel's: on a list of free
 * objects that somebody has broken, most of all.  It never leaves; died() counts
 * it as having left, as nothing returns to what is on its stack.
 *
 * Entry stubs never sleep and do not call the function: 1 is enough for them.
 * Tasks-RCU does not see the idle task, whose interrupts may run a stub;
 * the rude flavour and plain RCU in compat_synchronize_tasks() do.
 *
 * ftrace would wait like in 1 after each of a dozen functions, which takes a
 * busy machine minutes.  It does so for an ops that may be freed after
 * unregistering, so the flag that says that is taken away first: ours, and
 * their filters, stay until hook_direct_drain() has waited once for all.
 *
 * One thing must not wait for that: unregistering ends with ops->func = NULL,
 * and where others trace the function too, a CPU may be in ftrace's loop over
 * all ops, about to call ours.  hook_direct_silence() marks them as stubs,
 * which that loop skips, and waits once for the loops under way.
 */
#include <linux/delay.h>
#include <linux/kdebug.h>
#include <linux/sched.h>
#include <linux/static_call.h>
#include <linux/uaccess.h>
#include <asm/unwind.h>

#include "hooks.h"
#include "hooks_stubs.h"

/* Unregistered, but not drained. */
static struct allocprof_hook *detached[HOOK_COUNT];
static unsigned int ndetached;

/* Those that were ever attached, by their ids. */
static struct allocprof_hook *direct[HOOK_COUNT];

/*
 * A stub cannot be linked to a function that is not exported.  A static call is
 * a direct one all the same, to any address that it is told.
 */
#define AIM(function)								\
	DEFINE_STATIC_CALL_NULL(allocprof_past_##function, hooks_detach);	\
	void allocprof_aim_##function(unsigned long addr)			\
	{									\
		static_call_update(allocprof_past_##function, (int (*)(void))addr);	\
	}

#ifdef HAVE_SLAB_SHEAVES
AIM(__kmalloc_flags_noprof)
AIM(kmem_cache_alloc_from_sheaf_noprof)
#endif
#ifdef HAVE_ALLOC_PAGES_NOLOCK
AIM(alloc_frozen_pages_nolock_noprof)
#endif

enum site { SITE_STRANGE, SITE_NOP, SITE_CALL, SITE_STUB };

/*
 * The stub calls behind the site, five bytes on.  Are these five bytes what
 * ftrace puts there, a nop or a call, at the place we have assumed?  The call
 * is to the stub itself, or to ftrace where others trace the function too.
 * From 7.0 on BPF may have a jump there; ftrace will say that the site is taken.
 */
static enum site look_at_site(const struct allocprof_hook *hook)
{
	/* The second on some CPUs, until 5.12. */
	static const u8 nop5[HOOK_SITE_SIZE] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	static const u8 k8_nop5[HOOK_SITE_SIZE] = { 0x66, 0x66, 0x66, 0x66, 0x90 };
	u8 code[HOOK_SITE_SIZE];

	if (copy_from_kernel_nofault(code, (void *)hook->site, sizeof(code)))
		return SITE_STRANGE;
	if (code[0] == 0xe8) {
		s32 distance;

		memcpy(&distance, code + 1, sizeof(distance));
		return hook->site + sizeof(code) + distance == hook->symbol->stub ?
		       SITE_STUB : SITE_CALL;
	}
	if (code[0] == 0xe9)
		return SITE_CALL;
	return memcmp(code, nop5, sizeof(code)) && memcmp(code, k8_nop5, sizeof(code)) ?
	       SITE_STRANGE : SITE_NOP;
}

static void free_filter(struct allocprof_hook *hook)
{
	compat_free_filter(&hook->ops, hook->site);
}

/**
 * hook_direct_attach() - let the function call its stub
 * @hook: the hook, its symbol chosen
 *
 * Context: sleeps.
 * Return: 0; -EBUSY if somebody else has a direct call there or changes the
 * function; -EINVAL or -ENOEXEC if its entry is not as expected.
 */
int hook_direct_attach(struct allocprof_hook *hook)
{
	int err;

	if (look_at_site(hook) == SITE_STRANGE)
		return -ENOEXEC;
	WRITE_ONCE(direct[hook->id], hook);
	if (hook->symbol->aim)
		hook->symbol->aim(hook->site + HOOK_SITE_SIZE);
	memset(&hook->ops, 0, sizeof(hook->ops));
	err = compat_register_direct(&hook->ops, hook->site, hook->symbol->stub);
	/* Were the call there all the same, it would have to stay with its text. */
	if (!err || look_at_site(hook) == SITE_STUB)
		return 0;
	/*
	 * ftrace lists an ops before it looks for somebody who changes the
	 * function (a livepatch), and takes it off again with no wait.  Where
	 * others trace the function too, a CPU may still be at the ops, and
	 * tasks may have got into the stub.
	 */
	if (hook->ops.flags & FTRACE_OPS_FL_DIRECT) {
		detached[ndetached++] = hook;
		hook_direct_drain();
	} else {
		free_filter(hook);
	}
	return err;
}

/**
 * hook_direct_silence() - no loop over all ops may pick this hook any more
 * @hook: a direct hook
 *
 * To be followed by one compat_synchronize_tasks() for all hooks, then by
 * hook_direct_detach().
 * Context: any.
 */
void hook_direct_silence(struct allocprof_hook *hook)
{
	hook->ops.flags |= FTRACE_OPS_FL_STUB;
}

/**
 * hook_direct_detach() - the function no longer calls its stub
 * @hook: the hook, silenced
 *
 * Context: sleeps.  Tasks may still be in the stub: hook_direct_drain().
 * Return: 0, or an error if the function may still call it.
 */
int hook_direct_detach(struct allocprof_hook *hook)
{
	int err;

	/*
	 * 5.10 forgets the call, still there, when it fails, unless it says that it
	 * knows of none; asked again, it complains.
	 */
	if (hook->stuck)
		return -EIO;
	hook->ops.flags &= ~FTRACE_OPS_FL_DYNAMIC;
	err = compat_unregister_direct(&hook->ops, hook->site, hook->symbol->stub);
	if (!err && look_at_site(hook) == SITE_STUB)
		err = -EIO;
	hook->stuck = COMPAT_DIRECT_FORGETS && err && err != -ENODEV;
	if (err)
		hook->ops.flags |= FTRACE_OPS_FL_DYNAMIC;
	else
		detached[ndetached++] = hook;
	return err;
}

/* Whose stub is this return address in?  NULL: in none's. */
static struct allocprof_hook *stub_of(unsigned long addr)
{
	struct allocprof_hook *hook, *found = NULL;
	unsigned int i;

	if (addr >= (unsigned long)allocprof_stub_end)
		return NULL;
	for (i = 0; i < HOOK_COUNT; i++) {
		hook = READ_ONCE(direct[i]);
		if (hook && addr > hook->symbol->stub &&
		    (!found || hook->symbol->stub > found->symbol->stub))
			found = hook;
	}
	return found;
}

/* The task that this is about does not survive it; outside of a task nothing would. */
static int died(struct notifier_block *nb, unsigned long event, void *data)
{
	struct die_args *args = data;
	struct allocprof_hook *hook;
	struct unwind_state state;

	if (event != DIE_OOPS || user_mode(args->regs))
		return NOTIFY_DONE;
	for (unwind_start(&state, current, args->regs, NULL); !unwind_done(&state);
	     unwind_next_frame(&state)) {
		hook = stub_of(unwind_get_return_address(&state));
		if (hook && hook_is_alloc(hook))
			this_cpu_inc(allocprof_hook_counts[hook->id].left);
	}
	return NOTIFY_DONE;
}

static struct notifier_block die_notifier = { .notifier_call = died };

/**
 * hook_direct_begin() - take note of who dies in a stub
 *
 * Context: no direct hook attached; sleeps.
 */
void hook_direct_begin(void)
{
	register_die_notifier(&die_notifier);
}

/**
 * hook_direct_end() - nobody can, any more
 *
 * Context: all direct hooks detached and drained; sleeps.
 */
void hook_direct_end(void)
{
	unregister_die_notifier(&die_notifier);
}

static s64 in_flight(void)
{
	unsigned int i;
	s64 sum = 0;
	int cpu;

	/* A hook that ftrace would not let go is not among them: it never comes to rest. */
	for (i = 0; i < ndetached; i++)
		for_each_possible_cpu(cpu) {
			struct hook_count *count =
				&per_cpu(allocprof_hook_counts, cpu)[detached[i]->id];

			if (hook_is_alloc(detached[i]))
				sum += READ_ONCE(count->entered) - READ_ONCE(count->left);
		}
	return sum;
}

/**
 * hook_direct_drain() - wait until no task is in, or under, a stub
 *
 * Context: all direct hooks detached; sleeps without limit.
 */
void hook_direct_drain(void)
{
	unsigned int waited = 0, pause = 1;
	s64 n;

	if (!ndetached)
		return;
	compat_synchronize_tasks();
	while ((n = in_flight())) {
		msleep(pause);
		waited += pause;
		if (pause < 5000) {
			pause = min(pause * 2, 5000U);
			continue;
		}
		pr_info("waiting for %lld task(s) that sleep in an allocator, %u s so far\n",
			n, waited / 1000);
	}
	compat_synchronize_tasks();
	/* Only now: an ops with an empty filter means every function. */
	while (ndetached)
		free_filter(detached[--ndetached]);
}
