// SPDX-License-Identifier: GPL-2.0
/*
 * ap_fault: makes a function of the kernel fail when allocprof calls it.
 *
 *   insmod ap_fault.ko symbol=__vmalloc value=0 nth=2 count=1
 *
 * lets the second call from allocprof's text, and no other, return 0 at once;
 * nth can be written at any time.
 * To be there before allocprof. "calls" and "failed" under /sys/module/ap_fault/parameters say what came by.
 * Not for functions that allocprof itself hooks: there it would find the probe.
 */
#include <linux/kprobes.h>
#include <linux/module.h>

#include "ap_caller.h"
#include "compat.h"

#ifdef HAVE_ASM_IBT
#include <asm/ibt.h>
#elif defined(CONFIG_X86_64)
#define ASM_ENDBR
#endif

static char *symbol = "";
module_param(symbol, charp, 0444);
MODULE_PARM_DESC(symbol, "the function");
static long value;
module_param(value, long, 0444);
MODULE_PARM_DESC(value, "what it returns instead: 0 or a negative error");
static uint nth = 1;
module_param(nth, uint, 0644);
MODULE_PARM_DESC(nth, "the first call to fail, from 1");
static uint count = 1;
module_param(count, uint, 0444);
MODULE_PARM_DESC(count, "how many fail from there on; 0: all");
static uint calls;
module_param(calls, uint, 0444);
static uint failed;
module_param(failed, uint, 0444);

#ifdef CONFIG_X86_64
/* What the failing function is replaced by; the result is in place already. */
asm(".pushsection .text, \"ax\"\n"
	".type ap_fault_return, @function\n"
	"ap_fault_return:\n"
	ASM_ENDBR
	ASM_RET
	".size ap_fault_return, . - ap_fault_return\n"
	".popsection\n");
void ap_fault_return(void);

static void fail(struct pt_regs *regs)
{
	regs->ax = value;
	regs->ip = (unsigned long)ap_fault_return;
}
#elif defined(CONFIG_ARM64)
static void fail(struct pt_regs *regs)
{
	regs->regs[0] = value;
	regs->pc = regs->regs[30];
}
#endif

static int entered(struct kprobe *kp, struct pt_regs *regs)
{
	uint n;

	if (!allocprof_calls(regs))
		return 0;
	n = ++calls;
	if (n < nth || (count && n - nth >= count))
		return 0;
	failed++;
	fail(regs);
	return 1;
}

/* Its presence keeps the probe from becoming a jump, which cannot change the flow. */
static void behind(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe probe = { .pre_handler = entered, .post_handler = behind };

static int __init ap_fault_init(void)
{
	int err = register_module_notifier(&notifier);

	if (err)
		return err;
	probe.symbol_name = symbol;
	err = register_kprobe(&probe);
	if (err)
		unregister_module_notifier(&notifier);
	return err;
}

static void __exit ap_fault_exit(void)
{
	unregister_kprobe(&probe);
	unregister_module_notifier(&notifier);
}

module_init(ap_fault_init);
module_exit(ap_fault_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("allocprof tests: failing kernel functions");
