// SPDX-License-Identifier: GPL-2.0
/*
 * The event method: a tracepoint, for what no single function sees because it
 * is inlined into its callers.
 */
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "hooks.h"

static void match(struct tracepoint *tp, void *data)
{
	struct allocprof_hook *hook = data;

	if (!strcmp(tp->name, hook->tracepoint))
		hook->tp = tp;
}

/**
 * hook_event_attach() - add our handler to the event
 * @hook: the hook
 *
 * Context: sleeps.
 * Return: 0, -ENOENT if the kernel has no such event, or -ENOMEM.
 */
int hook_event_attach(struct allocprof_hook *hook)
{
	hook->tp = NULL;
	for_each_kernel_tracepoint(match, hook);
	if (!hook->tp)
		return -ENOENT;
	return tracepoint_probe_register(hook->tp, hook->probe, hook);
}

/**
 * hook_event_detach() - remove our handler
 * @hook: the hook
 *
 * Context: sleeps.  The caller waits with tracepoint_synchronize_unregister().
 */
void hook_event_detach(struct allocprof_hook *hook)
{
	tracepoint_probe_unregister(hook->tp, hook->probe, hook);
}
