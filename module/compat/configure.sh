#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# usage: configure.sh SRCTREE OBJTREE
#
# Prints -DHAVE_* flags for what this kernel offers.  Prints nothing when the
# tree cannot be trusted, which the Kbuild turns into an error: a broken tree
# must not read as "feature absent".
set -u
src=$1 obj=$2
symvers=$obj/Module.symvers

# Sanity first: every kernel exports these.
[ -r "$symvers" ] || exit 0
[ -r "$src/include/linux/ftrace.h" ] || exit 0
exported() { awk -v s="$1" '$2 == s { found = 1; exit } END { exit !found }' "$symvers"; }
exported kfree && exported kmem_cache_free || exit 0

header() { grep -qE "$2" "$src/include/linux/$1" 2>/dev/null; }
flags=-DHAVE_ALLOCPROF_CONFIGURE
have() { flags="$flags -DHAVE_$1"; }

# Exported allocators: a direct stub can call only a name that exists.
for sym in \
	__kmalloc_noprof __kmalloc \
	__kmalloc_node_noprof __kmalloc_node \
	__kmalloc_node_track_caller_noprof __kmalloc_node_track_caller \
	__kmalloc_cache_noprof kmalloc_trace \
	__kmalloc_cache_node_noprof kmalloc_node_trace \
	kmem_cache_alloc_noprof kmem_cache_alloc \
	kmem_cache_alloc_lru_noprof kmem_cache_alloc_lru \
	kmem_cache_alloc_node_noprof kmem_cache_alloc_node \
	kmem_cache_alloc_bulk_noprof kmem_cache_alloc_bulk \
	__alloc_pages_noprof __alloc_pages \
	alloc_pages_bulk_noprof __alloc_pages_bulk \
	alloc_pages_exact_noprof alloc_pages_exact \
	folio_migrate_flags alloc_contig_range_noprof alloc_contig_range pcpu_alloc_noprof \
	synchronize_rcu_tasks synchronize_rcu_tasks_rude
do
	exported "$sym" && have "SYM_$sym"
done

exported register_ftrace_direct_multi && have FTRACE_DIRECT_MULTI
header ftrace.h 'int register_ftrace_direct\(struct ftrace_ops \*ops' && have FTRACE_DIRECT_OPS
header memcontrol.h 'void split_page_memcg\(struct page \*head, int old_order' &&
	have SPLIT_PAGE_MEMCG_ORDERS
header memcontrol.h 'void split_page_memcg\(struct page \*head, unsigned int nr\)' &&
	have SPLIT_PAGE_MEMCG_PAGES
header sysctl.h 'register_sysctl_sz\(' && have REGISTER_SYSCTL_SZ
header sysctl.h 'typedef int proc_handler\(const struct ctl_table' && have CONST_CTL_TABLE_HANDLER
header module.h 'enum mod_mem_type' && have MODULE_MEMORY
{ header ftrace.h 'define ftrace_regs_get_argument' ||
  header ftrace_regs.h 'define ftrace_regs_get_argument' ||
  grep -q 'define ftrace_regs_get_argument' "$src/arch/x86/include/asm/ftrace.h"; } &&
	have FTRACE_REGS_GET_ARGUMENT

echo "$flags"
