// SPDX-License-Identifier: GPL-2.0
/* The command `allocprof`: what it can do, and how it complains. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"

static void complain(const char *fmt, va_list ap)
{
	fputs("allocprof: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(fmt, ap);
	va_end(ap);
}

void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(fmt, ap);
	va_end(ap);
	exit(1);
}

void *xrealloc(void *p, size_t n, size_t size)
{
	p = reallocarray(p, n, size);
	if (!p)
		die("no memory");
	return p;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		die("no memory");
	va_end(ap);
	return text;
}

static int usage(FILE *to)
{
	fputs("usage: allocprof map build [--kernel RELEASE] [--vmlinux FILE] [--modules DIR] [--output FILE]\n"
	      "                           [--wrapper FUNCTION]... [--debuginfod]\n"
	      "       allocprof map show [FILE]\n"
	      "       allocprof map verify [FILE]\n"
	      "See allocprof(8).\n", to);
	return to == stdout ? 0 : 2;
}

int main(int argc, char **argv)
{
	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return usage(stdout);
	if (argc < 3 || strcmp(argv[1], "map"))
		return usage(stderr);
	if (!strcmp(argv[2], "build"))
		return map_build_main(argc - 2, argv + 2);
	if (!strcmp(argv[2], "show"))
		return map_show_main(argc - 2, argv + 2);
	if (!strcmp(argv[2], "verify"))
		return map_verify_main(argc - 2, argv + 2);
	return usage(stderr);
}
