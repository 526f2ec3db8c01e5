// SPDX-License-Identifier: GPL-2.0
/*
 * ap_paths: allocations and frees where few would look for them: in RCU callbacks, in the handlers of other tracers on the very
 * functions that are hooked, in the middle of a fork, under printk(), where memory is out, in an NMI.
 *
 * Each such place has three functions that allocate, and a ring of what they gave: the place frees what it did some turns ago.
 * What is in the ring at the end is what is live.
 */
#include <linux/completion.h>
#include <linux/console.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/oom.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/sysrq.h>
#include <linux/tracepoint.h>

#include "ap.h"

#ifdef HAVE_TRACE_RECURSION
#include <linux/trace_recursion.h>
#endif

#define AP_RING		16
#define AP_DRIVES	400

struct ap_ring {
	unsigned long busy;
	unsigned int n;		/* how often the place was passed */
	void *kmalloc[AP_RING], *cache[AP_RING];
	struct page *page[AP_RING];
};

static void ap_ring_free(struct ap_ring *r, unsigned int i)
{
	kfree(r->kmalloc[i]);
	if (r->cache[i])
		kmem_cache_free(ap_cache[AP_C700], r->cache[i]);
	if (r->page[i])
		__free_pages(r->page[i], 1);
	r->kmalloc[i] = r->cache[i] = r->page[i] = NULL;
}

/* In the handler of the very call that its own handler makes, and where two come at once: not again. */
static bool ap_ring_begin(struct ap_ring *r)
{
	return !test_and_set_bit_lock(0, &r->busy);
}

static void ap_ring_end(struct ap_ring *r)
{
	clear_bit_unlock(0, &r->busy);
}

#define AP_GFP	(GFP_ATOMIC | __GFP_NOWARN)

#define AP_PLACE(place)							\
static struct ap_ring ap_ring_##place;					\
static AP_FN void *ap_kmalloc_##place(void)				\
{									\
	return ap_keep(kmalloc(64, AP_GFP));				\
}									\
static AP_FN void *ap_cache_##place(void)				\
{									\
	return ap_keep(kmem_cache_alloc(ap_cache[AP_C700], AP_GFP));	\
}									\
static AP_FN struct page *ap_page_##place(void)				\
{									\
	return ap_keep(alloc_pages(AP_GFP, 1));				\
}									\
static void ap_act_##place(void)					\
{									\
	struct ap_ring *r = &ap_ring_##place;				\
	unsigned int i;							\
									\
	if (!ap_ring_begin(r))						\
		return;							\
	i = r->n++ % AP_RING;						\
	ap_ring_free(r, i);						\
	r->kmalloc[i] = ap_kmalloc_##place();				\
	r->cache[i] = ap_cache_##place();				\
	r->page[i] = ap_page_##place();					\
	ap_ring_end(r);							\
}									\
static void ap_account_##place(int sign)				\
{									\
	struct ap_ring *r = &ap_ring_##place;				\
	unsigned int i;							\
									\
	for (i = 0; i < AP_RING; i++) {					\
		ap_slab("ap_kmalloc_" #place, "kmalloc-64",		\
			r->kmalloc[i] ? sign : 0);			\
		ap_slab("ap_cache_" #place, "ap_c700",			\
			r->cache[i] ? sign : 0);			\
		ap_pages("ap_page_" #place, r->page[i] ? sign : 0,	\
			 r->page[i] ? sign * 2 : 0);			\
	}								\
}									\
/* Was it passed often enough that something was freed there, too? */	\
static int ap_passed_##place(void)					\
{									\
	ap_account_##place(1);						\
	return ap_ring_##place.n > AP_RING ? 0 : -EAGAIN;		\
}									\
static int ap_drain_##place(void)					\
{									\
	unsigned int i;							\
									\
	ap_account_##place(-1);						\
	for (i = 0; i < AP_RING; i++)					\
		ap_ring_free(&ap_ring_##place, i);			\
	ap_ring_##place.n = 0;						\
	return 0;							\
}

#define AP_PLACE2(place, what)						\
	{ "ap_" #place, "hostile", 0, { what, ap_drain_##place } }

/* RCU callbacks, which are softirqs, or threads on PREEMPT_RT. */
AP_PLACE(rcucb)

static void ap_rcucb_fn(struct rcu_head *head)
{
	ap_act_rcucb();
}

static int ap_rcucb_run(void)
{
	static struct rcu_head heads[AP_RING];
	unsigned int i, turn;

	for (turn = 0; turn < 4; turn++) {
		for (i = 0; i < AP_RING; i++)
			call_rcu(&heads[i], ap_rcucb_fn);
		rcu_barrier();
	}
	return ap_passed_rcucb();
}

/*
 * Where memory is out: a notifier of that. All that is free is taken, and the kernel asked to kill somebody, which it tells
 * notifiers first; then all is given back: nothing but what the notifier holds is there to be seen afterwards. (To have everything
 * reclaimed as well would leave a guest that reads its programs from disk for minutes.)
 */
AP_PLACE(oom)

#define AP_OOM_ORDER	9

static struct page *ap_oom_blocks;

static AP_FN struct page *ap_oom_fill(unsigned int order)
{
	return ap_keep(alloc_pages(__GFP_NOWARN, order));
}

/* What is taken is a list: in each block's first page. */
static void ap_oom_take_all(void)
{
	unsigned int order = AP_OOM_ORDER;
	struct page *page;

	for (;;) {
		page = ap_oom_fill(order);
		if (!page && !order--)
			break;
		if (!page)
			continue;
		set_page_private(page, order);
		page->mapping = (struct address_space *)ap_oom_blocks;
		ap_oom_blocks = page;
		cond_resched();
	}
}

static void ap_oom_give_back(void)
{
	struct page *page;

	while ((page = ap_oom_blocks)) {
		unsigned int order = page_private(page);

		ap_oom_blocks = (struct page *)page->mapping;
		page->mapping = NULL;
		set_page_private(page, 0);
		__free_pages(page, order);
		cond_resched();
	}
}

static DECLARE_COMPLETION(ap_oom_told);

static int ap_oom_event(struct notifier_block *nb, unsigned long unused, void *freed)
{
	unsigned int i;

	for (i = 0; i < 2 * AP_RING; i++)
		ap_act_oom();
	complete(&ap_oom_told);
	return NOTIFY_OK;
}

static struct notifier_block ap_oom_notifier = { .notifier_call = ap_oom_event };

static int ap_oom_run(void)
{
	int err;

	reinit_completion(&ap_oom_told);
	err = register_oom_notifier(&ap_oom_notifier);
	if (err)
		return err;
	ap_oom_take_all();
	handle_sysrq('f');
	err = wait_for_completion_timeout(&ap_oom_told, 60 * HZ) ? 0 : -ETIMEDOUT;
	ap_oom_give_back();
	unregister_oom_notifier(&ap_oom_notifier);
	return err ?: ap_passed_oom();
}

/* With PREEMPT_RT nobody may allocate where preemption is off, as it is in all that follows. */
#ifndef CONFIG_PREEMPT_RT

/*
 * Where a function has several callbacks, ftrace goes two levels deep in one context: at a third it calls nobody, no hook of a
 * profiler either. A task that is preempted at the end of the first may be at the second: the scheduler frees what dead tasks left.
 */
#ifdef HAVE_TRACE_RECURSION
static bool ap_is_deep(void)
{
	return current->trace_recursion & (1UL << (TRACE_LIST_START + TRACE_CTX_TRANSITION));
}
#else
static bool ap_is_deep(void)
{
	return false;
}
#endif

/* Only what this task does, outside of interrupts, is traced: what it then holds is known. */
static struct task_struct *ap_traced;

static bool ap_is_traced(void)
{
	return current == READ_ONCE(ap_traced) && in_task() && !ap_is_deep();
}

/* Passes what is traced: nothing of it is left. */
static AP_FN void ap_drive(void)
{
	unsigned int i;

	WRITE_ONCE(ap_traced, current);
	for (i = 0; i < AP_DRIVES; i++) {
		void *p = ap_keep(kmalloc(ap_var(200), GFP_KERNEL));
		void *q = ap_keep(kmem_cache_alloc(ap_cache[AP_C1400], GFP_KERNEL));
		struct page *page = ap_keep(alloc_page(GFP_KERNEL));

		kfree(p);
		if (q)
			kmem_cache_free(ap_cache[AP_C1400], q);
		if (page)
			__free_page(page);
	}
	WRITE_ONCE(ap_traced, NULL);
}

static const char * const ap_frees[] = { "kfree", "kmem_cache_free" };
static const char * const ap_allocs[] = {
	"__kmalloc_noprof", "__kmalloc", "kmem_cache_alloc_noprof", "kmem_cache_alloc",
	"__alloc_frozen_pages_noprof", "__alloc_pages_noprof", "__alloc_pages", "__alloc_pages_nodemask",
};
static const char * const ap_fork[] = { "copy_process" };

/* A kprobe on each of these that is there, while @run runs. */
#define AP_PROBES	16

static int ap_probed(const char * const *symbols, unsigned int n, kprobe_pre_handler_t handler, void (*run)(void))
{
	static struct kprobe probes[AP_PROBES];
	bool there[AP_PROBES] = {};
	unsigned int i, found = 0;

	for (i = 0; i < n; i++) {
		probes[i] = (struct kprobe){ .symbol_name = symbols[i], .pre_handler = handler };
		there[i] = !register_kprobe(&probes[i]);
		found += there[i];
	}
	if (found)
		run();
	for (i = 0; i < n; i++)
		if (there[i])
			unregister_kprobe(&probes[i]);
	return found ? 0 : -ENOENT;
}

#define AP_PROBE_PLACE(place, symbols, run)				\
AP_PLACE(place)								\
static int ap_handle_##place(struct kprobe *kp, struct pt_regs *regs)	\
{									\
	if (run != ap_drive || ap_is_traced())				\
		ap_act_##place();					\
	return 0;							\
}									\
static int ap_run_##place(void)						\
{									\
	return ap_probed(symbols, ARRAY_SIZE(symbols),			\
			 ap_handle_##place, run) ?: ap_passed_##place(); \
}

static int ap_fork_thread(void *unused)
{
	return ap_stay_until_stopped();
}

/* Tasks that are made, and go. */
static void ap_forks(void)
{
	struct task_struct *t;
	unsigned int i;

	for (i = 0; i < 4 * AP_RING; i++) {
		t = kthread_create(ap_fork_thread, NULL, "ap_fork");
		if (!IS_ERR(t))
			kthread_stop(t);
	}
}

AP_PROBE_PLACE(probe_free, ap_frees, ap_drive)
AP_PROBE_PLACE(probe_alloc, ap_allocs, ap_drive)
AP_PROBE_PLACE(fork_early, ap_fork, ap_forks)

/* A kretprobe's handler, where its function returns. */
AP_PLACE(retprobe)

static int ap_handle_retprobe(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (ap_is_traced())
		ap_act_retprobe();
	return 0;
}

static int ap_run_retprobe(void)
{
	static struct kretprobe rp;
	int err;

	rp = (struct kretprobe){ .kp.symbol_name = "kfree", .handler = ap_handle_retprobe };
	err = register_kretprobe(&rp);
	if (err)
		return err;
	ap_drive();
	unregister_kretprobe(&rp);
	return ap_passed_retprobe();
}

/* ftrace's own callbacks: on all of them at once. */
AP_PLACE(ftrace)

static void ap_handle_ftrace(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops, struct ftrace_regs *regs)
{
	if (ap_is_traced())
		ap_act_ftrace();
}

static int ap_ftrace_filter(struct ftrace_ops *ops, const char * const *symbols, unsigned int n)
{
	unsigned int i, found = 0;

	for (i = 0; i < n; i++)
		found += !ftrace_set_filter(ops, (unsigned char *)symbols[i], strlen(symbols[i]), 0);
	return found;
}

static int ap_run_ftrace(void)
{
	static struct ftrace_ops ops = { .func = ap_handle_ftrace };
	int err;

	/* With no filter it would be all functions. */
	if (!ap_ftrace_filter(&ops, ap_frees, ARRAY_SIZE(ap_frees)) ||
	    !ap_ftrace_filter(&ops, ap_allocs, ARRAY_SIZE(ap_allocs)))
		return -ENOENT;
	err = register_ftrace_function(&ops);
	if (err)
		return err;
	ap_drive();
	err = unregister_ftrace_function(&ops);
	return err ?: ap_passed_ftrace();
}

/* Probes of the kernel's own events. */
struct ap_find {
	const char *name;
	struct tracepoint *tp;
};

static void ap_match(struct tracepoint *tp, void *data)
{
	struct ap_find *find = data;

	if (!strcmp(tp->name, find->name))
		find->tp = tp;
}

static int ap_evented(const char * const *events, unsigned int n, void (*probe)(void *data), void (*run)(void))
{
	struct ap_find find[AP_PROBES] = {};
	unsigned int i, found = 0;

	for (i = 0; i < n; i++) {
		find[i].name = events[i];
		for_each_kernel_tracepoint(ap_match, &find[i]);
		if (find[i].tp && tracepoint_probe_register(find[i].tp, (void *)probe, NULL))
			find[i].tp = NULL;
		found += !!find[i].tp;
	}
	if (found == n)
		run();
	for (i = 0; i < n; i++)
		if (find[i].tp)
			tracepoint_probe_unregister(find[i].tp, (void *)probe, NULL);
	tracepoint_synchronize_unregister();
	return found == n ? 0 : -ENOENT;
}

static const char * const ap_ev_object[] = { "kmalloc", "kfree", "kmem_cache_alloc", "kmem_cache_free" };
static const char * const ap_ev_page[] = { "mm_page_alloc", "mm_page_free" };
static const char * const ap_ev_fork[] = { "task_newtask" };

/* (From 7.0 on probes can be preempted.) */
#define AP_EVENT_PLACE(place, events, run)				\
AP_PLACE(place)								\
static void ap_handle_##place(void *data)				\
{									\
	if (run != ap_drive || ap_is_traced())				\
		ap_act_##place();					\
}									\
static int ap_run_##place(void)						\
{									\
	return ap_evented(events, ARRAY_SIZE(events),			\
			  ap_handle_##place, run) ?: ap_passed_##place(); \
}

AP_EVENT_PLACE(event_object, ap_ev_object, ap_drive)
AP_EVENT_PLACE(event_page, ap_ev_page, ap_drive)
AP_EVENT_PLACE(fork, ap_ev_fork, ap_forks)

/* Under printk(): a console. */
AP_PLACE(printk)

static void ap_console_write(struct console *con, const char *text, unsigned int len)
{
	ap_act_printk();
}

static int ap_run_printk(void)
{
	static struct console con;
	unsigned int i;

	con = (struct console){ .name = "ap", .write = ap_console_write, .flags = CON_ENABLED, .index = -1 };
	register_console(&con);
	for (i = 0; i < 2 * AP_RING; i++)
		pr_info("ap_paths: said to a console that allocates\n");
	/* Whoever was printing meanwhile has what is left of it. */
	console_lock();
	console_unlock();
	unregister_console(&con);
	return ap_passed_printk();
}

#endif /* CONFIG_PREEMPT_RT */

/* In an NMI: only 7.x has anything to be called there, and not where an instruction is lacking: tests/vm/boot. */
#if defined(HAVE_KMALLOC_NOLOCK) && defined(HAVE_ALLOC_PAGES_NOLOCK) && defined(CONFIG_X86_64) && !defined(CONFIG_PREEMPT_RT)
#define AP_NMI
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <asm/apic.h>
#include <asm/nmi.h>

#define AP_NMIS		500

static struct ap_ring ap_ring_nmi;
static int ap_nmi_cpu, ap_nmi_from;
static bool ap_nmi_own;
static atomic_t ap_nmi_sent;

static AP_FN void *ap_kmalloc_nmi(void)
{
	return ap_keep(kmalloc_nolock(90, 0, NUMA_NO_NODE));
}

static AP_FN struct page *ap_page_nmi(void)
{
	return ap_keep(alloc_pages_nolock(0, NUMA_NO_NODE, 0));
}

static AP_FN void *ap_nmi_task(void)
{
	return ap_keep(kmalloc(90, GFP_KERNEL));
}

/* Pages cannot be freed there by a module. */
static int ap_nmi_handle(unsigned int type, struct pt_regs *regs)
{
	struct ap_ring *r = &ap_ring_nmi;
	unsigned int i;

	if (!READ_ONCE(ap_nmi_own) && atomic_dec_if_positive(&ap_nmi_sent) < 0)
		return NMI_DONE;
	if (ap_ring_begin(r)) {
		i = r->n++ % AP_RING;
		kfree_nolock(r->kmalloc[i]);
		r->kmalloc[i] = ap_kmalloc_nmi();
		if (!r->page[i])
			r->page[i] = ap_page_nmi();
		ap_ring_end(r);
	}
	return NMI_HANDLED;
}

static enum hrtimer_restart ap_nmi_fire(struct hrtimer *t)
{
	atomic_inc(&ap_nmi_sent);
	apic->send_IPI(ap_nmi_cpu, NMI_VECTOR);
	hrtimer_forward_now(t, ns_to_ktime(200000));
	return HRTIMER_RESTART;
}

static struct hrtimer ap_nmi_timer;

static void ap_nmi_start(void *unused)
{
	hrtimer_start(&ap_nmi_timer, ns_to_ktime(200000), HRTIMER_MODE_REL_PINNED_HARD);
}

static void ap_nmi_account(int sign)
{
	struct ap_ring *r = &ap_ring_nmi;
	unsigned int i;

	for (i = 0; i < AP_RING; i++) {
		ap_slab("ap_kmalloc_nmi", "kmalloc-96", r->kmalloc[i] ? sign : 0);
		ap_pages("ap_page_nmi", r->page[i] ? sign : 0, r->page[i] ? sign : 0);
	}
	ap_slab("ap_nmi_task", "kmalloc-96", 0);
}

/* First one after the other, as an instruction; then from another CPU, into whatever this task does: it fills and empties slabs. */
static int ap_run_nmi(void)
{
	unsigned long end = jiffies + 30 * HZ;
	static void *box[256];
	unsigned int i;
	int err;

	err = register_nmi_handler(NMI_LOCAL, ap_nmi_handle, 0, "ap_nmi");
	if (err)
		return err;
	migrate_disable();
	ap_nmi_cpu = smp_processor_id();
	WRITE_ONCE(ap_nmi_own, true);
	for (i = 0; i < 2 * AP_RING; i++)
		asm volatile("int $2" : : : "memory");
	WRITE_ONCE(ap_nmi_own, false);
	ap_nmi_from = cpumask_any_but(cpu_online_mask, ap_nmi_cpu);
	if (ap_nmi_from < nr_cpu_ids) {
		hrtimer_setup(&ap_nmi_timer, ap_nmi_fire, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		smp_call_function_single(ap_nmi_from, ap_nmi_start, NULL, 1);
		for (i = 0; READ_ONCE(ap_ring_nmi.n) < AP_NMIS && time_before(jiffies, end); i++) {
			kfree(xchg(&box[i % ARRAY_SIZE(box)], i % 1024 < 512 ? ap_nmi_task() : NULL));
			if (!(i % 1024))
				cond_resched();
		}
		hrtimer_cancel(&ap_nmi_timer);
	}
	migrate_enable();
	for (i = 0; i < ARRAY_SIZE(box); i++)
		kfree(xchg(&box[i], NULL));
	unregister_nmi_handler(NMI_LOCAL, "ap_nmi");
	pr_info("ap_paths: %u NMIs\n", ap_ring_nmi.n);
	ap_nmi_account(1);
	/* A single CPU has only its own. */
	return ap_ring_nmi.n >= (ap_nmi_from < nr_cpu_ids ? AP_NMIS : AP_RING) ? 0 : -EAGAIN;
}

static int ap_drain_nmi(void)
{
	struct ap_ring *r = &ap_ring_nmi;
	unsigned int i;

	ap_nmi_account(-1);
	for (i = 0; i < AP_RING; i++) {
		kfree(r->kmalloc[i]);
		if (r->page[i])
			__free_page(r->page[i]);
		r->kmalloc[i] = r->page[i] = NULL;
	}
	r->n = 0;
	return 0;
}
#endif

const struct ap_path ap_hostile_paths[] = {
	AP_PLACE2(rcucb, ap_rcucb_run),
#ifndef CONFIG_PREEMPT_RT
	AP_PLACE2(probe_free, ap_run_probe_free), AP_PLACE2(probe_alloc, ap_run_probe_alloc),
	AP_PLACE2(retprobe, ap_run_retprobe), AP_PLACE2(ftrace, ap_run_ftrace),
	AP_PLACE2(event_object, ap_run_event_object), AP_PLACE2(event_page, ap_run_event_page),
	AP_PLACE2(fork_early, ap_run_fork_early), AP_PLACE2(fork, ap_run_fork),
	AP_PLACE2(printk, ap_run_printk),
#endif
#ifdef AP_NMI
	AP_PLACE2(nmi, ap_run_nmi),
#endif
	{ "ap_oom", "oom", 0, { ap_oom_run, ap_drain_oom } },
	{ }
};
