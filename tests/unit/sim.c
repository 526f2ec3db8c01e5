// SPDX-License-Identifier: GPL-2.0
/*
 * The simulated machine.
 *
 * Memory: an address range for the direct map and an array of struct page.
 * Only pages that the module got from __get_free_pages() may be touched; the
 * address sanitizer watches over the others.  Whatever is allocated is
 * counted, so that a test can ask for leaks.
 *
 * CPUs: each thread is one.  Locks are real; who would wait for himself dies.
 */
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, size)	((void)(p), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(p, size)	((void)(p), (void)(size))
#endif

#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

unsigned long sim_page_offset;
struct page *sim_mem_map;
/* The last zone is a device's: pages, but not the page allocator's. */
pg_data_t sim_nodes[2] = {
	{ { { SIM_RAM_PAGES / 4, 1 }, { SIM_RAM_PAGES, 1 }, { SIM_PAGES, 0 } } },
	{ { { 0, 0 }, { SIM_RAM_PAGES / 2, 1 }, { 0, 0 } } },
};

__thread unsigned int sim_cpu;
__thread bool sim_nmi;
__thread bool sim_armed;

static __thread unsigned int irqs_off;
static __thread struct {
	unsigned long n;
	enum sim_kind kind;
	void (*event)(void *data);
	void *data;
} armed;

unsigned int sim_fail_orders;
long sim_fail_pages_after = -1;
bool sim_fail_percpu, sim_fail_vmalloc;
long sim_pages_out, sim_percpu_out, sim_vmalloc_out;

static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;

void sim_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "the simulated machine died: ");
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	abort();
}

static void *map(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		sim_die("no %zu bytes of address space", size);
	return p;
}

/* Per-CPU memory: a linear address, plus a CPU's distance from CPU 0. */
#define PERCPU_BYTES	(1UL << 20)
#define PERCPU_REDZONE	64

extern char __start_sim_percpu[], __stop_sim_percpu[];
static char *percpu_area, *percpu_static;
static size_t percpu_next;
static size_t percpu_sizes[PERCPU_BYTES / PERCPU_REDZONE];	/* by where a block starts */

#ifdef __SANITIZE_THREAD__
bool sim_is_memory(unsigned long addr)
{
	return addr - sim_page_offset < SIM_PAGES << PAGE_SHIFT ||
	       addr - (unsigned long)percpu_area < PERCPU_BYTES;
}
#endif

void *sim_per_cpu(const volatile void *p, unsigned int cpu)
{
	unsigned long addr = (unsigned long)p;

	sim_follow(p);
	if (addr - (unsigned long)percpu_area < PERCPU_BYTES)
		return percpu_area + (addr - (unsigned long)percpu_area) + cpu * PERCPU_BYTES;
	if (addr - (unsigned long)__start_sim_percpu >=
	    (unsigned long)(__stop_sim_percpu - __start_sim_percpu))
		sim_die("%p is no per-CPU address", (void *)addr);
	return percpu_static + (addr - (unsigned long)__start_sim_percpu) + cpu * PERCPU_BYTES;
}

void *__alloc_percpu_gfp(size_t size, size_t align, gfp_t gfp)
{
	unsigned int cpu;
	char *p;

	if (irqs_off || !(gfp & GFP_KERNEL))
		sim_die("per-CPU memory is for sleepers");
	if (sim_fail_percpu)
		return NULL;
	pthread_mutex_lock(&memory_lock);
	percpu_next = (percpu_next + PERCPU_REDZONE + align - 1) / align * align;
	if (percpu_next + size > PERCPU_BYTES)
		sim_die("out of per-CPU memory");
	p = percpu_area + percpu_next;
	percpu_next += size;
	sim_percpu_out += size;
	pthread_mutex_unlock(&memory_lock);
	for_each_possible_cpu(cpu) {
		ASAN_UNPOISON_MEMORY_REGION(p + cpu * PERCPU_BYTES, size);
		memset(p + cpu * PERCPU_BYTES, 0, size);
	}
	percpu_sizes[(p - percpu_area) / PERCPU_REDZONE] = size;
	return p;
}

void free_percpu(void *p)
{
	size_t *size;
	unsigned int cpu;

	if (!p)
		return;
	size = &percpu_sizes[((char *)p - percpu_area) / PERCPU_REDZONE];
	if (!*size)
		sim_die("per-CPU memory freed twice");
	for_each_possible_cpu(cpu)
		ASAN_POISON_MEMORY_REGION((char *)p + cpu * PERCPU_BYTES, *size);
	sim_percpu_out -= *size;
	*size = 0;
	if (!sim_percpu_out)
		percpu_next = 0;
}

void *__vmalloc(size_t size, gfp_t gfp)
{
	size_t *p;

	if (irqs_off || !(gfp & GFP_KERNEL))
		sim_die("vmalloc is for sleepers");
	if (sim_fail_vmalloc)
		return NULL;
	p = gfp & __GFP_ZERO ? calloc(1, size + 64) : malloc(size + 64);
	if (!p)
		sim_die("out of memory");
	*p = size;
	sim_vmalloc_out += size;
	ASAN_POISON_MEMORY_REGION(p, 64);
	return (char *)p + 64;
}

void vfree(void *p)
{
	size_t *header;

	if (!p)
		return;
	header = (size_t *)((char *)p - 64);
	ASAN_UNPOISON_MEMORY_REGION(header, 64);
	sim_vmalloc_out -= *header;
	free(header);
}

/* The pages that the module allocates for itself: first fit, going round. */
static u8 chunk_order[SIM_CHUNK_PAGES];	/* of the block that starts here, plus 1 */
static u8 chunk_used[SIM_CHUNK_PAGES];
static unsigned long chunk_cursor;

unsigned long __get_free_pages(gfp_t gfp, unsigned int order)
{
	unsigned long n = 1UL << order, start, tries, i;
	unsigned long addr = 0;
	size_t bytes = PAGE_SIZE << order;

	if (irqs_off)
		sim_die("the page allocator was called under a raw spinlock");
	pthread_mutex_lock(&memory_lock);
	if (sim_fail_orders & 1U << order || !sim_fail_pages_after)
		goto out;
	for (tries = 0; tries < SIM_CHUNK_PAGES && !addr; tries += n) {
		start = (chunk_cursor + n - 1) / n * n % SIM_CHUNK_PAGES;
		chunk_cursor = start + n;
		for (i = 0; i < n && !chunk_used[start + i]; i++)
			;
		if (i == n)
			addr = PAGE_OFFSET + ((SIM_CHUNK_PFN + start) << PAGE_SHIFT);
	}
	if (!addr)
		goto out;
	memset(&chunk_used[start], 1, n);
	chunk_order[start] = order + 1;
	sim_pages_out += n;
	if (sim_fail_pages_after > 0)
		sim_fail_pages_after--;
	ASAN_UNPOISON_MEMORY_REGION((void *)addr, bytes);
	memset((void *)addr, gfp & __GFP_ZERO ? 0 : 0xa5, bytes);
out:
	pthread_mutex_unlock(&memory_lock);
	return addr;
}

void free_pages(unsigned long addr, unsigned int order)
{
	unsigned long start = (addr - PAGE_OFFSET) / PAGE_SIZE - SIM_CHUNK_PFN;

	if (irqs_off)
		sim_die("the page allocator was called under a raw spinlock");
	pthread_mutex_lock(&memory_lock);
	if (start >= SIM_CHUNK_PAGES || chunk_order[start] != order + 1)
		sim_die("pages freed that are not allocated: %lx order %u", addr, order);
	chunk_order[start] = 0;
	memset(&chunk_used[start], 0, 1UL << order);
	sim_pages_out -= 1L << order;
	memset((void *)addr, 0xa5, PAGE_SIZE << order);
	ASAN_POISON_MEMORY_REGION((void *)addr, PAGE_SIZE << order);
	pthread_mutex_unlock(&memory_lock);
}

/* What a block is: a slab, one compound page, or single pages. */
static void shape(unsigned long pfn, unsigned int order, struct kmem_cache *cache, bool compound)
{
	struct page *head = pfn_to_page(pfn);
	unsigned long i;

	for (i = 0; i < 1UL << order; i++) {
		struct page *page = head + i;

		page->slab = !!cache;
		page->slab_cache = i ? NULL : cache;
		page->head = compound && i ? head : NULL;
		page->order = 0;
	}
	if (compound)
		head->order = order;
}

void sim_slab(unsigned long pfn, unsigned int order, struct kmem_cache *cache)
{
	shape(pfn, order, cache, true);
}

void sim_compound(unsigned long pfn, unsigned int order)
{
	shape(pfn, order, NULL, true);
}

void sim_plain(unsigned long pfn, unsigned int order)
{
	shape(pfn, order, NULL, false);
}

void sim_boot(void)
{
	sim_page_offset = (unsigned long)map(SIM_PAGES << PAGE_SHIFT);
	sim_mem_map = map(SIM_PAGES * sizeof(struct page));
	percpu_area = map(SIM_CPUS * PERCPU_BYTES);
	percpu_static = map(SIM_CPUS * PERCPU_BYTES);
	ASAN_POISON_MEMORY_REGION((void *)sim_page_offset, SIM_PAGES << PAGE_SHIFT);
	ASAN_POISON_MEMORY_REGION(percpu_area, SIM_CPUS * PERCPU_BYTES);
}

/* A machine just booted.  What the last test did not free is its problem. */
void sim_reset(void)
{
	unsigned int cpu;

	madvise(sim_mem_map, SIM_PAGES * sizeof(struct page), MADV_DONTNEED);
	for_each_possible_cpu(cpu)
		memset(percpu_static + cpu * PERCPU_BYTES, 0,
		       __stop_sim_percpu - __start_sim_percpu);
	sim_cpu = 0;
	sim_nmi = false;
	sim_armed = false;
	irqs_off = 0;
	sim_fail_orders = 0;
	sim_fail_pages_after = -1;
	sim_fail_percpu = false;
	sim_fail_vmalloc = false;
}

/* Locks. */
bool sim_lock(raw_spinlock_t *lock, bool wait)
{
	void *self = &sim_cpu, *free;

	sim_point();
	irqs_off++;
	for (;;) {
		free = NULL;
		if (__atomic_compare_exchange_n(&lock->owner, &free, self, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			break;
		if (!wait) {
			irqs_off--;
			return false;
		}
		if (free == self)
			sim_die("deadlock on a raw spinlock");
		sched_yield();
	}
	sim_point();
	return true;
}

void sim_unlock(raw_spinlock_t *lock)
{
	sim_point();
	if (__atomic_load_n(&lock->owner, __ATOMIC_RELAXED) != &sim_cpu)
		sim_die("unlocked by who does not hold it");
	__atomic_store_n(&lock->owner, NULL, __ATOMIC_RELEASE);
	irqs_off--;
	sim_point();
}

/* Interleavings. */
void sim_arm(unsigned long n, enum sim_kind kind, void (*event)(void *data), void *data)
{
	armed.n = n;
	armed.kind = kind;
	armed.event = event;
	armed.data = data;
	sim_armed = true;
}

/* Did it happen? */
bool sim_disarm(void)
{
	bool happened = !sim_armed;

	sim_armed = false;
	return happened;
}

void sim_point_slow(void)
{
	unsigned int cpu = sim_cpu, off = irqs_off;

	/* It would wait until the lock is free: later, then. */
	if (irqs_off && armed.kind == SIM_ANY)
		return;
	if (armed.n--)
		return;
	sim_armed = false;
	sim_nmi = armed.kind == SIM_NMI;
	if (!sim_nmi)
		sim_cpu = (cpu + 1) % SIM_CPUS;
	irqs_off = 0;
	armed.event(armed.data);
	irqs_off = off;
	sim_cpu = cpu;
	sim_nmi = false;
}

/* Deferred work: there is one irq_work and one work item. */
static struct irq_work *queued_irq_work;
static struct work_struct *queued_work;

bool irq_work_queue(struct irq_work *work)
{
	if (__atomic_exchange_n(&work->pending, 1, __ATOMIC_SEQ_CST))
		return false;
	__atomic_store_n(&queued_irq_work, work, __ATOMIC_RELEASE);
	return true;
}

void irq_work_sync(struct irq_work *work)
{
	if (__atomic_exchange_n(&work->pending, 0, __ATOMIC_SEQ_CST))
		work->func(work);
}

bool schedule_work(struct work_struct *work)
{
	if (__atomic_exchange_n(&work->pending, 1, __ATOMIC_SEQ_CST))
		return false;
	__atomic_store_n(&queued_work, work, __ATOMIC_RELEASE);
	return true;
}

bool cancel_work_sync(struct work_struct *work)
{
	return __atomic_exchange_n(&work->pending, 0, __ATOMIC_SEQ_CST);
}

bool sim_deferred_pending(void)
{
	struct irq_work *irq_work = __atomic_load_n(&queued_irq_work, __ATOMIC_ACQUIRE);
	struct work_struct *work = __atomic_load_n(&queued_work, __ATOMIC_ACQUIRE);

	return (irq_work && __atomic_load_n(&irq_work->pending, __ATOMIC_RELAXED)) ||
	       (work && __atomic_load_n(&work->pending, __ATOMIC_RELAXED));
}

void sim_run_deferred(void)
{
	struct irq_work *irq_work = __atomic_load_n(&queued_irq_work, __ATOMIC_ACQUIRE);
	struct work_struct *work;

	if (irq_work)
		irq_work_sync(irq_work);
	work = __atomic_load_n(&queued_work, __ATOMIC_ACQUIRE);
	if (work && __atomic_exchange_n(&work->pending, 0, __ATOMIC_SEQ_CST))
		work->func(work);
}
