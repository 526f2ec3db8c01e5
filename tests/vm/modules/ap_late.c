// SPDX-License-Identifier: GPL-2.0
/*
 * ap_late: lets a function of the kernel return later, so that what others do meanwhile comes in between.
 *
 *	insmod ap_late.ko symbol=NAME ms=N
 *
 * The next call of it takes N milliseconds more, on a CPU that can be interrupted; "late" under /sys/module/ap_late/parameters is 1
 * from when it is about to return.
 */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>

static char *symbol = "";
module_param(symbol, charp, 0444);
static uint ms;
module_param(ms, uint, 0444);
static uint late;
module_param(late, uint, 0444);

static int returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (!late) {
		WRITE_ONCE(late, 1);
		mdelay(ms);
	}
	return 0;
}

static struct kretprobe probe = { .handler = returned };

static int __init ap_late_init(void)
{
	probe.kp.symbol_name = symbol;
	return register_kretprobe(&probe);
}

static void __exit ap_late_exit(void)
{
	unregister_kretprobe(&probe);
}

module_init(ap_late_init);
module_exit(ap_late_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("allocprof tests: lets a function return later");
