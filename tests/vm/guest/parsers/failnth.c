// SPDX-License-Identifier: GPL-2.0
/*
 * Each allocation of a system call fails, one after the other (a kernel with CONFIG_FAULT_INJECTION):
 *     failnth FROM STEP load MODULE.ko PARAMETERS LEAK.ko	finit_module()
 *     failnth FROM STEP switch LEAK.ko				write() of 1 to the switch, which is off
 *     failnth FROM STEP read FILE				open() and read() to its end
 * Afterwards the module is not there or off, with one line that says why and nothing left behind; or it works. Ends when there
 * are no more, with "LAST FAILED SURVIVED"; or with what is wrong, and status 1. $COMPLAINTS is an expression for what no
 * healthy kernel says.
 */
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "prof.h"

enum came { WRONG, FAILED, SURVIVED, NO_MORE };

static const char *file, *parameters, *leak;
static int nth = -1;
static regex_t complaints;
static char complaint[256];
static int reasons;

/* What the log has had: complaints, and reasons for not doing what was asked. */
static bool heard(const char *text)
{
	if (strstr(text, "allocprof: not loaded: ") || strstr(text, "allocprof: not profiling: "))
		reasons++;
	if (*complaint || regexec(&complaints, text, 0, NULL, 0))
		return false;
	snprintf(complaint, sizeof(complaint), "%s", text);
	return true;
}

static enum came wrong(const char *what)
{
	fprintf(stderr, "%s\n", what);
	return WRONG;
}

static void arm(int n)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", n);
	if (write(nth, text, strlen(text)) < 0)
		die("fail-nth");
}

/* Was there such an allocation? */
static bool disarm(void)
{
	char left[32] = "";

	if (pread(nth, left, sizeof(left) - 1, 0) <= 0)
		die("fail-nth");
	arm(0);
	return !atoi(left);
}

static bool is_leak(const char *line)
{
	static unsigned long long calls;
	unsigned long long n;

	if (!line) {
		calls = 0;
		return false;
	}
	if (strstr(line, "[ap_leak] func:ap_leak_one") && sscanf(line, "%*s %llu", &n) == 1)
		calls += n;
	return calls >= 100;
}

/* It is on, and a module's allocations are seen; but for what hooks says it has lost. */
static bool works(void)
{
	bool seen;

	if (!file_says("/proc/allocprof/stats", "state: on")) {
		wrong("the state is not on");
		return false;
	}
	if (load_module(open_file(leak, O_RDONLY), "count=100"))
		die(leak);
	is_leak(NULL);
	seen = line_of(getenv("AI_PROC"), is_leak) || file_says("/proc/allocprof/hooks", " lost: ");
	if (unload_module("ap_leak"))
		die("ap_leak");
	if (!seen)
		wrong("it does not count");
	return seen;
}

static enum came load_one(int n)
{
	static bool said;
	int fd = open_file(file, O_RDONLY), err;
	bool injected;

	arm(n);
	err = load_module(fd, parameters);
	injected = disarm();
	log_since(heard);
	if (err) {
		if (!injected)
			return wrong("it does not load, and nothing has failed");
		/* Once the module has come to say why, it always does: what fails before that is the kernel's. */
		said |= reasons;
		if (said && reasons != 1)
			return wrong("not one line says why it does not load");
		return nothing_left() ? FAILED : WRONG;
	}
	if (injected && strstr(parameters, "enabled=1") && !works())
		return WRONG;
	err = unload_module("allocprof");
	if (err) {
		fprintf(stderr, "it does not unload: %s\n", strerror(err));
		return WRONG;
	}
	return !nothing_left() ? WRONG : injected ? SURVIVED : NO_MORE;
}

static enum came switch_one(int n)
{
	const char *sysctl = getenv("AI_SYSCTL");
	int fd = open_file(sysctl, O_WRONLY);
	bool injected, done;

	arm(n);
	done = write(fd, "1", 1) == 1;
	injected = disarm();
	close(fd);
	log_since(heard);
	if (!done && !injected)
		return wrong("it does not go on, and nothing has failed");
	if (!done && !file_says("/proc/allocprof/stats", "state: off"))
		return wrong("the state is not off");
	if (done && injected && !works())
		return WRONG;
	if (done && !write_file(sysctl, "0"))
		return wrong("it does not go off");
	if (file_says("/sys/kernel/tracing/enabled_functions", "allocprof"))
		return wrong("it is off, and functions are hooked");
	return !done ? FAILED : injected ? SURVIVED : NO_MORE;
}

static enum came read_one(int n)
{
	static char data[65536];
	bool failed;
	int fd;

	arm(n);
	fd = open(file, O_RDONLY);
	failed = fd < 0;
	while (!failed) {
		ssize_t len = read(fd, data, sizeof(data));

		failed = len < 0;
		if (len <= 0)
			break;
	}
	if (fd >= 0)
		close(fd);
	return !disarm() ? NO_MORE : failed ? FAILED : SURVIVED;
}

int main(int argc, char **argv)
{
	int from = argc > 2 ? atoi(argv[1]) : 0, step = argc > 2 ? atoi(argv[2]) : 0, n, count[NO_MORE + 1] = { 0 };
	const char *what = argc > 4 ? argv[3] : "";
	enum came (*one)(int n) = NULL, came;

	if (!strcmp(what, "load") && argc == 7) {
		one = load_one;
		file = argv[4];
		parameters = argv[5];
		leak = argv[6];
	} else if (!strcmp(what, "switch") && argc == 5) {
		one = switch_one;
		leak = argv[4];
	} else if (!strcmp(what, "read") && argc == 5) {
		one = read_one;
		file = argv[4];
	}
	if (!one || from < 1 || step < 1 || !getenv("AI_PROC") || !getenv("AI_SYSCTL") || !getenv("COMPLAINTS") ||
	    regcomp(&complaints, getenv("COMPLAINTS"), REG_EXTENDED | REG_NOSUB)) {
		fprintf(stderr, "usage: failnth FROM STEP load|switch|read ARGUMENT..., with AI_PROC, AI_SYSCTL, COMPLAINTS\n");
		return 2;
	}
	nth = open_file("/proc/thread-self/fail-nth", O_RDWR);
	for (n = from; ; n += step) {
		log_mark();
		reasons = 0;
		came = one(n);
		log_since(heard);
		if (*complaint)
			came = wrong(complaint);
		if (came == WRONG || came == NO_MORE)
			break;
		count[came]++;
	}
	if (came == NO_MORE && !count[FAILED])
		came = wrong("none failed");
	if (came == WRONG) {
		fprintf(stderr, "allocation %d\n", n);
		return 1;
	}
	printf("%d %d %d\n", n - step, count[FAILED], count[SURVIVED]);
	return 0;
}
