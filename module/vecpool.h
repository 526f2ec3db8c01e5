/* SPDX-License-Identifier: GPL-2.0 */
/* Type-stable memory for object vectors.  See vecpool.c. */
#ifndef _ALLOCPROF_VECPOOL_H
#define _ALLOCPROF_VECPOOL_H

#include <linux/mm.h>
#include <linux/types.h>

/*
 * off * mult >> VEC_SHIFT is off / slot_size, exactly, for every offset and
 * size that a slab can have: with mult = ceil(2^42 / slot_size) the error is
 * below off / 2^42 of a slot.
 */
#define VEC_SHIFT	42

/**
 * struct allocprof_vec - which tag owns each slot of one slab
 * @base: address of the slab's first byte
 * @mult: reciprocal of the slot size
 * @size_key: tag_key_slot(slot size), ready for the tag lookup
 * @nslots: slots in use by this slab
 * @npages: pages of the slab
 * @size_class: vecpool's, index into its free lists
 * @page_tag: tag id of the slab's own block, or ALLOCPROF_TAG_NONE
 * @number: its own, as records have it; vecpool's, and the same in all its lives
 * @slot: tag id per object, ALLOCPROF_TAG_NONE where not recorded
 */
struct allocprof_vec {
	unsigned long base;
	u64 mult;
	u64 size_key;
	u32 nslots;
	u16 npages;
	u16 size_class;
	u32 page_tag;
	u32 number;
	u32 slot[];
};

/*
 * A vector's number, of which the top bit is set: its chunk's, then where it
 * lies in there, in steps of 64 bytes.  The table has, for each chunk, its
 * address less what the chunk's own number comes to when the whole is shifted.
 */
#define VEC_STEP_SHIFT	6
#define VEC_CHUNK_ORDER	3
#define VEC_STEPS_SHIFT	(PAGE_SHIFT + VEC_CHUNK_ORDER - VEC_STEP_SHIFT)

extern unsigned long *allocprof_vec_chunks;

/* Of 32 bits, but in the form that need not be extended. */
static __always_inline struct allocprof_vec *vec_by_number(unsigned long number)
{
	smp_rmb();	/* pairs with copy_table(): who has a number has a table with it */
	return (struct allocprof_vec *)(allocprof_vec_chunks[number >> VEC_STEPS_SHIFT] +
					(number << VEC_STEP_SHIFT));
}

struct allocprof_vec *vecpool_get(u32 nslots, bool *too_big);
void vecpool_put(struct allocprof_vec *vec);
void vecpool_refill(gfp_t gfp, unsigned int chunks);
bool vecpool_is_low(void);
bool vecpool_wants_trim(void);
void vecpool_trim(void);
int vecpool_init(unsigned long ram_pages);
void vecpool_exit(void);
size_t vecpool_bytes(void);
size_t vecpool_reserve_bytes(void);
size_t vecpool_table_bytes(void);

#endif /* _ALLOCPROF_VECPOOL_H */
