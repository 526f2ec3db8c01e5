// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/allocinfo, in the format of the kernel's own profiler, and
 * /proc/allocprof/{allocinfo,callsites,hooks,stats}.  All for root only.
 *
 * A reader sees the set of callsites as it was at open, one line each, and the
 * counts as they are when the line is read.  The tags of one callsite (one for
 * each size, and for each copy of an inlined function) are summed.  allocinfo
 * has those that have allocated, callsites also the rest that the map knows.
 *
 * Lifetime: procfs_exit() waits for readers and closes what is open, so a
 * file held open across rmmod is safe.  Tags live longer than these files.
 */
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "callsite.h"
#include "callsite_name.h"
#include "control.h"
#include "hooks.h"
#include "lostsites.h"
#include "mapfile.h"
#include "pfnmem.h"
#include "procfs.h"
#include "stats.h"
#include "tagtable.h"
#include "vecpool.h"

DEFINE_PER_CPU(u64 [ALLOCPROF_LOSSES], allocprof_losses);

static struct proc_dir_entry *dir, *file;

/**
 * struct row - a callsite and one of its tags
 * @id: the callsite
 * @tag: the tag, or NULL: a line of the map that may not have allocated yet, or
 *	what has had no room for a tag
 * @lost: the latter
 */
struct row {
	struct callsite_id id;
	struct allocprof_tag *tag;
	bool lost;
};

/**
 * struct snapshot - the callsites at open
 * @rows: those of one callsite side by side
 * @first: index of each callsite's first row in @rows, and @nrows at the end
 * @nrows: how many
 * @room: and how many there is memory for
 * @nfirst: callsites
 * @text: room for one callsite's text
 */
struct snapshot {
	struct row *rows;
	u32 *first;
	u32 nrows;
	u32 room;
	u32 nfirst;
	char text[CALLSITE_TEXT];
};

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return callsite_compare(&x->id, &y->id);
}

static void add_line(const struct map_hit *hit, void *data)
{
	struct snapshot *snap = data;

	/* Modules may have come since room was made. */
	if (snap->nrows < snap->room)
		snap->rows[snap->nrows++].id.line = *hit;
}

/* Callsites that there was no tag for, or not for all that they do. */
static void add_lost(struct snapshot *snap)
{
	unsigned int at = 0;
	u32 ret;

	while (snap->nrows < snap->room && (ret = lostsites_next(&at))) {
		snap->rows[snap->nrows].lost = true;
		callsite_identity_at(callsite_address(ret), &snap->rows[snap->nrows++].id);
	}
}

static int snapshot_take(struct snapshot *snap, bool all)
{
	u32 tags = tagtable_used(), i;

	snap->room = tags + lostsites_count() + (all ? mapfile_sites() : 0);
	snap->rows = kvcalloc(snap->room, sizeof(*snap->rows), GFP_KERNEL);
	snap->first = kvmalloc_array(snap->room + 1, sizeof(u32), GFP_KERNEL);
	if (!snap->rows || !snap->first)
		return -ENOMEM;
	for (i = ALLOCPROF_TAGS_RESERVED; i < tags; i++) {
		struct allocprof_tag *tag = tag_by_number(i);

		if (!READ_ONCE(tag->calls))
			continue;
		smp_rmb();	/* it has had its key before */
		snap->rows[snap->nrows].tag = tag;
		callsite_identity(tag, &snap->rows[snap->nrows++].id);
	}
	add_lost(snap);
	if (all)
		mapfile_for_each(add_line, snap);
	sort(snap->rows, snap->nrows, sizeof(*snap->rows), compare_rows, NULL);
	for (i = 0; i < snap->nrows; i++)
		if (!i || compare_rows(&snap->rows[i - 1], &snap->rows[i]))
			snap->first[snap->nfirst++] = i;
	snap->first[snap->nfirst] = snap->nrows;
	return 0;
}

/* Position 0 is the header, n is the n-th callsite. */
static void *allocinfo_start(struct seq_file *m, loff_t *pos)
{
	struct snapshot *snap = m->private;

	return *pos <= snap->nfirst ? pos : NULL;
}

static void *allocinfo_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return allocinfo_start(m, pos);
}

static void allocinfo_stop(struct seq_file *m, void *v)
{
}

static int allocinfo_show(struct seq_file *m, void *v)
{
	struct snapshot *snap = m->private;
	loff_t pos = *(loff_t *)v;
	s64 bytes = 0, calls = 0;
	bool accurate = control_state() == STATE_ON && !lostsites_too_many(), unloaded = false;
	struct allocprof_tag *named = NULL;
	struct row *row;
	u32 i;

	if (!pos) {
		seq_puts(m, "allocinfo - version: 2.0\n#     <size>  <calls> <tag info>\n");
		return 0;
	}
	for (i = snap->first[pos - 1]; i < snap->first[pos]; i++) {
		struct allocprof_tag *tag = snap->rows[i].tag;
		u64 n;

		if (snap->rows[i].lost)
			accurate = false;
		if (!tag)
			continue;
		named = tag;
		n = tag_live_calls(tag);
		calls += n;
		bytes += n * tag_unit(tag);
		if (atomic_read(&tag->flags) & TAG_INACCURATE)
			accurate = false;
		if (atomic_read(&tag->flags) & TAG_UNLOADED)
			unloaded = true;
	}
	/* What has no line is asked again: its module may have gone, and its name been saved. */
	row = &snap->rows[snap->first[pos - 1]];
	if (row->id.line.name)
		callsite_line_text(&row->id.line, snap->text);
	else if (named)
		callsite_text(named, snap->text);
	else
		callsite_text_at(row->id.ret, snap->text);
	seq_printf(m, "%12lli %8llu %s%s%s \n", bytes, calls, snap->text,
		   unloaded ? " unloaded:yes" : "", accurate ? "" : " accurate:no");
	return 0;
}

static const struct seq_operations allocinfo_ops = {
	.start = allocinfo_start,
	.next = allocinfo_next,
	.stop = allocinfo_stop,
	.show = allocinfo_show,
};

static void snapshot_drop(struct snapshot *snap)
{
	kvfree(snap->rows);
	kvfree(snap->first);
}

static int open_snapshot(struct inode *inode, struct file *filp, bool all)
{
	struct snapshot *snap = __seq_open_private(filp, &allocinfo_ops, sizeof(*snap));
	int err;

	if (!snap)
		return -ENOMEM;
	err = snapshot_take(snap, all);
	if (err) {
		snapshot_drop(snap);
		seq_release_private(inode, filp);
	}
	return err;
}

static int allocinfo_open(struct inode *inode, struct file *filp)
{
	return open_snapshot(inode, filp, false);
}

static int callsites_open(struct inode *inode, struct file *filp)
{
	return open_snapshot(inode, filp, true);
}

static int allocinfo_release(struct inode *inode, struct file *filp)
{
	snapshot_drop(((struct seq_file *)filp->private_data)->private);
	return seq_release_private(inode, filp);
}

static const struct proc_ops allocinfo_proc_ops = {
	.proc_open = allocinfo_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = allocinfo_release,
};

static const struct proc_ops callsites_proc_ops = {
	.proc_open = callsites_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = allocinfo_release,
};

static int hooks_file_show(struct seq_file *m, void *v)
{
	hooks_show(m);
	return 0;
}

static u64 loss_sum(enum allocprof_loss cause)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(allocprof_losses, cpu)[cause]);
	return sum;
}

static unsigned int negative_tags(void)
{
	unsigned int n = 0;
	unsigned long i;

	for (i = 0; i < tagtable_used(); i++)
		n += tag_calls(tag_by_number(i)) < 0;
	return n;
}

static int stats_show(struct seq_file *m, void *v)
{
	static const char * const name[ALLOCPROF_LOSSES] = {
		[LOST_TAG_TABLE_FULL] = "lost_tag_table_full",
		[LOST_NO_COUNTER] = "lost_no_counter",
		[LOST_NO_VECTOR] = "lost_no_vector",
		[LOST_VECTOR_TOO_BIG] = "lost_vector_too_big",
		[LOST_NOT_SLAB] = "lost_not_slab",
		[LOST_BEYOND_PAGES] = "lost_beyond_pages",
		[LOST_FREE_NESTED] = "lost_free_nested",
		[HEALED_FREES] = "healed_frees",
		[ENDED_IN_WRAPPER] = "ended_in_wrapper",
	};
	size_t tags = tagtable_tag_bytes(), counters = tagtable_counter_bytes();
	size_t pages = pfnmem_bytes(), vectors = vecpool_bytes() + vecpool_table_bytes();
	size_t reserve = vecpool_reserve_bytes(), lines = mapfile_bytes();
	int i;

	seq_printf(m, "state: %s\n", control_state_name());
	seq_printf(m, "tags: %u of %lu\n", tagtable_used(), ALLOCPROF_TAGS_MAX);
	for (i = 0; i < ALLOCPROF_LOSSES; i++)
		seq_printf(m, "%s: %llu\n", name[i], loss_sum(i));
	seq_printf(m, "negative_tags: %u\n", negative_tags());
	seq_printf(m, "mem_tags: %zu\nmem_counters: %zu\nmem_pages: %zu\n", tags, counters, pages);
	seq_printf(m, "mem_vectors: %zu\nmem_reserve: %zu\n", vectors, reserve);
	seq_printf(m, "mem_map: %zu\n", lines);
	seq_printf(m, "mem_total: %zu\n", tags + counters + pages + vectors + reserve + lines);
	mapfile_show(m);
	return 0;
}

static bool kernel_has_allocinfo(void)
{
	struct path path;

	if (IS_ENABLED(CONFIG_MEM_ALLOC_PROFILING))
		return true;
	if (kern_path("/proc/allocinfo", 0, &path))
		return false;
	path_put(&path);
	return true;
}

/**
 * procfs_init() - create the files
 *
 * /proc/allocinfo is left alone where there is one: a second entry of that
 * name would make the kernel warn.
 * Context: module load; sleeps.
 * Return: 0; or -ENOMEM, with a line in the log.
 */
int procfs_init(void)
{
	dir = proc_mkdir_mode("allocprof", 0500, NULL);
	if (!dir)
		goto fail;
	if (!proc_create("allocinfo", 0400, dir, &allocinfo_proc_ops) ||
	    !proc_create("callsites", 0400, dir, &callsites_proc_ops) ||
	    !proc_create_single("hooks", 0400, dir, hooks_file_show) ||
	    !proc_create_single("stats", 0400, dir, stats_show))
		goto fail;
	if (control_state() == STATE_NEVER)
		return 0;
	if (kernel_has_allocinfo()) {
		pr_info("/proc/allocinfo is the kernel's own here and left alone; allocprof's is /proc/allocprof/allocinfo\n");
		return 0;
	}
	file = proc_create("allocinfo", 0400, NULL, &allocinfo_proc_ops);
	if (file)
		return 0;
fail:
	pr_err("not loaded: no memory for the files under /proc; free some and load it again\n");
	procfs_exit();
	return -ENOMEM;
}

/**
 * procfs_exit() - remove the files; waits for readers
 *
 * Context: module unload; sleeps.
 */
void procfs_exit(void)
{
	proc_remove(file);
	proc_remove(dir);
	file = NULL;
	dir = NULL;
}
