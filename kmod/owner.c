// SPDX-License-Identifier: GPL-2.0
#include <linux/hashtable.h>
#include <linux/slab.h>
#include <net/sock.h>
#include "owner.h"

/* All owners by port number. */
static DEFINE_HASHTABLE(owners, 10);
static DEFINE_SPINLOCK(owners_lock); /* protects owners, and kv_owner.link, .sk and .is_closed */

static void owner_release(struct kref *ref)
{
	struct kv_owner *owner = container_of(ref, struct kv_owner, ref);

	if (owner->persistent)
		kv_owner_put(owner->persistent);
	kfree(owner);
}

/**
 * kv_owner_get() - take another reference
 * @owner: an owner that the caller has a reference to
 *
 * Return: @owner
 */
struct kv_owner *kv_owner_get(struct kv_owner *owner)
{
	kref_get(&owner->ref);
	return owner;
}

/**
 * kv_owner_put() - drop a reference
 * @owner: the owner
 */
void kv_owner_put(struct kv_owner *owner)
{
	kref_put(&owner->ref, owner_release);
}

static struct kv_owner *owner_alloc(struct net *net, struct sock *sk, u32 portid)
{
	struct kv_owner *owner;
	unsigned int rank;

	owner = kzalloc(sizeof(*owner), GFP_KERNEL_ACCOUNT);
	if (!owner)
		return NULL;
	kref_init(&owner->ref);
	owner->net = net;
	owner->sk = sk;
	owner->portid = portid;
	kv_jobs_init(&owner->jobs);
	mutex_init(&owner->clearing);
	spin_lock_init(&owner->lock);
	for (rank = 0; rank < KV_OBJ_RANKS; rank++)
		INIT_LIST_HEAD(&owner->objects[rank]);
	INIT_LIST_HEAD(&owner->closed);
	INIT_LIST_HEAD(&owner->closed_link);
	init_waitqueue_head(&owner->closed_wait);
	return owner;
}

/* Returns the owner with a reference, or NULL. owners_lock */
static struct kv_owner *owner_find(const struct net *net, const struct sock *sk, u32 portid)
{
	struct kv_owner *owner;

	lockdep_assert_held(&owners_lock);
	hash_for_each_possible(owners, owner, link, portid)
		if (owner->net == net && owner->sk == sk && owner->portid == portid)
			return kv_owner_get(owner);
	return NULL;
}

/**
 * kv_owner_add_net() - a network namespace gets the owner of its persistent objects
 * @net: the namespace; kv_owner_remove() follows before it goes
 *
 * Return: 0 or -ENOMEM.
 */
int __net_init kv_owner_add_net(struct net *net)
{
	struct kv_owner *owner = owner_alloc(net, NULL, 0);

	if (!owner)
		return -ENOMEM;
	guard(spinlock)(&owners_lock);
	hash_add(owners, &owner->link, 0);
	return 0;
}

/**
 * kv_owner_of_net() - the owner of a namespace's persistent objects
 * @net: the namespace, between kv_owner_add_net() and kv_owner_remove()
 *
 * Return: the owner with a reference.
 */
struct kv_owner *kv_owner_of_net(struct net *net)
{
	struct kv_owner *owner;

	guard(spinlock)(&owners_lock);
	owner = owner_find(net, NULL, 0);
	WARN_ON_ONCE(!owner);
	return owner;
}

/**
 * kv_owner_of_socket() - the owner that stands for a socket
 * @sk: the socket, open while this is called
 * @portid: its netlink port
 *
 * Context: may sleep
 * Return: the owner with a reference, made at the first call for the socket;
 * NULL: no memory.
 */
struct kv_owner *kv_owner_of_socket(struct sock *sk, u32 portid)
{
	struct kv_owner *owner, *fresh;

	scoped_guard(spinlock, &owners_lock)
		owner = owner_find(sock_net(sk), sk, portid);
	if (owner)
		return owner;

	fresh = owner_alloc(sock_net(sk), sk, portid);
	if (!fresh)
		return NULL;
	fresh->persistent = kv_owner_of_net(sock_net(sk));
	scoped_guard(spinlock, &fresh->persistent->lock)
		fresh->closed_before = fresh->persistent->closed_before;
	guard(spinlock)(&owners_lock);
	/* Two threads may share the socket. */
	owner = owner_find(sock_net(sk), sk, portid);
	if (owner) {
		kv_owner_put(fresh);
		return owner;
	}
	sock_hold(sk);
	hash_add(owners, &fresh->link, portid);
	return kv_owner_get(fresh);
}

/**
 * kv_owner_closed() - an owner whose socket has been closed
 * @net: the namespace of the socket
 * @portid: its netlink port
 *
 * netlink_release() (net/netlink/af_netlink.c) frees the port number, marks the socket
 * dead with sock_orphan(), and calls the notifiers of NETLINK_URELEASE, in this
 * order. Another socket may have the number by then, but it is not marked dead.
 *
 * Return: the owner with a reference, for kv_closed_begin(); NULL if there is none that was not
 * returned before.
 */
struct kv_owner *kv_owner_closed(struct net *net, u32 portid)
{
	struct kv_owner *owner;

	guard(spinlock)(&owners_lock);
	hash_for_each_possible(owners, owner, link, portid) {
		if (owner->net == net && owner->portid == portid && owner->sk &&
		    sock_flag(owner->sk, SOCK_DEAD) && !owner->is_closed) {
			owner->is_closed = true;
			return kv_owner_get(owner);
		}
	}
	return NULL;
}

/**
 * kv_owner_any() - an owner that has not been removed
 *
 * Return: the owner with a reference; NULL if there is none.
 */
struct kv_owner *kv_owner_any(void)
{
	struct kv_owner *owner;
	unsigned int bucket;

	guard(spinlock)(&owners_lock);
	hash_for_each(owners, bucket, owner, link)
		return kv_owner_get(owner);
	return NULL;
}

/**
 * kv_owner_remove() - an owner without objects leaves the table
 * @owner: the owner, with the caller's reference, which stays the caller's; may
 *	have left the table already
 */
void kv_owner_remove(struct kv_owner *owner)
{
	struct sock *sk = NULL;

	scoped_guard(spinlock, &owners_lock) {
		if (!hash_hashed(&owner->link))
			return;
		hash_del(&owner->link);
		swap(sk, owner->sk);
	}
	if (sk)
		sock_put(sk);
	kv_owner_put(owner);
}
