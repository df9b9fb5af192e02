/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_OWNER_H
#define _KV_OWNER_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include "jobs.h"

struct net;
struct sock;

/* Objects are destroyed in this order: users before the objects that they use. */
enum kv_obj_rank {
	KV_OBJ_RUN,
	KV_OBJ_CONN,
	KV_OBJ_QP,
	KV_OBJ_AH,
	KV_OBJ_SRQ,
	KV_OBJ_MR,
	KV_OBJ_BUF,
	KV_OBJ_CQ,
	KV_OBJ_PD,
	KV_OBJ_RANKS,
};

/**
 * struct kv_owner - owner of objects: a netlink socket, or all sockets of a namespace
 * @ref: one for the table of owners, one for each object, one for each lookup
 * @link: in the table of owners
 * @net: the network namespace; compared, and not dereferenced once the owner has left
 *	the table
 * @portid: the socket's netlink port; 0: the owner of the namespace's persistent
 *	objects. A port number is in use again before the closed socket's objects are
 *	destroyed, so the number alone names no owner.
 * @sk: the socket, with a reference while the owner is in the table; NULL for the
 *	owner of persistent objects
 * @is_closed: kv_owner_closed() has returned this owner
 * @persistent: the owner of the namespace's persistent objects, with a reference;
 *	NULL if this is that owner
 * @jobs: commands of the socket that work items carry out, each with a reference
 * @last_job: of a closed socket: destroys @objects; has a reference
 * @clearing: one caller at a time destroys the owner's objects, a second one waits
 * @lock: protects @objects; that of the owner of persistent objects also protects @closed,
 *	and @closed_link and @closed_before of all sockets of the namespace
 * @objects: the owner's objects by rank, linked by kv_obj.owner_link
 * @closed: of the owner of persistent objects: the namespace's closed sockets whose objects
 *	are not destroyed, oldest first, linked by @closed_link
 * @closed_before: how many sockets of the namespace had been closed: of the owner of persistent
 *	objects, until now; of an open socket, before its first command; of a closed socket, when
 *	it was closed, itself included
 * @closed_wait: of the owner of persistent objects; woken when one leaves @closed
 */
struct kv_owner {
	struct kref ref;
	struct hlist_node link;
	struct net *net;
	u32 portid;
	struct sock *sk;
	bool is_closed;
	struct kv_owner *persistent;
	struct kv_jobs jobs;
	struct kv_job last_job;
	struct mutex clearing;
	spinlock_t lock;
	struct list_head objects[KV_OBJ_RANKS];
	struct list_head closed;
	struct list_head closed_link;
	u64 closed_before;
	wait_queue_head_t closed_wait;
};

int kv_owner_add_net(struct net *net);
struct kv_owner *kv_owner_of_net(struct net *net);
struct kv_owner *kv_owner_of_socket(struct sock *sk, u32 portid);
struct kv_owner *kv_owner_closed(struct net *net, u32 portid);
struct kv_owner *kv_owner_any(void);
void kv_owner_remove(struct kv_owner *owner);
struct kv_owner *kv_owner_get(struct kv_owner *owner);
void kv_owner_put(struct kv_owner *owner);

/* closed.c */
void kv_closed_begin(struct kv_owner *owner);
bool kv_closed_pending(struct kv_owner *owner);
int kv_closed_wait(struct kv_owner *owner);

/**
 * kv_owner_persistent() - do the owner's objects outlive the socket that made them?
 * @owner: the owner
 *
 * Return: true for the owner of a namespace's persistent objects.
 */
static inline bool kv_owner_persistent(const struct kv_owner *owner)
{
	return !owner->persistent;
}

/**
 * kv_owner_sees() - may the owner of one object name those of another owner?
 * @owner: the owner who asks
 * @other: the other owner
 *
 * Return: true for the same owner, and for the persistent objects of the namespace.
 */
static inline bool kv_owner_sees(const struct kv_owner *owner, const struct kv_owner *other)
{
	return owner == other || owner->persistent == other;
}

#endif
