# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2016
# What the module asks of a kernel: for configure.sh.

# What has no substitute here: an unknown kernel that has changed it is refused.
compile NEED_tracepoint "tracepoint.h" 'int (*f)(struct tracepoint *, void *, void *) = tracepoint_probe_register;'
compile NEED_kretprobe "kprobes.h" 'int (*f)(struct kretprobe *) = register_kretprobe;
	struct kretprobe rp = { .maxactive = 1, .data_size = 1 }; void *g = &rp.kp.symbol_name;'
compile NEED_ftrace "ftrace.h" 'int (*f)(struct ftrace_ops *) = register_ftrace_function;
	int (*g)(struct ftrace_ops *, unsigned long, int, int) = ftrace_set_filter_ip; int h = FTRACE_OPS_FL_PERMANENT;'
compile NEED_proc_ops "proc_fs.h seq_file.h" 'struct proc_ops ops = { .proc_read = seq_read };'
compile NEED_irq_work "irq_work.h" 'void (*f)(struct irq_work *) = irq_work_sync;'
compile NEED_memory_notifier "memory.h notifier.h" 'int (*f)(struct notifier_block *) = register_memory_notifier;'
compile NEED_module_notifier "module.h" 'int (*f)(struct notifier_block *) = register_module_notifier;'

# ftrace
compile FTRACE_DIRECT_OPS "ftrace.h" 'int (*f)(struct ftrace_ops *, unsigned long) = register_ftrace_direct;'
compile FTRACE_DIRECT_MULTI "ftrace.h" 'int (*f)(struct ftrace_ops *, unsigned long) = register_ftrace_direct_multi;'
compile FTRACE_DIRECT_IP "ftrace.h" 'int (*f)(unsigned long, unsigned long) = register_ftrace_direct;'
compile FTRACE_REGS "ftrace.h" 'void cb(unsigned long a, unsigned long b, struct ftrace_ops *o, struct ftrace_regs *r);
	ftrace_func_t f = cb;'
compile FTRACE_REGS_GET_ARGUMENT "ftrace.h" 'unsigned long f(struct ftrace_regs *r) { return ftrace_regs_get_argument(r, 0); }'
# kprobes
compile GET_KRETPROBE "kprobes.h" 'struct kretprobe *f(struct kretprobe_instance *ri) { return get_kretprobe(ri); }'
compile GET_KRETPROBE_RETADDR "kprobes.h" 'unsigned long f(struct kretprobe_instance *ri) { return get_kretprobe_retaddr(ri); }'
compile KRETPROBE_FIND_RET_ADDR "kprobes.h" 'void *f = kretprobe_find_ret_addr;'
compile RETHOOK_FIND_RET_ADDR "kprobes.h rethook.h" 'void *f = rethook_find_ret_addr;'
# slab and pages
compile KFENCE "kfence.h" 'bool f(void *p) { return is_kfence_address(p); }'
compile KMEM_CACHE_ALLOC_LRU "slab.h" 'void *f(struct kmem_cache *s) { return kmem_cache_alloc_lru(s, NULL, GFP_KERNEL); }'
compile ALLOC_PAGES_BULK "gfp.h" 'unsigned long f(struct page **p) { return alloc_pages_bulk(GFP_KERNEL, 4, p); }'
compile ALLOC_PAGES_BULK_ARRAY "gfp.h" 'unsigned long f(struct page **p) { return alloc_pages_bulk_array(GFP_KERNEL, 4, p); }'
compile ALLOC_PAGES_BULK_LIST "gfp.h" 'unsigned long f(struct list_head *l) { return alloc_pages_bulk_list(GFP_KERNEL, 4, l); }'
compile KMEM_CACHE_ALLOC_BULK_BOOL "slab.h" 'bool (*f)(struct kmem_cache *, gfp_t, size_t, void **) = kmem_cache_alloc_bulk_noprof;'
compile ZONE_PER_CPU_PAGESET "mmzone.h" 'void *f(struct zone *z) { return per_cpu_ptr(z->per_cpu_pageset, 0); }'
compile KMALLOC_NOLOCK "slab.h" 'void *f(void) { return kmalloc_nolock(40, 0, NUMA_NO_NODE); }'
compile ALLOC_PAGES_NOLOCK_2 "gfp.h" 'struct page *f(void) { return alloc_pages_nolock(NUMA_NO_NODE, 0); }'
compile ALLOC_PAGES_NOLOCK "gfp.h" 'struct page *f(void) { return alloc_pages_nolock(0, NUMA_NO_NODE, 0); }'
compile KFREE_RCU_NOLOCK "rcupdate.h slab.h" 'struct o { struct kvfree_rcu_head rcu; };
	void f(struct o *o) { kfree_rcu_nolock(o, rcu); }'
compile SLAB_SHEAVES "slab.h" 'unsigned int f(struct slab_sheaf *s) { return kmem_cache_sheaf_size(s); }'
compile SPLIT_PAGE_MEMCG_PAGES "memcontrol.h" 'void (*f)(struct page *, unsigned int) = split_page_memcg;'
compile SPLIT_PAGE_MEMCG_ORDERS "memcontrol.h" 'void f(struct page *p) { split_page_memcg(p, 2, 1); }'
compile FOLIO_SPLIT_MEMCG_REFS "memcontrol.h" 'void f(struct folio *p) { folio_split_memcg_refs(p, 2, 1); }'
# the rest
compile OBJTOOL_HEADER "objtool.h" ''
compile ASM_IBT "types.h" '#include <asm/ibt.h>'
compile REGISTER_SYSCTL_SZ "sysctl.h" 'void *f(struct ctl_table *t) { return register_sysctl_sz("vm", t, 1); }'
compile CONST_CTL_TABLE_HANDLER "sysctl.h" 'int cb(const struct ctl_table *t, int w, void *b, size_t *n, loff_t *p);
	proc_handler *f = cb;'
compile MODULE_MEMORY "module.h" 'void *f(struct module *m) { return m->mem[MOD_TEXT].base; }'

# The names are those of module/hooks_page.c.
check_exports() {
	has __alloc_frozen_pages_noprof __alloc_pages_noprof __alloc_pages __alloc_pages_nodemask ||
		refuse "not supported on this kernel: it has no page allocator by a name that is known (5.10 to 7.3 have)"
}
