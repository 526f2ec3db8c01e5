// SPDX-License-Identifier: GPL-2.0
/*
 * ap_empty: kretprobes and kprobes that do nothing, to know what a profiler
 * made of them costs before it has done anything.
 *
 *	insmod ap_empty.ko allocators=kmalloc_trace,... frees=kfree,...
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#define PROBES	8

static char *allocators[PROBES], *frees[PROBES];
static unsigned int nallocators, nfrees;
module_param_array(allocators, charp, &nallocators, 0400);
MODULE_PARM_DESC(allocators, "functions to return from through a kretprobe");
module_param_array(frees, charp, &nfrees, 0400);
MODULE_PARM_DESC(frees, "functions to enter through a kprobe");

static struct kretprobe rets[PROBES];
static struct kprobe entries[PROBES];
static unsigned int rets_on, entries_on;

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

static int on_entry(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static void ap_empty_exit(void)
{
	while (rets_on)
		unregister_kretprobe(&rets[--rets_on]);
	while (entries_on)
		unregister_kprobe(&entries[--entries_on]);
}

static int __init ap_empty_init(void)
{
	int err = 0;

	for (; rets_on < nallocators; rets_on++) {
		rets[rets_on].kp.symbol_name = allocators[rets_on];
		rets[rets_on].handler = on_return;
		rets[rets_on].maxactive = 64;
		err = register_kretprobe(&rets[rets_on]);
		if (err)
			break;
	}
	for (; !err && entries_on < nfrees; entries_on++) {
		entries[entries_on].symbol_name = frees[entries_on];
		entries[entries_on].pre_handler = on_entry;
		err = register_kprobe(&entries[entries_on]);
		if (err)
			break;
	}
	if (err)
		ap_empty_exit();
	return err;
}

module_init(ap_empty_init);
module_exit(ap_empty_exit);
MODULE_DESCRIPTION("Empty kretprobes and kprobes");
MODULE_LICENSE("GPL");
