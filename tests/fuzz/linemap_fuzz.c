// SPDX-License-Identifier: GPL-2.0
/*
 * Reads what libFuzzer makes of a line map, as it is and once more with sums
 * that fit, or the checksum would stop nearly all of it.  What is let pass is
 * walked through; any read beyond the file ends the process.
 */
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)								\
do {											\
	if (!(condition)) {								\
		fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);		\
		abort();								\
	}										\
} while (0)

#include "linemap_sample.h"

static unsigned long taken;

/* Strings take what the tables leave, if they leave anything. */
static void seal(struct map_header *h, size_t size)
{
	u64 tables = sizeof(*h) + (u64)h->objects * sizeof(struct map_object) +
		     (u64)h->sites * sizeof(struct map_site) + (u64)h->names * sizeof(struct map_name);

	h->size = size;
	if (tables <= size)
		h->strings = size - tables;
	h->crc = sample_crc(h, size);
}

static void read_map(const u8 *data, size_t size, bool sealed)
{
	void *copy = malloc(size);
	struct linemap map;

	memcpy(copy, data, size);
	if (sealed && size >= sizeof(struct map_header))
		seal(copy, size);
	if (!linemap_open(&map, copy, size)) {
		linemap_walk(&map);
		taken++;
	}
	free(copy);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	read_map(data, size, false);
	read_map(data, size, true);
	return 0;
}

static void __attribute__((destructor)) say_taken(void)
{
	fprintf(stderr, "taken: %lu\n", taken);
}
