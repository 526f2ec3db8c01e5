// SPDX-License-Identifier: GPL-2.0
/*
 * Which frame is the callsite.
 *
 * The callsite of an allocation is its nearest caller that is not a wrapper
 * (transparent.h, and *_noprof).  A return address is looked up by name once,
 * when its tag is born; after that the tag says what it is.  Out of a wrapper
 * the walk goes on by a learned step: where the compiler addresses a frame by
 * the stack pointer, the distance between two return addresses on the stack
 * is a constant of the code address.  A function that sets up a frame pointer
 * may move its stack pointer at will; there, and where a tracer has replaced
 * a return address, the kernel's unwinder is asked each time.
 *
 * Everything here runs in any context.  Symbol look-up is lockless for the
 * kernel and RCU-safe for modules; it and the unwinder allocate nothing.
 */
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "callsite.h"
#include "frame.h"
#include "inherit.h"
#include "mapfile.h"
#include "retslots.h"
#include "tagtable.h"
#include "transparent.h"

#ifdef CONFIG_X86_64
#include <asm/unwind.h>
#endif

/* Names that replaced return addresses resolve to. */
static const char * const trampoline_names[] = {
	"__kretprobe_trampoline", "arch_rethook_trampoline", "kretprobe_trampoline",
	"return_to_handler",
};

/* wrappers=: functions of drivers whose callers are wanted. */
static char *wrappers[32];
static unsigned int n_wrappers;
module_param_array(wrappers, charp, &n_wrappers, 0400);
MODULE_PARM_DESC(wrappers, "functions to see through, up to 32: what they allocate is their callers' [default: none]");

/*
 * Does the map say what is a wrapper?  Decided when profiling is switched on, so
 * that all sizes of a return address are classified alike; a map that comes
 * later only gives names until then.
 */
static bool map_decides;

/**
 * callsite_address() - the return address in a key
 * @key: a tag's key
 *
 * Context: any.
 */
unsigned long callsite_address(u64 key)
{
	unsigned long anchor = (unsigned long)&kfree;

	return anchor + (s32)((u32)key - (u32)anchor);
}

/* "name" of the function that an address lies in, "name.isra.0 [module]" cut short. */
static bool function_name(unsigned long addr, char *buf, bool *cold)
{
	char *end;

	sprint_symbol_no_offset(buf, addr);
	if (buf[0] == '0' && buf[1] == 'x')
		return false;
	end = strchrnul(buf, ' ');
	*end = '\0';
	*cold = strstr(buf, ".cold");
	*strchrnul(buf, '.') = '\0';
	return true;
}

static __maybe_unused bool offset_in_function(unsigned long addr, unsigned long *offset)
{
	char symbol[KSYM_SYMBOL_LEN];
	const char *plus;

	sprint_symbol(symbol, addr);
	plus = strrchr(symbol, '+');
	return plus && sscanf(plus, "+0x%lx/", offset) == 1;
}

static bool listed(const char *name, const char * const *list, size_t n)
{
	while (n--)
		if (!strcmp(name, list[n]))
			return true;
	return false;
}

static bool is_wrapper(const char *name)
{
	return listed(name, (const char * const *)wrappers, n_wrappers);
}

/**
 * callsite_line() - what the line map says of a return address
 * @ret: the address
 * @hit: out: the line; without a name if all that the map knows is a wrapper
 *
 * A function that wrappers= names is seen through like those that the map's
 * writer saw through.
 * Context: any.
 * Return: does the map know this address?
 */
bool callsite_line(unsigned long ret, struct map_hit *hit)
{
	if (!mapfile_find(ret, hit))
		return false;
	while (hit->name && is_wrapper(mapfile_string(hit->name->func)))
		hit->name = mapfile_outer(hit->name);
	return true;
}

/* A replaced return address is a function's first byte, not behind a call. */
static bool is_trampoline(unsigned long ret, char name[KSYM_SYMBOL_LEN])
{
	bool cold;

	return function_name(ret, name, &cold) &&
	       listed(name, trampoline_names, ARRAY_SIZE(trampoline_names));
}

/**
 * callsite_is_trampoline() - is this a return address that a tracer has put there?
 * @ret: the address
 *
 * Context: any, NMI included; about a microsecond.
 */
bool callsite_is_trampoline(unsigned long ret)
{
	char name[KSYM_SYMBOL_LEN];

	return is_trampoline(ret, name);
}

static bool is_transparent(const char *name)
{
	size_t len = strlen(name);

	/*
	 * A hooked function that allocates by another one was called by its stub,
	 * and a function with a BPF program at its exit by BPF's trampoline.
	 */
	return (len > 7 && !strcmp(name + len - 7, "_noprof")) ||
	       strstarts(name, "allocprof_stub_") || strstarts(name, "bpf_trampoline_") ||
	       is_wrapper(name) ||
	       listed(name, transparent_names, ARRAY_SIZE(transparent_names));
}

/*
 * Is this the call that ftrace has put at a function's entry?  What a stub of
 * ours, or BPF's trampoline, returns past then goes to ftrace, and not to
 * another function.  Before it there may be an ENDBR; on arm64 a BTI, and an
 * instruction that keeps the return address.
 */
static __maybe_unused bool entry_call(unsigned long call)
{
	unsigned long offset;

	return offset_in_function(call, &offset) &&
	       offset <= (IS_ENABLED(CONFIG_ARM64) ? 8 : 4);
}

/*
 * `return kmalloc(...)` is a jump: kmalloc() then returns to behind the call of
 * the function that jumped.  That is the callsite, and its name here, where the
 * instruction before the return address calls something that is no wrapper.
 */
static bool tail_called(unsigned long ret, char name[KSYM_SYMBOL_LEN])
{
#ifdef CONFIG_X86_64
	u8 call[5];
	bool cold;
	s32 distance;

	/* The code of an old tag may be gone: BPF's comes and goes and tells nobody. */
	if (copy_from_kernel_nofault(call, (void *)(ret - 5), sizeof(call)) || call[0] != 0xe8 ||
	    entry_call(ret - 5))
		return false;
	memcpy(&distance, call + 1, sizeof(distance));
	if (!function_name(ret + distance, name, &cold))
		return false;
	/* The padding before a function, which counts the depth of calls on some CPUs. */
	if (strstarts(name, "__pfx_"))
		memmove(name, name + 6, strlen(name + 6) + 1);
	/* Nor by a pointer, through a thunk; which has two names from 7.0 on. */
	return !is_transparent(name) && !strstr(name, "__x86_");
#elif defined(CONFIG_ARM64)
	unsigned long target = frame_call_target(ret);
	bool cold;

	return target && !entry_call(ret - 4) && function_name(target, name, &cold) &&
	       !is_transparent(name);
#else
	return false;
#endif
}

/**
 * callsite_function() - the name of a callsite's function, by symbols alone
 * @ret: its return address
 * @name: where to, KSYM_SYMBOL_LEN bytes
 *
 * Context: any.  The code at @ret may be gone.
 */
void callsite_function(unsigned long ret, char *name)
{
	bool cold;

	if (!is_trampoline(ret, name) && !tail_called(ret, name) &&
	    !function_name(ret - 1, name, &cold))
		strscpy(name, "unknown", KSYM_SYMBOL_LEN);
}

#ifdef CONFIG_X86_64
/*
 * Is the stack pointer all that this function's frame hangs on?  Looks for
 * the instructions that set up any other base between its start and @ret:
 * mov %rsp,%rbp; lea N(%rsp),%rbp; lea 8(%rsp),%r10; and $N,%rsp.  A byte
 * pattern that is there by chance only costs speed.
 */
static bool frame_is_constant(unsigned long ret, bool cold)
{
	unsigned long offset;
	const u8 *p, *end = (const u8 *)ret;

	if (cold)
		return false;	/* its prologue is elsewhere */
	if (!offset_in_function(ret - 1, &offset))
		return false;
	for (p = (const u8 *)(ret - 1 - offset); p + 4 <= end; p++) {
		if (p[0] == 0x48 && p[1] == 0x89 && p[2] == 0xe5)
			return false;
		if (p[0] == 0x48 && p[1] == 0x8d && (p[2] & 0x3f) == 0x2c && p[3] == 0x24)
			return false;
		if (p[0] == 0x4c && p[1] == 0x8d && (p[2] & 0x3f) == 0x14 && p[3] == 0x24)
			return false;
		if (p[0] == 0x48 && (p[1] == 0x83 || p[1] == 0x81) && p[2] == 0xe4)
			return false;
	}
	return true;
}
#else
static bool frame_is_constant(unsigned long ret, bool cold)
{
	return false;
}
#endif

/**
 * callsite_classify() - what a return address is to a walk
 * @ret: the address
 *
 * Context: any, NMI included; about a microsecond, and a kilobyte of stack.
 * Return: TAG_TRANSPARENT, TAG_UNWIND, TAG_TRAMPOLINE and TAG_INHERITS as they
 * apply.
 */
noinline u32 callsite_classify(unsigned long ret)
{
	char name[KSYM_SYMBOL_LEN];
	struct map_hit hit;
	bool cold;

	if (is_trampoline(ret, name))
		return TAG_TRANSPARENT | TAG_UNWIND | TAG_TRAMPOLINE;
	if (map_decides && callsite_line(ret, &hit)) {
		if (hit.name)
			return inherit_applies(mapfile_string(hit.name->func)) ?
			       TAG_TRANSPARENT | TAG_INHERITS : 0;
	} else if (tail_called(ret, name)) {
		if (!is_wrapper(name))
			return 0;
	} else if (!function_name(ret - 1, name, &cold)) {
		return 0;
	} else if (inherit_applies(name)) {
		return TAG_TRANSPARENT | TAG_INHERITS;
	} else if (!is_transparent(name)) {
		return 0;
	}
	function_name(ret - 1, name, &cold);
	return TAG_TRANSPARENT | (frame_is_constant(ret, cold) ? 0 : TAG_UNWIND);
}

#ifdef CONFIG_X86_64
/* The function that a kretprobe is about to return to: on this CPU, which it holds. */
static DEFINE_PER_CPU(struct pt_regs *, returning);

/**
 * callsite_returning() - a kretprobe's handler begins, or ends, on this CPU
 * @regs: the registers in the function that will be returned to; at the end,
 *	what this call gave at the beginning
 *
 * For kernels whose unwinder does not find its way out of a kretprobe.
 * Context: any, NMI included; preemption off.
 * Return: what was set before.
 */
struct pt_regs *callsite_returning(struct pt_regs *regs)
{
	return this_cpu_xchg(returning, regs);
}

/* Starts at the frame of the return address below @sp; false: it is not on the way. */
static bool unwind_to(struct unwind_state *state, unsigned long sp)
{
	unwind_start(state, current, NULL, (unsigned long *)sp - 1);
	while (!unwind_done(state) && state->sp < sp)
		if (!unwind_next_frame(state))
			break;
	return !unwind_done(state) && state->sp == sp;
}

/* The same from registers, where it starts one later: at the frame behind that. */
static bool unwind_past(struct unwind_state *state, struct pt_regs *regs, unsigned long sp)
{
	unsigned long here = regs->sp;

	unwind_start(state, current, regs, NULL);
	while (!unwind_done(state) && here < sp) {
		here = state->sp;
		if (!unwind_next_frame(state))
			break;
	}
	return !unwind_done(state) && here == sp;
}

/* Asks the unwinder; learns the step where it is a constant. */
static noinline unsigned long unwind_next(struct allocprof_tag *tag, unsigned long ret,
					  unsigned long **frame)
{
	struct pt_regs *regs = COMPAT_UNWINDS_KRETPROBES ? NULL : this_cpu_read(returning);
	u32 flags = atomic_read(&tag->flags);
	struct unwind_state state;
	unsigned long sp = (unsigned long)(*frame + 1);
	unsigned long next;

	if (regs) {
		/* Of a kretprobe of ours, further out: go on from there. */
		if (flags & TAG_TRAMPOLINE)
			return retslot_return(*frame, regs) ? regs->ip + 1 : 0;
		if (!unwind_past(&state, regs, sp))
			return 0;
	} else {
		if (!unwind_to(&state, sp))
			return 0;
		if (flags & TAG_TRAMPOLINE) {
			next = unwind_get_return_address(&state);
			return next != ret ? next : 0;
		}
		if (!unwind_next_frame(&state) || unwind_done(&state))
			return 0;
	}
	next = unwind_get_return_address(&state);
	if (!next || state.sp <= sp)
		return 0;
	if (!(flags & TAG_UNWIND) && !state.signal && state.sp - sp <= U16_MAX)
		WRITE_ONCE(tag->step, state.sp - sp);
	*frame = (unsigned long *)state.sp - 1;
	return next;
}
#endif

#ifdef CONFIG_X86_64
static bool put_by_kretprobe(unsigned long ret)
{
	char name[KSYM_SYMBOL_LEN];

	return is_trampoline(ret, name) && strcmp(name, "return_to_handler");
}

/* On its own, as kernels may clear a function's whole frame first. */
static noinline unsigned long walk_from_entry(struct pt_regs *regs, unsigned long ret)
{
	struct unwind_state state;
	unsigned long next;
	u32 flags;
	int i;

	/* Given registers, it starts at their caller. */
	unwind_start(&state, current, regs, NULL);
	if (unwind_done(&state) || state.sp != regs->sp + sizeof(long))
		return ret;
	for (i = 0; i < CALLSITE_WALK_MAX; i++) {
		next = unwind_get_return_address(&state);
		if (!next)
			break;
		ret = next;
		flags = callsite_classify(ret) & (TAG_TRANSPARENT | TAG_INHERITS);
		if (flags != TAG_TRANSPARENT || !unwind_next_frame(&state))
			break;
	}
	return ret;
}

/* Where a look at what stands before it, on the same page, did not do. */
static noinline unsigned long entered_slow(struct pt_regs *regs, unsigned long ret)
{
	u8 opcode;

	if (!copy_from_kernel_nofault(&opcode, (void *)(ret - 5), sizeof(opcode)) && opcode == 0xe8)
		return ret;
	/* Somebody else's kretprobe: the kernel will tell what it has replaced. */
	if (!COMPAT_UNWINDS_KRETPROBES && put_by_kretprobe(ret))
		return 0;
	return walk_from_entry(regs, ret);
}
#endif

/**
 * callsite_entered_from() - where a function just entered returns to
 * @regs: at its first instruction
 *
 * The function graph tracer, or another kretprobe, may have put its own address
 * in the slot.  Once a kretprobe of ours has been returned through, the unwinder
 * no longer sees behind the tracer's; on entry it does, so the walk is made
 * here.  What a direct call precedes is no such address.
 * Context: any, NMI included.
 * Return: what is in the slot; or, where that is a tracer's, the callsite; 0
 * where neither is known.
 */
unsigned long callsite_entered_from(struct pt_regs *regs)
{
#ifdef CONFIG_X86_64
	unsigned long ret = READ_ONCE_NOCHECK(*(unsigned long *)regs->sp);

	if ((ret & ~PAGE_MASK) >= 5 && *(const u8 *)(ret - 5) == 0xe8)
		return ret;
	return entered_slow(regs, ret);
#else
	return 0;
#endif
}

/* Where no stack slot is known: the address after @ret in a stack trace. */
static noinline unsigned long trace_next(unsigned long ret)
{
	unsigned long entries[32];
	unsigned int n, i;

	n = stack_trace_save(entries, ARRAY_SIZE(entries), 0);
	for (i = 0; i + 1 < n; i++)
		if (entries[i] == ret)
			return entries[i + 1];
	return 0;
}

/**
 * callsite_next() - the return address behind a wrapper's
 * @tag: the wrapper's tag
 * @ret: its return address
 * @frame: in: where @ret lies on the stack, or NULL; out: where the result lies
 *
 * Context: any, NMI included; current is the task that allocates.
 * Return: the address, or 0 where the stack cannot be followed.
 */
unsigned long callsite_next(struct allocprof_tag *tag, unsigned long ret, unsigned long **frame)
{
	u32 step = READ_ONCE(tag->step);

	if (likely(step && *frame)) {
		*frame = (void *)*frame + step;
		return READ_ONCE_NOCHECK(**frame);
	}
	if (atomic_read(&tag->flags) & TAG_INHERITS) {
		/* What comes now is on another stack, or on none. */
		*frame = NULL;
		return inherit_callsite(ret);
	}
#ifdef CONFIG_X86_64
	if (*frame)
		return unwind_next(tag, ret, frame);
#elif defined(CONFIG_ARM64)
	if (*frame) {
		unsigned long next = atomic_read(&tag->flags) & TAG_TRAMPOLINE ?
				     frame_untangle(*frame) : frame_next(frame);

		next = frame_in_reach(next, frame);
		return next != ret ? next : 0;
	}
#endif
	return trace_next(ret);
}

/**
 * callsite_begin() - profiling is about to be switched on
 *
 * Context: no hook attached; sleeps.
 */
void callsite_begin(void)
{
	bool map = mapfile_bytes();

	retslots_begin();
	if (map == map_decides)
		return;
	tagtable_forget_classes();
	map_decides = map;
}

