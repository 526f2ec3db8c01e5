// SPDX-License-Identifier: GPL-2.0
/*
 * map_variants KIND < MAP: a line map made wrong in one way. All but flip* and
 * cut* have a checksum that fits, so that it is not what gives them away.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../../module/mapformat.h"

static uint32_t crc32(const uint8_t *p, size_t n)
{
	uint32_t crc = ~0u;
	int i;

	while (n--) {
		crc ^= *p++;
		for (i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

int main(int argc, char **argv)
{
	static uint8_t data[MAP_SIZE_MAX];
	struct map_header *h = (struct map_header *)data;
	const char *kind = argc == 2 ? argv[1] : "";
	size_t size = fread(data, 1, sizeof(data) / 2, stdin), i;
	struct map_object *object = (struct map_object *)(h + 1);
	struct map_site *site = (struct map_site *)(object + h->objects);
	struct map_name *name = (struct map_name *)(site + h->sites);
	char *strings = (char *)(name + h->names);
	int fits = 1;

	if (size < sizeof(*h))
		return 1;
	if (!strcmp(kind, "empty")) {
		size = 0;
	} else if (!strcmp(kind, "garbage")) {
		for (i = 0; i < size; i++)
			data[i] = rand();
		fits = 0;
	} else if (!strcmp(kind, "magic")) {
		h->magic[3] ^= 1;
	} else if (!strcmp(kind, "version")) {
		h->version++;
	} else if (!strcmp(kind, "header")) {
		size = sizeof(*h) - 1;
		fits = 0;
	} else if (!strncmp(kind, "cut", 3)) {
		size = kind[3] == '1' ? size - 1 : kind[3] == '2' ? size / 2 : sizeof(*h);
		fits = 0;
	} else if (!strcmp(kind, "long")) {
		size += 4;
	} else if (!strncmp(kind, "flip", 4)) {
		data[kind[4] == '1' ? offsetof(struct map_header, sites) : size / 5 * (kind[4] - '0')] ^= 4;
		fits = 0;
	} else if (!strcmp(kind, "other")) {
		object->build_id[7]++;
	} else if (!strcmp(kind, "order")) {
		site[5].offset = site[4].offset;
	} else if (!strcmp(kind, "name")) {
		site[5].name = h->names;
	} else if (!strcmp(kind, "string")) {
		strings[name->file] = ' ';
	} else if (!strcmp(kind, "outer")) {
		name[5].outer = 6;
	} else if (!strcmp(kind, "overflow")) {
		object->site = 1;
		object->sites = ~0u;
	} else if (!strncmp(kind, "fuzz", 4)) {
		srand(kind[4]);
		for (i = 0; i < 20; i++)
			data[sizeof(*h) + rand() % (size - sizeof(*h))] ^= 1 << rand() % 8;
	} else {
		return 1;
	}
	if (fits && size)
		h->crc = crc32((uint8_t *)&h->size, size - offsetof(struct map_header, size));
	return fwrite(data, 1, size, stdout) != size;
}
