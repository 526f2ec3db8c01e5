// SPDX-License-Identifier: GPL-2.0
/*
 * The reader of line maps: a good one, and each kind of damage.  A file is
 * read from a piece of the heap of just its size, so that the address sanitizer
 * sees what is read beyond it; one that is let pass is walked through.
 */
#include <stdlib.h>

#include "unit.h"
#include "linemap_sample.h"

static const char *wrong_with(const void *data, size_t size)
{
	void *copy = malloc(size);
	struct linemap map;
	const char *wrong;

	memcpy(copy, data, size);
	wrong = linemap_open(&map, copy, size);
	if (!wrong)
		linemap_walk(&map);
	free(copy);
	return wrong;
}

/* Refused, and for just that. */
#define CHECK_REFUSED(data, size, why)						\
do {										\
	const char *__wrong = wrong_with(data, size) ?: "well-formed";		\
	if (!strstr(__wrong, why))						\
		unit_fail("%s:%d: '%s' is not '%s'%s", __FILE__, __LINE__,	\
			  __wrong, why, unit_where);				\
} while (0)

/* Likewise: right but for what the test has done to it. */
#define CHECK_WRONG(s, why)							\
do {										\
	sample_seal(s);								\
	CHECK_REFUSED(s, sizeof(*(s)), why);					\
} while (0)

#define CHECK_GOOD(s)								\
do {										\
	sample_seal(s);								\
	CHECK(!wrong_with(s, sizeof(*(s))));					\
} while (0)

/* @value in a field, and the map is refused; as it was, and it is taken. */
#define CHECK_FIELD(s, field, value, why)					\
do {										\
	__typeof__((s)->field) __old = (s)->field;				\
	(s)->field = (value);							\
	CHECK_WRONG(s, why);							\
	(s)->field = __old;							\
	CHECK_GOOD(s);								\
} while (0)

static void well_formed(void)
{
	static const struct {
		int object;
		bool init;
		u32 offset;
		int site;
	} asked[] = {
		{ KERNEL, false, 0x10, 0 }, { KERNEL, false, 0x20, 1 }, { KERNEL, false, 0x35, 2 },
		{ KERNEL, false, ~0U, 3 }, { KERNEL, false, 0, -1 }, { KERNEL, false, 0xf, -1 },
		{ KERNEL, false, 0x11, -1 }, { KERNEL, false, ~0U - 1, -1 },
		/* The first of the next object, and one of its own in the wrong text. */
		{ KERNEL, false, 0x8, -1 }, { KERNEL, true, 0x10, -1 },
		{ EXT4, false, 0x8, 4 }, { EXT4, false, 0x40, 5 }, { EXT4, true, 0x4, 6 },
		{ EXT4, true, 0x40, 7 }, { EXT4, true, 0x8, -1 }, { EXT4, false, 0x4, -1 },
		{ EXT4, false, ~0U, -1 }, { EXT4, true, 0, -1 },
		{ EXT4_AGAIN, false, 0, -1 }, { EXT4_AGAIN, true, 0, -1 },
		{ INIT_ONLY, false, 0, -1 }, { INIT_ONLY, true, 0, 8 }, { INIT_ONLY, true, 1, -1 },
	};
	const struct map_site *found;
	struct linemap map;
	struct sample s;
	unsigned int i;

	sample_init(&s);
	CHECK(!linemap_open(&map, &s, sizeof(s)));
	CHECK(map.header == &s.header && map.objects == s.objects && map.sites == s.sites);
	CHECK(map.names == s.names && map.strings == s.strings);
	for (i = 0; i < ARRAY_SIZE(asked); i++) {
		snprintf(unit_where, sizeof(unit_where), " (question %u)", i);
		found = linemap_find(&map, &map.objects[asked[i].object], asked[i].init,
				     asked[i].offset);
		CHECK_EQ(found ? found - map.sites : -1, asked[i].site);
	}
	CHECK(linemap_module(&map, "ext4") == &map.objects[EXT4]);
	CHECK(linemap_same_name(&map, &map.objects[EXT4]) == &map.objects[EXT4_AGAIN]);
	CHECK(!linemap_same_name(&map, &map.objects[EXT4_AGAIN]));
	CHECK(linemap_module(&map, "init_only") == &map.objects[INIT_ONLY]);
	CHECK(!linemap_same_name(&map, &map.objects[INIT_ONLY]));
	/* The kernel is no module. */
	CHECK(!linemap_module(&map, ""));
	CHECK(!linemap_module(&map, "ext"));
	CHECK(!linemap_module(&map, "ext42"));
	CHECK(!linemap_module(&map, "zram"));
	CHECK(!linemap_module(&map, "aufs"));
	CHECK(!strcmp(linemap_string(&map, map.names[3].func), "kzalloc"));
	CHECK_GOOD(&s);
}

static void every_length(void)
{
	struct {
		struct sample s;
		char more[64];
	} file = {};
	struct sample *s = &file.s;
	u32 size, accepted = 0;

	sample_init(s);
	for (size = 0; size <= sizeof(file); size++) {
		if (size == sizeof(*s))
			continue;
		snprintf(unit_where, sizeof(unit_where), " (size %u)", size);
		CHECK(wrong_with(s, size));
		if (size < sizeof(s->header))
			continue;
		/* It says so itself, but its tables do not end there. */
		s->header.size = size;
		s->header.crc = sample_crc(s, size);
		CHECK_REFUSED(s, size, size < s->header.strings ? "sizes" : "cut short");
		sample_seal(s);
	}
	/* Its tables end where it does, and it says otherwise. */
	s->header.size++;
	s->header.crc = sample_crc(s, sizeof(*s));
	CHECK_REFUSED(s, sizeof(*s), "cut short");
	/* Fewer or more strings: good where one ends. */
	for (size = offsetof(struct sample, strings); size <= sizeof(file); size++) {
		s->header.size = size;
		s->header.strings = size - offsetof(struct sample, strings);
		s->header.crc = sample_crc(s, size);
		if (wrong_with(s, size))
			continue;
		CHECK(size > offsetof(struct sample, strings) && !((char *)&file)[size - 1]);
		accepted++;
	}
	/* Behind the last one that is used, up to where the tail begins; and behind that. */
	CHECK(accepted > sizeof(file.more) + 1);
}

static void every_bit(void)
{
	u32 bit, accepted = 0, refused = 0;
	struct sample s;

	sample_init(&s);
	for (bit = 0; bit < 8 * sizeof(s); bit++) {
		u8 *byte = (u8 *)&s + bit / 8;
		u32 crc = s.header.crc;

		snprintf(unit_where, sizeof(unit_where), " (bit %u of byte %u)", bit % 8, bit / 8);
		*byte ^= 1 << bit % 8;
		if (!wrong_with(&s, sizeof(s)))
			unit_fail("taken with a wrong checksum%s", unit_where);
		s.header.crc = sample_crc(&s, sizeof(s));
		if (wrong_with(&s, sizeof(s)))
			refused++;
		else
			accepted++;
		*byte ^= 1 << bit % 8;
		s.header.crc = crc;
	}
	/* Numbers that mean nothing to the reader: build-ids, lines and the like. */
	CHECK(accepted >= 8 * (SAMPLE_OBJECTS * (MAP_BUILD_ID + 4) + SAMPLE_NAMES * 4 + 4));
	/* Letters may become other letters, but no byte of a number of entries can change. */
	CHECK(refused >= 8 * 7 * 4);
	CHECK_GOOD(&s);
}

/* More than one word at a time. */
static void random_damage(void)
{
	const unsigned int rounds = SCALE(50000, 20000, 20000);
	unsigned int round, i, accepted = 0;
	struct sample s;

	for (round = 0; round < rounds; round++) {
		snprintf(unit_where, sizeof(unit_where), " (round %u)", round);
		sample_init(&s);
		for (i = 1 + random_below(4); i--;) {
			u32 *word = (u32 *)&s.header.objects +
				    random_below((offsetof(struct sample, strings) -
						  offsetof(struct map_header, objects)) / 4);

			/* Near what it was, near another one, or anything. */
			if (random_below(3))
				*word += random_below(9) - 4;
			else
				*word = random_below(2) ? random_below(12) - 2 : unit_random();
		}
		sample_seal(&s);
		accepted += !wrong_with(&s, sizeof(s));
	}
	CHECK(accepted > rounds / 20);
	CHECK(accepted < rounds / 2);
}

static void not_a_map(void)
{
	struct sample s;

	sample_init(&s);
	CHECK_REFUSED(&s, 0, "not a line map");
	CHECK_FIELD(&s, header.magic[0], 'A', "not a line map");
	CHECK_FIELD(&s, header.magic[7], 0, "not a line map");
	CHECK_FIELD(&s, header.version, MAP_VERSION + 1, "another version");
	CHECK_FIELD(&s, header.version, 0, "another version");
	/* The other byte order. */
	CHECK_FIELD(&s, header.version, __builtin_bswap32(MAP_VERSION), "another version");
	s.header.crc ^= 1;
	CHECK_REFUSED(&s, sizeof(s), "checksum");
}

/* Counts whose tables would end where these do, if one counted in 32 bits. */
static void counts_that_overflow(void)
{
	struct sample s;
	void *large;

	sample_init(&s);
	CHECK_FIELD(&s, header.objects, SAMPLE_OBJECTS + (1U << 30), "sizes");
	CHECK_FIELD(&s, header.sites, SAMPLE_SITES + (1U << 29), "sizes");
	CHECK_FIELD(&s, header.names, SAMPLE_NAMES + (1U << 28), "sizes");
	CHECK_FIELD(&s, header.strings, ~0U, "sizes");
	/* Two that make up for each other. */
	s.header.sites += SAMPLE_NAMES;
	s.header.strings = sizeof(s.strings) - SAMPLE_NAMES * sizeof(struct map_site);
	CHECK_WRONG(&s, "damaged");
	s.header.sites += 1U << 29;
	CHECK_WRONG(&s, "sizes");

	/* No count is larger than the largest file, and yet the sum of all overflows. */
	large = calloc(1, MAP_SIZE_MAX + 4);
	sample_init(&s);
	s.header.size = MAP_SIZE_MAX;
	s.header.objects = MAP_SIZE_MAX;
	s.header.names = MAP_SIZE_MAX;
	s.header.sites = MAP_SIZE_MAX / 8 * 5 - sizeof(s.header) / 8;
	s.header.strings = 0;
	memcpy(large, &s.header, sizeof(s.header));
	CHECK_REFUSED(large, MAP_SIZE_MAX, "cut short");

	sample_init(&s);
	s.header.size = MAP_SIZE_MAX + 4;
	s.header.strings += s.header.size - sizeof(s);
	memcpy(large, &s, sizeof(s));
	CHECK_REFUSED(large, MAP_SIZE_MAX + 4, "sizes");
	free(large);
}

static void damaged_objects(void)
{
	struct sample s;
	u32 i;

	sample_init(&s);
	/* A gap, an overlap, none at all. */
	CHECK_FIELD(&s, objects[EXT4].site, 5, "object's sites");
	CHECK_FIELD(&s, objects[EXT4].site, 3, "object's sites");
	CHECK_FIELD(&s, objects[KERNEL].site, 1, "object's sites");
	CHECK_FIELD(&s, objects[INIT_ONLY].sites, 2, "object's sites");
	CHECK_FIELD(&s, objects[INIT_ONLY].sites, ~0U, "object's sites");
	CHECK_FIELD(&s, objects[EXT4].sites, -3U, "object's sites");
	CHECK_FIELD(&s, objects[INIT_ONLY].init_sites, 2, "object's sites");
	CHECK_FIELD(&s, objects[EXT4_AGAIN].init_sites, 1, "object's sites");
	CHECK_FIELD(&s, objects[EXT4].init_sites, ~0U, "object's sites");
	s.objects[INIT_ONLY].init_sites = 0;
	CHECK_FIELD(&s, objects[INIT_ONLY].sites, 0, "sites of no object");
	/* Only the kernel has no name. */
	CHECK_FIELD(&s, objects[KERNEL].name, s.objects[EXT4].name, "object's name");
	CHECK_FIELD(&s, objects[EXT4].name, s.objects[KERNEL].name, "object's name");
	for (i = 0; i < SAMPLE_OBJECTS; i++) {
		CHECK_FIELD(&s, objects[i].name, sizeof(s.strings), "object's name");
		CHECK_FIELD(&s, objects[i].name, ~0U, "object's name");
	}
	CHECK_FIELD(&s, objects[INIT_ONLY].spare, 1, "object's name");
	CHECK_FIELD(&s, objects[EXT4].name, s.objects[INIT_ONLY].name, "modules out of order");
	CHECK_FIELD(&s, objects[INIT_ONLY].name, SAMPLE_TAIL_OF(LINEMAP_MODULE_MAX + 1), "object's name");
	s.objects[INIT_ONLY].name = SAMPLE_TAIL_OF(LINEMAP_MODULE_MAX);
	CHECK_GOOD(&s);

	/* No objects, and no strings: what they took is names. */
	sample_init(&s);
	s.header.objects = 0;
	s.header.names += SAMPLE_OBJECTS * sizeof(struct map_object) / sizeof(struct map_name);
	CHECK_WRONG(&s, "empty");
	sample_init(&s);
	s.header.strings = 0;
	s.header.names += sizeof(s.strings) / sizeof(struct map_name);
	CHECK_WRONG(&s, "empty");
}

static void damaged_sites(void)
{
	struct sample s;
	u32 i;

	sample_init(&s);
	/* Equal and descending, in the text and in the init text. */
	CHECK_FIELD(&s, sites[1].offset, 0x10, "out of order");
	CHECK_FIELD(&s, sites[1].offset, 0xf, "out of order");
	CHECK_FIELD(&s, sites[1].offset, 0x35, "out of order");
	CHECK_FIELD(&s, sites[2].offset, 0x19, "out of order");
	CHECK_FIELD(&s, sites[3].offset, 0, "out of order");
	CHECK_FIELD(&s, sites[5].offset, 0x8, "out of order");
	CHECK_FIELD(&s, sites[7].offset, 0x4, "out of order");
	CHECK_FIELD(&s, sites[7].offset, 0, "out of order");
	/* Where the init text begins, a new order does; but nowhere else. */
	CHECK_FIELD(&s, objects[EXT4].init_sites, 1, "out of order");
	CHECK_FIELD(&s, objects[EXT4].init_sites, 0, "out of order");
	for (i = 0; i < SAMPLE_SITES; i++) {
		CHECK_FIELD(&s, sites[i].name, SAMPLE_NAMES, "site's name");
		CHECK_FIELD(&s, sites[i].name, MAP_TRANSPARENT - 1, "site's name");
		CHECK_FIELD(&s, sites[i].name, 1U << 28, "site's name");
	}
	for (i = 0; i < SAMPLE_SITES; i++)
		s.sites[i].name = MAP_TRANSPARENT;
	CHECK_GOOD(&s);
}

static void damaged_names(void)
{
	struct sample s;
	u32 i;

	sample_init(&s);
	for (i = 0; i < SAMPLE_NAMES; i++) {
		snprintf(unit_where, sizeof(unit_where), " (name %u)", i);
		/* Inlined into itself, into a later one, into none there is. */
		CHECK_FIELD(&s, names[i].outer, i + 1, "inline chain");
		CHECK_FIELD(&s, names[i].outer, i + 2, "inline chain");
		CHECK_FIELD(&s, names[i].outer, SAMPLE_NAMES + 1, "inline chain");
		CHECK_FIELD(&s, names[i].outer, ~0U, "inline chain");
		CHECK_FIELD(&s, names[i].file, sizeof(s.strings), "file or function");
		CHECK_FIELD(&s, names[i].func, sizeof(s.strings), "file or function");
		CHECK_FIELD(&s, names[i].file, ~0U, "file or function");
		CHECK_FIELD(&s, names[i].func, 1U << 31, "file or function");
		CHECK_FIELD(&s, names[i].file, SAMPLE_TAIL_OF(LINEMAP_FILE_MAX + 1), "file or function");
		CHECK_FIELD(&s, names[i].func, SAMPLE_TAIL_OF(LINEMAP_FUNC_MAX + 1), "file or function");
		s.names[i].file = SAMPLE_TAIL_OF(LINEMAP_FILE_MAX);
		s.names[i].func = SAMPLE_TAIL_OF(LINEMAP_FUNC_MAX);
		s.names[i].outer = i;
		CHECK_GOOD(&s);
	}
}

/* Each byte that a field of /proc/allocinfo cannot have, in each place of a string. */
static void damaged_strings(void)
{
	u32 where[] = { 0, 0, 0 }, i, at;
	struct sample s;
	int c;

	sample_init(&s);
	where[0] = s.objects[EXT4].name;
	where[1] = s.names[4].file;
	where[2] = s.names[0].func;
	for (i = 0; i < ARRAY_SIZE(where); i++)
		for (at = where[i]; s.strings[at]; at++)
			for (c = 1; c < 256; c++) {
				snprintf(unit_where, sizeof(unit_where), " (%d at %u)", c, at);
				if (c > ' ' && c < 0x7f && c != ':')
					continue;
				CHECK_FIELD(&s, strings[at], c, "damaged");
			}
	/* In what is no string of anything it does no harm. */
	s.strings[SAMPLE_TAIL_OF(1)] = ':';
	CHECK_GOOD(&s);
	/* The last one has no end. */
	CHECK_FIELD(&s, strings[sizeof(s.strings) - 1], 'x', "without an end");
	s.names[0].func = sizeof(s.strings) - 1;
	CHECK_GOOD(&s);
	CHECK_FIELD(&s, strings[sizeof(s.strings) - 1], 'x', "without an end");
}

const struct unit_test linemap_tests[] = {
	UNIT_TEST(well_formed),
	UNIT_TEST(every_length),
	UNIT_TEST(every_bit),
	UNIT_TEST(random_damage),
	UNIT_TEST(not_a_map),
	UNIT_TEST(counts_that_overflow),
	UNIT_TEST(damaged_objects),
	UNIT_TEST(damaged_sites),
	UNIT_TEST(damaged_names),
	UNIT_TEST(damaged_strings),
	{}
};
