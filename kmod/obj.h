/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_OBJ_H
#define _KV_OBJ_H

#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/xarray.h>
#include <kverbs.h>
#include "owner.h"

struct kv_dev;
struct kv_obj;
struct kv_pd;
struct netlink_ext_ack;

/* Parents that each object has room for: a QP needs the most. A run has room of its own. */
#define KV_OBJ_PARENTS 10

/* The index behind the ranks in kv_obj.users: outstanding work requests. */
#define KV_OBJ_REQUEST KV_OBJ_RANKS

/**
 * struct kv_obj_class - the common data of all objects of one type
 * @rank: their place in the order of destruction, and their list
 * @in_use: the reason why an object that one of these uses can't be deleted
 * @missing: the reason if a message has no id for an object of this type
 * @unknown: the reason if no object of this type has a message's id
 * @stop: begin to end the object's activity, without waiting for the end: several
 *	objects are all stopped first, and then each is destroyed or removed; under
 *	dev->lock. Absent: there is nothing to stop.
 * @destroy: destroy the verbs object, under dev->lock: 0, or a negative errno if the
 *	object stays as it was
 * @remove: the device goes, under dev->lock: end the verbs object, but keep the object.
 *	Absent: the object is destroyed too.
 * @ids: id to object; holds a reference to each
 * @next: ids count up, so that a stale one does not soon name another object
 * @generation: changes whenever an object comes or goes
 */
struct kv_obj_class {
	enum kv_obj_rank rank;
	const char *in_use;
	const char *missing;
	const char *unknown;
	void (*stop)(struct kv_obj *obj, int reason);
	int (*destroy)(struct kv_obj *obj);
	void (*remove)(struct kv_obj *obj);
	struct xarray ids;
	u32 next;
	atomic_t generation;
};

/* article: "a" or "an"; end: how to end the use */
#define KV_OBJ_CLASS(_name, _rank, article, end)				\
	.rank = _rank,								\
	.in_use = "in use by " article " " #_name ": " end " that first",	\
	.missing = "the " #_name "'s id is missing",				\
	.unknown = "no " #_name " with this id among yours",			\
	.ids = XARRAY_INIT(kv_##_name##_class.ids, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT)

/**
 * struct kv_obj - the common part of all objects; first member of each
 * @ref: one for the id table, one for each lookup, one for each child, and those that
 *	the object's type describes
 * @class: its type
 * @id: its name in the contract, 1 and up, unique for the class
 * @owner: the owner, with a reference
 * @owner_link: in kv_owner.objects; kv_owner.lock
 * @dev: its device, with a reference
 * @dev_link: in kv_dev.objects; dev->lock
 * @users: the number of objects that have it as a parent, by their rank, and the number
 *	of work requests that name it; dev->lock
 * @parents: the objects that it uses, each with a reference; NULL in an unused slot;
 *	dev->lock
 * @slots: how many of @parents there are
 * @own: @parents, unless kv_obj_set_slots() has made others
 * @dead: no longer in the table, its verbs object destroyed; dev->lock
 * @stage_ns: how long each stage of the last command on it took, by enum kverbs_stage; dev->lock
 * @bytes: the bytes that count against the module's max_bytes; dev->lock
 */
struct kv_obj {
	struct kref ref;
	struct kv_obj_class *class;
	u32 id;
	struct kv_owner *owner;
	struct list_head owner_link;
	struct kv_dev *dev;
	struct list_head dev_link;
	unsigned int users[KV_OBJ_RANKS + 1];
	struct kv_obj **parents;
	unsigned int slots;
	struct kv_obj *own[KV_OBJ_PARENTS];
	bool dead;
	u64 stage_ns[KVERBS_STAGE_MAX + 1];
	u64 bytes;
};

/**
 * struct kv_new - what every new object is given
 * @dev: its device, locked
 * @pd: the PD that it uses, its parent 0; NULL if it uses none
 * @owner: its owner
 * @extack: where the reason of a refusal goes
 */
struct kv_new {
	struct kv_dev *dev;
	struct kv_pd *pd;
	struct kv_owner *owner;
	struct netlink_ext_ack *extack;
};

/**
 * struct kv_obj_removal - what has become of an owner's objects
 * @removed: how many were destroyed
 * @busy: how many stay because other owners' objects use them; 0 for a socket, whose objects
 *	nobody else sees
 */
struct kv_obj_removal {
	unsigned int removed;
	unsigned int busy;
};

void *kv_obj_alloc(struct kv_obj_class *class, size_t size, const struct kv_new *new);
struct kv_obj *kv_obj_give_up(struct kv_obj *obj, int error);
int kv_obj_charge(struct kv_obj *obj, u64 bytes, struct netlink_ext_ack *extack);
int kv_obj_publish(struct kv_obj *obj, struct netlink_ext_ack *extack);
struct kv_obj *kv_obj_made(struct kv_obj *obj, int error, const char *text,
			   struct netlink_ext_ack *extack);
int kv_obj_set_slots(struct kv_obj *obj, unsigned int slots);
void kv_obj_set_parent(struct kv_obj *obj, unsigned int slot, struct kv_obj *parent);
void kv_obj_hold(struct kv_obj *obj);
void kv_obj_unhold(struct kv_obj *obj);
struct kv_obj *kv_obj_lookup(struct kv_obj_class *class, u32 id, const struct kv_owner *owner);
struct kv_obj *kv_obj_next(struct kv_obj_class *class, unsigned long *id,
			   const struct kv_owner *owner);
unsigned int kv_obj_generation(const struct kv_obj_class *class);
struct kv_obj *kv_obj_get(struct kv_obj *obj);
void kv_obj_put(struct kv_obj *obj);
void kv_obj_unlock(struct kv_obj *obj);
int kv_obj_destroy(struct kv_obj *obj, struct netlink_ext_ack *extack);
struct kv_obj_removal kv_obj_remove_owner(struct kv_owner *owner);
void kv_obj_remove_dev(struct kv_dev *dev);
void kv_obj_init(struct kv_obj_class *const *all);
void kv_obj_exit(void);

void kv_obj_timed(struct kv_obj *obj, enum kverbs_stage stage, u64 ns);
void kv_obj_counts(u64 *made, u64 *gone);

/**
 * kv_obj_time() - call a verb, and add its time to the times of the command
 * @obj: the command's object
 * @stage: the verb's stage of the command, without the prefix
 * @call: the call, which may assign its return value
 */
#define kv_obj_time(obj, stage, call) do {				\
	u64 _start = ktime_get_raw_ns();				\
									\
	call;								\
	kv_obj_timed(obj, KVERBS_STAGE_##stage, ktime_get_raw_ns() - _start); \
} while (0)

/**
 * kv_obj_reset_times() - a command begins
 * @obj: the object that the command names
 *
 * Locks: dev->lock
 */
static inline void kv_obj_reset_times(struct kv_obj *obj)
{
	memset(obj->stage_ns, 0, sizeof(obj->stage_ns));
}

/**
 * kv_obj_persistent() - does the object outlive the socket that made it?
 * @obj: the object
 *
 * Return: true if it does.
 */
static inline bool kv_obj_persistent(const struct kv_obj *obj)
{
	return kv_owner_persistent(obj->owner);
}

#endif
