# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2016
# What the test modules ask of a kernel: for the module's configure.sh.

compile TIMER_DELETE_SYNC "timer.h" 'int f(struct timer_list *t) { return timer_delete_sync(t); }'
compile HRTIMER_SETUP "hrtimer.h" 'void f(struct hrtimer *t) { hrtimer_setup(t, NULL, CLOCK_MONOTONIC, HRTIMER_MODE_REL); }'
compile FOLIO_ALLOC "gfp.h" 'struct folio *f(void) { return folio_alloc(GFP_KERNEL, 0); }'
compile KFREE_RCU_MIGHTSLEEP "rcupdate.h slab.h" 'void f(int *p) { kfree_rcu_mightsleep(p); }'
compile KMEM_CACHE_ALLOC_LRU "slab.h" 'void *f(struct kmem_cache *s) { return kmem_cache_alloc_lru(s, NULL, GFP_KERNEL); }'
compile ALLOC_PAGES_BULK "gfp.h" 'unsigned long f(struct page **p) { return alloc_pages_bulk(GFP_KERNEL, 4, p); }'
compile ALLOC_PAGES_BULK_ARRAY "gfp.h" 'unsigned long f(struct page **p) { return alloc_pages_bulk_array(GFP_KERNEL, 4, p); }'
compile ALLOC_PAGES_BULK_LIST "gfp.h" 'unsigned long f(struct list_head *l) { return alloc_pages_bulk_list(GFP_KERNEL, 4, l); }'
compile KMALLOC_NOLOCK "slab.h" 'void *f(void) { return kmalloc_nolock(40, 0, NUMA_NO_NODE); }'
compile ALLOC_PAGES_NOLOCK "gfp.h" 'struct page *f(void) { return alloc_pages_nolock(0, NUMA_NO_NODE, 0); }'
compile KFREE_RCU_NOLOCK "rcupdate.h slab.h" 'struct o { struct kvfree_rcu_head rcu; };
	void f(struct o *o) { kfree_rcu_nolock(o, rcu); }'
compile SLAB_SHEAVES "slab.h" 'unsigned int f(struct slab_sheaf *s) { return kmem_cache_sheaf_size(s); }'
compile FTRACE_REGS "ftrace.h" 'void cb(unsigned long a, unsigned long b, struct ftrace_ops *o, struct ftrace_regs *r);
	ftrace_func_t f = cb;'
compile TRACE_RECURSION "sched.h trace_recursion.h" 'int f(void) { return current->trace_recursion + TRACE_LIST_START + TRACE_CTX_TRANSITION; }'
compile ASM_IBT "types.h" '#include <asm/ibt.h>'

check_exports() {
	:
}
