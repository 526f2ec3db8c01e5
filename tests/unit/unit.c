// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the tests and prints KTAP.  Each gets a machine just booted and tables
 * just initialised, and must leave no memory behind.
 *
 * usage: unit [NAME...]	(only tests whose names contain one of them)
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit.h"

/* A test that takes longer hangs. */
#define TIMEOUT_S	100

DEFINE_PER_CPU(u64 [ALLOCPROF_LOSSES], allocprof_losses);
DEFINE_PER_CPU(struct hook_count [HOOK_COUNT], allocprof_hook_counts);
unsigned int allocprof_slab_cache_offset = offsetof(struct page, slab_cache);
unsigned int allocprof_cache_size_offset = offsetof(struct kmem_cache, size);

char unit_where[128];
unsigned long unit_hole_pfns;

static jmp_buf test_end;
static pthread_t main_thread;
static int failed;
static u64 random_state;

void unit_fail(const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* Of many threads, one message is enough. */
	if (!__atomic_exchange_n(&failed, 1, __ATOMIC_SEQ_CST))
		printf("# %s\n", text);
	if (pthread_equal(pthread_self(), main_thread))
		longjmp(test_end, 1);
}

u64 unit_random(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 0x2545f4914f6cdd1dULL;
}

/* The callsites. */
unsigned long fake_wrapper;
unsigned long fake_classified, fake_unwound;
static __thread const unsigned long *current_rets;
static __thread int current_depth;

static bool in_range(unsigned long ret, unsigned long base)
{
	return ret - base < 1UL << 24;
}

static u32 classify(unsigned long ret)
{
	if (in_range(ret, WRAPPER(0)) || (fake_wrapper && ret == fake_wrapper))
		return TAG_TRANSPARENT;
	return in_range(ret, WRAPPER_UNWIND(0)) ? TAG_TRANSPARENT | TAG_UNWIND : 0;
}

unsigned long callsite_address(u64 key)
{
	return 0xffffffff00000000UL | (u32)key;
}

u32 callsite_classify(unsigned long ret)
{
	__atomic_fetch_add(&fake_classified, 1, __ATOMIC_RELAXED);
	return classify(ret);
}

/* One in seven is a module's. */
bool callsite_of_kernel(unsigned long addr)
{
	return addr / 16 % 7;
}

/* Bytes of a wrapper's frame: of one address always the same. */
u32 frame_bytes(unsigned long ret)
{
	return 16 + (ret / 16 % 5) * 8;
}

unsigned long callsite_next(struct allocprof_tag *tag, unsigned long ret, unsigned long **frame)
{
	u32 step = READ_ONCE(tag->step);
	int i;

	if (step && *frame) {
		*frame = (void *)*frame + step;
		return **frame;
	}
	__atomic_fetch_add(&fake_unwound, 1, __ATOMIC_RELAXED);
	if (*frame) {
		if (!(atomic_read(&tag->flags) & TAG_UNWIND))
			WRITE_ONCE(tag->step, frame_bytes(ret));
		*frame = (void *)*frame + frame_bytes(ret);
		return **frame;
	}
	for (i = 0; i < current_depth; i++)
		if (current_rets[i] == ret)
			return i + 1 < current_depth ? current_rets[i + 1] : 0;
	return 0;
}

enum control_state control_state(void)
{
	return STATE_ON;
}

void callsite_report_losses(void)
{
}

unsigned long *fake_stack(unsigned long *stack, const unsigned long *rets, int n)
{
	unsigned long *frame = stack + 8;
	int i;

	memset(stack, 0, FAKE_STACK_WORDS * sizeof(*stack));
	current_rets = rets;
	current_depth = n;
	for (i = 0; i < n; i++) {
		*frame = rets[i];
		frame = (void *)frame + frame_bytes(rets[i]);
	}
	return stack + 8;
}

/* Questions to the tables. */
struct allocprof_tag *find_tag(u64 key)
{
	u32 i;

	for (i = tag_hash(key); allocprof_tag_index[i]; i = (i + 1) % ALLOCPROF_TAGS)
		if ((tag_by_number(allocprof_tag_index[i])->key & ~TAG_KEY_ASIDE) == key)
			return tag_by_number(allocprof_tag_index[i]);
	return NULL;
}

static s64 calls_of(u64 key)
{
	struct allocprof_tag *tag = find_tag(key);
	s64 calls = tag ? tag_calls(tag) : 0;

	if (calls < 0)
		unit_fail("tag %llx counts %lld%s", key, calls, unit_where);
	return calls;
}

s64 slot_calls(unsigned long ret, u32 slot_size)
{
	return calls_of((u32)ret | tag_key_slot(slot_size));
}

s64 page_calls(unsigned long ret)
{
	s64 calls = 0;
	int order;

	for (order = 0; order < UNIT_ORDERS; order++)
		calls += calls_of((u32)ret | tag_key_order(order));
	return calls;
}

s64 page_bytes(unsigned long ret)
{
	s64 bytes = 0;
	int order;

	for (order = 0; order < UNIT_ORDERS; order++)
		bytes += calls_of((u32)ret | tag_key_order(order)) * (PAGE_SIZE << order);
	return bytes;
}

s64 percpu_calls(unsigned long ret, size_t size)
{
	return calls_of((u32)ret | tag_key_percpu(size));
}

u64 lost(enum allocprof_loss cause)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(allocprof_losses, cpu)[cause]);
	return sum;
}

u64 lost_total(void)
{
	u64 sum = 0;
	int cause;

	for (cause = 0; cause < ALLOCPROF_LOSSES; cause++)
		sum += lost(cause);
	return sum;
}

void check_all_zero(void)
{
	u32 i, used = 0;

	for (i = 0; i < tagtable_used(); i++) {
		used += !!tag_by_number(i)->key;
		if (tag_calls(tag_by_number(i)))
			unit_fail("tag %u (key %llx) counts %lld at the end%s", i,
				  tag_by_number(i)->key, tag_calls(tag_by_number(i)), unit_where);
	}
	/* Of three that claim one bucket at once, two may waste a tag. */
	CHECK(used <= tagtable_used() && used + 2 >= tagtable_used());
}

void check_table_empty(void)
{
	unsigned long pfn, holes = 0;

	for (pfn = 0; pfn < allocprof_pfns; pfn++) {
		if (allocprof_pages[pfn] == PFN_NO_TABLE)
			holes++;
		else if (allocprof_pages[pfn])
			unit_fail("page %lu still has the record %x%s", pfn,
				  allocprof_pages[pfn], unit_where);
	}
	CHECK_EQ(holes, unit_hole_pfns);
}

static long other_frames, other_vmalloc;

/* The tests of other tables do not see the tags' memory grow in their middle. */
static void many_tags(void)
{
	while (tagtable_counter_bytes() < 32768 * sizeof(u64) * SIM_CPUS)
		tagtable_refill();
}

/* One machine per test. */
static void start(bool few_tags)
{
	sim_reset();
	memset(allocprof_tag_index, 0, ALLOCPROF_TAGS * sizeof(allocprof_tag_index[0]));
	unit_where[0] = '\0';
	unit_hole_pfns = 0;
	current_depth = 0;
	fake_wrapper = 0;
	fake_classified = 0;
	fake_unwound = 0;
	random_state = 0x9e3779b97f4a7c15ULL;
	refill_start();
	sim_frames_out = 0;
	sim_vmalloc_out = 0;
	CHECK_EQ(tagtable_init(), 0);
	if (!few_tags)
		many_tags();
	CHECK_EQ(vecpool_init(SIM_RAM_PAGES), 0);
	/* What is counted from here on is the page table's. */
	other_frames = sim_frames_out;
	other_vmalloc = sim_vmalloc_out;
	sim_frames_out = 0;
	sim_vmalloc_out = 0;
	sim_vmaps = 0;
	CHECK_EQ(pfnmem_init(), 0);
}

static void stop(void)
{
	sim_abandon();
	percputable_exit();
	pfnmem_exit();
	refill_stop();
	vecpool_exit();
	tagtable_exit();
	CHECK_EQ(sim_pages_out, 0);
	CHECK_EQ(sim_frames_out + other_frames, 0);
	CHECK_EQ(sim_percpu_out, 0);
	CHECK_EQ(sim_vmalloc_out + other_vmalloc, 0);
}

static const struct {
	const char *name;
	const struct unit_test *tests;
} suites[] = {
	{ "tagtable", tagtable_tests }, { "vecpool", vecpool_tests },
	{ "objtable", objtable_tests }, { "pfntable", pfntable_tests },
	{ "pfnmem", pfnmem_tests },
	{ "percputable", percputable_tests }, { "linemap", linemap_tests },
	{ "oom", oom_tests }, { "nesting", nesting_tests }, { "threads", thread_tests },
};

static bool wanted(const struct unit_test *test, char **names)
{
	if (SCALE(0, 0, 1) && !test->threads)
		return false;
	if (!*names)
		return true;
	for (; *names; names++)
		if (strstr(test->name, *names))
			return true;
	return false;
}

/* Also what has hung is a result. */
static void hung(int signal)
{
	static const char text[] = "Bail out! a test hangs\n";

	(void)signal;
	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0)
		_exit(3);
	_exit(2);
}

static bool run(const struct unit_test *test, bool few_tags)
{
	failed = 0;
	alarm(TIMEOUT_S);
	if (!setjmp(test_end)) {
		start(few_tags);
		test->run();
	}
	if (!setjmp(test_end))
		stop();
	alarm(0);
	return !failed;
}

int main(int argc, char **argv)
{
	const struct unit_test *test;
	unsigned int i, n, all = 0, bad = 0;

	(void)argc;
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGALRM, hung);
	main_thread = pthread_self();
	sim_boot();

	printf("KTAP version 1\n");
	for (i = 0; i < ARRAY_SIZE(suites); i++)
		for (test = suites[i].tests; test->name; test++)
			all += wanted(test, argv + 1);
	printf("1..%u\n", all);
	for (i = 0, n = 0; i < ARRAY_SIZE(suites); i++)
		for (test = suites[i].tests; test->name; test++) {
			bool ok;

			if (!wanted(test, argv + 1))
				continue;
			ok = run(test, suites[i].tests == tagtable_tests);
			bad += !ok;
			printf("%s %u %s.%s\n", ok ? "ok" : "not ok", ++n, suites[i].name,
			       test->name);
		}
	return bad || !all;
}
