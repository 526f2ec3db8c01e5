// SPDX-License-Identifier: GPL-2.0
/*
 * Parses as the kernel's own tools/testing/selftests/alloc_tag does: a buffer of
 * 512 bytes, one sscanf() that must give five; lines that do not match (the
 * headers, and all of modules) are skipped. Prints "MATCHED SKIPPED".
 */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	unsigned long long bytes, calls, lineno;
	unsigned long matched = 0, skipped = 0;
	char file[512], func[512], line[512];
	FILE *f;

	f = fopen(argc > 1 ? argv[1] : "/proc/allocinfo", "r");
	if (!f) {
		perror("open");
		return 2;
	}
	while (fgets(line, sizeof(line), f)) {
		if (!strchr(line, '\n')) {
			fprintf(stderr, "a line is longer than 511: %s\n", line);
			return 1;
		}
		if (sscanf(line, "%llu %llu %[^:]:%llu func:%s", &bytes, &calls,
			   file, &lineno, func) == 5)
			matched++;
		else
			skipped++;
	}
	fclose(f);
	printf("%lu %lu\n", matched, skipped);
	return 0;
}
