// SPDX-License-Identifier: GPL-2.0
/*
 * The simulated machine.
 *
 * Memory: an address range for the direct map and an array of struct page.
 * Only pages that the module got from the page allocator may be touched; the
 * address sanitizer watches over the others.  The direct map is a file, so
 * that vmap() can map the same pages at another address.  Whatever is
 * allocated is counted, so that a test can ask for leaks.
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
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, size)	((void)(p), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(p, size)	((void)(p), (void)(size))
#endif

#include <linux/irq_work.h>
#include <linux/memory.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

/* No point here is one where something else could happen. */
#undef allocprof_pages

unsigned long sim_page_offset;
struct page *sim_mem_map;
/* The last zone is a device's: pages, but not the page allocator's. */
static const pg_data_t nodes_at_boot[2] = {
	{ { { SIM_RAM_PAGES / 4, 1 }, { SIM_RAM_PAGES, 1 }, { SIM_PAGES, 0 } } },
	{ { { 0, 0 }, { SIM_RAM_PAGES / 2, 1 }, { 0, 0 } } },
};
pg_data_t sim_nodes[2];
static bool online_steps[SIM_PAGES / SIM_STEP];

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
long sim_fail_after = -1;
bool sim_fail_percpu, sim_fail_notifier;
long sim_pages_out, sim_frames_out, sim_percpu_out, sim_vmalloc_out;
unsigned long sim_vmaps, sim_warnings;

static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;
static int memory_file;

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

/* Only that the format fits, and that something was said. */
void sim_warn(const char *format, ...)
{
	__atomic_fetch_add(&sim_warnings, 1, __ATOMIC_RELAXED);
}

static void *map(size_t size, int prot)
{
	void *p = mmap(NULL, size, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		sim_die("no %zu bytes of address space", size);
	return p;
}

/* Maps the direct map's pages once more, over what is at @addr; or anywhere. */
static void *map_pages(void *addr, unsigned long pfn, unsigned long n, int prot)
{
	void *p = mmap(addr, n << PAGE_SHIFT, prot,
		       MAP_SHARED | MAP_NORESERVE | (addr ? MAP_FIXED : 0), memory_file,
		       (off_t)PFN_PHYS(pfn));

	if (p == MAP_FAILED)
		sim_die("%lu pages cannot be mapped", n);
	return p;
}

/*
 * A hook runs on a CPU while its number is odd.  Who, that a grace period
 * that would wait for itself can be told.
 */
static unsigned long hook_runs[SIM_CPUS];
static void *hook_owner[SIM_CPUS];

void sim_hook_begin(void)
{
	if (hook_runs[sim_cpu] & 1)
		sim_die("a hook begins on a CPU that is in one");
	__atomic_store_n(&hook_owner[sim_cpu], &sim_cpu, __ATOMIC_RELAXED);
	__atomic_fetch_add(&hook_runs[sim_cpu], 1, __ATOMIC_SEQ_CST);
}

void sim_hook_end(void)
{
	__atomic_fetch_add(&hook_runs[sim_cpu], 1, __ATOMIC_SEQ_CST);
}

static __thread struct mutex *mutexes_held[2];
static __thread unsigned int mutexes;

static void may_sleep(const char *what)
{
	if (irqs_off)
		sim_die("%s is for sleepers, and not under a raw spinlock", what);
	if (__atomic_load_n(&hook_runs[sim_cpu], __ATOMIC_RELAXED) & 1)
		sim_die("%s is for sleepers, and not in a hook", what);
}

/* memory_lock held.  Is this one of the allocations that still succeed? */
static bool may_have(void)
{
	if (!sim_fail_after)
		return false;
	if (sim_fail_after > 0)
		sim_fail_after--;
	return true;
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
	if (!(gfp & __GFP_NORETRY))
		sim_die("a process is killed for per-CPU memory");
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
	size_t *p = NULL;

	may_sleep(__func__);
	if (!(gfp & GFP_KERNEL) || !(gfp & __GFP_ZERO))
		sim_die("%s is for sleepers, and not for what is not cleared", __func__);
	pthread_mutex_lock(&memory_lock);
	if (may_have()) {
		p = calloc(1, size + 64);
		if (!p)
			sim_die("out of memory");
		*p = size;
		sim_vmalloc_out += size;
	}
	pthread_mutex_unlock(&memory_lock);
	if (!p)
		return NULL;
	ASAN_POISON_MEMORY_REGION(p, 64);
	return (char *)p + 64;
}

void vfree(void *p)
{
	size_t *header;

	if (!p)
		return;
	may_sleep(__func__);
	header = (size_t *)((char *)p - 64);
	ASAN_UNPOISON_MEMORY_REGION(header, 64);
	pthread_mutex_lock(&memory_lock);
	sim_vmalloc_out -= *header;
	pthread_mutex_unlock(&memory_lock);
	free(header);
}

/* The pages that the module allocates for itself: first fit, going round. */
static u8 chunk_order[SIM_CHUNK_PAGES];	/* of the block that starts here, plus 1 */
static u8 chunk_used[SIM_CHUNK_PAGES];
static unsigned long chunk_cursor;

/* Its address, or 0.  @out: where it is counted. */
static unsigned long get_block(gfp_t gfp, unsigned int order, long *out)
{
	unsigned long n = 1UL << order, start, tries, i;
	unsigned long addr = 0;
	size_t bytes = PAGE_SIZE << order;

	if (irqs_off)
		sim_die("the page allocator was called under a raw spinlock");
	if (gfp & GFP_KERNEL)
		may_sleep("the page allocator");
	pthread_mutex_lock(&memory_lock);
	if (sim_fail_orders & 1U << order || !sim_fail_after)
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
	may_have();
	memset(&chunk_used[start], 1, n);
	chunk_order[start] = order + 1;
	*out += n;
	ASAN_UNPOISON_MEMORY_REGION((void *)addr, bytes);
	memset((void *)addr, gfp & __GFP_ZERO ? 0 : 0xa5, bytes);
out:
	pthread_mutex_unlock(&memory_lock);
	return addr;
}

static void put_block(unsigned long addr, unsigned int order, long *out)
{
	unsigned long start = (addr - PAGE_OFFSET) / PAGE_SIZE - SIM_CHUNK_PFN;

	if (irqs_off)
		sim_die("the page allocator was called under a raw spinlock");
	pthread_mutex_lock(&memory_lock);
	if (start >= SIM_CHUNK_PAGES || chunk_order[start] != order + 1)
		sim_die("pages freed that are not allocated: %lx order %u", addr, order);
	chunk_order[start] = 0;
	memset(&chunk_used[start], 0, 1UL << order);
	*out -= 1L << order;
	memset((void *)addr, 0xa5, PAGE_SIZE << order);
	ASAN_POISON_MEMORY_REGION((void *)addr, PAGE_SIZE << order);
	pthread_mutex_unlock(&memory_lock);
}

unsigned long __get_free_pages(gfp_t gfp, unsigned int order)
{
	return get_block(gfp, order, &sim_pages_out);
}

void free_pages(unsigned long addr, unsigned int order)
{
	put_block(addr, order, &sim_pages_out);
}

struct page *alloc_pages_node(int nid, gfp_t gfp, unsigned int order)
{
	unsigned long addr;
	struct page *page;

	if (nid != NUMA_NO_NODE && nid != 0 && nid != 1)
		sim_die("there is no node %d", nid);
	addr = get_block(gfp, order, &sim_frames_out);
	if (!addr)
		return NULL;
	page = virt_to_page((void *)addr);
	page->wanted_node = nid;
	return page;
}

void __free_pages(struct page *page, unsigned int order)
{
	put_block((unsigned long)page_address(page), order, &sim_frames_out);
}

/*
 * Mappings.  What is unmapped keeps its addresses until the test is over, or
 * says so, that whoever still goes there dies.
 */
#define MAPPINGS	1024

static struct mapping {
	char *addr;
	unsigned long n;
	bool mapped;
	/* Waited for, since hooks could find it last. */
	bool tasks, rcu;
} mappings[MAPPINGS];
static unsigned int mappings_made;

void *vmap(struct page **pages, unsigned int count, unsigned long flags, int prot)
{
	struct mapping *m = NULL;
	unsigned int i, run;
	int access;

	may_sleep(__func__);
	if (!count || flags != VM_MAP || prot != PAGE_KERNEL)
		sim_die("%s of what?", __func__);
	pthread_mutex_lock(&memory_lock);
	if (!may_have())
		goto out;
	if (mappings_made == MAPPINGS)
		sim_die("out of mappings");
	m = &mappings[mappings_made++];
	*m = (struct mapping){ .n = count, .mapped = true };
	/* One more, as the kernel has it: who runs over the end dies. */
	m->addr = map((count + 1UL) << PAGE_SHIFT, PROT_NONE);
	for (i = 0; i < count; i += run) {
		/* Read-only by agreement in the kernel; here by force. */
		access = *(u32 *)page_address(pages[i]) == PFN_NO_TABLE ? PROT_READ :
			 PROT_READ | PROT_WRITE;
		for (run = 1; access & PROT_WRITE && i + run < count; run++)
			if (pages[i + run] != pages[i] + run ||
			    *(u32 *)page_address(pages[i + run]) == PFN_NO_TABLE)
				break;
		map_pages(m->addr + ((unsigned long)i << PAGE_SHIFT), page_to_pfn(pages[i]), run,
			  access);
	}
	ASAN_UNPOISON_MEMORY_REGION(m->addr, (unsigned long)count << PAGE_SHIFT);
	sim_vmalloc_out += (long)count << PAGE_SHIFT;
	sim_vmaps++;
#ifdef __SANITIZE_THREAD__
	__tsan_release(m->addr);
#endif
out:
	pthread_mutex_unlock(&memory_lock);
	/* Who was waited for comes first: not all that follows is ordered by this lock. */
	sched_yield();
	return m ? m->addr : NULL;
}

/* memory_lock held.  Mappings are published in the order in which they are made. */
static struct mapping *published_mapping(void)
{
	char *addr = (char *)__atomic_load_n(&allocprof_pages, __ATOMIC_ACQUIRE);
	unsigned int i;

	for (i = mappings_made; addr && i--;)
		if (mappings[i].addr == addr)
			return &mappings[i];
	return NULL;
}

void vunmap(const void *addr)
{
	struct mapping *m, *published;

	may_sleep(__func__);
	pthread_mutex_lock(&memory_lock);
	for (m = mappings; m < mappings + mappings_made; m++)
		if (m->addr == addr && m->mapped)
			break;
	if (m == mappings + mappings_made)
		sim_die("%p is not mapped", addr);
	published = published_mapping();
	if (m == published)
		sim_die("the table is unmapped while hooks use it");
	/* With no table published, hooks are gone. */
	if (published && m < published && !(m->tasks && m->rcu))
		sim_die("a mapping goes that hooks may still be on");
	m->mapped = false;
	sim_vmalloc_out -= (long)m->n << PAGE_SHIFT;
	if (mmap(m->addr, m->n << PAGE_SHIFT, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
		sim_die("cannot unmap");
	pthread_mutex_unlock(&memory_lock);
}

/* Those that are unmapped. */
void sim_forget_mappings(void)
{
	unsigned int kept = 0;
	struct mapping *m;

	for (m = mappings; m < mappings + mappings_made; m++) {
		if (m->mapped)
			mappings[kept++] = *m;
		else
			munmap(m->addr, (m->n + 1) << PAGE_SHIFT);
	}
	mappings_made = kept;
}

/* All hooks that run now have ended when this returns; only then it counts. */
static void grace_period(const char *what, bool rcu)
{
	unsigned int cpu, n;
	struct mapping *m;

	may_sleep(what);
	pthread_mutex_lock(&memory_lock);
	m = published_mapping();
	n = m ? m - mappings : 0;
	pthread_mutex_unlock(&memory_lock);
	for_each_possible_cpu(cpu) {
		unsigned long run = __atomic_load_n(&hook_runs[cpu], __ATOMIC_SEQ_CST);

		if (!(run & 1))
			continue;
		if (__atomic_load_n(&hook_owner[cpu], __ATOMIC_RELAXED) == &sim_cpu)
			sim_die("%s waits for a hook that it has interrupted", what);
		while (__atomic_load_n(&hook_runs[cpu], __ATOMIC_SEQ_CST) == run)
			sched_yield();
	}
	pthread_mutex_lock(&memory_lock);
	for (m = mappings; m < mappings + n; m++)
		*(rcu ? &m->rcu : &m->tasks) = true;
	pthread_mutex_unlock(&memory_lock);
}

/* The kernel's waits for RCU as well, on today's kernels: nobody may rely on it. */
void compat_synchronize_tasks(void)
{
	grace_period(__func__, false);
}

void synchronize_rcu(void)
{
	grace_period(__func__, true);
}

void mutex_lock(struct mutex *mutex)
{
	may_sleep("a mutex");
	if (__atomic_load_n(&mutex->owner, __ATOMIC_RELAXED) == &sim_cpu)
		sim_die("deadlock on a mutex");
	if (mutexes == ARRAY_SIZE(mutexes_held))
		sim_die("too many mutexes");
	pthread_mutex_lock(&mutex->lock);
	__atomic_store_n(&mutex->owner, &sim_cpu, __ATOMIC_RELAXED);
	mutexes_held[mutexes++] = mutex;
}

void mutex_unlock(struct mutex *mutex)
{
	if (!mutexes || mutexes_held[--mutexes] != mutex)
		sim_die("a mutex is unlocked out of order, or by who does not hold it");
	__atomic_store_n(&mutex->owner, NULL, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&mutex->lock);
}

/*
 * Memory hotplug.  The chain is locked for the whole of an event: who changes
 * it must not hold what an event wants.
 */
static DEFINE_MUTEX(chain_lock);
static struct notifier_block *memory_chain;

int register_memory_notifier(struct notifier_block *nb)
{
	int err = 0;

	may_sleep("a notifier chain");
	if (mutexes)
		sim_die("the notifier chain changes under a mutex");
	if (sim_fail_notifier)
		return -EEXIST;
	mutex_lock(&chain_lock);
	if (memory_chain)
		err = -EEXIST;
	else
		memory_chain = nb;
	mutex_unlock(&chain_lock);
	return err;
}

/* What is not there is let pass, as in the kernel. */
void unregister_memory_notifier(struct notifier_block *nb)
{
	may_sleep("a notifier chain");
	if (mutexes)
		sim_die("the notifier chain changes under a mutex");
	mutex_lock(&chain_lock);
	if (memory_chain == nb)
		memory_chain = NULL;
	mutex_unlock(&chain_lock);
}

void sim_memory_event(unsigned long action, unsigned long pfn, unsigned long npages)
{
	struct memory_notify arg = { .start_pfn = pfn, .nr_pages = npages };

	mutex_lock(&chain_lock);
	if (memory_chain)
		memory_chain->notifier_call(memory_chain, action, &arg);
	mutex_unlock(&chain_lock);
}

void sim_set_online(unsigned long pfn, unsigned long npages, bool online)
{
	struct zone *zone = &sim_nodes[0].node_zones[1];

	memset(&online_steps[pfn / SIM_STEP], online, npages / SIM_STEP);
	if (online)
		zone->zone_end = max(zone->zone_end, pfn + npages);
}

void sim_set_ram(unsigned long npages)
{
	int nid, i;

	for (nid = 0; nid < 2; nid++)
		for (i = 0; i < MAX_NR_ZONES; i++) {
			struct zone *zone = &sim_nodes[nid].node_zones[i];

			*zone = nodes_at_boot[nid].node_zones[i];
			if (zone->managed_pages)
				zone->zone_end = min(zone->zone_end, npages);
		}
	memset(online_steps, false, sizeof(online_steps));
	sim_set_online(0, npages, true);
}

struct page *pfn_to_online_page(unsigned long pfn)
{
	if (pfn >= SIM_PAGES || !online_steps[pfn / SIM_STEP])
		return NULL;
	/* Node 1 is the second quarter. */
	pfn_to_page(pfn)->nid = pfn / (SIM_RAM_PAGES / 4) == 1;
	return pfn_to_page(pfn);
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
	memory_file = memfd_create("memory", MFD_CLOEXEC);
	if (memory_file < 0 || ftruncate(memory_file, SIM_PAGES << PAGE_SHIFT))
		sim_die("no file for the memory");
	sim_page_offset = (unsigned long)map_pages(NULL, 0, SIM_PAGES, PROT_READ | PROT_WRITE);
	sim_mem_map = map(SIM_PAGES * sizeof(struct page), PROT_READ | PROT_WRITE);
	percpu_area = map(SIM_CPUS * PERCPU_BYTES, PROT_READ | PROT_WRITE);
	percpu_static = map(SIM_CPUS * PERCPU_BYTES, PROT_READ | PROT_WRITE);
	ASAN_POISON_MEMORY_REGION((void *)sim_page_offset, SIM_PAGES << PAGE_SHIFT);
	ASAN_POISON_MEMORY_REGION(percpu_area, SIM_CPUS * PERCPU_BYTES);
}

/* A machine just booted.  What the last test did not free is its problem. */
void sim_reset(void)
{
	unsigned int cpu, i;

	for (i = 0; i < mappings_made; i++)
		mappings[i].mapped = false;
	sim_forget_mappings();
	madvise(sim_mem_map, SIM_PAGES * sizeof(struct page), MADV_DONTNEED);
	sim_set_ram(SIM_RAM_PAGES);
	for_each_possible_cpu(cpu)
		memset(percpu_static + cpu * PERCPU_BYTES, 0,
		       __stop_sim_percpu - __start_sim_percpu);
	sim_abandon();
	sim_vmaps = 0;
	sim_warnings = 0;
}

void sim_abandon(void)
{
	unsigned int cpu;

	sim_cpu = 0;
	sim_nmi = false;
	sim_armed = false;
	irqs_off = 0;
	for_each_possible_cpu(cpu)
		hook_runs[cpu] += hook_runs[cpu] & 1;
	while (mutexes)
		mutex_unlock(mutexes_held[mutexes - 1]);
	sim_fail_orders = 0;
	sim_fail_after = -1;
	sim_fail_percpu = false;
	sim_fail_notifier = false;
}

/* Locks. */
bool sim_lock(raw_spinlock_t *lock, bool wait)
{
	void *self = &sim_cpu, *free;

	sim_point();
	for (;;) {
		free = NULL;
		if (__atomic_compare_exchange_n(&lock->owner, &free, self, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			break;
		if (!wait)
			return false;
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
	sim_point();
}

void sim_irqs_off(void)
{
	sim_point();
	irqs_off++;
}

void sim_irqs_on(void)
{
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
	if (!sim_nmi && armed.kind != SIM_TRACER)
		sim_cpu = (cpu + 1) % SIM_CPUS;
	irqs_off = 0;
	armed.event(armed.data);
	irqs_off = off;
	sim_cpu = cpu;
	sim_nmi = false;
}

/* Deferred work: there is one irq_work, and a few work items, known once they were scheduled. */
#define WORKS		8

static struct irq_work *queued_irq_work;
bool sim_cpus_go;
static struct work_struct *works[WORKS];

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
	struct work_struct *known;
	unsigned int i;

	if (__atomic_exchange_n(&work->pending, 1, __ATOMIC_SEQ_CST))
		return false;
	for (i = 0; i < WORKS; i++) {
		known = NULL;
		if (__atomic_compare_exchange_n(&works[i], &known, work, false, __ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST) || known == work)
			return true;
	}
	sim_die("too many work items");
}

static bool work_idle(struct work_struct *work)
{
	return !__atomic_load_n(&work->pending, __ATOMIC_SEQ_CST) &&
	       !__atomic_load_n(&work->running, __ATOMIC_SEQ_CST);
}

/* On one CPU at a time; scheduled while it runs, it runs once more. */
static void run_work(struct work_struct *work)
{
	while (__atomic_load_n(&work->pending, __ATOMIC_SEQ_CST)) {
		if (__atomic_exchange_n(&work->running, 1, __ATOMIC_SEQ_CST))
			return;
		if (__atomic_exchange_n(&work->pending, 0, __ATOMIC_SEQ_CST))
			work->func(work);
		__atomic_store_n(&work->running, 0, __ATOMIC_SEQ_CST);
	}
}

bool cancel_work_sync(struct work_struct *work)
{
	bool pending = __atomic_exchange_n(&work->pending, 0, __ATOMIC_SEQ_CST);

	may_sleep(__func__);
	while (__atomic_load_n(&work->running, __ATOMIC_SEQ_CST))
		sched_yield();
	return pending;
}

bool flush_work(struct work_struct *work)
{
	bool idle = work_idle(work);

	may_sleep(__func__);
	if (mutexes)
		sim_die("work is waited for under a mutex");
	while (!work_idle(work)) {
		run_work(work);
		sched_yield();
	}
	return !idle;
}

bool sim_deferred_pending(void)
{
	struct irq_work *irq_work = __atomic_load_n(&queued_irq_work, __ATOMIC_ACQUIRE);
	struct work_struct *work;
	unsigned int i;

	if (irq_work && __atomic_load_n(&irq_work->pending, __ATOMIC_RELAXED))
		return true;
	for (i = 0; i < WORKS; i++) {
		work = __atomic_load_n(&works[i], __ATOMIC_ACQUIRE);
		if (work && __atomic_load_n(&work->pending, __ATOMIC_RELAXED))
			return true;
	}
	return false;
}

void sim_run_deferred(void)
{
	struct irq_work *irq_work = __atomic_load_n(&queued_irq_work, __ATOMIC_ACQUIRE);
	struct work_struct *work;
	unsigned int i;

	if (irq_work)
		irq_work_sync(irq_work);
	for (i = 0; i < WORKS; i++) {
		work = __atomic_load_n(&works[i], __ATOMIC_ACQUIRE);
		if (work)
			run_work(work);
	}
}
