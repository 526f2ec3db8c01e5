// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that a work item allocates for somebody else: the larger table of a
 * growing rhashtable.
 *
 * The kernel's own profiler remembers in the hash table who has made it.  From
 * outside the same is known another way: the work item is part of the hash
 * table, which points to the table it has now, and that one's record names the
 * callsite.  A table from before we were switched on has none, nor is there a
 * work item where an insertion grows the table on the spot: then the callsite
 * is in lib/rhashtable.c.
 *
 * Lifetime: the work item runs, and holds the hash table's mutex; so the hash
 * table and its present table stay.
 */
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/rhashtable-types.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "callsite.h"
#include "inherit.h"
#include "objtable.h"
#include "pfntable.h"
#include "tagtable.h"

/**
 * inherit_applies() - does this function allocate for the owner of what it has?
 * @function: its name; of the one it was inlined into, where that is not known
 *
 * Context: any.
 */
bool inherit_applies(const char *function)
{
	return !strcmp(function, "rhashtable_rehash_alloc") ||
	       !strcmp(function, "rhashtable_shrink") ||
	       !strcmp(function, "rht_deferred_worker");
}

/**
 * inherit_callsite() - for whom the running work item allocates
 * @ret: return address in a function that inherit_applies() to
 *
 * Context: any.
 * Return: the return address of the callsite, or 0 if it is not known.
 */
unsigned long inherit_callsite(unsigned long ret)
{
	struct work_struct *work = in_task() ? current_work() : NULL;
	char name[KSYM_SYMBOL_LEN];
	struct allocprof_tag *tag;
	struct rhashtable *ht;
	const void *table;
	u64 key;

	if (!work)
		return 0;
	sprint_symbol_no_offset(name, (unsigned long)work->func);
	if (strcmp(name, "rht_deferred_worker"))
		return 0;
	ht = container_of(work, struct rhashtable, run_work);
	table = (__force const void *)READ_ONCE(ht->tbl);
	tag = objtable_owner(table);
	if (!tag && is_vmalloc_addr(table))
		tag = pfntable_owner(vmalloc_to_page(table));
	else if (!tag && virt_addr_valid(table))
		tag = pfntable_owner(virt_to_page(table));
	if (!tag)
		return 0;
	key = READ_ONCE(tag->key);
	/* A callsite whose module is gone, or that was none, is nobody to inherit from. */
	if (key & (TAG_KEY_DEAD | TAG_KEY_TERMINAL) || callsite_address(key) == ret)
		return 0;
	return callsite_address(key);
}
