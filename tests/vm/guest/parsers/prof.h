/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What lib.sh does with the module, for programs that do it a thousand times where each process costs a second.
 * From the environment: AI_PROC, AI_SYSCTL as in lib.sh.
 */
#include <stdbool.h>

void die(const char *what);
int open_file(const char *file, int flags);
int load_module(int fd, const char *parameters);
int unload_module(const char *name);
char *line_of(const char *file, bool (*wanted)(const char *line));
bool file_says(const char *file, const char *text);
bool write_file(const char *file, const char *text);
bool module_gone(void);
bool nothing_left(void);
void log_mark(void);
int log_since(bool (*wanted)(const char *text));
