/* SPDX-License-Identifier: GPL-2.0 */
/* For a probe at a function's entry: is it allocprof that calls?  To be there before allocprof. */
#ifndef AP_CALLER_H
#define AP_CALLER_H

#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>
#include <linux/string.h>

/* Known from before its init function runs until it is gone. */
static struct module *allocprof;

static int module_event(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;

	if (!strcmp(mod->name, "allocprof")) {
		if (state == MODULE_STATE_COMING)
			WRITE_ONCE(allocprof, mod);
		else if (state == MODULE_STATE_GOING)
			WRITE_ONCE(allocprof, NULL);
	}
	return NOTIFY_OK;
}

/* To be registered by who includes this. */
static struct notifier_block notifier = { .notifier_call = module_event };

static bool allocprof_calls(const struct pt_regs *regs)
{
	struct module *mod = READ_ONCE(allocprof);
#ifdef CONFIG_X86_64
	/* On entry the top of the stack is the return address. */
	unsigned long caller = *(unsigned long *)regs->sp;
#elif defined(CONFIG_ARM64)
	unsigned long caller = regs->regs[30];
#endif

	return mod && within_module(caller, mod);
}

#endif /* AP_CALLER_H */
