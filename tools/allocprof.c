// SPDX-License-Identifier: GPL-2.0
/* The command `allocprof`: what it can do, and how it complains. */
#include <errno.h>
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

/* What is wrong with the command line, and where to read what is right. */
void wrong_usage(const char *fmt, ...)
{
	va_list ap;

	fputs("allocprof: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputs("; see `allocprof --help`\n", stderr);
	exit(2);
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

int usage(void)
{
	puts("usage: allocprof map build [OPTION]...   make a kernel's line map\n"
	     "         --kernel RELEASE        of this kernel [the running one]\n"
	     "         --vmlinux FILE          from this debug information [the distribution's]\n"
	     "         --modules DIR           and that of the modules below it; may be repeated\n"
	     "         --output FILE           [/lib/firmware/allocprof/BUILD-ID.map]\n"
	     "         --wrapper F[,G]...      see through these functions, too\n"
	     "         --debuginfod            ask the servers in DEBUGINFOD_URLS, too\n"
	     "         -v, --verbose           say also what is in doubt\n"
	     "       allocprof map show [FILE]         print a map\n"
	     "       allocprof map verify [FILE]       is it well-formed, and the running kernel's?\n"
	     "       allocprof --help | --version\n"
	     "See allocprof(8).");
	return finish();
}

/* What could not be printed has not been said. */
int finish(void)
{
	if (fflush(stdout) || ferror(stdout))
		die("stdout: %s", strerror(errno));
	return 0;
}

static bool help(const char *arg)
{
	return !strcmp(arg, "--help") || !strcmp(arg, "-h");
}

int main(int argc, char **argv)
{
	if (argc < 2)
		wrong_usage("no command");
	if (argc == 2 && help(argv[1]))
		return usage();
	if (argc == 2 && !strcmp(argv[1], "--version")) {
		puts("allocprof " ALLOCPROF_VERSION);
		return finish();
	}
	if (strcmp(argv[1], "map"))
		wrong_usage("there is no '%s', or not like that", argv[1]);
	if (argc < 3)
		wrong_usage("map: build, show or verify?");
	if (argc == 3 && help(argv[2]))
		return usage();
	if (!strcmp(argv[2], "build"))
		return map_build_main(argc - 2, argv + 2);
	if (!strcmp(argv[2], "show"))
		return map_show_main(argc - 2, argv + 2);
	if (!strcmp(argv[2], "verify"))
		return map_verify_main(argc - 2, argv + 2);
	wrong_usage("map: build, show or verify, but no '%s'", argv[2]);
}
