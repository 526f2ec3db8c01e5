// SPDX-License-Identifier: GPL-2.0
/*
 * The per-CPU hooks: alloc_percpu() in all its variants, and free_percpu().
 *
 * An allocation counts as the kernel's own profiler counts it: its size on
 * each possible CPU, and what the memory controller keeps beside it.
 */
#include <linux/init.h>
#include <linux/percpu.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "hooks.h"
#include "hooks_proof.h"
#include "hooks_stubs.h"
#include "percputable.h"
#include "readfile.h"
#include "tagtable.h"

/* alloc_percpu(size, align, ...) */
void allocprof_percpu_exit(unsigned long result, unsigned long ret, unsigned long *frame,
			   const unsigned long args[HOOK_ARGS])
{
	percputable_alloc((void __percpu __force *)result, args[0], ret, frame);
}

void allocprof_percpu_enter_free(const unsigned long args[HOOK_ARGS])
{
	percputable_free((void __percpu __force *)args[0]);
}

/*
 * With cgroup.memory=nokmem the memory controller keeps nothing beside per-CPU
 * memory.  It says so nowhere but in the kernel's command line.
 */
static bool __init nokmem(void)
{
	static char line[SZ_4K] __initdata;
	bool found = false;
	char *p;

	readfile("/proc/cmdline", line, SZ_4K - 1);
	for (p = line; (p = strstr(p, "cgroup.memory=")); ) {
		p += strlen("cgroup.memory=");
		if (strnstr(p, "nokmem", strcspn(p, " \n")))
			found = true;
	}
	return found;
}

/**
 * percpu_init() - what a per-CPU allocation takes in all
 *
 * Context: module load, behind tagtable_init(); sleeps.
 */
void __init percpu_init(void)
{
	bool cgroup = IS_ENABLED(CONFIG_MEMCG) && !nokmem();

	/* A pointer for every 4 bytes. */
	allocprof_percpu_copies = num_possible_cpus() + (cgroup ? sizeof(void *) / 4 : 0);
}

static bool prove(void __percpu *ptr)
{
	bool seen = ptr && proof_is_ours(percputable_owner(ptr));

	if (!ptr)
		return false;
	free_percpu(ptr);
	return seen && !proof_is_ours(percputable_owner(ptr));
}

static bool prove_percpu(void)
{
	return prove(__alloc_percpu(40, 8));
}

#ifndef HAVE_SYM_pcpu_alloc_noprof
static bool prove_percpu_gfp(void)
{
	return prove(__alloc_percpu_gfp(40, 8, GFP_KERNEL));
}
#endif

/* Also where the allocator is not hooked: then the record is made here. */
static bool prove_percpu_free(void)
{
	void __percpu *ptr = __alloc_percpu(40, 8);

	if (ptr && !proof_is_ours(percputable_owner(ptr)))
		percputable_alloc(ptr, 40, _THIS_IP_, NULL);
	return prove(ptr);
}

#ifdef HAVE_SYM_pcpu_alloc_noprof
static const struct hook_symbol percpu_symbols[] = { HOOK_SYMBOL(pcpu_alloc_noprof) {} };
#else
static const struct hook_symbol percpu_symbols[] = { HOOK_SYMBOL(__alloc_percpu) {} };
static const struct hook_symbol percpu_gfp_symbols[] = { HOOK_SYMBOL(__alloc_percpu_gfp) {} };
#endif
static const struct hook_symbol percpu_free_symbols[] = { HOOK_SYMBOL(free_percpu) {} };

struct allocprof_hook allocprof_percpu_hooks[] = {
	{ .id = HOOK_PERCPU, .event = "percpu", .symbols = percpu_symbols,
	  .exit = allocprof_percpu_exit, .prove = prove_percpu, .loss = "per-CPU memory" },
#ifndef HAVE_SYM_pcpu_alloc_noprof
	{ .id = HOOK_PERCPU_GFP, .event = "percpu_gfp", .symbols = percpu_gfp_symbols,
	  .exit = allocprof_percpu_exit, .prove = prove_percpu_gfp,
	  .loss = "per-CPU memory of control groups, BPF and the like" },
#endif
	{ .id = HOOK_PERCPU_FREE, .event = "percpu_free", .symbols = percpu_free_symbols,
	  .enter = allocprof_percpu_enter_free, .prove = prove_percpu_free, .fatal = true,
	  .loss = "frees: live counts would only grow" },
};

const unsigned int allocprof_percpu_hooks_count = ARRAY_SIZE(allocprof_percpu_hooks);
