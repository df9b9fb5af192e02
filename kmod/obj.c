// SPDX-License-Identifier: GPL-2.0
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>
#include "ah.h"
#include "conn.h"
#include "cq.h"
#include "dev.h"
#include "mr.h"
#include "obj.h"
#include "pd.h"
#include "qp.h"
#include "quota.h"
#include "run.h"
#include "srq.h"

/* Protects both counters: read one after the other, their difference is that of no moment. */
static DEFINE_SPINLOCK(count_lock);
static u64 created;
static u64 destroyed;

static void count(u64 *counter)
{
	spin_lock(&count_lock);
	++*counter;
	spin_unlock(&count_lock);
}

/**
 * struct table - ids of one type
 * @ids: id to object; holds a reference to each
 * @next: ids count up, so that a stale one is not soon somebody else's
 * @generation: changes whenever an object comes or goes
 */
struct table {
	struct xarray ids;
	u32 next;
	atomic_t generation;
};

#define TABLE { .ids = XARRAY_INIT(ids, XA_FLAGS_ALLOC1) }
static struct table tables[KV_OBJ_TYPES] = {
	TABLE, TABLE, TABLE, TABLE, TABLE, TABLE, TABLE, TABLE,
};

static const struct kv_obj_ops *const ops[KV_OBJ_TYPES] = {
	[KV_OBJ_RUN] = &kv_run_ops,
	[KV_OBJ_CONN] = &kv_conn_ops,
	[KV_OBJ_QP] = &kv_qp_ops,
	[KV_OBJ_AH] = &kv_ah_ops,
	[KV_OBJ_SRQ] = &kv_srq_ops,
	[KV_OBJ_MR] = &kv_mr_ops,
	[KV_OBJ_CQ] = &kv_cq_ops,
	[KV_OBJ_PD] = &kv_pd_ops,
};

/**
 * kv_obj_alloc() - memory for an object, not yet visible to anybody
 * @type: what it will be
 * @size: of the structure that starts with a struct kv_obj
 * @dev: its device
 * @owner: whose it will be
 * @extack: where the reason of a refusal goes
 *
 * Return: zeroed memory, to be given to kv_obj_publish() or kv_obj_free(), or
 * ERR_PTR: -EDQUOT, -ENOMEM.
 */
void *kv_obj_alloc(enum kv_obj_type type, size_t size, struct kv_dev *dev,
		   const struct kv_owner *owner, struct netlink_ext_ack *extack)
{
	struct kv_obj *obj;
	int ret;

	ret = kv_quota_charge_object(extack);
	if (ret)
		return ERR_PTR(ret);
	obj = kzalloc(size, GFP_KERNEL);
	if (!obj) {
		kv_quota_uncharge_object();
		return ERR_PTR(-ENOMEM);
	}
	kref_init(&obj->ref);
	obj->type = type;
	obj->owner = *owner;
	obj->dev = kv_dev_get(dev);
	return obj;
}

static void release_obj(struct kref *ref)
{
	struct kv_obj *obj = container_of(ref, struct kv_obj, ref);

	kv_dev_put(obj->dev);
	kv_quota_uncharge_bytes(obj->bytes);
	kfree(obj);
	kv_quota_uncharge_object();
}

/**
 * kv_obj_charge() - count memory that an object takes, or is about to take
 * @obj: the object
 * @bytes: all that it takes; given back when the object is freed
 * @extack: where the reason of a refusal goes
 *
 * Locks: obj->dev->lock
 * Return: 0 or -EDQUOT; always 0 for less than before.
 */
int kv_obj_charge(struct kv_obj *obj, u64 bytes, struct netlink_ext_ack *extack)
{
	int ret = 0;

	lockdep_assert_held(&obj->dev->lock);
	if (bytes > obj->bytes)
		ret = kv_quota_charge_bytes(bytes - obj->bytes, extack);
	else
		kv_quota_uncharge_bytes(obj->bytes - bytes);
	if (!ret)
		obj->bytes = bytes;
	return ret;
}

/**
 * kv_obj_get() - take another reference
 * @obj: an object that the caller has a reference to
 *
 * Return: @obj
 */
struct kv_obj *kv_obj_get(struct kv_obj *obj)
{
	kref_get(&obj->ref);
	return obj;
}

/**
 * kv_obj_put() - drop a reference
 * @obj: the object
 */
void kv_obj_put(struct kv_obj *obj)
{
	kref_put(&obj->ref, release_obj);
}

static void drop_parents(struct kv_obj *obj)
{
	unsigned int i;

	for (i = 0; i < KV_OBJ_PARENTS; i++)
		kv_obj_set_parent(obj, i, NULL);
}

/**
 * kv_obj_free() - undo kv_obj_alloc() for an object that was not published
 * @obj: the object; its verbs object does not exist, or no longer
 *
 * Locks: obj->dev->lock
 */
void kv_obj_free(struct kv_obj *obj)
{
	drop_parents(obj);
	kv_obj_put(obj);
}

/**
 * kv_obj_persistent() - does the object outlive the socket that made it?
 * @obj: the object
 *
 * Return: true if it does.
 */
bool kv_obj_persistent(const struct kv_obj *obj)
{
	return obj->owner.portid == KV_PERSISTENT;
}

/**
 * kv_obj_publish() - give the object an id; from now on others find it
 * @obj: the object, complete
 * @extack: where the reason of a refusal goes
 *
 * Locks: obj->dev->lock
 * Return: 0 or a negative errno: -EINVAL for a persistent object that uses one
 * that goes with its socket.
 */
int kv_obj_publish(struct kv_obj *obj, struct netlink_ext_ack *extack)
{
	struct table *table = &tables[obj->type];
	unsigned int i;
	int ret;

	lockdep_assert_held(&obj->dev->lock);
	for (i = 0; kv_obj_persistent(obj) && i < KV_OBJ_PARENTS; i++) {
		if (!obj->parents[i] || kv_obj_persistent(obj->parents[i]))
			continue;
		NL_SET_ERR_MSG(extack, "a persistent object can use only persistent ones");
		return -EINVAL;
	}
	ret = xa_alloc_cyclic(&table->ids, &obj->id, obj,
			      XA_LIMIT(1, INT_MAX), &table->next, GFP_KERNEL);
	if (ret < 0)
		return ret;
	atomic_inc(&table->generation);
	count(&created);
	return 0;
}

/**
 * kv_obj_set_parent() - make one object use another
 * @obj: the user
 * @slot: which of its uses, 0 .. KV_OBJ_PARENTS - 1
 * @parent: what is used from now on; NULL for nothing
 *
 * Locks: obj->dev->lock
 */
void kv_obj_set_parent(struct kv_obj *obj, unsigned int slot,
		       struct kv_obj *parent)
{
	struct kv_obj *old = obj->parents[slot];

	lockdep_assert_held(&obj->dev->lock);
	if (parent) {
		kref_get(&parent->ref);
		parent->users++;
	}
	obj->parents[slot] = parent;
	if (old) {
		old->users--;
		kv_obj_put(old);
	}
}

static bool visible(const struct kv_obj *obj, const struct kv_owner *owner)
{
	return obj->owner.net == owner->net &&
	       (obj->owner.portid == owner->portid || kv_obj_persistent(obj));
}

/**
 * kv_obj_lookup() - find an object by its id
 * @type: what it must be
 * @id: its id
 * @owner: who asks; finds what is theirs, and what is persistent
 *
 * Return: the object with a reference, or NULL. It may be dead by the time the
 * caller holds its device's lock.
 */
struct kv_obj *kv_obj_lookup(enum kv_obj_type type, u32 id,
			     const struct kv_owner *owner)
{
	struct xarray *ids = &tables[type].ids;
	struct kv_obj *obj;

	xa_lock(ids);
	obj = xa_load(ids, id);
	if (obj && visible(obj, owner))
		kref_get(&obj->ref);
	else
		obj = NULL;
	xa_unlock(ids);
	return obj;
}

static void destroy_obj(struct kv_obj *obj)
{
	lockdep_assert_held(&obj->dev->lock);
	WARN_ON_ONCE(obj->users);
	obj->dead = true;
	xa_erase(&tables[obj->type].ids, obj->id);
	atomic_inc(&tables[obj->type].generation);
	ops[obj->type]->destroy(obj);
	drop_parents(obj);
	count(&destroyed);
	/* The id table's; a lookup may still hold another. */
	kv_obj_put(obj);
}

/* The next object from an id on, with a reference. */
static struct kv_obj *next_obj(struct xarray *ids, unsigned long *id)
{
	struct kv_obj *obj;

	xa_lock(ids);
	obj = xa_find(ids, id, ULONG_MAX, XA_PRESENT);
	if (obj)
		kref_get(&obj->ref);
	xa_unlock(ids);
	return obj;
}

/**
 * kv_obj_next() - walk the objects of a type
 * @type: which
 * @id: where to start, 0 at first; id of what is returned
 * @owner: who asks; finds what is theirs, and what is persistent
 *
 * Return: the object with a reference, or NULL at the end. It may be dead by the
 * time the caller holds its device's lock.
 */
struct kv_obj *kv_obj_next(enum kv_obj_type type, unsigned long *id,
			   const struct kv_owner *owner)
{
	struct kv_obj *obj;

	for (; (obj = next_obj(&tables[type].ids, id)); ++*id) {
		if (visible(obj, owner))
			return obj;
		kv_obj_put(obj);
	}
	return NULL;
}

/**
 * kv_obj_generation() - have objects of a type come or gone?
 * @type: which
 *
 * Return: a number that is another one then, and never 0.
 */
unsigned int kv_obj_generation(enum kv_obj_type type)
{
	return (unsigned int)atomic_read(&tables[type].generation) << 1 | 1;
}

static const char *user_of(const struct kv_obj *obj)
{
	static const char *const text[KV_OBJ_TYPES] = {
		[KV_OBJ_RUN] = "in use by a run: cancel or delete that first",
		[KV_OBJ_CONN] = "in use by a conn: delete that first",
		[KV_OBJ_QP] = "in use by a qp: delete that first",
		[KV_OBJ_AH] = "in use by an ah: delete that first",
		[KV_OBJ_SRQ] = "in use by an srq: delete that first",
		[KV_OBJ_MR] = "in use by an mr: delete that first",
		[KV_OBJ_CQ] = "in use by a cq: delete that first",
		[KV_OBJ_PD] = "in use by a pd: delete that first",
	};
	const char *found =
		"in use by a posted request: poll its completion, or reset the qp";
	unsigned int type, i;

	for (type = 0; type < KV_OBJ_TYPES; type++) {
		struct kv_obj *child;
		unsigned long id;

		for (id = 0; (child = next_obj(&tables[type].ids, &id)); id++) {
			/* Of another device, its parents are not ours to read. */
			for (i = 0; child->dev == obj->dev && i < KV_OBJ_PARENTS; i++)
				if (child->parents[i] == obj)
					found = text[type];
			kv_obj_put(child);
		}
	}
	return found;
}

/**
 * kv_obj_destroy() - destroy an object that somebody asked to have deleted
 * @obj: the object, with the caller's reference, which stays the caller's
 * @extack: where the reason of a refusal goes
 *
 * Locks: obj->dev->lock
 * Return: 0, -EBUSY if others use it, -ENOENT if it was destroyed meanwhile.
 */
int kv_obj_destroy(struct kv_obj *obj, struct netlink_ext_ack *extack)
{
	lockdep_assert_held(&obj->dev->lock);
	if (obj->dead)
		return -ENOENT;
	if (obj->users) {
		extack->_msg = user_of(obj);
		return -EBUSY;
	}
	destroy_obj(obj);
	return 0;
}

/* 1 if the object is destroyed now, -EBUSY if it is in use, 0 if it was gone. */
static int remove_obj(struct kv_obj *obj)
{
	int ret = 0;

	mutex_lock(&obj->dev->lock);
	if (!obj->dead && obj->users) {
		ret = -EBUSY;
	} else if (!obj->dead) {
		destroy_obj(obj);
		ret = 1;
	}
	mutex_unlock(&obj->dev->lock);
	return ret;
}

/**
 * kv_obj_remove_owner() - destroy all that belongs to somebody
 * @owner: a socket that was closed, or KV_PERSISTENT with a namespace
 * @kept: receives how many stay because others' objects use them; never of a
 *	socket, whose objects nobody else sees
 *
 * Context: may sleep; waits for the owner's runs to stop.
 * Return: how many were destroyed.
 */
unsigned int kv_obj_remove_owner(const struct kv_owner *owner, unsigned int *kept)
{
	unsigned int type, removed = 0;

	*kept = 0;
	for (type = 0; type < KV_OBJ_TYPES; type++) {
		struct kv_obj *obj;
		unsigned long id;

		for (id = 0; (obj = next_obj(&tables[type].ids, &id)); id++) {
			if (obj->owner.portid == owner->portid &&
			    obj->owner.net == owner->net) {
				int ret = remove_obj(obj);

				removed += ret > 0;
				*kept += ret < 0;
			}
			kv_obj_put(obj);
		}
	}
	return removed;
}

/**
 * kv_obj_remove_dev() - a device goes: destroy all that was made on it
 * @dev: the device
 *
 * Objects whose results outlive the device lose only their verbs and parents.
 *
 * Context: may sleep; waits for runs to stop.
 * Locks: dev->lock
 */
void kv_obj_remove_dev(struct kv_dev *dev)
{
	unsigned int type;

	lockdep_assert_held(&dev->lock);
	for (type = 0; type < KV_OBJ_TYPES; type++) {
		struct kv_obj *obj;
		unsigned long id;

		for (id = 0; (obj = next_obj(&tables[type].ids, &id)); id++) {
			if (obj->dev == dev && !obj->dead) {
				if (ops[type]->remove) {
					ops[type]->remove(obj);
					drop_parents(obj);
				} else {
					destroy_obj(obj);
				}
			}
			kv_obj_put(obj);
		}
	}
}

/**
 * kv_obj_exit() - destroy what outlived its device
 *
 * No device and no socket can reach us any more.
 */
void kv_obj_exit(void)
{
	unsigned int type;

	for (type = 0; type < KV_OBJ_TYPES; type++) {
		struct kv_obj *obj;
		unsigned long id;

		for (id = 0; (obj = next_obj(&tables[type].ids, &id)); id++) {
			mutex_lock(&obj->dev->lock);
			destroy_obj(obj);
			mutex_unlock(&obj->dev->lock);
			kv_obj_put(obj);
		}
		xa_destroy(&tables[type].ids);
	}
	WARN_ON(kv_quota_objects());
	WARN_ON(kv_quota_bytes());
}

/**
 * kv_obj_counts() - objects since the module was loaded, of all sockets, at one moment
 * @made: receives how many were made
 * @gone: receives how many of these were destroyed
 */
void kv_obj_counts(u64 *made, u64 *gone)
{
	spin_lock(&count_lock);
	*made = created;
	*gone = destroyed;
	spin_unlock(&count_lock);
}
