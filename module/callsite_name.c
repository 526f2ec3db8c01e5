// SPDX-License-Identifier: GPL-2.0
/*
 * What a callsite is called, and what becomes of that when its module goes.
 *
 * Notes on locking and lifetime
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
#include <linux/slab.h>
#include <linux/string.h>

#include "callsite.h"
#include "callsite_name.h"
#include "control.h"
#include "frame.h"
#include "lostsites.h"
#include "mapfile.h"
#include "tagtable.h"

struct saved_name {
	struct list_head list;
	char text[];
};

static LIST_HEAD(names);
static DEFINE_MUTEX(names_lock);

/* First byte of the kernel's text, for offsets that KASLR does not change. */
static unsigned long kernel_text;

/* The list's head is no module; it lies in the kernel's data, not where modules do. */
static bool is_module(const struct list_head *entry)
{
#ifdef CONFIG_ARM64
	return !frame_head_of_modules(entry);
#else
	return (unsigned long)entry >= MODULES_VADDR && (unsigned long)entry < MODULES_END;
#endif
}

/**
 * callsite_next_module() - walk over all modules there are
 * @mod: the last one, or NULL
 *
 * Context: preemption off.
 * Return: the next module, in any state; NULL behind the last.
 */
struct module *callsite_next_module(struct module *mod)
{
	struct list_head *entry = mod ? READ_ONCE(mod->list.next) : &THIS_MODULE->list;

	if (mod && entry == &THIS_MODULE->list)
		return NULL;
	if (!is_module(entry))
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
 * callsite_of_kernel() - is this address the kernel's, and no module's?
 * @addr: of code
 *
 * Context: any.
 */
bool callsite_of_kernel(unsigned long addr)
{
	bool of_module;

	preempt_disable();
	of_module = module_of(addr);
	preempt_enable();
	return !of_module;
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

	if (callsite_line(ret, &hit) && hit.name) {
		callsite_line_text(&hit, text);
		return;
	}
	callsite_function(ret, name);
	preempt_disable();
	mod = module_of(ret - 1);
	if (mod)
		snprintf(text, CALLSITE_TEXT, "modules/%s/%s.ko:%u [%s] func:%.63s", mod->name,
			 mod->name, (u32)(ret - compat_module_text(mod).start), mod->name, name);
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
 * callsite_identity_at() - the same as callsite_identity() where there is no tag
 * @ret: return address; its code is there
 * @id: out
 *
 * Context: any.
 */
void callsite_identity_at(unsigned long ret, struct callsite_id *id)
{
	memset(id, 0, sizeof(*id));
	if (callsite_line(ret, &id->line) && id->line.name)
		return;
	id->line.name = NULL;
	id->ret = ret;
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
	if (!id->saved)
		callsite_identity_at(ret, id);
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

/**
 * callsite_text_at() - the same where there is no tag
 * @ret: return address, of lostsites_next()
 * @text: where to
 *
 * Context: any that has a kilobyte of stack.
 */
void callsite_text_at(unsigned long ret, char text[CALLSITE_TEXT])
{
	/* Its module may have gone since. */
	if (lostsites_has(ret))
		live_text(ret, text);
	else
		strscpy(text, unknown_name, CALLSITE_TEXT);
}

/**
 * callsite_has_lost() - has it lost an allocation for want of a tag?
 * @id: the callsite
 *
 * Not only one that has a return address like it: another of the same line will do.
 * Context: any.
 */
bool callsite_has_lost(const struct callsite_id *id)
{
	struct callsite_id other;
	unsigned int at = 0;
	u32 ret;

	if (lostsites_too_many())
		return true;
	while ((ret = lostsites_next(&at))) {
		callsite_identity_at(callsite_address(ret), &other);
		if (!callsite_compare(&other, id))
			return true;
	}
	return false;
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

static bool goes(unsigned long addr, const struct module *mod, bool init_only)
{
	return within_module_init(addr, mod) || (!init_only && within_module_core(addr, mod));
}

static void forget_lost(const struct module *mod, bool init_only)
{
	unsigned int at = 0;
	u32 ret;

	while ((ret = lostsites_next(&at)))
		if (goes(callsite_address(ret) - 1, mod, init_only))
			lostsites_remove(ret);
}

/*
 * Saves names and retires the keys of the tags in a module's text: of all of
 * it, or of the init text only, before they go; of a module that has not run
 * yet, what somebody before it has left.
 */
static void retire(const struct module *mod, unsigned long event)
{
	bool init_only = event == MODULE_STATE_LIVE;
	char *text = kmalloc(CALLSITE_TEXT, GFP_KERNEL | __GFP_NOFAIL);
	unsigned long i;

	for (i = ALLOCPROF_TAGS_RESERVED; i < tagtable_used(); i++) {
		struct allocprof_tag *tag = tag_by_number(i);
		u64 key = READ_ONCE(tag->key);
		unsigned long addr = callsite_address(key) - 1;

		if (!key || (key & TAG_KEY_DEAD))
			continue;
		if (!goes(addr, mod, init_only))
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
		/* It is not known by its address any more. */
		if (lostsites_has(key))
			tag_mark_inaccurate(tag);
		WRITE_ONCE(tag->key, tag_key_dead(key, tag->number));
	}
	forget_lost(mod, init_only);
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
	unsigned int at = 0;
	unsigned long i;
	u32 ret;

	if (!allocprof_debug)
		return;
	while ((ret = lostsites_next_new(&at))) {
		callsite_text_at(callsite_address(ret), text);
		pr_info("not all allocations were accounted: %s\n", text);
	}
	for (i = 0; i < tagtable_used(); i++) {
		struct allocprof_tag *tag = tag_by_number(i);
		u32 flags = atomic_read(&tag->flags);

		if ((flags & (TAG_INACCURATE | TAG_REPORTED | TAG_TRANSPARENT)) != TAG_INACCURATE)
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
	const unsigned long align = IS_ENABLED(CONFIG_ARM64) ? SZ_64K : SZ_2M;
	unsigned long addr = ALIGN_DOWN((unsigned long)&kfree, align);
	char name[KSYM_SYMBOL_LEN];

	/* An address without a symbol is printed as it is. */
	while (sprint_symbol_no_offset(name, addr - align), !strstarts(name, "0x"))
		addr -= align;
	return addr;
}

/**
 * callsite_kernel_text() - first byte of the kernel's text
 *
 * Context: any, after callsite_names_init().
 */
unsigned long callsite_kernel_text(void)
{
	return kernel_text;
}

/**
 * callsite_names_init() - start following modules
 *
 * Context: module load, tag table ready, hooks not attached; sleeps.
 * Return: 0; or an error of register_module_notifier(), with a line in the log.
 */
int callsite_names_init(void)
{
	int err;

	kernel_text = find_kernel_text();
	err = register_module_notifier(&module_notifier);
	if (err)
		pr_err("not loaded: cannot follow modules that come and go (error %d)\n", err);
	return err;
}

/**
 * callsite_names_exit() - stop following modules, free saved names
 *
 * Context: module unload, hooks gone, nobody reads tags; sleeps.
 */
void callsite_names_exit(void)
{
	struct saved_name *saved, *next;

	unregister_module_notifier(&module_notifier);
	list_for_each_entry_safe(saved, next, &names, list)
		kfree(saved);
	INIT_LIST_HEAD(&names);
	mapfile_unload();
}
