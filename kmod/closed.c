// SPDX-License-Identifier: GPL-2.0
#include <net/net_namespace.h>
#include "obj.h"
#include "owner.h"

/*
 * Closed sockets, whose objects are to be destroyed.
 *
 * close() must not wait for that: the notifiers of NETLINK_URELEASE are called one socket after
 * the other, and a module that registers a notifier waits for those that are called. So the last
 * job of the socket destroys its objects. But whoever opens a socket after another one was
 * closed, a second command of a script for instance, finds nothing left of the first: a
 * socket's commands wait for the sockets that were closed before its first command. The wait has
 * a limit, because a closed socket's last command may be stuck, in a file system for instance.
 */
#define WAIT_MAX msecs_to_jiffies(2000)

static void closed_destroy_objects(struct kv_job *job)
{
	struct kv_owner *owner = container_of(job, struct kv_owner, last_job);
	struct kv_owner *persistent = owner->persistent;

	kv_obj_remove_owner(owner);
	scoped_guard(spinlock, &persistent->lock)
		list_del(&owner->closed_link);
	wake_up_all(&persistent->closed_wait);
}

static void closed_release_owner(struct kv_job *job)
{
	struct kv_owner *owner = container_of(job, struct kv_owner, last_job);
	struct net *net = owner->net;

	kv_owner_remove(owner);
	kv_owner_put(owner);
	put_net(net);
}

/**
 * kv_closed_begin() - a socket was closed: a work item will destroy its objects
 * @owner: the socket's owner, with a reference, which is the work item's from now on
 *
 * Context: a notifier of NETLINK_URELEASE: the socket still keeps its namespace
 */
void kv_closed_begin(struct kv_owner *owner)
{
	struct kv_owner *persistent = owner->persistent;

	get_net(owner->net);
	spin_lock(&persistent->lock);
	owner->closed_before = ++persistent->closed_before;
	list_add_tail(&owner->closed_link, &persistent->closed);
	spin_unlock(&persistent->lock);
	/* The socket's own command waits no longer: the last job is behind it. */
	wake_up_all(&persistent->closed_wait);
	owner->last_job.run = closed_destroy_objects;
	owner->last_job.release = closed_release_owner;
	kv_jobs_close(&owner->jobs, &owner->last_job);
}

/**
 * kv_closed_pending() - do sockets that were closed before a socket's first command have objects?
 * @owner: the socket's owner; once it is closed itself, it waits for none
 *
 * Return: true if kv_closed_wait() would wait.
 */
bool kv_closed_pending(struct kv_owner *owner)
{
	struct kv_owner *persistent = owner->persistent;
	struct kv_owner *oldest;

	guard(spinlock)(&persistent->lock);
	oldest = list_first_entry_or_null(&persistent->closed, struct kv_owner, closed_link);
	return oldest && oldest->closed_before <= owner->closed_before &&
	       list_empty(&owner->closed_link);
}

/**
 * kv_closed_wait() - wait until the objects of sockets that were closed before are destroyed
 * @owner: the owner of a socket that waits
 *
 * After 2 s @owner waits no longer, and never again.
 *
 * Context: may sleep
 * Return: 0, or -ERESTARTSYS if a signal came first.
 */
int kv_closed_wait(struct kv_owner *owner)
{
	long left;

	left = wait_event_interruptible_timeout(owner->persistent->closed_wait,
						!kv_closed_pending(owner), WAIT_MAX);
	/* 0: the time is over. */
	if (left)
		return min(left, 0L);
	guard(spinlock)(&owner->persistent->lock);
	/* A closed socket keeps its place in the list. */
	if (list_empty(&owner->closed_link))
		owner->closed_before = 0;
	return 0;
}
