// SPDX-License-Identifier: GPL-2.0
/*
 * Interleavings, all of them: while one operation runs, another one comes at
 * every point between two of its memory accesses, as an interrupt, another
 * CPU or an NMI would.  Deterministic, and so a proof where threads are luck.
 */
#include "unit.h"

#define SLAB	256UL
#define OTHER	512UL

static struct kmem_cache cache;

static void *at(unsigned long pfn, unsigned long offset)
{
	return (char *)__va(PFN_PHYS(pfn)) + offset;
}

static void record(unsigned long pfn, unsigned int order, unsigned long ret)
{
	pfntable_alloc(pfn_to_page(pfn), order, ret, NULL);
}

static void forget(unsigned long pfn, unsigned int order)
{
	pfntable_free_event(NULL, pfn_to_page(pfn), order);
}

/* One operation of either side; @site is another one on each round. */
struct op {
	void (*run)(const struct op *op);
	unsigned long pfn;
	unsigned int order;
	void *obj;
	u32 site;
};

static u32 round_site;

static void op_run(void *data)
{
	const struct op *op = data;

	op->run(op);
}

/*
 * For each point of @outer: @setup, both, @check, where everything must be
 * gone at the end.
 */
static void at_each_point(enum sim_kind kind, void (*setup)(void), struct op *outer, struct op *inner,
			  void (*check)(void))
{
	unsigned long n, vectors = 0;
	bool happened;

	for (n = 0, happened = true; happened; n++) {
		snprintf(unit_where, sizeof(unit_where), " (at point %lu)", n);
		round_site += 4;
		setup();
		sim_arm(n, kind, op_run, inner);
		outer->run(outer);
		happened = sim_disarm();
		if (!happened)
			inner->run(inner);
		check();
		sim_run_deferred();
		check_all_zero();
		/* Only in the first round a chunk may have been cut for this. */
		if (n)
			CHECK_EQ(free_vectors(), vectors);
		vectors = free_vectors();
	}
	CHECK(n > 2);
	check_table_empty();
}

static void nothing(void)
{
}

static void op_obj_alloc(const struct op *op)
{
	objtable_alloc(op->obj, SITE(round_site + op->site), NULL);
}

static void op_obj_free(const struct op *op)
{
	objtable_free(op->obj);
}

static void op_obj_alloc_free(const struct op *op)
{
	op_obj_alloc(op);
	op_obj_free(op);
}

static void op_page_alloc(const struct op *op)
{
	record(op->pfn, op->order, SITE(round_site + op->site));
}

static void op_page_free(const struct op *op)
{
	forget(op->pfn, op->order);
}

static void op_bulk_alloc(const struct op *op)
{
	void *objs[6];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(objs); i++)
		objs[i] = at(i % 2 ? SLAB : OTHER, (1 + i) * 512);
	objtable_alloc_bulk(objs, ARRAY_SIZE(objs), SITE(round_site + op->site), NULL);
}

static void op_bulk_free(const struct op *op)
{
	void *objs[6];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(objs); i++)
		objs[i] = at(i % 2 ? SLAB : OTHER, (1 + i) * 512);
	objtable_free_bulk(objs, ARRAY_SIZE(objs));
}

/* A slab of two pages, its first objects not recorded yet; and another. */
static void setup_slabs(void)
{
	cache.size = 512;
	record(SLAB, 1, SITE(0));
	record(OTHER, 1, SITE(0));
	sim_slab(SLAB, 1, &cache);
	sim_slab(OTHER, 1, &cache);
}

static void drop_slabs(void)
{
	forget(SLAB, 1);
	forget(OTHER, 1);
	CHECK_EQ(lost(HEALED_FREES), 0);
}

static void check_two_first(void)
{
	struct allocprof_tag *a = find_tag((u32)SITE(round_site) | tag_key_slot(512));
	struct allocprof_tag *b = find_tag((u32)SITE(round_site + 1) | tag_key_slot(512));

	CHECK(a && objtable_owner(at(SLAB, 512)) == a);
	CHECK(objtable_owner(at(SLAB + 1, 1024)) == (b ? b : a));
	CHECK_EQ(tag_calls(a) + (b ? tag_calls(b) : 0), 2);
	CHECK_EQ(page_bytes(SITE(0)), 4 * PAGE_SIZE);
	objtable_free(at(SLAB, 512));
	objtable_free(at(SLAB + 1, 1024));
	drop_slabs();
	CHECK_EQ(lost_total(), 0);
}

/* Two first objects of one slab, in its two pages, both ways round. */
static void two_first_objects(void)
{
	struct op a = { .run = op_obj_alloc, .obj = at(SLAB, 512) };
	struct op b = { .run = op_obj_alloc, .obj = at(SLAB + 1, 1024) };
	unsigned int other_site;

	for (other_site = 0; other_site < 2; other_site++) {
		b.site = other_site;
		at_each_point(SIM_ANY, setup_slabs, &a, &b, check_two_first);
		at_each_point(SIM_ANY, setup_slabs, &b, &a, check_two_first);
	}
}

/* A kernel that frees a slab's page twice at once: its vector comes back once. */
static void setup_slab_page(void)
{
	cache.size = 512;
	record(SLAB, 1, SITE(0));
	sim_slab(SLAB, 1, &cache);
	objtable_alloc(at(SLAB, 512), SITE(round_site), NULL);
	objtable_free(at(SLAB, 512));
}

static void check_forgotten(void)
{
	CHECK_EQ(page_calls(SITE(0)), 0);
	CHECK_EQ(lost_total(), 0);
}

static void slab_page_freed_twice(void)
{
	struct op op = { .run = op_page_free, .pfn = SLAB, .order = 1 };

	at_each_point(SIM_ANY, setup_slab_page, &op, &op, check_forgotten);
}

/*
 * A kernel that frees a slab's pages while it hands out an object of it: nothing
 * leads to a vector that has come back.  (If the object was recorded in that, the
 * next one there heals it.)
 */
static void check_no_way_back(void)
{
	u32 first = allocprof_pages[SLAB];
	unsigned int i;

	if (page_vec(first))
		CHECK_EQ(page_vec(first)->npages, 2);	/* a free one has none */
	for (i = 0; i < 2; i++)
		if (page_vec(allocprof_pages[SLAB + i]))
			CHECK_EQ(allocprof_pages[SLAB + i], first);
	setup_slabs();
	for (i = 0; i < 2; i++)
		objtable_alloc(at(SLAB + i, 512), SITE(round_site), NULL);
	for (i = 0; i < 2; i++)
		objtable_free(at(SLAB + i, 512));
	forget(SLAB, 1);
	forget(OTHER, 1);
}

static void first_object_of_a_slab_that_is_freed(void)
{
	struct op first = { .run = op_obj_alloc, .obj = at(SLAB, 512) };
	struct op later = { .run = op_obj_alloc, .obj = at(SLAB + 1, 512) };
	struct op free = { .run = op_page_free, .pfn = SLAB, .order = 1 };

	at_each_point(SIM_ANY, setup_slabs, &first, &free, check_no_way_back);
	at_each_point(SIM_ANY, setup_slabs, &later, &free, check_no_way_back);
}

/* The second one is gone before the first has finished making the vector. */
static void check_first_alone(void)
{
	CHECK_EQ(slot_calls(SITE(round_site), 512), 1);
	objtable_free(at(SLAB, 512));
	drop_slabs();
	CHECK_EQ(lost_total(), 0);
}

static void first_object_and_a_short_lived_one(void)
{
	struct op a = { .run = op_obj_alloc, .obj = at(SLAB, 512) };
	struct op b = { .run = op_obj_alloc_free, .obj = at(SLAB + 1, 1024), .site = 1 };

	at_each_point(SIM_ANY, setup_slabs, &a, &b, check_first_alone);
	at_each_point(SIM_ANY, setup_slabs, &b, &a, check_first_alone);
}

/* In an NMI a vector may be refused, where the pool is locked: then it is lost, and counted. */
static u64 lost_before;

static void check_first_nested(void)
{
	struct allocprof_tag *tag = find_tag((u32)SITE(round_site) | tag_key_slot(512));
	struct allocprof_tag *nmi = find_tag((u32)SITE(round_site + 1) | tag_key_slot(512));
	u64 lost_now = lost(LOST_NO_VECTOR) - lost_before;

	lost_before += lost_now;
	CHECK(objtable_owner(at(SLAB, 512)) == tag);
	CHECK_EQ(tag_calls(tag), 1);
	CHECK_EQ(tag_calls(nmi) + lost_now, 1);
	CHECK_EQ(!objtable_owner(at(OTHER, 0)), lost_now);
	CHECK_EQ(!!(atomic_read(&nmi->flags) & TAG_INACCURATE), lost_now);
	objtable_free(at(SLAB, 512));
	objtable_free(at(OTHER, 0));
	drop_slabs();
	CHECK_EQ(lost_total(), lost(LOST_NO_VECTOR));
}

static void first_object_nested(enum sim_kind kind)
{
	struct op outer = { .run = op_obj_alloc, .obj = at(SLAB, 512) };
	struct op inner = { .run = op_obj_alloc, .obj = at(OTHER, 0), .site = 1 };

	lost_before = 0;
	at_each_point(kind, setup_slabs, &outer, &inner, check_first_nested);
	/* It did come while the lock was held. */
	CHECK(lost(LOST_NO_VECTOR) > 0);
}

static void first_object_in_nmi(void)
{
	first_object_nested(SIM_NMI);
}

/* A tracer's program at the lock functions is inside of the lock, and no NMI. */
static void first_object_in_tracer(void)
{
	first_object_nested(SIM_TRACER);
}

/* Either one may be the NMI. */
static void check_same_slab_in_nmi(void)
{
	u64 lost_now = lost(LOST_NO_VECTOR) - lost_before;

	lost_before += lost_now;
	CHECK_EQ(slot_calls(SITE(round_site), 512) + lost_now, 2);
	CHECK_EQ(!objtable_owner(at(SLAB, 512)) + !objtable_owner(at(SLAB + 1, 1024)), lost_now);
	objtable_free(at(SLAB, 512));
	objtable_free(at(SLAB + 1, 1024));
	drop_slabs();
	CHECK_EQ(lost_total(), lost(LOST_NO_VECTOR));
}

static void same_slab_in_nmi(void)
{
	struct op outer = { .run = op_obj_alloc, .obj = at(SLAB, 512) };
	struct op nmi = { .run = op_obj_alloc, .obj = at(SLAB + 1, 1024) };

	lost_before = 0;
	at_each_point(SIM_NMI, setup_slabs, &outer, &nmi, check_same_slab_in_nmi);
	at_each_point(SIM_NMI, setup_slabs, &nmi, &outer, check_same_slab_in_nmi);
}

/* Bulk calls, and a single object of the same slab in their middle. */
static void setup_bulk_free(void)
{
	struct op bulk = { .run = op_bulk_alloc };

	setup_slabs();
	op_bulk_alloc(&bulk);
}

static void setup_bulk_free_both(void)
{
	setup_bulk_free();
	objtable_alloc(at(SLAB, 0), SITE(round_site), NULL);
}

static void check_after_bulk_alloc(void)
{
	struct op bulk = { .run = op_bulk_free };

	CHECK_EQ(slot_calls(SITE(round_site), 512) + slot_calls(SITE(round_site + 1), 512), 7);
	op_bulk_free(&bulk);
	objtable_free(at(SLAB, 0));
	drop_slabs();
	CHECK_EQ(lost_total(), 0);
}

static void check_after_bulk_free(void)
{
	CHECK_EQ(slot_calls(SITE(round_site), 512) + slot_calls(SITE(round_site + 1), 512),
		 objtable_owner(at(SLAB, 0)) ? 1 : 0);
	objtable_free(at(SLAB, 0));
	drop_slabs();
	CHECK_EQ(lost_total(), 0);
}

static void bulk_and_single(void)
{
	struct op alloc = { .run = op_bulk_alloc }, free = { .run = op_bulk_free };
	struct op one = { .run = op_obj_alloc, .obj = at(SLAB, 0) };
	struct op one_free = { .run = op_obj_free, .obj = at(SLAB, 0) };
	u32 site;

	for (site = 0; site < 2; site++) {
		one.site = site;
		at_each_point(SIM_ANY, setup_slabs, &alloc, &one, check_after_bulk_alloc);
		at_each_point(SIM_ANY, setup_slabs, &one, &alloc, check_after_bulk_alloc);
		at_each_point(SIM_ANY, setup_bulk_free, &free, &one, check_after_bulk_free);
		at_each_point(SIM_ANY, setup_bulk_free_both, &free, &one_free,
			      check_after_bulk_free);
		at_each_point(SIM_NMI, setup_bulk_free, &free, &one, check_after_bulk_free);
	}
}

/* One slab goes, and its vector at once serves another. */
static void setup_one_slab(void)
{
	setup_slabs();
	objtable_alloc(at(SLAB, 0), SITE(round_site), NULL);
	objtable_free(at(SLAB, 0));
}

static void check_vector_reuse(void)
{
	CHECK(objtable_owner(at(OTHER, 512)));
	CHECK_EQ(slot_calls(SITE(round_site), 512), 1);
	CHECK_EQ(page_bytes(SITE(0)), 2 * PAGE_SIZE);
	objtable_free(at(OTHER, 512));
	forget(OTHER, 1);
	CHECK_EQ(lost_total(), 0);
}

static void vector_reuse(void)
{
	struct op drop = { .run = op_page_free, .pfn = SLAB, .order = 1 };
	struct op first = { .run = op_obj_alloc, .obj = at(OTHER, 512) };

	at_each_point(SIM_ANY, setup_one_slab, &drop, &first, check_vector_reuse);
	at_each_point(SIM_ANY, setup_one_slab, &first, &drop, check_vector_reuse);
}

/* Two pieces of one order-3 block, freed at once: all pairs. */
#define BLOCK	64UL

static struct op piece[2];

static void setup_block(void)
{
	record(BLOCK, 3, SITE(1));
}

static bool inside(unsigned long pfn, const struct op *op)
{
	return pfn >= op->pfn && pfn < op->pfn + (1UL << op->order);
}

static void check_rest(void)
{
	unsigned long pfn, rest = 0;

	for (pfn = BLOCK; pfn < BLOCK + 8; pfn++)
		rest += !inside(pfn, &piece[0]) && !inside(pfn, &piece[1]);
	snprintf(unit_where + strlen(unit_where), 64, ", pieces %lu:%u, %lu:%u", piece[0].pfn - BLOCK,
		 piece[0].order, piece[1].pfn - BLOCK, piece[1].order);
	CHECK_EQ(page_bytes(SITE(1)), rest * PAGE_SIZE);
	for (pfn = BLOCK; pfn < BLOCK + 8; pfn++)
		if (!inside(pfn, &piece[0]) && !inside(pfn, &piece[1])) {
			forget(pfn, 0);
			CHECK_EQ(page_bytes(SITE(1)), --rest * PAGE_SIZE);
		}
	CHECK_EQ(lost_total(), 0);
}

/* The piece is split before, or moves elsewhere. */
static void op_page_split_free(const struct op *op)
{
	pfntable_split(op->pfn, 1UL << op->order, 0);
	forget(op->pfn, op->order);
}

static void op_page_move_free(const struct op *op)
{
	unsigned long elsewhere = op->pfn + 64;

	record(elsewhere, op->order, SITE(2));
	pfntable_swap(elsewhere, op->pfn, op->order);
	forget(op->pfn, op->order);
	forget(elsewhere, op->order);
}

static void (*const ways[])(const struct op *op) = {
	op_page_free, op_page_split_free, op_page_move_free
};

static void pairs_of_pieces(void (*one)(const struct op *op), void (*another)(const struct op *op),
			    enum sim_kind kind, void (*check)(void))
{
	unsigned int order, other;
	unsigned long pfn, other_pfn;

	for (order = 0; order < 3; order++)
		for (pfn = BLOCK; pfn < BLOCK + 8; pfn += 1UL << order)
			for (other = 0; other < 3; other++)
				for (other_pfn = BLOCK; other_pfn < BLOCK + 8;
				     other_pfn += 1UL << other) {
					piece[0] = (struct op){ one, pfn, order };
					piece[1] = (struct op){ another, other_pfn, other };
					if (inside(pfn, &piece[1]) || inside(other_pfn, &piece[0]))
						continue;
					at_each_point(kind, setup_block, &piece[0], &piece[1], check);
				}
}

static void pieces_of_a_block(void)
{
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(ways); i++)
		for (j = 0; j < ARRAY_SIZE(ways); j++)
			pairs_of_pieces(ways[i], ways[j], SIM_ANY, check_rest);
}

/* What is lost because it hits the cutting itself stays on the account; here it is freed once more. */
static void check_rest_nested(void)
{
	u64 lost_now = lost(LOST_FREE_NESTED) - lost_before;
	unsigned long pfn, rest = lost_now << piece[1].order;

	lost_before += lost_now;
	for (pfn = BLOCK; pfn < BLOCK + 8; pfn++)
		rest += !inside(pfn, &piece[0]) && !inside(pfn, &piece[1]);
	CHECK_EQ(page_bytes(SITE(1)), rest * PAGE_SIZE);
	if (lost_now)
		forget(piece[1].pfn, piece[1].order);
	for (pfn = BLOCK; pfn < BLOCK + 8; pfn++)
		if (!inside(pfn, &piece[0]) && !inside(pfn, &piece[1]))
			forget(pfn, 0);
	CHECK_EQ(lost_total(), lost(LOST_FREE_NESTED));
}

static void pieces_nested(enum sim_kind kind)
{
	lost_before = 0;
	pairs_of_pieces(op_page_free, op_page_free, kind, check_rest_nested);
	CHECK(lost(LOST_FREE_NESTED) > 0);
}

static void pieces_in_nmi(void)
{
	pieces_nested(SIM_NMI);
}

static void pieces_in_tracer(void)
{
	pieces_nested(SIM_TRACER);
}

/* A split of what has no table, in the midst of a cut: nothing is looked for there. */
static void op_split_beyond(const struct op *op)
{
	pfntable_split(1UL << 40, 1, 0);
}

static void split_beyond_in_tracer(void)
{
	struct op beyond = { .run = op_split_beyond };

	piece[0] = (struct op){ op_page_free, BLOCK, 1 };
	piece[1] = piece[0];
	at_each_point(SIM_TRACER, setup_block, &piece[0], &beyond, check_rest);
}

/* While a block is being cut, each page that is not freed is covered by a record all the time. */
static void op_all_covered(const struct op *op)
{
	unsigned long pfn;

	for (pfn = BLOCK; pfn < BLOCK + 8; pfn++)
		if (!inside(pfn, &piece[0]) && !pfntable_recorded(pfn_to_page(pfn)))
			unit_fail("page %lu has no record%s", pfn - BLOCK, unit_where);
}

static void pieces_stay_covered(void)
{
	struct op look = { .run = op_all_covered };
	unsigned int order, way;
	unsigned long pfn;

	/* Of the other side there is no piece. */
	for (way = 0; way < ARRAY_SIZE(ways); way++)
		for (order = 0; order < 3; order++)
			for (pfn = BLOCK; pfn < BLOCK + 8; pfn += 1UL << order) {
				piece[0] = (struct op){ ways[way], pfn, order };
				piece[1] = piece[0];
				at_each_point(SIM_LOCKLESS, setup_block, &piece[0], &look,
					      check_rest);
			}
}

/*
 * The whole block goes as well, and its first page may be somebody else's at
 * once.  Where it is being cut already, another CPU would wait for the lock.
 */
static void op_block_gone(const struct op *op)
{
	const struct allocprof_tag *tag = pfntable_owner(pfn_to_page(BLOCK));

	if (!tag || tag_order(tag) != 3)
		return;
	forget(BLOCK, 3);
	if (op->site)
		record(BLOCK, 0, SITE(2));
}

/*
 * A kernel that frees a block and a piece of it at the same time.  A count may
 * be wrong by that; nothing may be followed that is no longer there, and no
 * record may stay.
 */
static void block_and_piece_at_once(void)
{
	struct op whole = { .run = op_block_gone };
	unsigned long pfn, n;
	bool happened;

	for (whole.site = 0; whole.site < 2; whole.site++)
		for (pfn = BLOCK + 1; pfn < BLOCK + 8; pfn++)
			for (n = 0, happened = true; happened; n++) {
				setup_block();
				sim_arm(n, SIM_LOCKLESS, op_run, &whole);
				forget(pfn, 0);
				happened = sim_disarm();
				forget(BLOCK, 3);
				check_table_empty();
			}
}

/* A page that nobody knows is freed beside blocks that come and go. */
static void setup_neighbour(void)
{
	setup_one_slab();
	record(SLAB + 2, 1, SITE(1));
}

static void op_neighbours(const struct op *op)
{
	forget(SLAB, 1);
	forget(SLAB + 2, 1);
	record(SLAB, 1, SITE(2));
	sim_slab(OTHER, 1, &cache);
	objtable_alloc(at(OTHER, 0), SITE(round_site), NULL);
}

static void check_neighbours(void)
{
	CHECK_EQ(page_bytes(SITE(2)), 2 * PAGE_SIZE);
	CHECK_EQ(page_bytes(SITE(1)), 0);
	CHECK_EQ(slot_calls(SITE(round_site), 512), 1);
	forget(SLAB, 1);
	objtable_free(at(OTHER, 0));
	forget(OTHER, 1);
	CHECK_EQ(lost_total(), 0);
}

static void unknown_page_beside_others(void)
{
	struct op unknown = { .run = op_page_free, .pfn = SLAB + 4 };
	struct op others = { .run = op_neighbours };

	for (; unknown.pfn < SLAB + 8; unknown.pfn++)
		at_each_point(SIM_ANY, setup_neighbour, &unknown, &others, check_neighbours);
}

/*
 * A piece is freed.  In the search for its block, the slab beside it goes, and
 * the slab's vector serves a larger one: what is read there must not be taken
 * for a block that covers the piece.
 */
static struct kmem_cache large = { .size = 2048 };

static void setup_piece_beside_slab(void)
{
	setup_slabs();
	forget(OTHER, 1);
	record(OTHER, 3, SITE(2));
	sim_slab(OTHER, 3, &large);
	objtable_alloc(at(SLAB, 0), SITE(round_site), NULL);
	objtable_free(at(SLAB, 0));
	record(SLAB + 4, 2, SITE(1));
}

static void op_vector_moves(const struct op *op)
{
	forget(SLAB, 1);
	objtable_alloc(at(OTHER, 0), SITE(round_site), NULL);
}

static void check_piece_beside_slab(void)
{
	CHECK_EQ(page_bytes(SITE(1)), 3 * PAGE_SIZE);
	CHECK_EQ(page_bytes(SITE(2)), 8 * PAGE_SIZE);
	CHECK_EQ(slot_calls(SITE(round_site), 2048), 1);
	forget(SLAB + 4, 0);
	forget(SLAB + 6, 1);
	objtable_free(at(OTHER, 0));
	forget(OTHER, 3);
	CHECK_EQ(lost_total(), 0);
}

static void piece_beside_slab(void)
{
	struct op piece = { .run = op_page_free, .pfn = SLAB + 5 };
	struct op slab = { .run = op_vector_moves };

	at_each_point(SIM_LOCKLESS, setup_piece_beside_slab, &piece, &slab,
		      check_piece_beside_slab);
}

/* One new callsite, on two CPUs at once. */
static void check_two_pages(void)
{
	CHECK_EQ(page_calls(SITE(round_site)), 2);
	CHECK(pfntable_owner(pfn_to_page(100)) == pfntable_owner(pfn_to_page(101)));
	forget(100, 0);
	forget(101, 0);
	CHECK_EQ(lost_total(), 0);
}

static void one_new_callsite(void)
{
	struct op a = { .run = op_page_alloc, .pfn = 100 }, b = { .run = op_page_alloc, .pfn = 101 };

	at_each_point(SIM_ANY, nothing, &a, &b, check_two_pages);
	at_each_point(SIM_NMI, nothing, &a, &b, check_two_pages);
}

/* The first chunk of tags, and none of them taken. */
static void start_with_no_tags(void)
{
	pfnmem_exit();
	tagtable_exit();
	memset(allocprof_tag_index, 0, ALLOCPROF_TAGS * sizeof(allocprof_tag_index[0]));
	CHECK_EQ(tagtable_init(), 0);
	CHECK_EQ(pfnmem_init(), 0);
}

/*
 * A new callsite, and while it looks for a counter, others use up all that
 * there were and get more.
 */
static void setup_half_of_the_counters(void)
{
	u32 i;

	start_with_no_tags();
	for (i = 0; i < 1000; i++)
		tag_get(tag_key_slot(8) | (u32)SITE(10000 + i));
}

static void op_many_callsites(const struct op *op)
{
	u32 i;

	for (i = 0; i < 1100; i++) {
		if (tagtable_needs_refill())
			tagtable_refill();
		CHECK(tag_get(tag_key_slot(8) | (u32)SITE(20000 + i)));
	}
}

static void check_one_page(void)
{
	CHECK_EQ(page_calls(SITE(round_site)), 1);
	forget(100, 0);
	CHECK_EQ(lost_total(), 0);
}

static void many_new_callsites(void)
{
	struct op one = { .run = op_page_alloc, .pfn = 100 }, many = { .run = op_many_callsites };

	at_each_point(SIM_ANY, setup_half_of_the_counters, &one, &many, check_one_page);
}

/*
 * Who makes a tag has given it its counter, and has not yet taken
 * TAG_KEY_ASIDE away (preempted there); others use the tag, and split its blocks.
 */
static u32 used_before;

static void setup_new_block(void)
{
	used_before = tagtable_used();
}

static void op_blocks_split(const struct op *op)
{
	u32 i;

	for (i = 0; i < 50; i++) {
		record(104, 2, SITE(round_site));
		forget(105, 0);
		forget(104, 0);
		forget(106, 1);
	}
}

static void check_new_block(void)
{
	CHECK_EQ(page_calls(SITE(round_site)), 1);
	/* Of orders 2, 1 and 0. */
	if (tagtable_used() - used_before > 4)
		CHECK_EQ(tagtable_used() - used_before, 4);
	forget(100, 2);
	CHECK_EQ(lost_total(), 0);
}

static void new_callsite_whose_blocks_are_split(void)
{
	struct op one = { .run = op_page_alloc, .pfn = 100, .order = 2 };
	struct op split = { .run = op_blocks_split };

	at_each_point(SIM_ANY, setup_new_block, &one, &split, check_new_block);
}

/* Two CPUs, one new callsite, and one tag left. */
static u64 lost_counters;

static void setup_one_tag_left(void)
{
	u32 i;

	start_with_no_tags();
	lost_counters = lost(LOST_NO_COUNTER);
	sim_fail_percpu = true;
	for (i = 0; tagtable_used() < 2047; i++)
		tag_get(tag_key_slot(8) | (u32)SITE(10000 + i));
}

static void check_one_tag_left(void)
{
	struct allocprof_tag *tag = find_tag((u32)SITE(round_site) | tag_key_order(0));
	u64 now = lost(LOST_NO_COUNTER) - lost_counters;

	sim_fail_percpu = false;
	CHECK(tag);
	CHECK_EQ(tag_calls(tag) + now, 2);
	/* What is lost is said of the callsite. */
	CHECK_EQ(lostsites_has((u32)SITE(round_site)), !!now);
	forget(100, 0);
	forget(101, 0);
}

static void two_for_the_last_tag(void)
{
	struct op a = { .run = op_page_alloc, .pfn = 100 }, b = { .run = op_page_alloc, .pfn = 101 };

	at_each_point(SIM_ANY, setup_one_tag_left, &a, &b, check_one_tag_left);
}

const struct unit_test nesting_tests[] = {
	UNIT_TEST(new_callsite_whose_blocks_are_split),
	UNIT_TEST(two_for_the_last_tag),
	UNIT_TEST(two_first_objects),
	UNIT_TEST(slab_page_freed_twice),
	UNIT_TEST(first_object_and_a_short_lived_one),
	UNIT_TEST(first_object_in_nmi),
	UNIT_TEST(first_object_of_a_slab_that_is_freed),
	UNIT_TEST(first_object_in_tracer),
	UNIT_TEST(same_slab_in_nmi),
	UNIT_TEST(bulk_and_single),
	UNIT_TEST(vector_reuse),
	UNIT_TEST(pieces_of_a_block),
	UNIT_TEST(pieces_in_nmi),
	UNIT_TEST(pieces_in_tracer),
	UNIT_TEST(split_beyond_in_tracer),
	UNIT_TEST(pieces_stay_covered),
	UNIT_TEST(block_and_piece_at_once),
	UNIT_TEST(unknown_page_beside_others),
	UNIT_TEST(piece_beside_slab),
	UNIT_TEST(one_new_callsite),
	UNIT_TEST(many_new_callsites),
	{}
};
