// SPDX-License-Identifier: GPL-2.0
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include "dev.h"
#include "obj.h"
#include "pd.h"
#include "quota.h"
#include "refuse.h"
#include "trace.h"

/* If a device can't destroy an object, the destruction is tried again after this time. */
#define RETRY_MS 20

/* Other owners' objects that are skipped in one go, with a lock held. */
#define UNSEEN_MAX 64

/* Protects both counters, so that their values are of the same moment. */
static DEFINE_SPINLOCK(count_lock);
static u64 created;
static u64 destroyed;

/* By rank; set once. */
static struct kv_obj_class *const *classes;

static void obj_count(u64 *counter)
{
	guard(spinlock)(&count_lock);
	++*counter;
}

/**
 * kv_obj_alloc() - memory for an object, not yet visible to anybody
 * @class: its class
 * @size: of the structure that starts with a struct kv_obj
 * @new: its device and its owner
 *
 * Return: zeroed memory, to be given to kv_obj_made() or kv_obj_give_up(), or
 * ERR_PTR: -EDQUOT, -ENOMEM.
 */
void *kv_obj_alloc(struct kv_obj_class *class, size_t size, const struct kv_new *new)
{
	struct kv_obj *obj;
	int ret;

	ret = kv_quota_charge_object(new->extack);
	if (ret)
		return ERR_PTR(ret);
	obj = kzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!obj) {
		kv_quota_uncharge_object();
		return ERR_PTR(-ENOMEM);
	}
	kref_init(&obj->ref);
	obj->class = class;
	obj->owner = kv_owner_get(new->owner);
	obj->dev = kv_dev_get(new->dev);
	INIT_LIST_HEAD(&obj->owner_link);
	INIT_LIST_HEAD(&obj->dev_link);
	obj->parents = obj->own;
	obj->slots = KV_OBJ_PARENTS;
	if (new->pd)
		kv_obj_set_parent(obj, 0, &new->pd->obj);
	return obj;
}

static void obj_release(struct kref *ref)
{
	struct kv_obj *obj = container_of(ref, struct kv_obj, ref);

	kv_owner_put(obj->owner);
	kv_dev_put(obj->dev);
	kv_quota_uncharge_bytes(obj->bytes);
	if (obj->parents != obj->own)
		kvfree(obj->parents);
	kfree(obj);
	kv_quota_uncharge_object();
}

/**
 * kv_obj_charge() - count memory that an object takes, or is about to take
 * @obj: the object
 * @bytes: the total that it takes; given back when the object is freed
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
	kref_put(&obj->ref, obj_release);
}

/**
 * kv_obj_unlock() - unlock an object's device, and drop a reference to the object
 * @obj: the object; may be gone after this
 */
void kv_obj_unlock(struct kv_obj *obj)
{
	/* The last reference may be ours, and the lock is in the device. */
	struct kv_dev *dev = kv_dev_get(obj->dev);

	kv_obj_put(obj);
	mutex_unlock(&dev->lock);
	kv_dev_put(dev);
}

static void obj_drop_parents(struct kv_obj *obj)
{
	unsigned int i;

	for (i = 0; i < obj->slots; i++)
		kv_obj_set_parent(obj, i, NULL);
}

/**
 * kv_obj_give_up() - undo kv_obj_alloc() for an object that was not published
 * @obj: the object; its verbs object does not exist, or no longer
 * @error: why, a negative errno
 *
 * Locks: obj->dev->lock
 * Return: ERR_PTR() of @error.
 */
struct kv_obj *kv_obj_give_up(struct kv_obj *obj, int error)
{
	obj_drop_parents(obj);
	kv_obj_put(obj);
	return ERR_PTR(error);
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
	struct kv_obj_class *class = obj->class;
	struct kv_owner *owner = obj->owner;
	unsigned int i;
	int ret;

	lockdep_assert_held(&obj->dev->lock);
	for (i = 0; kv_obj_persistent(obj) && i < obj->slots; i++)
		if (obj->parents[i] && !kv_obj_persistent(obj->parents[i]))
			return kv_refuse(extack, -EINVAL,
					 "a persistent object can use only persistent ones");
	ret = xa_alloc_cyclic(&class->ids, &obj->id, obj,
			      XA_LIMIT(1, INT_MAX), &class->next, GFP_KERNEL);
	if (ret < 0)
		return ret;
	list_add_tail(&obj->dev_link, &obj->dev->objects[class->rank]);
	scoped_guard(spinlock, &owner->lock)
		list_add_tail(&obj->owner_link, &owner->objects[class->rank]);
	atomic_inc(&class->generation);
	obj_count(&created);
	trace_kverbs_obj_new(obj);
	return 0;
}

/**
 * kv_obj_timed() - a verb of a command has returned
 * @obj: the command's object
 * @stage: the verb's stage of the command
 * @ns: how long it took
 */
void kv_obj_timed(struct kv_obj *obj, enum kverbs_stage stage, u64 ns)
{
	obj->stage_ns[stage] += ns;
	trace_kverbs_verb(obj, stage, ns);
}

/**
 * kv_obj_set_slots() - room for more parents than most objects have
 * @obj: an object without parents, not published
 * @slots: how many parents it may have
 *
 * Return: 0 or -ENOMEM.
 */
int kv_obj_set_slots(struct kv_obj *obj, unsigned int slots)
{
	struct kv_obj **parents = kvcalloc(slots, sizeof(*parents), GFP_KERNEL_ACCOUNT);

	if (!parents)
		return -ENOMEM;
	obj->parents = parents;
	obj->slots = slots;
	return 0;
}

/**
 * kv_obj_set_parent() - make one object use another
 * @obj: the user
 * @slot: the index in @obj->parents, 0 .. @obj->slots - 1
 * @parent: the object used from now on; NULL for none
 *
 * Locks: obj->dev->lock
 */
void kv_obj_set_parent(struct kv_obj *obj, unsigned int slot, struct kv_obj *parent)
{
	struct kv_obj *old = obj->parents[slot];

	lockdep_assert_held(&obj->dev->lock);
	if (parent) {
		kref_get(&parent->ref);
		parent->users[obj->class->rank]++;
	}
	obj->parents[slot] = parent;
	if (old) {
		old->users[obj->class->rank]--;
		kv_obj_put(old);
	}
}

/**
 * kv_obj_hold() - count a work request as a user of the object
 * @obj: the object
 *
 * Locks: obj->dev->lock
 */
void kv_obj_hold(struct kv_obj *obj)
{
	lockdep_assert_held(&obj->dev->lock);
	kref_get(&obj->ref);
	obj->users[KV_OBJ_REQUEST]++;
}

/**
 * kv_obj_unhold() - undo kv_obj_hold()
 * @obj: the object
 *
 * Locks: obj->dev->lock
 */
void kv_obj_unhold(struct kv_obj *obj)
{
	lockdep_assert_held(&obj->dev->lock);
	obj->users[KV_OBJ_REQUEST]--;
	kv_obj_put(obj);
}

/**
 * kv_obj_lookup() - find an object by its id
 * @class: its class
 * @id: its id
 * @owner: the owner who asks; finds its own objects, and persistent ones
 *
 * Return: the object with a reference, or NULL. It may be dead by the time the
 * caller holds its device's lock.
 */
struct kv_obj *kv_obj_lookup(struct kv_obj_class *class, u32 id, const struct kv_owner *owner)
{
	struct kv_obj *obj;

	xa_lock(&class->ids);
	obj = xa_load(&class->ids, id);
	if (obj && kv_owner_sees(owner, obj->owner))
		kref_get(&obj->ref);
	else
		obj = NULL;
	xa_unlock(&class->ids);
	return obj;
}

/**
 * kv_obj_next() - walk the objects of a class
 * @class: the class
 * @id: the id to start at, 0 at first; receives the id of the returned object
 * @owner: the owner who asks; finds its own objects, and persistent ones
 *
 * Return: the object with a reference, or NULL at the end. It may be dead by the
 * time the caller holds its device's lock.
 */
struct kv_obj *kv_obj_next(struct kv_obj_class *class, unsigned long *id,
			   const struct kv_owner *owner)
{
	bool seen = false;
	struct kv_obj *obj;
	unsigned int n;

	do {
		xa_lock(&class->ids);
		obj = xa_find(&class->ids, id, ULONG_MAX, XA_PRESENT);
		for (n = 0; obj && n < UNSEEN_MAX; n++) {
			seen = kv_owner_sees(owner, obj->owner);
			if (seen)
				break;
			obj = xa_find_after(&class->ids, id, ULONG_MAX, XA_PRESENT);
		}
		if (seen)
			kref_get(&obj->ref);
		xa_unlock(&class->ids);
	} while (obj && !seen);
	return obj;
}

/**
 * kv_obj_generation() - have objects of a class come or gone?
 * @class: the class
 *
 * Return: a number that changes then, never 0.
 */
unsigned int kv_obj_generation(const struct kv_obj_class *class)
{
	return (unsigned int)atomic_read(&class->generation) << 1 | 1;
}

/* After this, no lookup finds the object. */
static void obj_unpublish(struct kv_obj *obj)
{
	obj->dead = true;
	xa_erase(&obj->class->ids, obj->id);
	atomic_inc(&obj->class->generation);
	list_del_init(&obj->dev_link);
	guard(spinlock)(&obj->owner->lock);
	list_del_init(&obj->owner_link);
}

static int obj_destroy(struct kv_obj *obj)
{
	int ret;

	lockdep_assert_held(&obj->dev->lock);
	ret = obj->class->destroy(obj);
	if (ret)
		return ret;
	obj_unpublish(obj);
	obj_drop_parents(obj);
	obj_count(&destroyed);
	trace_kverbs_obj_del(obj);
	/* The id table's reference; a lookup may still hold another. */
	kv_obj_put(obj);
	return 0;
}

/* Why the object can't be deleted; NULL if it can. */
static const char *obj_user(const struct kv_obj *obj)
{
	unsigned int rank = KV_OBJ_RANKS;

	while (rank--)
		if (obj->users[rank])
			return classes[rank]->in_use;
	return obj->users[KV_OBJ_REQUEST] ?
	       "in use by a posted request: poll its completion, or reset the qp" : NULL;
}

/**
 * kv_obj_destroy() - destroy an object that is to be deleted
 * @obj: the object, not dead, with the caller's reference, which stays the caller's
 * @extack: where the reason of a refusal goes
 *
 * Locks: obj->dev->lock
 * Return: 0, -EBUSY if others use it, or the verb's error: then the object stays.
 */
int kv_obj_destroy(struct kv_obj *obj, struct netlink_ext_ack *extack)
{
	const char *user;
	int ret;

	lockdep_assert_held(&obj->dev->lock);
	user = obj_user(obj);
	if (user)
		return kv_refuse(extack, -EBUSY, user);
	ret = obj_destroy(obj);
	return ret ? kv_verb_failed(extack, KVERBS_STAGE_DESTROY, ret,
				    "the device can't destroy it now: try again") : 0;
}

/*
 * The verbs object stays, and so does all that the verbs object uses: memory that a device
 * may still access, or event handlers in this module's text, are never freed.
 */
static void obj_abandon(struct kv_obj *obj, int error)
{
	pr_warn_once("kverbs: a device can't destroy one of its objects (error %d): memory is lost\n",
		     error);
	__module_get(THIS_MODULE);
	obj_unpublish(obj);
}

/**
 * kv_obj_made() - publish an object whose verbs object is made, or undo both
 * @obj: the object, complete
 * @error: 0; or the error of the step that has failed: then there is no verbs object
 * @text: of the refusal by the verb; NULL: the command is refused already
 * @extack: where the reason of a refusal goes
 *
 * Locks: obj->dev->lock
 * Return: the object, owned by the id table, or ERR_PTR: @error, or as kv_obj_publish().
 */
struct kv_obj *kv_obj_made(struct kv_obj *obj, int error, const char *text,
			   struct netlink_ext_ack *extack)
{
	int ret;

	if (error && text)
		kv_verb_failed(extack, KVERBS_STAGE_CREATE, error, text);
	if (error)
		return kv_obj_give_up(obj, error);
	error = kv_obj_publish(obj, extack);
	if (!error)
		return obj;
	ret = obj->class->destroy(obj);
	if (!ret)
		return kv_obj_give_up(obj, error);
	obj_abandon(obj, ret);
	return ERR_PTR(error);
}

/* Destroys an object that must go, or abandons it. */
static bool obj_force_destroy(struct kv_obj *obj)
{
	int ret;

	if (obj_user(obj)) {
		/* Its user was abandoned. */
		obj_abandon(obj, -EBUSY);
		return false;
	}
	ret = obj_destroy(obj);
	if (ret) {
		msleep(RETRY_MS);
		ret = obj_destroy(obj);
	}
	if (ret)
		obj_abandon(obj, ret);
	return !ret;
}

static void obj_stop(struct kv_obj *obj, struct kv_obj_removal *removal)
{
	if (obj->class->stop && !obj->dev->gone && !obj_user(obj))
		obj->class->stop(obj, -ECANCELED);
}

static void obj_remove(struct kv_obj *obj, struct kv_obj_removal *removal)
{
	if (kv_obj_persistent(obj) && obj_user(obj))
		removal->busy++;
	else
		removal->removed += obj_force_destroy(obj);
}

/* Calls a function for each object of a rank, with the object's device locked. */
static void obj_for_rank(struct kv_owner *owner, unsigned int rank, struct kv_obj_removal *removal,
			 void (*call)(struct kv_obj *obj, struct kv_obj_removal *removal))
{
	struct list_head *objects = &owner->objects[rank];
	LIST_HEAD(called);
	struct kv_obj *obj;

	spin_lock(&owner->lock);
	while ((obj = list_first_entry_or_null(objects, struct kv_obj, owner_link))) {
		kv_obj_get(obj);
		spin_unlock(&owner->lock);
		mutex_lock(&obj->dev->lock);
		if (!obj->dead)
			call(obj, removal);
		spin_lock(&owner->lock);
		/* An object that is gone is in no list any more. */
		if (!list_empty(&obj->owner_link))
			list_move_tail(&obj->owner_link, &called);
		spin_unlock(&owner->lock);
		kv_obj_unlock(obj);
		spin_lock(&owner->lock);
	}
	list_splice(&called, objects);
	spin_unlock(&owner->lock);
}

/**
 * kv_obj_remove_owner() - destroy all objects of an owner
 * @owner: a socket that was closed, or the owner of persistent objects
 *
 * The objects of a rank are all stopped before the first of them is destroyed: so the times
 * that runs take to end, and QPs to flush, do not add up.
 *
 * Context: may sleep; waits for the owner's runs to stop.
 * Return: how many were destroyed, and how many not.
 */
struct kv_obj_removal kv_obj_remove_owner(struct kv_owner *owner)
{
	struct kv_obj_removal removal = {};
	unsigned int rank;

	guard(mutex)(&owner->clearing);
	for (rank = 0; rank < KV_OBJ_RANKS; rank++) {
		obj_for_rank(owner, rank, &removal, obj_stop);
		obj_for_rank(owner, rank, &removal, obj_remove);
	}
	return removal;
}

/**
 * kv_obj_remove_dev() - a device goes: destroy all objects that were made on it
 * @dev: the device
 *
 * Objects whose results outlive the device lose only their verbs and parents. As in
 * kv_obj_remove_owner(), the objects of a rank are stopped first.
 *
 * Context: may sleep; waits for runs to stop.
 * Locks: dev->lock
 */
void kv_obj_remove_dev(struct kv_dev *dev)
{
	struct kv_obj *obj, *next;
	unsigned int rank;

	lockdep_assert_held(&dev->lock);
	for (rank = 0; rank < KV_OBJ_RANKS; rank++) {
		struct kv_obj_class *class = classes[rank];

		if (class->stop)
			list_for_each_entry(obj, &dev->objects[rank], dev_link)
				class->stop(obj, -ENODEV);
		list_for_each_entry_safe(obj, next, &dev->objects[rank], dev_link) {
			if (!class->remove) {
				obj_force_destroy(obj);
				continue;
			}
			class->remove(obj);
			obj_drop_parents(obj);
			list_del_init(&obj->dev_link);
		}
	}
}

/**
 * kv_obj_init() - before any object is made
 * @all: the classes by their rank
 */
void kv_obj_init(struct kv_obj_class *const *all)
{
	classes = all;
}

/**
 * kv_obj_exit() - destroy the objects that outlived their device
 *
 * No device and no socket can reach this module any more.
 */
void kv_obj_exit(void)
{
	struct kv_owner *owner;
	unsigned int rank;

	while ((owner = kv_owner_any())) {
		kv_obj_remove_owner(owner);
		kv_owner_remove(owner);
		kv_owner_put(owner);
	}
	for (rank = 0; rank < KV_OBJ_RANKS; rank++)
		xa_destroy(&classes[rank]->ids);
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
	guard(spinlock)(&count_lock);
	*made = created;
	*gone = destroyed;
}
