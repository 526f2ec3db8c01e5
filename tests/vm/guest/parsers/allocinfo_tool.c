// SPDX-License-Identifier: GPL-2.0
/*
 * Parses as the proposed tools/mm/allocinfo_tool does: two lines are the header,
 * then every line must match one of two formats, with numbers of limited width
 * and names of at most 63 bytes. It aborts at the first that does not.
 * Prints "BUILTIN MODULE".
 */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	unsigned long builtin = 0, module = 0, lineno = 0;
	char line[1024], file[1024], mod[1024], func[1024];
	unsigned long long calls;
	long long bytes;
	int no;
	FILE *f;

	f = fopen(argc > 1 ? argv[1] : "/proc/allocinfo", "r");
	if (!f) {
		perror("open");
		return 2;
	}
	while (fgets(line, sizeof(line), f)) {
		if (++lineno <= 2)
			continue;
		if (sscanf(line, "%12lli %8llu %[^:]:%d [%[^]]] func:%s", &bytes,
			   &calls, file, &no, mod, func) == 6) {
			module++;
		} else if (sscanf(line, "%12lli %8llu %[^:]:%d func:%s", &bytes,
				  &calls, file, &no, func) == 5) {
			mod[0] = 0;
			builtin++;
		} else {
			fprintf(stderr, "line %lu: %s", lineno, line);
			return 1;
		}
		if (strlen(file) > 63 || strlen(mod) > 63 || strlen(func) > 63) {
			fprintf(stderr, "line %lu: a name over 63: %s", lineno,
				line);
			return 1;
		}
	}
	fclose(f);
	printf("%lu %lu\n", builtin, module);
	return 0;
}
