/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions whose caller is the callsite, for kernels and functions where the
 * name does not say so.  From 6.10 on the kernel marks them itself, with the
 * suffix _noprof, which callsite.c recognises; what is listed here are the
 * same functions of older kernels, and unmarked helpers between them.
 * Clone suffixes (.isra.0, .part.0, .constprop.0, .cold) are cut off before
 * the comparison.
 *
 * Not here, because the in-tree profiler stops there too: kstrdup(),
 * kmemdup_nul(), memdup_user(), kasprintf(), devm_*(), alloc_skb(),
 * dma_alloc_*(), sk_alloc(), kmalloc_reserve().
 */
static const char * const transparent_names[] = {
	/* kmalloc */
	"__do_kmalloc_node", "__kmalloc", "__kmalloc_large_node", "___kmalloc_large_node",
	"__kmalloc_node", "__kmalloc_node_track_caller", "__kmalloc_track_caller",
	"__kmem_cache_alloc_node", "kmalloc_array", "kmalloc_array_node", "kmalloc_large",
	"kmalloc_large_node", "kmalloc_node_trace", "kmalloc_order", "kmalloc_order_trace",
	"kmalloc_trace", "kcalloc", "kcalloc_node", "kzalloc",
	"kmem_cache_alloc", "kmem_cache_alloc_bulk", "kmem_cache_alloc_lru",
	"kmem_cache_alloc_node", "kmem_cache_alloc_node_trace", "kmem_cache_alloc_trace",
	"__kmem_cache_alloc_bulk", "kmem_cache_zalloc",
	"krealloc", "krealloc_array", "__do_krealloc", "kmemdup",
	/* kvmalloc */
	"kvcalloc", "kvmalloc", "kvmalloc_array", "kvmalloc_node", "kvrealloc", "kvzalloc",
	"kvmemdup_bpfptr", "memdup_sockptr", "memdup_sockptr_nul", "nla_memdup",
	/* vmalloc */
	"__vcalloc", "__vmalloc", "__vmalloc_area_node", "__vmalloc_array", "__vmalloc_node",
	"__vmalloc_node_range", "vcalloc", "vm_area_alloc_pages", "vmalloc", "vmalloc_32",
	"vmalloc_32_user", "vmalloc_array", "vmalloc_huge", "vmalloc_node", "vmalloc_user",
	"vzalloc", "vzalloc_node",
	/* pages */
	"__alloc_pages", "__alloc_pages_bulk", "__alloc_pages_nodemask", "__folio_alloc",
	"__get_free_pages", "__page_cache_alloc", "alloc_contig_pages", "alloc_contig_range",
	"__alloc_contig_pages", "alloc_page_interleave", "alloc_pages",
	"alloc_pages_bulk_array_interleave", "alloc_pages_bulk_array_mempolicy",
	"alloc_pages_bulk_array_preferred_many", "alloc_pages_bulk_interleave",
	"alloc_pages_bulk_preferred_many",
	"alloc_pages_current", "alloc_pages_exact", "alloc_pages_exact_nid", "alloc_pages_mpol",
	"alloc_pages_preferred_many", "alloc_pages_vma", "filemap_alloc_folio", "folio_alloc",
	"get_zeroed_page", "make_alloc_exact", "vma_alloc_folio",
	/* page tables */
	"__pte_alloc_one", "__pte_alloc_one_kernel", "__pud_alloc_one", "pagetable_alloc",
	"pmd_alloc_one", "pte_alloc_one_kernel", "pud_alloc_one",
	/* per-CPU */
	"__alloc_percpu", "__alloc_percpu_gfp", "__alloc_reserved_percpu", "pcpu_alloc",
	/* pools and tables */
	"mempool_alloc", "mempool_alloc_pages", "mempool_alloc_slab", "mempool_create",
	"mempool_create_node", "mempool_init", "mempool_init_node", "mempool_kmalloc",
	"bucket_table_alloc", "nested_bucket_table_alloc",
	"nested_table_alloc", "rhashtable_init", "rhltable_init",
	/* others */
	"__dev_alloc_page", "__dev_alloc_pages", "reqsk_alloc",
	/*
	 * Inlined everywhere, so no symbol: only who has debug information meets
	 * them.  From 6.10 on they are marked, or macros.
	 */
	"__alloc_pages_node", "__folio_alloc_node", "__ptr_ring_init_queue_alloc",
	"acpi_os_acquire_object", "acpi_os_allocate", "acpi_os_allocate_zeroed",
	"__acomp_request_alloc",
	"ahash_request_alloc", "alloc_inode_sb", "alloc_page_vma", "alloc_pages_bulk_array",
	"alloc_pages_bulk_array_node", "alloc_pages_bulk_list", "alloc_pages_node",
	"dev_alloc_page", "dev_alloc_pages", "jbd2_alloc_handle", "jbd2_alloc_inode", "kmalloc",
	"kmalloc_node", "kvcalloc_node", "kvmalloc_array_node", "kvzalloc_node", "kzalloc_node",
	"mempool_create_kmalloc_pool", "mempool_create_page_pool", "mempool_create_slab_pool",
	"mempool_init_kmalloc_pool", "mempool_init_page_pool", "mempool_init_slab_pool",
	"mm_alloc_cid", "netlbl_catmap_alloc", "netlbl_secattr_alloc", "netlbl_secattr_cache_alloc",
	"ptr_ring_init", "ptr_ring_resize", "ptr_ring_resize_multiple", "simple_get_netobj",
	"skb_array_init", "skb_array_resize_multiple", "skcipher_request_alloc", "tcx_entry_create",
};

/*
 * Of these, the ones that call an allocator in two ways: what they allocate for
 * themselves is theirs; what the function they were given allocates is their
 * caller's.  Only a line map can tell the two apart.
 */
static const char * const half_transparent_names[] __maybe_unused = {
	"mempool_init_node",
};
