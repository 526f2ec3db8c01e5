// SPDX-License-Identifier: GPL-2.0
/*
 * cycles FROM TO MODULE.ko PARAMETERS: load it, off and on by turns, and unload it. It is there, or it was refused as ftrace is off, and
 * is not; in the end nothing is left of it. Prints "REFUSED LOADING UNLOADING", the latter in microseconds.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "prof.h"

static bool is_ftrace(const char *text)
{
	return strstr(text, "allocprof") && strstr(text, "ftrace_enabled");
}

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

int main(int argc, char **argv)
{
	int round = argc == 5 ? atoi(argv[1]) : 0, to = argc == 5 ? atoi(argv[2]) : 0, refused = 0, err;
	long long loading = 0, unloading = 0, at;
	char parameters[256];

	if (round < 1 || to < round || !getenv("AI_PROC") || !getenv("AI_SYSCTL")) {
		fprintf(stderr, "usage: cycles FROM TO MODULE.ko PARAMETERS, with AI_PROC, AI_SYSCTL\n");
		return 2;
	}
	srandom(round);
	for (; round <= to; round++) {
		log_mark();
		at = now();
		snprintf(parameters, sizeof(parameters), "enabled=%d %s", round % 2, argv[4]);
		err = load_module(open_file(argv[3], O_RDONLY), parameters);
		loading += now() - at;
		if (err && !log_since(is_ftrace)) {
			fprintf(stderr, "round %d: it does not load: %s\n", round, strerror(err));
			return 1;
		}
		refused += !!err;
		usleep(random() % 1000000);
		at = now();
		err = err ? 0 : unload_module("allocprof");
		unloading += now() - at;
		if (err) {
			fprintf(stderr, "round %d: it does not unload: %s\n", round, strerror(err));
			return 1;
		}
		if (!module_gone()) {
			fprintf(stderr, "round %d\n", round);
			return 1;
		}
	}
	if (!nothing_left())
		return 1;
	printf("%d %lld %lld\n", refused, loading, unloading);
	return 0;
}
