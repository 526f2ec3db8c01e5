/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A line map: for one kernel build, the source line of every call that
 * allocates.  Written by `allocprof map build` (tools/map_write.c), read by
 * linemap.c, which is compiled into the module and into the tool.
 *
 * The file is a header, then the four tables below in this order, each without
 * gaps; all numbers are little-endian and 32 bits wide.  A reader refuses what
 * it does not know: there is one version, and nothing optional.
 */
#ifndef _ALLOCPROF_MAPFORMAT_H
#define _ALLOCPROF_MAPFORMAT_H

#include <linux/types.h>

#define MAP_MAGIC	"allocmap"	/* 8 bytes, no terminator in the file */
#define MAP_VERSION	1
#define MAP_BUILD_ID	20		/* bytes of a SHA-1 build-id */
#define MAP_SIZE_MAX	(64U << 20)

/**
 * struct map_header - the first bytes of the file
 * @magic: MAP_MAGIC
 * @version: MAP_VERSION
 * @crc: CRC-32 (that of zlib) of everything behind this field
 * @size: of the whole file, in bytes
 * @objects: entries in the table of objects; the first is the kernel
 * @sites: entries in the table of sites
 * @names: entries in the table of names
 * @strings: bytes of strings; the last one is 0
 * @anchor: distance of kfree() from the kernel's first byte of text, to check
 *	that writer and reader count from the same byte
 */
struct map_header {
	char magic[8];
	__u32 version;
	__u32 crc;
	__u32 size;
	__u32 objects;
	__u32 sites;
	__u32 names;
	__u32 strings;
	__u32 anchor;
};

/**
 * struct map_object - the kernel, or one module
 * @name: string: "" or the module's name as in /proc/modules; the modules are
 *	in the order of their names
 * @build_id: its GNU build-id
 * @note: where the note with the build-id lies in the module's read-only data
 * @site: its first entry in the table of sites
 * @sites: how many are its own
 * @init_sites: and how many of these, the last ones, lie in a module's init text
 * @spare: 0
 */
struct map_object {
	__u32 name;
	__u8 build_id[MAP_BUILD_ID];
	__u32 note;
	__u32 site;
	__u32 sites;
	__u32 init_sites;
	__u32 spare;
};

/**
 * struct map_site - one call of a function that hands out memory
 * @offset: return address, from the first byte of the object's text (or init
 *	text); ascending
 * @name: its entry in the table of names; MAP_TRANSPARENT: the caller is a
 *	wrapper itself, and its own caller the callsite
 */
struct map_site {
	__u32 offset;
	__u32 name;
};

#define MAP_TRANSPARENT	(~0U)

/**
 * struct map_name - one line of source
 * @file: string: path as the compiler was given it
 * @func: string: function, or inlined function
 * @line: from 1
 * @outer: where that function was inlined into another: that one's entry plus
 *	1, which is less than this entry's own; else 0
 */
struct map_name {
	__u32 file;
	__u32 func;
	__u32 line;
	__u32 outer;
};

#endif /* _ALLOCPROF_MAPFORMAT_H */
