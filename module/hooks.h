/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hook: one kernel function, or event, that memory passes through; what to
 * do there; and what is lost without it.  hooks.c attaches and proves tables
 * of them, by one of three methods.
 */
#ifndef _ALLOCPROF_HOOKS_H
#define _ALLOCPROF_HOOKS_H

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>

#include "hook_ids.h"

struct seq_file;
struct tracepoint;

#define HOOK_ARGS	6	/* in registers, on every architecture we hook */

/* Where ftrace patches a function: behind an ENDBR, where the kernel has them. */
#define HOOK_SITE_OFFSET	(IS_ENABLED(CONFIG_X86_KERNEL_IBT) ? 4 : 0)
#define HOOK_SITE_SIZE		5	/* of the call, on x86 */

enum hook_engine { ENGINE_AUTO, ENGINE_DIRECT, ENGINE_KRETPROBE };

enum hook_method {
	METHOD_NONE,
	METHOD_DIRECT,		/* our own stub, called by the function's entry */
	METHOD_KRETPROBE,	/* functions whose result is needed */
	METHOD_FTRACE,		/* functions whose entry is enough */
	METHOD_EVENT,		/* a tracepoint that all paths pass */
};

enum hook_state { HOOK_OFF, HOOK_MISSING, HOOK_ATTACHED, HOOK_PROVEN, HOOK_BLIND, HOOK_COVERED };

/* The stub counts @entered first, and @left after the function has returned. */
struct hook_count {
	u64 entered;
	u64 left;
};

DECLARE_PER_CPU(struct hook_count [HOOK_COUNT], allocprof_hook_counts);

/**
 * struct hook_symbol - one name under which a kernel has the function
 * @name: its symbol
 * @addr: its address; 0 if it is not exported
 * @stub: the direct stub for it, 0 if there is none
 * @aim: where a stub calls a function that is not exported, tells it where
 */
struct hook_symbol {
	const char *name;
	unsigned long addr;
	unsigned long stub;
	void (*aim)(unsigned long addr);
};

/**
 * struct allocprof_hook - one hook
 * @event: what happens here, for people
 * @loss: what is not seen without it
 * @symbols: names, newest kernel first, ended by an empty one
 * @tracepoint: or the event's name
 * @probe: the event's handler
 * @id: HOOK_*
 * @fatal: without it live memory would look leaked: do not profile at all
 * @enter: called before the function
 * @exit: called after it with its result, where it returns to, the stack slot
 *	of that address (NULL if unknown; on arm64 see frame.h), and its arguments
 * @covered: asked before it is attached, after all others of its table and kind:
 *	does what happens here pass those?  Then it stays out
 * @prove: does one allocation and free through the hook; false if it left no
 *	trace in the tables; NULL: nothing harmless would do, it stays "attached"
 * @elusive: the kernel may take another way, and the proof, though true, not
 *	come by here
 *
 * @enter, @exit and @probe run in any context the function is called in.
 */
struct allocprof_hook {
	const char *event;
	const char *loss;
	const struct hook_symbol *symbols;
	const char *tracepoint;
	void *probe;
	unsigned int id;
	bool fatal;
	void (*enter)(const unsigned long args[HOOK_ARGS]);
	void (*exit)(unsigned long result, unsigned long ret, unsigned long *frame,
		     const unsigned long args[HOOK_ARGS]);
	bool elusive;
	bool (*covered)(void);
	bool (*prove)(void);

	/* private: hooks.c and the methods */
	enum hook_state state;
	enum hook_method method;
	const struct hook_symbol *symbol;
	struct tracepoint *tp;
	unsigned long site;	/* where ftrace patches the function */
	struct ftrace_ops ops;
	bool stuck;		/* ftrace will never let it go */
	struct kretprobe rp;
	unsigned long missed;	/* of probes that are gone again */
};

/* Its result is what is recorded. */
static inline bool hook_is_alloc(const struct allocprof_hook *hook)
{
	return hook->exit;
}

extern struct allocprof_hook allocprof_slab_hooks[];
extern const unsigned int allocprof_slab_hooks_count;
extern const char * const allocprof_unhooked_frees[];
extern struct allocprof_hook allocprof_page_hooks[];
extern const unsigned int allocprof_page_hooks_count;
extern struct allocprof_hook allocprof_percpu_hooks[];
extern const unsigned int allocprof_percpu_hooks_count;

void percpu_init(void);
int hooks_attach(enum hook_engine engine);
int hooks_detach(void);
void hooks_show(struct seq_file *m);
bool hooks_degraded(void);
bool hooks_any_attached(void);

/* The methods.  All sleep.  attach: 0 or an error, with nothing left attached. */
#ifdef CONFIG_X86_64
void hook_direct_begin(void);
void hook_direct_end(void);
int hook_direct_attach(struct allocprof_hook *hook);
void hook_direct_silence(struct allocprof_hook *hook);
int hook_direct_detach(struct allocprof_hook *hook);
void hook_direct_drain(void);
#else
/* No hook has a stub there. */
static inline void hook_direct_begin(void)
{
}

static inline void hook_direct_end(void)
{
}

static inline int hook_direct_attach(struct allocprof_hook *hook)
{
	return -EOPNOTSUPP;
}

static inline void hook_direct_silence(struct allocprof_hook *hook)
{
}

static inline int hook_direct_detach(struct allocprof_hook *hook)
{
	return 0;
}

static inline void hook_direct_drain(void)
{
}
#endif
int hook_probe_attach(struct allocprof_hook *hook);
void hook_probe_detach(struct allocprof_hook **hooks, unsigned int n);
int hook_ftrace_hold(unsigned long site);
int hook_ftrace_release(void);
bool hook_ftrace_held(void);
int hook_ftrace_attach(struct allocprof_hook *hook);
int hook_ftrace_detach(struct allocprof_hook *hook);
int hook_event_attach(struct allocprof_hook *hook);
void hook_event_detach(struct allocprof_hook *hook);

#endif /* _ALLOCPROF_HOOKS_H */
