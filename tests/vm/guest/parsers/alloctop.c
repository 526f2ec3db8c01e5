// SPDX-License-Identifier: GPL-2.0
/*
 * Parses as Android's alloctop does: the first line is dropped unseen; a line
 * counts if it has three fields or more and the first is not "#"; fields 1 and
 * 2 are unsigned numbers, else silently 0; the rest, joined by single blanks, is
 * the tag. Prints "ROWS BYTES CALLS"; complains where alloctop would silently
 * have taken a 0 for what is no number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int parse_u64(const char *s, unsigned long long *v)
{
	char *end;

	*v = 0;
	if (*s < '0' || *s > '9')
		return -1;
	*v = strtoull(s, &end, 10);
	return *end ? -1 : 0;
}

int main(int argc, char **argv)
{
	unsigned long long bytes = 0, calls = 0, total_bytes = 0, total_calls = 0;
	unsigned long rows = 0, lineno = 0;
	char *line = NULL;
	size_t cap = 0;
	int bad = 0;
	FILE *f;

	f = fopen(argc > 1 ? argv[1] : "/proc/allocinfo", "r");
	if (!f) {
		perror("open");
		return 2;
	}
	while (getline(&line, &cap, f) > 0) {
		char *a, *b, *c;

		if (!lineno++)
			continue;
		a = strtok(line, " \t\n");
		b = strtok(NULL, " \t\n");
		c = strtok(NULL, " \t\n");
		if (!c || !strcmp(a, "#"))
			continue;
		if (parse_u64(a, &bytes) || parse_u64(b, &calls)) {
			fprintf(stderr, "line %lu: not numbers: '%s' '%s'\n",
				lineno, a, b);
			bad = 1;
		}
		rows++;
		total_bytes += bytes;
		total_calls += calls;
	}
	fclose(f);
	printf("%lu %llu %llu\n", rows, total_bytes, total_calls);
	return bad;
}
