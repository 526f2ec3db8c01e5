// SPDX-License-Identifier: GPL-2.0
/*
 * What stood on the stack where a kretprobe of ours has put its own address.
 *
 * Until 5.15 the unwinder does not find its way past a kretprobe's trampoline.
 * A walk that starts in a hooked function, called by another hooked one, comes
 * to one: what was there before is kept here, and the frame pointer of the
 * caller, from which the walk can go on.
 *
 * Notes on locking
 *
 * A slot is claimed by cmpxchg on its key, the address of the stack slot, and
 * filled, by the task whose stack that is, before anything that it calls can
 * look for it; so is it given back.  Nobody looks for another stack's.  No room
 * costs the callsites behind it.  Where a probe goes while a task is in its
 * function, that task gives nothing back: all is empty when the next one comes.
 */
#include <linux/hash.h>
#include <linux/string.h>

#include "callsite.h"
#include "retslots.h"

#if RETSLOTS_NEEDED

#define SLOT_BITS	12
#define SLOT_TRIES	8

static struct retslot {
	unsigned long *frame;
	unsigned long ret;
	unsigned long bp;
} retslots[1 << SLOT_BITS];

static struct retslot *retslot(const unsigned long *frame, u32 try)
{
	return &retslots[(hash_ptr(frame, SLOT_BITS) + try) % ARRAY_SIZE(retslots)];
}

/**
 * retslot_enter() - keep a return address that is about to be replaced
 * @frame: where it stands
 * @regs: at the function's first instruction
 *
 * Context: any, NMI included.
 * Return: the slot, or RETSLOT_NONE if there is no room.
 */
u32 retslot_enter(unsigned long *frame, const struct pt_regs *regs)
{
	struct retslot *slot;
	u32 i;

	for (i = 0; i < SLOT_TRIES; i++) {
		slot = retslot(frame, i);
		if (READ_ONCE(slot->frame) == frame) {
			/* Of a function that has jumped to this one: it has the address. */
			if (callsite_is_trampoline(*frame))
				return RETSLOT_NONE;
			/* Of a task that died in there, whose stack this was. */
		} else if (READ_ONCE(slot->frame) || cmpxchg(&slot->frame, NULL, frame)) {
			continue;
		}
		slot->ret = *frame;
		slot->bp = regs->bp;
		return slot - retslots;
	}
	return RETSLOT_NONE;
}

/**
 * retslot_leave() - it stands there again
 * @slot: as given by retslot_enter()
 *
 * Context: any, NMI included.
 */
void retslot_leave(u32 slot)
{
	if (slot != RETSLOT_NONE)
		smp_store_release(&retslots[slot].frame, NULL); /* its fields are read before */
}

/**
 * retslot_return() - the registers that a task will have behind a return
 * @frame: where the return address was, on the stack of the caller of this
 * @regs: out: their address, stack and frame pointer
 *
 * Context: any, NMI included.
 * Return: false if it is not known.
 */
bool retslot_return(const unsigned long *frame, struct pt_regs *regs)
{
	struct retslot *slot;
	u32 i;

	for (i = 0; i < SLOT_TRIES; i++) {
		slot = retslot(frame, i);
		if (READ_ONCE(slot->frame) != frame)
			continue;
		/* Still in the instruction that called. */
		regs->ip = slot->ret - 1;
		regs->sp = (unsigned long)(frame + 1);
		regs->bp = slot->bp;
		return true;
	}
	return false;
}

/**
 * retslots_begin() - nothing is kept yet
 *
 * Context: no hook attached.
 */
void retslots_begin(void)
{
	memset(retslots, 0, sizeof(retslots));
}

#endif
