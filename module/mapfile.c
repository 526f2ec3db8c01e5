// SPDX-License-Identifier: GPL-2.0
/*
 * The running kernel's line map, and which loaded modules it knows.
 *
 * A map is taken only whole, well-formed and of this very build: its kernel's
 * build-id must be that of /sys/kernel/notes, and what it says of a module is
 * used only where the note in the module's read-only data is the same, and
 * there are calls in its text where the map's writer thought that they lie.
 * Without a map, or for a module that it does not know, callsites have the
 * names of the kernel's symbols.
 *
 * Notes on locking and lifetime
 *
 * A map is published once, by the store to "loaded", and stays until we
 * unload: whoever has a pointer into it needs no lock.  bind_lock (mutex)
 * guards the list of bindings against each other's change; look-ups walk it
 * under RCU, in any context.  A binding goes before its module's text does.
 */
#include <linux/device.h>
#include <linux/elf.h>
#include <linux/firmware.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "callsite_name.h"
#include "mapfile.h"
#include "readfile.h"

#define NOTE_BUILD_ID	3	/* the type of the note, among those named "GNU" */

struct binding {
	struct list_head list;
	struct rcu_head rcu;
	const struct module *mod;
	const struct map_object *object;
	struct compat_part text, init;
};

static LIST_HEAD(bindings);
static DEFINE_MUTEX(bind_lock);

static u8 kernel_id[MAP_BUILD_ID];
static bool have_id;
static const struct firmware *firmware;
static struct linemap map;
static bool loaded;
/* Why there is none. */
static char why[96] = "not looked for yet";

static bool map_loaded(void)
{
	return smp_load_acquire(&loaded);	/* pairs with mapfile_load() */
}

/* The GNU build-id among ELF notes; false: none of the usual length. */
static bool find_build_id(const u32 *note, ssize_t len, u8 id[MAP_BUILD_ID])
{
	while (len >= (ssize_t)sizeof(struct elf32_note)) {
		const struct elf32_note *n = (const void *)note;
		size_t name = ALIGN((u64)n->n_namesz, 4), desc = ALIGN((u64)n->n_descsz, 4);
		size_t size = sizeof(*n) + name + desc;

		if (name > len || desc > len || size > len)
			return false;
		if (n->n_type == NOTE_BUILD_ID && n->n_namesz == 4 &&
		    n->n_descsz == MAP_BUILD_ID && !memcmp(n + 1, "GNU", 4)) {
			memcpy(id, (const u8 *)(n + 1) + name, MAP_BUILD_ID);
			return true;
		}
		len -= size;
		note += size / sizeof(*note);
	}
	return false;
}

/* Does the module hold the note that the map expects, where it expects it? */
static bool same_build(const struct module *mod, const struct map_object *object)
{
	u32 note[(sizeof(struct elf32_note) + sizeof("GNU") + MAP_BUILD_ID) / sizeof(u32)];
	struct compat_part rodata = compat_module_rodata(mod);
	u8 id[MAP_BUILD_ID];

	return object->note <= rodata.size &&
	       !copy_from_kernel_nofault(note, (void *)(rodata.start + object->note),
					 sizeof(note)) &&
	       find_build_id(note, sizeof(note), id) &&
	       !memcmp(id, object->build_id, MAP_BUILD_ID);
}

static struct binding *binding_of(const struct module *mod)
{
	struct binding *b;

	list_for_each_entry(b, &bindings, list)
		if (b->mod == mod)
			return b;
	return NULL;
}

/*
 * Does this kernel's loader put a module's sections where the map's writer
 * thought?  Of the first calls that the map has there must be most: few are by
 * a pointer, in an instruction of another length.
 */
static bool same_layout(const struct module *mod, const struct map_object *object)
{
#ifdef CONFIG_X86_64
	struct compat_part text = compat_module_text(mod);
	u32 i, calls = 0, sites = min(object->sites - object->init_sites, 32U);
	u8 opcode;

	for (i = 0; i < sites; i++) {
		u32 offset = map.sites[object->site + i].offset;

		calls += offset >= 5 && offset <= text.size &&
			 !copy_from_kernel_nofault(&opcode, (void *)(text.start + offset - 5), 1) &&
			 opcode == 0xe8;
	}
	return 2 * calls >= sites;
#else
	return true;
#endif
}

/* Fills in @b if the map knows the module; any context in which @mod stays. */
static bool match(struct binding *b, const struct module *mod)
{
	const struct map_object *object;

	/* Several builds of one module may be known: one of the kernel's, one of dkms. */
	for (object = linemap_module(&map, mod->name); object && !same_build(mod, object); )
		object = linemap_same_name(&map, object);
	if (!object || !same_layout(mod, object))
		return false;
	b->object = object;
	b->mod = mod;
	b->text = compat_module_text(mod);
	b->init = compat_module_init_text(mod);
	return true;
}

static void drop_binding(struct binding *b)
{
	list_del_rcu(&b->list);
	kfree_rcu(b, rcu);
}

static bool overlap(struct compat_part a, struct compat_part b)
{
	return a.start < b.start + b.size && b.start < a.start + a.size;
}

/*
 * A module whose load failed before our notifier was asked has left without a
 * word; somebody else lives at its addresses now.
 */
static void drop_stale(const struct module *mod)
{
	struct compat_part text = compat_module_text(mod), init = compat_module_init_text(mod);
	struct binding *b, *next;

	list_for_each_entry_safe(b, next, &bindings, list)
		if (b->mod == mod || overlap(b->text, text) || overlap(b->text, init) ||
		    overlap(b->init, text) || overlap(b->init, init))
			drop_binding(b);
}

/**
 * mapfile_bind() - a module is there: its addresses have lines from now on
 * @mod: the module, its sections in place
 *
 * Context: module notifier; sleeps.  Without memory the module has no lines.
 */
void mapfile_bind(struct module *mod)
{
	struct binding *b;

	if (!map_loaded())
		return;
	b = kzalloc(sizeof(*b), GFP_KERNEL);
	if (!b)
		return;
	mutex_lock(&bind_lock);
	drop_stale(mod);
	if (match(b, mod)) {
		list_add_rcu(&b->list, &bindings);
		b = NULL;
	}
	mutex_unlock(&bind_lock);
	kfree(b);
}

/**
 * mapfile_unbind() - a module's text, or init text, is about to go
 * @mod: the module
 * @init_only: just its init text
 *
 * Context: module notifier; sleeps.
 */
void mapfile_unbind(const struct module *mod, bool init_only)
{
	struct binding *b;

	mutex_lock(&bind_lock);
	b = binding_of(mod);
	if (b && init_only)
		WRITE_ONCE(b->init.size, 0);
	else if (b)
		drop_binding(b);
	mutex_unlock(&bind_lock);
}

/*
 * Modules that are there already.  Their list is the kernel's own; one that
 * is leaving stays in memory as long as preemption is off here, and a notifier
 * takes its binding away again.
 */
static void bind_present(void)
{
	unsigned int n = 0, room = 0;
	struct binding **made;
	struct module *mod;

	mutex_lock(&bind_lock);
	/* Those that come while we count are bound by the notifier. */
	preempt_disable();
	for (mod = callsite_next_module(NULL); mod; mod = callsite_next_module(mod))
		room++;
	preempt_enable();
	made = kvcalloc(room, sizeof(*made), GFP_KERNEL);
	while (made && n < room && (made[n] = kzalloc(sizeof(**made), GFP_KERNEL)))
		n++;
	room = n;
	n = 0;
	preempt_disable();
	for (mod = callsite_next_module(NULL); mod; mod = callsite_next_module(mod)) {
		if (n == room)
			break;
		if (mod->state != MODULE_STATE_LIVE && mod->state != MODULE_STATE_COMING)
			continue;
		if (binding_of(mod) || !match(made[n], mod))
			continue;
		if (mod->state == MODULE_STATE_LIVE)
			made[n]->init.size = 0;
		list_add_rcu(&made[n++]->list, &bindings);
	}
	preempt_enable();
	while (n < room)
		kfree(made[n++]);
	kvfree(made);
	mutex_unlock(&bind_lock);
}

static const char *take(const struct firmware *fw)
{
	const char *wrong = linemap_open(&map, fw->data, fw->size);

	if (wrong)
		return wrong;
	if (memcmp(map.objects->build_id, kernel_id, MAP_BUILD_ID))
		return "of another kernel build";
	if (map.header->anchor != (unsigned long)&kfree - callsite_kernel_text())
		return "of a kernel that is laid out otherwise";
	return NULL;
}

/**
 * mapfile_init() - ask the kernel for its build-id
 *
 * Now, as whoever switches on is in the midst of a write to a file of just
 * such a file system, which must not wait for another of its files.
 * Context: module load; sleeps.
 */
void __init mapfile_init(void)
{
	static u32 notes[SZ_4K / sizeof(u32)] __initdata;

	have_id = find_build_id(notes, readfile("/sys/kernel/notes", notes, SZ_4K), kernel_id);
}

/**
 * mapfile_load() - look for the running kernel's map, if there is none yet
 *
 * What is found is said in one line; what is not leaves the names of symbols.
 * Context: sleeps; serialised by control.c's mutex.
 */
void mapfile_load(void)
{
	char name[sizeof("allocprof/.map") + 2 * MAP_BUILD_ID];
	struct device *dev;
	const char *wrong;
	int err;

	if (map_loaded())
		return;
	if (!have_id) {
		strscpy(why, "no build-id of this kernel in /sys/kernel/notes", sizeof(why));
		return;
	}
	snprintf(name, sizeof(name), "allocprof/%*phN.map", MAP_BUILD_ID, kernel_id);
	/* For its name in the loader's messages; there is no device behind it. */
	dev = root_device_register("allocprof");
	if (IS_ERR(dev))
		return;
	err = request_firmware_direct(&firmware, name, dev);
	root_device_unregister(dev);
	if (err == -ENOENT) {
		snprintf(why, sizeof(why), "no /lib/firmware/%s", name);
		return;
	}
	/* One without a byte in it is an error to the loader. */
	wrong = err ? "not readable" : take(firmware);
	if (wrong) {
		snprintf(why, sizeof(why), "/lib/firmware/%.30s... is %s", name, wrong);
		pr_warn("callsites have no lines: /lib/firmware/%s is %s; build it again by 'allocprof map build'\n",
			name, wrong);
		release_firmware(firmware);
		firmware = NULL;
		return;
	}
	smp_store_release(&loaded, true);	/* pairs with map_loaded() */
	bind_present();
	pr_info("callsites have lines, from /lib/firmware/%s\n", name);
}

/**
 * mapfile_unload() - forget the map
 *
 * Context: module unload, hooks, files and module notifier gone; sleeps.
 */
void mapfile_unload(void)
{
	struct binding *b, *next;

	list_for_each_entry_safe(b, next, &bindings, list)
		kfree(b);
	INIT_LIST_HEAD(&bindings);
	loaded = false;
	release_firmware(firmware);
	firmware = NULL;
}

static bool hit_at(const struct map_object *object, bool init, unsigned long offset,
		   struct map_hit *hit)
{
	const struct map_site *site = linemap_find(&map, object, init, offset);

	if (!site)
		return false;
	hit->object = object;
	hit->name = site->name == MAP_TRANSPARENT ? NULL : &map.names[site->name];
	return true;
}

/**
 * mapfile_find() - what the map says of a return address
 * @ret: the address
 * @hit: out
 *
 * Context: any, NMI included.
 * Return: false if it says nothing.
 */
bool mapfile_find(unsigned long ret, struct map_hit *hit)
{
	unsigned long offset = ret - callsite_kernel_text();
	struct binding *b;
	bool found = false;

	if (!map_loaded())
		return false;
	if (offset <= MODULES_VADDR - callsite_kernel_text())
		return hit_at(map.objects, false, offset, hit);
	rcu_read_lock();
	list_for_each_entry_rcu(b, &bindings, list) {
		/* A return address may be the first byte behind. */
		if (ret - 1 - b->text.start < b->text.size)
			found = hit_at(b->object, false, ret - b->text.start, hit);
		else if (ret - 1 - b->init.start < READ_ONCE(b->init.size))
			found = hit_at(b->object, true, ret - b->init.start, hit);
		else
			continue;
		break;
	}
	rcu_read_unlock();
	return found;
}

/**
 * mapfile_outer() - the function that a line's function was inlined into
 * @name: a line
 *
 * Context: any.
 * Return: the line in it; NULL if it is a function of its own.
 */
const struct map_name *mapfile_outer(const struct map_name *name)
{
	return name->outer ? &map.names[name->outer - 1] : NULL;
}

/**
 * mapfile_string() - text of a string of the map
 * @offset: as found in it
 *
 * Context: any; the text stays until we unload.
 */
const char *mapfile_string(u32 offset)
{
	return linemap_string(&map, offset);
}

static void visit_object(const struct map_object *object,
			 void (*visit)(const struct map_hit *hit, void *data), void *data)
{
	struct map_hit hit = { .object = object };
	u32 i, name;

	for (i = 0; i < object->sites; i++) {
		name = map.sites[object->site + i].name;
		if (name == MAP_TRANSPARENT)
			continue;
		hit.name = &map.names[name];
		visit(&hit, data);
	}
}

/**
 * mapfile_for_each() - every line that the kernel and its modules have
 * @visit: called for each call that allocates, so more than once for a line
 * @data: for @visit
 *
 * Context: sleeps; @visit may not.
 */
void mapfile_for_each(void (*visit)(const struct map_hit *hit, void *data), void *data)
{
	struct binding *b;

	if (!map_loaded())
		return;
	visit_object(map.objects, visit, data);
	mutex_lock(&bind_lock);
	list_for_each_entry(b, &bindings, list)
		visit_object(b->object, visit, data);
	mutex_unlock(&bind_lock);
}

/**
 * mapfile_sites() - an upper limit of how often mapfile_for_each() visits
 *
 * Context: any.
 */
size_t mapfile_sites(void)
{
	return map_loaded() ? map.header->sites : 0;
}

/**
 * mapfile_bytes() - memory of the map, in bytes
 *
 * Context: any.
 */
size_t mapfile_bytes(void)
{
	return map_loaded() ? firmware->size : 0;
}

/**
 * mapfile_show() - what is known, for /proc/allocprof/stats
 * @m: where to
 *
 * Context: sleeps.
 */
void mapfile_show(struct seq_file *m)
{
	unsigned int n = 0;
	struct binding *b;

	if (!map_loaded()) {
		seq_printf(m, "map: none: %s\n", why);
		return;
	}
	mutex_lock(&bind_lock);
	list_for_each_entry(b, &bindings, list)
		n++;
	mutex_unlock(&bind_lock);
	seq_printf(m, "map: %u calls, %u modules of %u loaded\n", map.header->sites, n,
		   map.header->objects - 1);
}
