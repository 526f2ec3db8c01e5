/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_LIST_H
#define _UNIT_LINUX_LIST_H

#include <linux/kernel.h>
#include <linux/types.h>

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD_INIT(name)	{ &(name), &(name) }
#define LIST_HEAD(name)		struct list_head name = LIST_HEAD_INIT(name)

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline void __list_add(struct list_head *new, struct list_head *prev, struct list_head *next)
{
	next->prev = new;
	new->next = next;
	new->prev = prev;
	prev->next = new;
}

static inline void list_add(struct list_head *new, struct list_head *head)
{
	__list_add(new, head, head->next);
}

static inline void list_add_tail(struct list_head *new, struct list_head *head)
{
	__list_add(new, head->prev, head);
}

static inline void list_del_init(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
	INIT_LIST_HEAD(entry);
}

static inline void list_move(struct list_head *entry, struct list_head *head)
{
	list_del_init(entry);
	list_add(entry, head);
}

static inline void list_move_tail(struct list_head *entry, struct list_head *head)
{
	list_del_init(entry);
	list_add_tail(entry, head);
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

#define list_entry(p, type, member)		container_of(p, type, member)
#define list_last_entry(head, type, member)	list_entry((head)->prev, type, member)
#define list_first_entry_or_null(head, type, member)			\
	(list_empty(head) ? NULL : list_entry((head)->next, type, member))
#define list_for_each_entry(p, head, member)				\
	for (p = list_entry((head)->next, __typeof__(*p), member);	\
	     &p->member != (head);					\
	     p = list_entry(p->member.next, __typeof__(*p), member))
#define list_for_each_entry_safe(p, n, head, member)			\
	for (p = list_entry((head)->next, __typeof__(*p), member),	\
	     n = list_entry(p->member.next, __typeof__(*p), member);	\
	     &p->member != (head);					\
	     p = n, n = list_entry(n->member.next, __typeof__(*n), member))

#endif /* _UNIT_LINUX_LIST_H */
