// SPDX-License-Identifier: GPL-2.0
/*
 * What people, and programs gone wrong, may write:
 *
 *	fuzz write FILE SEED COUNT	COUNT strings into a switch, which reads 0 or 1 and does not change where the write failed
 *	fuzz load MODULE.ko SEED COUNT	COUNT times loaded with parameters; what is refused is not there, what is not unloads
 *
 * Says how many were accepted. Exit 1, with the string in hex, where that does not hold.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROOM	(1 << 17)

static char text[ROOM];
static size_t len;
static uint64_t seed;

static uint32_t any(uint32_t below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % below;
}

static void add(const char *s, size_t n)
{
	if (len + n >= ROOM)
		return;
	memcpy(text + len, s, n);
	len += n;
}

static void add_junk(void)
{
	static const uint32_t most[] = { 4, 40, 400, 5000, 70000 };
	uint32_t n = any(most[any(5)]);
	char byte = any(2) ? 0 : 'A';

	while (n--) {
		char c = byte ? byte : (char)any(256);

		add(&c, 1);
	}
}

static void add_word(const char *const *words, uint32_t n)
{
	const char *word = words[any(n)];

	add(word, strlen(word));
}

#define ADD_WORD(words) add_word(words, sizeof(words) / sizeof((words)[0]))

static int bad(const char *what)
{
	size_t i;

	printf("%s; %zu bytes were written:", what, len);
	for (i = 0; i < len && i < 64; i++)
		printf(" %02x", (unsigned char)text[i]);
	puts("");
	return 1;
}

static int value(const char *file)
{
	char is[16] = "";
	int fd = open(file, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, is, sizeof(is) - 1);

	close(fd);
	return n != 2 || is[1] != '\n' ? -1 : is[0] == '1' || is[0] == 'Y' ? 1 : is[0] == '0' || is[0] == 'N' ? 0 : -1;
}

static int fuzz_write(const char *file, uint32_t count)
{
	static const char *const words[] = {
		"0", "1", "2", "-1", "+1", "01", "0x1", "1.0", "never", "Y", "n", "18446744073709551617", " ", "\t", "\n", "\r", ",", ";",
		"4294967296", "4294967297", "-0", "--", "allocprof", "%s%n", "\xff",
	};
	uint32_t i, accepted = 0;

	for (i = 0; i < count; i++) {
		int was = value(file), is, fd = open(file, O_WRONLY);
		ssize_t n;

		if (was < 0 || fd < 0)
			return bad("the file is not there, or is not 0 or 1");
		len = 0;
		do {
			if (any(4))
				ADD_WORD(words);
			else if (any(2))
				add_junk();
			else
				add("", 1);
		} while (any(3));
		n = any(8) ? write(fd, text, len) : pwrite(fd, text, len, any(2) ? any(8) : any(1 << 30));
		close(fd);
		is = value(file);
		if (is < 0)
			return bad("it is neither 0 nor 1 now");
		if (n < 0 && is != was)
			return bad("refused, but it has changed");
		accepted += n > 0;
	}
	printf("%u of %u accepted\n", accepted, count);
	/* By then each must have been seen. */
	return !accepted || accepted == count;
}

static int fuzz_load(const char *file, uint32_t count)
{
	static const char *const names[] = {
		"enabled=", "hooks=", "wrappers=", "debug=", "nonsense=", "enabled", "hooks", "wrappers", "debug", "=",
	};
	static const char *const values[] = {
		"0", "0", "0", "2", "-1", "never", "auto", "direct", "kretprobe", "kmemdup", "vmalloc", "no_such", ",", ",,", "\"", "'",
		"kmemdup,vmalloc,kstrdup", "Y", "N", "", "%s%n", "\\", "\n",
	};
	uint32_t i, accepted = 0;
	int fd = open(file, O_RDONLY);

	for (i = 0; i < count; i++) {
		len = 0;
		do {
			ADD_WORD(names);
			if (any(5))
				ADD_WORD(values);
			else
				add_junk();
			add(" ", 1);
		} while (any(3));
		text[len] = 0;
		if (!syscall(SYS_finit_module, fd, text, 0)) {
			accepted++;
			if (access("/proc/allocprof/stats", F_OK))
				return bad("loaded, but not there");
			if (syscall(SYS_delete_module, "allocprof", 0))
				return bad("it does not unload");
		}
		if (!access("/proc/allocprof", F_OK) || !access("/sys/module/allocprof", F_OK))
			return bad("some of it is there");
	}
	printf("%u of %u accepted\n", accepted, count);
	return !accepted || accepted == count;
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fputs("usage: fuzz write FILE SEED COUNT | fuzz load MODULE.ko SEED COUNT\n", stderr);
		return 2;
	}
	seed = strtoull(argv[3], NULL, 0);
	if (!strcmp(argv[1], "write"))
		return fuzz_write(argv[2], strtoul(argv[4], NULL, 0));
	return fuzz_load(argv[2], strtoul(argv[4], NULL, 0));
}
