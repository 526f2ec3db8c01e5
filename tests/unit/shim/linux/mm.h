/* SPDX-License-Identifier: GPL-2.0 */
/* A flat memory model: one array of struct page, one direct map (sim.c). */
#ifndef _UNIT_LINUX_MM_H
#define _UNIT_LINUX_MM_H

#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/types.h>

#define PAGE_SHIFT		12
#define PAGE_SIZE		(1UL << PAGE_SHIFT)
#define PAGE_OFFSET		sim_page_offset

struct kmem_cache {
	unsigned long flags;
	u32 size;	/* of a slot */
	u32 object_size;
};

/* As large as the kernel's. */
struct page {
	unsigned long slab;		/* PG_slab */
	struct kmem_cache *slab_cache;
	struct page *head;		/* NULL: this is one */
	unsigned long order;
	long wanted_node;		/* what alloc_pages_node() was asked for */
	long nid;			/* known once it was seen to be online */
	unsigned long unused[2];
};

extern struct page *sim_mem_map;

#define PFN_PHYS(pfn)		((u64)(pfn) << PAGE_SHIFT)
#define PHYS_PFN(phys)		((unsigned long)((phys) >> PAGE_SHIFT))
#define __va(phys)		((void *)(PAGE_OFFSET + (unsigned long)(phys)))
#define __pa(addr)		((unsigned long)(addr) - PAGE_OFFSET)

/* In numbers, so that NULL has a pfn that no page has, as in the kernel. */
static inline unsigned long page_to_pfn(const struct page *page)
{
	return ((unsigned long)page - (unsigned long)sim_mem_map) / sizeof(*page);
}

static inline struct page *pfn_to_page(unsigned long pfn)
{
	return sim_mem_map + pfn;
}

static inline void *page_address(const struct page *page)
{
	return __va(PFN_PHYS(page_to_pfn(page)));
}

static inline int page_to_nid(const struct page *page)
{
	return page->nid;
}

static inline bool PagePoisoned(const struct page *page)
{
	return false;
}

static inline bool virt_addr_valid(const void *addr)
{
	return (unsigned long)addr - PAGE_OFFSET < (unsigned long)SIM_PAGES << PAGE_SHIFT;
}

static inline struct page *virt_to_page(const void *addr)
{
	return pfn_to_page(__pa(addr) >> PAGE_SHIFT);
}

static inline struct page *virt_to_head_page(const void *addr)
{
	struct page *page = virt_to_page(addr);

	return page->head ? page->head : page;
}

static inline bool PageSlab(const struct page *page)
{
	return page->slab;
}

static inline bool PageHead(const struct page *page)
{
	return !page->head && page->order;
}

static inline unsigned int compound_order(const struct page *page)
{
	return page->order;
}

static inline unsigned long compound_nr(const struct page *page)
{
	return 1UL << page->order;
}

#endif /* _UNIT_LINUX_MM_H */
