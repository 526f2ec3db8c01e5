// SPDX-License-Identifier: GPL-2.0
/*
 * Finds in DWARF every call that allocates.
 *
 * The compiler leaves a DW_TAG_call_site for each call, with its return address
 * and the function called, below the inlined functions it was made in.  So the
 * chain of frames at a call is the path to its entry, and no code need be
 * read: files that `objcopy --only-keep-debug` left are enough.
 *
 * The line of a call is the line its macro was used on, as in __LINE__ of the
 * kernel's own profiler.  A call made by a wrapper (transparent.h, *_noprof)
 * that was inlined belongs to the function it was inlined into.
 *
 * `return kmalloc(...)` is a jump, and leaves no return address of its own:
 * what kmalloc() returns to is behind the call of the function that jumped.
 * Such calls are sites as well, with the line of the jump.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"

#define __maybe_unused __attribute__((unused))
#include "../module/transparent.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof(*(a)))
#define MAX_INLINE 64
#define MAX_BLOCKS 512

/* Functions that count as wrappers besides those of transparent.h, and which were met. */
static struct wrapper {
	char *name;
	bool met;
} *extra_wrappers;
static size_t n_extra_wrappers;

/* One name, or several with commas between them, as in the module's parameter. */
void add_wrappers(const char *list)
{
	size_t len;

	for (; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (!len)
			continue;
		extra_wrappers = xrealloc(extra_wrappers, n_extra_wrappers + 1, sizeof(*extra_wrappers));
		extra_wrappers[n_extra_wrappers++] =
			(struct wrapper){ .name = xasprintf("%.*s", (int)len, list) };
	}
}

static bool extra_wrapper(const char *func)
{
	size_t i;

	for (i = 0; i < n_extra_wrappers; i++)
		if (!strcmp(func, extra_wrappers[i].name)) {
			extra_wrappers[i].met = true;
			return true;
		}
	return false;
}

void warn_of_unknown_wrappers(void)
{
	size_t i;

	for (i = 0; i < n_extra_wrappers; i++)
		if (!extra_wrappers[i].met)
			warn("--wrapper %s: neither the kernel nor a module with debug information has such a function",
			     extra_wrappers[i].name);
}

struct frame {
	const char *func;
	const char *file;	/* where it was inlined, in the next frame out */
	uint32_t line;
};

/* A call that may turn out to matter: of a function that jumps to an allocator. */
struct call {
	uint64_t ret;
	uint32_t callee, caller;	/* strings */
	uint32_t name;			/* of a jump */
	uint32_t unit;
	bool jump, global, calls_global;
};

struct collector {
	struct map *map;
	Dwfl_Module *mod;
	struct strings *functions;
	struct call *calls;
	size_t ncalls, calls_room;
	uint32_t unit;

	Dwarf_Die cu;
	Dwarf_Files *files;
	size_t nfiles;
	const char *comp_dir;
	struct frame stack[MAX_INLINE];
	int depth, blocks;
	bool function_global;

	/* Where addresses lie: a kernel's text starts at base; a module's sections by index. */
	uint64_t base;
	size_t nsections;
	struct section {
		bool text, init;
		uint64_t offset;
	} *sections;
	size_t object;
};

static bool transparent(const char *func)
{
	size_t len = strlen(func), i;

	/* What the compiler knows is a direct call. */
	for (i = 0; i < ARRAY_SIZE(half_transparent_names); i++)
		if (!strcmp(func, half_transparent_names[i]))
			return false;
	if (len > 7 && !strcmp(func + len - 7, "_noprof"))
		return true;
	for (i = 0; i < ARRAY_SIZE(transparent_names); i++)
		if (!strcmp(func, transparent_names[i]))
			return true;
	return extra_wrapper(func);
}

/* What the assembler knew it by: kmemdup() is declared under another name as well. */
static const char *function_called(Dwarf_Die *origin)
{
	Dwarf_Attribute at;
	const char *name = NULL;

	if (dwarf_attr_integrate(origin, DW_AT_linkage_name, &at))
		name = dwarf_formstring(&at);
	return name ? name : dwarf_diename(origin);
}

/* As the compiler was given it: relative to where it ran. */
static const char *relative(const struct collector *c, const char *file)
{
	size_t len = c->comp_dir ? strlen(c->comp_dir) : 0;

	if (len && !strncmp(file, c->comp_dir, len) && file[len] == '/')
		return file + len + 1;
	return file;
}

static const char *file_of(struct collector *c, Dwarf_Word index)
{
	const char *file = NULL;

	if (c->files && index < c->nfiles)
		file = dwarf_filesrc(c->files, index, NULL, NULL);
	return file ? relative(c, file) : "unknown";
}

static bool number(Dwarf_Die *die, unsigned int attr, Dwarf_Word *value)
{
	Dwarf_Attribute at;

	return dwarf_attr(die, attr, &at) && !dwarf_formudata(&at, value);
}

/*
 * The name of the call at @pc by the functions it was made in, innermost first:
 * the first that is no wrapper.  Outer frames come before inner ones in the
 * table.  MAP_TRANSPARENT if all are wrappers.
 */
static uint32_t name_of_call(struct collector *c, uint64_t pc)
{
	Dwarf_Line *src = dwarf_getsrc_die(&c->cu, pc);
	const char *inner_file = "unknown", *file;
	uint32_t name = MAP_TRANSPARENT, outer = 0;
	int inner_line = 0, i, first;

	if (src) {
		const char *f = dwarf_linesrc(src, NULL, NULL);

		inner_file = f ? relative(c, f) : inner_file;
		dwarf_lineno(src, &inner_line);
	}
	for (first = c->depth - 1; first >= 0; first--)
		if (!transparent(c->stack[first].func))
			break;
	for (i = 0; i <= first; i++) {
		uint32_t line = i + 1 < c->depth ? c->stack[i + 1].line : (uint32_t)inner_line;

		file = i + 1 < c->depth ? c->stack[i + 1].file : inner_file;
		name = map_add_name(c->map, file, c->stack[i].func, line, outer);
		outer = name + 1;
	}
	return name;
}

/* Into the object's sites; what lies in no text that stays is left out. */
static void add_site(struct collector *c, uint64_t ret, uint32_t name)
{
	GElf_Addr addr = ret - 1;
	struct section *section;
	Elf32_Word shndx;
	int i;

	if (c->base) {
		map_add_site(&c->map->text[c->object], ret - c->base, name);
		return;
	}
	i = dwfl_module_relocate_address(c->mod, &addr);
	if (i < 0 || !dwfl_module_relocation_info(c->mod, i, &shndx) || shndx >= c->nsections)
		return;
	section = &c->sections[shndx];
	if (!section->text)
		return;
	map_add_site(section->init ? &c->map->init[c->object] : &c->map->text[c->object],
		     section->offset + addr + 1, name);
}

static void add_call(struct collector *c, const struct call *call)
{
	if (c->ncalls == c->calls_room) {
		c->calls_room = c->calls_room ? c->calls_room * 2 : 4096;
		c->calls = xrealloc(c->calls, c->calls_room, sizeof(*c->calls));
	}
	c->calls[c->ncalls++] = *call;
}

static bool is_global(Dwarf_Die *function)
{
	Dwarf_Attribute at;
	bool flag;

	return dwarf_attr_integrate(function, DW_AT_external, &at) && !dwarf_formflag(&at, &flag) && flag;
}

static void call_site(struct collector *c, Dwarf_Die *die)
{
	Dwarf_Attribute at;
	Dwarf_Die origin;
	struct call call = { .unit = c->unit, .name = MAP_TRANSPARENT };
	const char *callee;
	Dwarf_Addr ret;
	bool flag;

	if (!dwarf_attr(die, DW_AT_call_return_pc, &at) && !dwarf_attr(die, DW_AT_low_pc, &at))
		return;
	if (dwarf_formaddr(&at, &ret))
		return;
	if (!dwarf_attr(die, DW_AT_call_origin, &at) && !dwarf_attr(die, DW_AT_abstract_origin, &at))
		return;
	if (!dwarf_formref_die(&at, &origin) || !(callee = function_called(&origin)))
		return;
	call.ret = ret;
	call.jump = (dwarf_attr(die, DW_AT_call_tail_call, &at) ||
		     dwarf_attr(die, DW_AT_GNU_tail_call, &at)) &&
		    !dwarf_formflag(&at, &flag) && flag;
	/* Compaction takes pages beside the allocator, but marks the wrappers that do. */
	if (transparent(callee) ||
	    (!strcmp(callee, "post_alloc_hook") && transparent(c->stack[c->depth - 1].func))) {
		call.name = name_of_call(c, ret - 1);
		if (!call.jump) {
			add_site(c, ret, call.name);
			return;
		}
		/* From one wrapper into the next: the caller is known to call a wrapper. */
		if (call.name == MAP_TRANSPARENT)
			return;
	}
	call.callee = strings_add(c->functions, callee);
	call.caller = strings_add(c->functions, c->stack[0].func);
	call.global = c->function_global;
	call.calls_global = is_global(&origin);
	add_call(c, &call);
}

static void walk(struct collector *c, Dwarf_Die *parent)
{
	Dwarf_Die die;
	Dwarf_Word file, line;
	const char *func;

	if (dwarf_child(parent, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_call_site:
		case DW_TAG_GNU_call_site:
			call_site(c, &die);
			break;
		case DW_TAG_inlined_subroutine:
			func = dwarf_diename(&die);
			if (!func || c->depth == MAX_INLINE)
				break;
			if (!number(&die, DW_AT_call_file, &file))
				file = 0;
			if (!number(&die, DW_AT_call_line, &line))
				line = 0;
			c->stack[c->depth++] = (struct frame){ func, file_of(c, file), line };
			walk(c, &die);
			c->depth--;
			break;
		case DW_TAG_lexical_block:
			/* No compiler nests them like that. */
			if (c->blocks == MAX_BLOCKS)
				break;
			c->blocks++;
			walk(c, &die);
			c->blocks--;
			break;
		}
	} while (!dwarf_siblingof(&die, &die));
}

static void walk_functions(struct collector *c, Dwarf_Die *parent)
{
	Dwarf_Die die;
	const char *func;

	if (dwarf_child(parent, &die))
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_namespace) {
			if (c->blocks++ < MAX_BLOCKS)
				walk_functions(c, &die);
			c->blocks--;
			continue;
		}
		/*
		 * Those without code of their own, too: gcc leaves a call in a block that it
		 * moved out of line in the function that all copies refer to.
		 */
		if (tag != DW_TAG_subprogram)
			continue;
		func = dwarf_diename(&die);
		if (!func)
			continue;
		c->function_global = is_global(&die);
		if (n_extra_wrappers && !dwarf_hasattr(&die, DW_AT_declaration))
			extra_wrapper(func);
		c->stack[0] = (struct frame){ .func = func };
		c->depth = 1;
		walk(c, &die);
	} while (!dwarf_siblingof(&die, &die));
}

/*
 * Functions that jump to an allocator, and functions that jump to these, until
 * there are no more; then the calls of all of them.  A static function is
 * another in each unit.
 */
static bool same_function(const struct call *call, const struct call *jump)
{
	return call->callee == jump->caller && call->calls_global == jump->global &&
	       (jump->global || call->unit == jump->unit);
}

static void follow_jumps(struct collector *c)
{
	struct call **jump = NULL;
	size_t n = 0, room = 0, i, j;

	for (i = 0; i < c->ncalls; i++)
		if (c->calls[i].name != MAP_TRANSPARENT) {
			if (n == room)
				jump = xrealloc(jump, room = room ? room * 2 : 64, sizeof(*jump));
			jump[n++] = &c->calls[i];
		}
	for (j = 0; j < n; j++)
		for (i = 0; i < c->ncalls; i++) {
			struct call *call = &c->calls[i];

			if (!same_function(call, jump[j]))
				continue;
			if (call->name != MAP_TRANSPARENT) {
				c->map->ambiguous += call->name != jump[j]->name;
				continue;
			}
			call->name = jump[j]->name;
			if (!call->jump) {
				add_site(c, call->ret, call->name);
				continue;
			}
			if (n == room)
				jump = xrealloc(jump, room *= 2, sizeof(*jump));
			jump[n++] = call;
		}
	free(jump);
}

/*
 * Where the module loader will put a module's sections: executable ones one
 * after the other, init text apart, then read-only data likewise.  The
 * loader's rules are those of layout_sections() in kernel/module/main.c.
 */
static uint32_t lay_out(struct collector *c, Elf *elf, const char *path)
{
	uint64_t text = 0, init = 0, data = 0, note = ~0ULL;
	Elf_Scn *scn = NULL;
	size_t strndx;

	elf_getshdrnum(elf, &c->nsections);
	c->sections = calloc(c->nsections, sizeof(*c->sections));
	if (!c->sections || elf_getshdrstrndx(elf, &strndx))
		die("%s: cannot read its sections", path);
	while ((scn = elf_nextscn(elf, scn))) {
		struct section *s = &c->sections[elf_ndxscn(scn)];
		uint64_t align, *end;
		const char *name;
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || !(name = elf_strptr(elf, strndx, sh.sh_name)))
			continue;
		if (!(sh.sh_flags & SHF_ALLOC) || !strcmp(name, ".modinfo") ||
		    !strncmp(name, "__version", 9))
			continue;
		s->init = !strncmp(name, ".init", 5);
		s->text = sh.sh_flags & SHF_EXECINSTR;
		if (s->text)
			end = s->init ? &init : &text;
		else if (!(sh.sh_flags & SHF_WRITE) && !s->init)
			end = &data;
		else
			continue;
		align = sh.sh_addralign ? sh.sh_addralign : 1;
		s->offset = (*end + align - 1) / align * align;
		*end = s->offset + sh.sh_size;
		if (!strcmp(name, ".note.gnu.build-id"))
			note = s->offset;
	}
	return note > UINT32_MAX ? UINT32_MAX : (uint32_t)note;
}

/* "xt-foo.ko.xz" -> "xt_foo" */
static char *module_name(const char *path)
{
	const char *base = strrchr(path, '/');
	char *name = xasprintf("%s", base ? base + 1 : path), *p;

	p = strstr(name, ".ko");
	if (p)
		*p = '\0';
	for (p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	return name;
}

static bool symbol(Dwfl_Module *mod, const char *want, uint64_t *value)
{
	int i, n = dwfl_module_getsymtab(mod);
	const char *name;
	GElf_Sym sym;

	for (i = 1; i < n; i++) {
		name = dwfl_module_getsym(mod, i, &sym, NULL);
		if (name && sym.st_shndx != SHN_UNDEF && !strcmp(name, want)) {
			*value = sym.st_value;
			return true;
		}
	}
	return false;
}

static int open_object(struct collector *c, const char *path, bool kernel)
{
	struct map *map = c->map;
	const void *id;
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(c->mod, &bias);
	ssize_t len;
	char *name;

	if (!elf) {
		warn("%s: %s", path, dwfl_errmsg(-1));
		return -1;
	}
	len = dwelf_elf_gnu_build_id(elf, &id);
	if (len != MAP_BUILD_ID) {
		warn("%s: no build-id of %d bytes in it, so the running kernel cannot tell that it is the right one",
		     path, MAP_BUILD_ID);
		return -1;
	}
	if (kernel) {
		uint64_t kfree_addr;

		if (!symbol(c->mod, "_text", &c->base) || !symbol(c->mod, "kfree", &kfree_addr)) {
			warn("%s: no symbols _text and kfree; is this a vmlinux?", path);
			return -1;
		}
		map->anchor = kfree_addr - c->base;
		c->object = map_add_object(map, "", id, 0);
		return 0;
	}
	name = module_name(path);
	c->object = map_add_object(map, name, id, lay_out(c, elf, path));
	free(name);
	return 0;
}

/*
 * Everything is in the one file given; what a file refers to elsewhere is not
 * looked for.
 */
static int no_debuginfo(Dwfl_Module *mod, void **user, const char *modname, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word crc, char **found)
{
	return -1;
}

int map_collect(struct map *map, const char *path, bool kernel)
{
	static const Dwfl_Callbacks callbacks = {
		.section_address = dwfl_offline_section_address,
		.find_debuginfo = no_debuginfo,
	};
	struct collector c = { .map = map };
	Dwarf_CU *cu = NULL;
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwarf *dwarf;
	GElf_Addr bias;
	uint8_t type;
	int err = -1;

	if (!dwfl)
		die("libdwfl: %s", dwfl_errmsg(-1));
	dwfl_report_begin(dwfl);
	c.mod = dwfl_report_offline(dwfl, "object", path, -1);
	if (!c.mod || dwfl_report_end(dwfl, NULL, NULL)) {
		warn("%s: %s", path, dwfl_errmsg(-1));
		goto out;
	}
	dwarf = dwfl_module_getdwarf(c.mod, &bias);
	if (!dwarf) {
		if (kernel)
			warn("%s: no debug information in it (%s)", path, dwfl_errmsg(-1));
		err = 1;
		goto out;
	}
	if (open_object(&c, path, kernel))
		goto out;
	c.functions = strings_new();
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, &type, &c.cu, NULL)) {
		Dwarf_Attribute at;

		if (type != DW_UT_compile)
			continue;
		c.files = NULL;
		c.comp_dir = dwarf_attr(&c.cu, DW_AT_comp_dir, &at) ? dwarf_formstring(&at) : NULL;
		dwarf_getsrcfiles(&c.cu, &c.files, &c.nfiles);
		walk_functions(&c, &c.cu);
		c.unit++;
	}
	follow_jumps(&c);
	err = 0;
out:
	strings_free(c.functions);
	free(c.sections);
	free(c.calls);
	dwfl_end(dwfl);
	return err;
}
