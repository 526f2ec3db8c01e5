/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of ap_bench share. */
#ifndef _AP_BENCH_H
#define _AP_BENCH_H

#include <linux/types.h>

#define BULK	16U

/* Takes memory and gives it back so many times; 0 or -ENOMEM. */
typedef int (*ap_loop)(unsigned int rounds);

/**
 * struct ap_case - one thing to measure
 * @name: of the case; its callsite is "loop_" and that, which the report looks for
 * @loop: does it
 * @empty: does all but it
 * @rounds: pairs; a multiple of BULK * 10
 * @settle: seconds until all is done that others do for it; 0: it is done with interrupts off
 * @flags: CASE_*
 */
struct ap_case {
	const char *name;
	ap_loop loop;
	ap_loop empty;
	unsigned int rounds;
	unsigned int settle;
	unsigned int flags;
};

#define CASE_LOOSE	1	/* not to the last instruction */
#define CASE_VARIES	2	/* depends on what is free, or charged: not to be compared between states of the machine */
#define CASE_ACCOUNTED	4	/* charged to the caller's memory cgroup */

extern const struct ap_case ap_cases[];
extern const unsigned int ap_ncases;
int cases_init(void);
void cases_exit(void);

/* "case sum/pairs [loose|varies]" lines */
struct ap_results {
	size_t len;
	char text[2048];
};

int calibrate(void);
int measure_case(const struct ap_case *c, struct ap_results *results);
int measure_busy(struct ap_results *results);

/* What ap_scale, while it is loaded, makes of what ap_bench does not know. */
extern int (*ap_scale)(const char *what, struct ap_results *results);
extern const struct ap_case ap_live_case, ap_sites_cases[];
extern const unsigned int ap_nsites;
int live_set(unsigned long n);
int sites_init(void);
void sites_meet(void);
void sites_exit(void);

#endif /* _AP_BENCH_H */
