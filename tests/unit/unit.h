/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests share: checks, the fake callsites, and questions to the
 * module's tables.
 */
#ifndef _UNIT_H
#define _UNIT_H

#include <stdio.h>
#include <string.h>

#include <linux/mm.h>

#include "callsite.h"
#include "callsite_name.h"
#include "control.h"
#include "hooks.h"
#include "objtable.h"
#include "percputable.h"
#include "pfnmem.h"
#include "pfntable.h"
#include "lostsites.h"
#include "refill.h"
#include "slab_layout.h"
#include "stats.h"
#include "tagtable.h"
#include "vecpool.h"

/* What a variant (see Makefile) can afford. */
#if defined(__SANITIZE_THREAD__)
#define SCALE(plain, address, thread)	(thread)
#elif defined(__SANITIZE_ADDRESS__)
#define SCALE(plain, address, thread)	(address)
#else
#define SCALE(plain, address, thread)	(plain)
#endif

/**
 * struct unit_test - one test; runs on a machine of its own, tables initialised
 * @name: its name
 * @run: the test
 * @threads: it has threads, so ThreadSanitizer has something to say
 */
struct unit_test {
	const char *name;
	void (*run)(void);
	bool threads;
};

#define UNIT_TEST(fn)		{ .name = #fn, .run = fn }
#define UNIT_THREAD_TEST(fn)	{ .name = #fn, .run = fn, .threads = true }

extern const struct unit_test tagtable_tests[], vecpool_tests[], objtable_tests[],
	pfntable_tests[], pfnmem_tests[], percputable_tests[], linemap_tests[], nesting_tests[],
	thread_tests[], oom_tests[];

/* alloc_contig_range() makes blocks larger than any of the buddy allocator; up to 1 GiB. */
#define UNIT_ORDERS	19

/* Ends the test if it does not hold; in another thread only marks it failed. */
#define CHECK(condition)							\
do {										\
	if (!(condition))							\
		unit_fail("%s:%d: %s", __FILE__, __LINE__, #condition);		\
} while (0)
/* Both as long long; says which values they had. */
#define CHECK_EQ(a, b)								\
do {										\
	long long __x = (long long)(a), __y = (long long)(b);			\
	if (__x != __y)								\
		unit_fail("%s:%d: %s is %lld, %s is %lld%s", __FILE__, __LINE__,	\
			  #a, __x, #b, __y, unit_where);			\
} while (0)

__printf(1, 2) void unit_fail(const char *format, ...);
/* Where a long test is, for messages; empty else. */
extern char unit_where[128];
/* Frames below allocprof_pfns that have no entry of their own; 0 unless a test makes holes. */
extern unsigned long unit_hole_pfns;

/* xorshift64*: the same on each run. */
u64 unit_random(void);
static inline u32 random_below(u32 n)
{
	return (unit_random() >> 32) * n >> 32;
}

/* Fake return addresses, by what callsite_classify() says of them. */
#define SITE(n)			(0xffffffff81000005UL + (unsigned long)(n) * 16)
#define WRAPPER(n)		(0xffffffff82000005UL + (unsigned long)(n) * 16)
#define WRAPPER_UNWIND(n)	(0xffffffff83000005UL + (unsigned long)(n) * 16)

/* One more address that is a wrapper from now on; 0: none. */
extern unsigned long fake_wrapper;
/* How often each was asked. */
extern unsigned long fake_classified, fake_unwound;

/*
 * A stack on which rets[0] returns to rets[1], and so on; 0 follows the last.
 * Returns the frame of rets[0].
 */
unsigned long *fake_stack(unsigned long *stack, const unsigned long *rets, int n);
#define FAKE_STACK_WORDS	512

/* Finds, and never makes, the tag of a key. */
u32 frame_bytes(unsigned long ret);
struct allocprof_tag *find_tag(u64 key);
/* Live allocations of a callsite; each tag's must not be negative. */
s64 slot_calls(unsigned long ret, u32 slot_size);
s64 page_calls(unsigned long ret);
s64 page_bytes(unsigned long ret);
s64 percpu_calls(unsigned long ret, size_t size);
u64 lost(enum allocprof_loss cause);
u64 lost_total(void);
/* Vectors in the pool's free lists. */
unsigned long free_vectors(void);
/* No tag counts anything, and as many are in use as the table says. */
void check_all_zero(void);
/* Nothing is recorded anywhere, and there are as many holes as the test says. */
void check_table_empty(void);

#endif /* _UNIT_H */
