/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_OBJ_H
#define _KV_OBJ_H

#include <linux/kref.h>
#include <linux/types.h>

struct kv_dev;
struct net;
struct netlink_ext_ack;

/* In the order in which they are destroyed: users before what they use. */
enum kv_obj_type {
	KV_OBJ_RUN,
	KV_OBJ_CONN,
	KV_OBJ_QP,
	KV_OBJ_AH,
	KV_OBJ_SRQ,
	KV_OBJ_MR,
	KV_OBJ_CQ,
	KV_OBJ_PD,
	KV_OBJ_TYPES,
};

/* A QP has most: PD, two CQs, SRQ, and the two MRs that its runs posted. */
#define KV_OBJ_PARENTS 6

/**
 * struct kv_owner - who an object belongs to
 * @net: network namespace of the socket that made it; compared, and not followed
 *	once the socket is gone
 * @portid: the socket's netlink port, or KV_PERSISTENT
 */
struct kv_owner {
	struct net *net;
	u32 portid;
};

/* In place of a port: the object outlives its socket, and all of the namespace's see it. */
#define KV_PERSISTENT 0

/**
 * struct kv_obj - what all objects have; first member of each
 * @ref: one for the id table, one for each lookup, one for each child, and those
 *	that its noun tells of
 * @type: what it is
 * @id: its name in the contract, 1 and up, unique for the type
 * @owner: who may name it
 * @dev: its device, with a reference
 * @users: how many objects have it as a parent; dev->lock
 * @parents: what it uses, each with a reference; NULL where there is none;
 *	dev->lock
 * @dead: no longer in the table, its verbs object destroyed; dev->lock
 * @verb_ns: how long the last verb on it took
 * @bytes: what it counts against the module's max_bytes; dev->lock
 */
struct kv_obj {
	struct kref ref;
	enum kv_obj_type type;
	u32 id;
	struct kv_owner owner;
	struct kv_dev *dev;
	unsigned int users;
	struct kv_obj *parents[KV_OBJ_PARENTS];
	bool dead;
	u64 verb_ns;
	u64 bytes;
};

/**
 * struct kv_obj_ops - what differs between the types
 * @destroy: destroy the verbs object, under dev->lock
 * @remove: the device goes, under dev->lock: let go of its verbs, the object
 *	stays. Without it the object is destroyed then.
 */
struct kv_obj_ops {
	void (*destroy)(struct kv_obj *obj);
	void (*remove)(struct kv_obj *obj);
};

void *kv_obj_alloc(enum kv_obj_type type, size_t size, struct kv_dev *dev,
		   const struct kv_owner *owner, struct netlink_ext_ack *extack);
void kv_obj_free(struct kv_obj *obj);
int kv_obj_charge(struct kv_obj *obj, u64 bytes, struct netlink_ext_ack *extack);
int kv_obj_publish(struct kv_obj *obj, struct netlink_ext_ack *extack);
void kv_obj_set_parent(struct kv_obj *obj, unsigned int slot,
		       struct kv_obj *parent);
struct kv_obj *kv_obj_lookup(enum kv_obj_type type, u32 id,
			     const struct kv_owner *owner);
struct kv_obj *kv_obj_next(enum kv_obj_type type, unsigned long *id,
			   const struct kv_owner *owner);
unsigned int kv_obj_generation(enum kv_obj_type type);
bool kv_obj_persistent(const struct kv_obj *obj);
struct kv_obj *kv_obj_get(struct kv_obj *obj);
void kv_obj_put(struct kv_obj *obj);
int kv_obj_destroy(struct kv_obj *obj, struct netlink_ext_ack *extack);
unsigned int kv_obj_remove_owner(const struct kv_owner *owner,
				 unsigned int *kept);
void kv_obj_remove_dev(struct kv_dev *dev);
void kv_obj_exit(void);

void kv_obj_counts(u64 *made, u64 *gone);

#endif
