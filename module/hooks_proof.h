/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the self-tests of both domains need: is a record that of the module's
 * own test?  Memory just freed may be somebody else's already, whose record
 * says nothing about our hooks.
 */
#ifndef _ALLOCPROF_HOOKS_PROOF_H
#define _ALLOCPROF_HOOKS_PROOF_H

#include <linux/module.h>

#include "callsite.h"
#include "tagtable.h"

static inline bool proof_is_ours(const struct allocprof_tag *tag)
{
	return tag && within_module(callsite_address(tag->key), THIS_MODULE);
}

#endif /* _ALLOCPROF_HOOKS_PROOF_H */
