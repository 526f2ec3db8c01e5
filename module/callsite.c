// SPDX-License-Identifier: GPL-2.0
/*
 * Which frame is the callsite, and what it is called.
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
 * Notes on locking and lifetime
 *
 * Everything the hooks call runs in any context.  Symbol look-up is lockless
 * for the kernel and RCU-safe for modules; it and the unwinder allocate
 * nothing.
 *
 * Names of callsites in modules are looked up when printed, while the module
 * is there.  When its init text, or all of it, is about to go, a module
 * notifier saves the names of the tags that lie there and marks their keys
 * dead: live memory keeps its tag, and other code at the same address gets a
 * new one.  The notifier runs after the module's last instruction (its exit
 * function, or init) has run, so no tag can be born behind it; except from
 * init text that runs asynchronously.  So whatever tag is found where a module
 * is about to appear is retired as well, its name unknown.  Saved names
 * are kept in a list until we unload; names_lock guards the list, readers of
 * tag->name need no lock as a name is never freed before.
 */
#include <linux/kallsyms.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "callsite.h"
#include "control.h"
#include "inherit.h"
#include "mapfile.h"
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

struct saved_name {
	struct list_head list;
	char text[];
};

static LIST_HEAD(names);
static DEFINE_MUTEX(names_lock);
static atomic_t deaths;

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

/* First byte of the kernel's text, for offsets that KASLR does not change. */
static unsigned long kernel_text;

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

/*
 * What the line map says of a return address.  A function that wrappers= names
 * is seen through like those that the map's writer saw through.
 */
static bool line_of(unsigned long ret, struct map_hit *hit)
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

static bool is_transparent(const char *name)
{
	size_t len = strlen(name);

	/* A hooked function that allocates by another one was called by its stub. */
	return (len > 7 && !strcmp(name + len - 7, "_noprof")) ||
	       strstarts(name, "allocprof_stub_") || is_wrapper(name) ||
	       listed(name, transparent_names, ARRAY_SIZE(transparent_names));
}

/*
 * Is this the call that ftrace has put at a function's entry?  What a stub of
 * ours returns past then goes to ftrace, and not to another function.
 */
static __maybe_unused bool entry_call(unsigned long call)
{
	unsigned long offset;

	return offset_in_function(call, &offset) && offset <= 4;
}

/*
 * `return kmalloc(...)` is a jump: kmalloc() then returns to behind the call of
 * the function that jumped.  That is the callsite, and its name here, where the
 * five bytes before the return address call something that is no wrapper.
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
	/* Nor by a pointer, through a thunk. */
	return !is_transparent(name) && !strstarts(name, "__x86_");
#else
	return false;
#endif
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
	if (map_decides && line_of(ret, &hit)) {
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
/* Asks the unwinder; learns the step where it is a constant. */
static noinline unsigned long unwind_next(struct allocprof_tag *tag, unsigned long ret,
					  unsigned long **frame)
{
	u32 flags = atomic_read(&tag->flags);
	struct unwind_state state;
	unsigned long sp = (unsigned long)(*frame + 1);
	unsigned long next;

	unwind_start(&state, current, NULL, *frame);
	while (!unwind_done(&state) && state.sp < sp)
		if (!unwind_next_frame(&state))
			break;
	if (unwind_done(&state) || state.sp != sp)
		return 0;
	if (flags & TAG_TRAMPOLINE) {
		next = unwind_get_return_address(&state);
		return next != ret ? next : 0;
	}
	if (!unwind_next_frame(&state) || unwind_done(&state))
		return 0;
	next = unwind_get_return_address(&state);
	if (!next || state.sp <= sp)
		return 0;
	if (!(flags & TAG_UNWIND) && !state.signal)
		WRITE_ONCE(tag->step, state.sp - sp);
	*frame = (unsigned long *)state.sp - 1;
	return next;
}
#endif

#ifdef CONFIG_X86_64
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
	return walk_from_entry(regs, ret);
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
#endif
	return trace_next(ret);
}

/**
 * callsite_next_module() - walk over all modules there are
 * @mod: the last one, or NULL
 *
 * The list's head is no module; it lies in the kernel's data, not where
 * modules do.
 * Context: preemption off.
 * Return: the next module, in any state; NULL behind the last.
 */
struct module *callsite_next_module(struct module *mod)
{
	struct list_head *entry = mod ? READ_ONCE(mod->list.next) : &THIS_MODULE->list;

	if (mod && entry == &THIS_MODULE->list)
		return NULL;
	if ((unsigned long)entry < MODULES_VADDR || (unsigned long)entry >= MODULES_END)
		entry = READ_ONCE(entry->next);
	return entry == &THIS_MODULE->list && mod ? NULL : list_entry(entry, struct module, list);
}

/* The module whose text holds @addr.  Preemption off. */
static struct module *module_of(unsigned long addr)
{
	struct module *mod;

	for (mod = callsite_next_module(NULL); mod; mod = callsite_next_module(mod))
		if (within_module(addr, mod))
			return mod;
	return NULL;
}

/**
 * callsite_line_text() - "file:line [module] func:function" of a line of the map
 * @hit: the line
 * @text: where to
 *
 * Context: any.
 */
void callsite_line_text(const struct map_hit *hit, char text[CALLSITE_TEXT])
{
	const char *module = mapfile_string(hit->object->name);

	snprintf(text, CALLSITE_TEXT, "%s:%u %s%s%sfunc:%s", mapfile_string(hit->name->file),
		 hit->name->line, *module ? "[" : "", module, *module ? "] " : "",
		 mapfile_string(hit->name->func));
}

/* The text of a callsite whose code is there. */
static void live_text(unsigned long ret, char text[CALLSITE_TEXT])
{
	char name[KSYM_SYMBOL_LEN];
	struct map_hit hit;
	struct module *mod;
	bool cold;

	if (line_of(ret, &hit) && hit.name) {
		callsite_line_text(&hit, text);
		return;
	}
	if (!is_trampoline(ret, name) && !tail_called(ret, name) &&
	    !function_name(ret - 1, name, &cold))
		strscpy(name, "unknown", sizeof(name));
	preempt_disable();
	mod = module_of(ret - 1);
	if (mod)
		snprintf(text, CALLSITE_TEXT, "modules/%s/%s.ko:%u [%s] func:%.63s", mod->name,
			 mod->name, (u32)(ret - compat_module_text(mod)), mod->name, name);
	else
		snprintf(text, CALLSITE_TEXT, "kernel/vmlinux:%u func:%.63s",
			 (u32)(ret - kernel_text), name);
	preempt_enable();
}

static const char unknown_name[] = "modules/unloaded:0 [unloaded] func:unknown";

/* The text of a callsite whose code is gone, or NULL.  A dead tag may be about to get one. */
static const char *saved_text(const struct allocprof_tag *tag)
{
	const char *name = READ_ONCE(tag->name);

	if (!name && (READ_ONCE(tag->key) & TAG_KEY_DEAD))
		return unknown_name;
	return name;
}

/**
 * callsite_identity() - what tells callsites apart, for sorting and grouping
 * @tag: the tag
 * @id: out; equal for tags whose text is the same
 *
 * Several return addresses have the same line where its function was inlined
 * more than once.
 * Context: any.
 */
void callsite_identity(const struct allocprof_tag *tag, struct callsite_id *id)
{
	unsigned long ret = callsite_address(tag->key);

	memset(id, 0, sizeof(*id));
	id->saved = saved_text(tag);
	if (id->saved)
		return;
	if (line_of(ret, &id->line) && id->line.name)
		return;
	id->line.name = NULL;
	id->ret = ret;
}

/**
 * callsite_compare() - an order of callsites
 * @a: one
 * @b: another
 *
 * Lines as the map lists its strings, then what has none, by address.
 * Context: any.
 * Return: 0 if it is the same, else its sign is the order.
 */
int callsite_compare(const struct callsite_id *a, const struct callsite_id *b)
{
	const struct map_name *x = a->line.name, *y = b->line.name;

	if (a->saved != b->saved)
		return a->saved < b->saved ? -1 : 1;
	if (!x != !y)
		return x ? -1 : 1;
	if (!x)
		return a->ret < b->ret ? -1 : a->ret > b->ret;
	if (a->line.object != b->line.object)
		return a->line.object < b->line.object ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->func < y->func ? -1 : x->func > y->func;
}

/**
 * callsite_text() - "file:line [module] func:function" of a tag
 * @tag: the tag
 * @text: where to
 *
 * Where the map has no line the file is a pseudo path and the line the offset
 * of the return address in the kernel's or module's text, unique and greppable.
 * Context: any that has a kilobyte of stack.
 */
void callsite_text(const struct allocprof_tag *tag, char text[CALLSITE_TEXT])
{
	const char *name = saved_text(tag);

	if (name)
		strscpy(text, name, CALLSITE_TEXT);
	else
		live_text(callsite_address(tag->key), text);
}

/* The one copy of a text, so that tags of one callsite share its address. */
static const char *save_name(const char *text)
{
	struct saved_name *saved, *new;

	new = kmalloc(struct_size(new, text, strlen(text) + 1), GFP_KERNEL);
	mutex_lock(&names_lock);
	list_for_each_entry(saved, &names, list)
		if (!strcmp(saved->text, text))
			goto out;
	saved = new;
	if (saved) {
		strcpy(saved->text, text);
		list_add(&saved->list, &names);
		new = NULL;
	}
out:
	mutex_unlock(&names_lock);
	kfree(new);
	return saved ? saved->text : unknown_name;
}

/* As in-tree: memory that a module leaves behind is most likely lost. */
static void report_left_behind(const struct allocprof_tag *tag, const struct module *mod,
			       const char *text)
{
	s64 calls = tag_calls(tag);

	if (control_state() == STATE_ON && calls > 0)
		pr_info("%.*s module %s %s has %llu allocated at module unload\n",
			(int)(strchrnul(text, ' ') - text), text, mod->name,
			strstr(text, "func:") ?: "", calls * tag_unit(tag));
}

/*
 * Saves names and retires the keys of the tags in a module's text: of all of
 * it, or of the init text only, before they go; of a module that has not run
 * yet, what somebody before it has left.
 */
static void retire(const struct module *mod, unsigned long event)
{
	bool init_only = event == MODULE_STATE_LIVE;
	u64 serial = (u64)(atomic_inc_return(&deaths) & 0x3f) << TAG_KEY_DEATH_SHIFT;
	char *text = kmalloc(CALLSITE_TEXT, GFP_KERNEL | __GFP_NOFAIL);
	unsigned long i;

	for (i = ALLOCPROF_TAG_UNCOUNTED + 1; i < ALLOCPROF_TAGS; i++) {
		struct allocprof_tag *tag = tag_by_id(i);
		u64 key = READ_ONCE(tag->key);
		unsigned long addr = callsite_address(key) - 1;

		if (!key || (key & TAG_KEY_DEAD))
			continue;
		if (!within_module_init(addr, mod) &&
		    (init_only || !within_module_core(addr, mod)))
			continue;
		if (event == MODULE_STATE_COMING) {
			WRITE_ONCE(tag->name, unknown_name);
		} else {
			live_text(addr + 1, text);
			if (!init_only)
				report_left_behind(tag, mod, text);
			WRITE_ONCE(tag->name, save_name(text));
		}
		if (!init_only)
			atomic_or(TAG_UNLOADED, &tag->flags);
		WRITE_ONCE(tag->key, key | TAG_KEY_DEAD | serial);
	}
	kfree(text);
}

/* Names are saved while the map's lines still belong to the module's addresses. */
static int module_event(struct notifier_block *nb, unsigned long state, void *data)
{
	if (state == MODULE_STATE_UNFORMED)
		return NOTIFY_OK;
	retire(data, state);
	if (state == MODULE_STATE_COMING)
		mapfile_bind(data);
	else
		mapfile_unbind(data, state == MODULE_STATE_LIVE);
	return NOTIFY_OK;
}

static struct notifier_block module_notifier = { .notifier_call = module_event };

/**
 * callsite_report_losses() - debug=1: name each callsite that lost an allocation
 *
 * Context: the refill work; sleeps.  Says each callsite once.
 */
void callsite_report_losses(void)
{
	char text[CALLSITE_TEXT];
	unsigned long i;

	if (!allocprof_debug)
		return;
	for (i = 0; i < ALLOCPROF_TAGS; i++) {
		struct allocprof_tag *tag = tag_by_id(i);

		if ((atomic_read(&tag->flags) & (TAG_INACCURATE | TAG_REPORTED)) != TAG_INACCURATE)
			continue;
		atomic_or(TAG_REPORTED, &tag->flags);
		callsite_text(tag, text);
		pr_info("not all allocations were accounted: %s\n", text);
	}
}

/*
 * The kernel's text starts at a multiple of its KASLR alignment and has
 * symbols from there on: step down from a known function until there is none.
 */
static unsigned long find_kernel_text(void)
{
	unsigned long addr = ALIGN_DOWN((unsigned long)&kfree, SZ_2M);
	char name[KSYM_SYMBOL_LEN];
	bool cold;

	while (function_name(addr - SZ_2M, name, &cold))
		addr -= SZ_2M;
	return addr;
}

/**
 * callsite_begin() - profiling is about to be switched on
 *
 * Context: no hook attached; sleeps.
 */
void callsite_begin(void)
{
	bool map = mapfile_bytes();

	if (map == map_decides)
		return;
	tagtable_forget_classes();
	map_decides = map;
}

/**
 * callsite_kernel_text() - first byte of the kernel's text
 *
 * Context: any, after callsite_init().
 */
unsigned long callsite_kernel_text(void)
{
	return kernel_text;
}

/**
 * callsite_init() - start following modules
 *
 * Context: module load, tag table ready, hooks not attached; sleeps.
 * Return: 0; or an error of register_module_notifier(), with a line in the log.
 */
int callsite_init(void)
{
	int err;

	kernel_text = find_kernel_text();
	err = register_module_notifier(&module_notifier);
	if (err)
		pr_err("not loaded: cannot follow modules that come and go (error %d)\n", err);
	return err;
}

/**
 * callsite_exit() - stop following modules, free saved names
 *
 * Context: module unload, hooks gone, nobody reads tags; sleeps.
 */
void callsite_exit(void)
{
	struct saved_name *saved, *next;

	unregister_module_notifier(&module_notifier);
	list_for_each_entry_safe(saved, next, &names, list)
		kfree(saved);
	INIT_LIST_HEAD(&names);
	mapfile_unload();
	map_decides = false;
}
