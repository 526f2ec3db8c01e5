// SPDX-License-Identifier: GPL-2.0
/* Writes the map that the fuzzer begins with. */
#include <stdio.h>

#define CHECK(condition)	((void)(condition))	/* nothing is walked here */

#include "linemap_sample.h"

int main(void)
{
	struct sample s;

	sample_init(&s);
	return fwrite(&s, sizeof(s), 1, stdout) != 1 || fclose(stdout);
}
