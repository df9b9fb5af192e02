// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "user/conn.h"
#include "user/run.h"
#include "user/user.h"

/* Ids and who uses whom, for all objects. */

/* What differs between the types. */
static const struct {
	const char *name;
	/* 0, or what the verb refused with: then the object is as it was. */
	int (*destroy)(struct kv_user *u, struct kv_user_obj *obj, uint64_t *verb_ns);
	/* What it is beside an object; NULL: it is never shown. */
	void (*fill)(struct kv_user_obj *obj, union kv_object *to);
} types[KV_USER_TYPES] = {
#define OBJECT(TYPE, type, ...)	\
	[KV_##TYPE] = { #type, kv_user_##type##_destroy, kv_user_##type##_fill },
#include "model/objects.def"
#undef OBJECT
	[KV_USER_RUN] = { "run", kv_user_run_destroy, NULL },
};

/* union kv_object: what all have stands first. */
#define OBJECT(TYPE, type, ...) \
	_Static_assert(offsetof(struct kv_##type, dev) == offsetof(struct kv_pd, dev), #type);
#include "model/objects.def"
#undef OBJECT

/* The last id of each type; none is used twice, by whichever backend. */
static uint32_t last_id[KV_USER_TYPES];

static int refuse_persistent(struct kv_user *u)
{
	return kv_user_fail(u, -EOPNOTSUPP,
			    "nothing is persistent in user space: objects of libibverbs live in the process");
}

/**
 * kv_user_flush() - destroy what is persistent; see model/ops.def
 * @b: the backend
 * @in: nothing
 * @out: stays as it is
 * @verb_ns: stays as it is
 *
 * Return: -EOPNOTSUPP
 */
int kv_user_flush(struct kv_backend *b, const struct kv_none *in,
		  struct kv_flushed *out, uint64_t *verb_ns)
{
	return refuse_persistent((struct kv_user *)b);
}

/**
 * kv_user_obj_alloc() - memory for an object
 * @u: the backend
 * @type: what it will be
 * @size: bytes of the struct that has the object as its first member
 * @dev: its device
 * @persistent: it is asked to outlive the process, which is refused
 * @error: receives a negative errno
 *
 * Return: the struct, zeroed, to be published or freed before the next one is
 * allocated; NULL on failure.
 */
void *kv_user_obj_alloc(struct kv_user *u, unsigned int type, size_t size,
			struct kv_user_dev *dev, bool persistent, int *error)
{
	struct kv_user_obj *obj;

	if (persistent) {
		*error = refuse_persistent(u);
		return NULL;
	}
	obj = kv_user_table_reserve(&u->tables[type]) ? calloc(1, size) : NULL;
	if (!obj) {
		*error = kv_user_fail(u, -ENOMEM, "no memory");
		return NULL;
	}
	obj->type = type;
	obj->dev = dev;
	return obj;
}

/**
 * kv_user_obj_free() - undo kv_user_obj_alloc()
 * @obj: the object, not published
 */
void kv_user_obj_free(struct kv_user_obj *obj)
{
	unsigned int i;

	for (i = 0; i < KV_USER_PARENTS; i++)
		kv_user_obj_set_parent(obj, i, NULL);
	free(obj);
}

/**
 * kv_user_obj_publish() - give an object its id; from now on it is found
 * @u: the backend, which owns it from now on
 * @obj: the object, complete
 */
void kv_user_obj_publish(struct kv_user *u, struct kv_user_obj *obj)
{
	obj->id = __atomic_add_fetch(&last_id[obj->type], 1, __ATOMIC_RELAXED);
	kv_user_table_add(&u->tables[obj->type], obj);
}

/**
 * kv_user_obj_set_parent() - make one object use another
 * @obj: the user
 * @slot: which of its uses, 0 .. KV_USER_PARENTS - 1
 * @parent: what is used from now on; NULL for nothing
 */
void kv_user_obj_set_parent(struct kv_user_obj *obj, unsigned int slot,
			    struct kv_user_obj *parent)
{
	if (parent)
		parent->users++;
	if (obj->parents[slot])
		obj->parents[slot]->users--;
	obj->parents[slot] = parent;
}

/**
 * kv_user_obj_find() - find an object by its id
 * @u: the backend
 * @type: what it must be
 * @id: its id
 *
 * Return: the object, or NULL: then the text is there, and the errno is -ENOENT.
 */
void *kv_user_obj_find(struct kv_user *u, unsigned int type, uint32_t id)
{
	struct kv_user_obj *obj = kv_user_table_find(&u->tables[type], id);

	if (obj)
		return obj;
	kv_user_fail(u, -ENOENT, "no %s with id %u in user space", types[type].name, id);
	return NULL;
}

static bool uses(const struct kv_user_obj *obj, const struct kv_user_obj *parent)
{
	int i;

	for (i = 0; i < KV_USER_PARENTS; i++)
		if (obj->parents[i] == parent)
			return true;
	return false;
}

static const struct kv_user_obj *find_user(const struct kv_user *u,
					   const struct kv_user_obj *obj)
{
	unsigned int type;
	size_t i;

	for (type = KV_USER_TYPES; type--;)
		for (i = 0; i < u->tables[type].n; i++)
			if (uses(u->tables[type].objs[i], obj))
				return u->tables[type].objs[i];
	return NULL;
}

static int refuse_busy(struct kv_user *u, const struct kv_user_obj *obj)
{
	const char *name = types[obj->type].name;
	const struct kv_user_obj *user;

	if (obj->posts)
		return kv_user_fail(u, -EBUSY,
				    "%s %u is in use by a posted request: poll its completion, or reset the qp",
				    name, obj->id);
	user = find_user(u, obj);
	if (obj->type == KV_MR)
		return kv_user_fail(u, -EBUSY,
				    "mr %u is in use by qp %u, which may still have requests posted on it: delete or reset that first",
				    obj->id, user->id);
	if (user->type == KV_USER_RUN)
		return kv_user_fail(u, -EBUSY,
				    "%s %u is in use by run %u: cancel or delete that first",
				    name, obj->id, user->id);
	return kv_user_fail(u, -EBUSY,
			    "%s %u is in use by %s %u: delete that first",
			    name, obj->id, types[user->type].name, user->id);
}

/* The object is destroyed; nobody uses it. */
static void drop(struct kv_user *u, struct kv_user_obj *obj)
{
	kv_user_table_remove(&u->tables[obj->type], obj->id);
	kv_user_obj_free(obj);
}

/**
 * kv_user_obj_delete() - destroy an object that somebody asked to have deleted
 * @u: the backend
 * @type: what it is
 * @id: its id
 * @verb_ns: where the duration of the verb goes
 *
 * Return: 0, -ENOENT, -EBUSY if others use it, or what the verb refused with.
 */
int kv_user_obj_delete(struct kv_user *u, unsigned int type, uint32_t id,
		       uint64_t *verb_ns)
{
	struct kv_user_obj *obj = kv_user_obj_find(u, type, id);
	int ret;

	if (!obj)
		return -ENOENT;
	if (obj->users || obj->posts)
		return refuse_busy(u, obj);
	ret = types[type].destroy(u, obj, verb_ns);
	if (ret)
		return kv_user_fail(u, ret,
				    "%s %u can't be destroyed: %s",
				    types[type].name, id, strerror(-ret));
	drop(u, obj);
	return 0;
}

/**
 * kv_user_obj_destroy_all() - the end: users go before what they use
 * @u: the backend
 *
 * Waits for the runs to stop.
 */
void kv_user_obj_destroy_all(struct kv_user *u)
{
	struct kv_user_table *table = &u->tables[KV_USER_RUN];
	uint64_t verb_ns;
	unsigned int type;
	size_t i;

	/* All at once, so that they stop at once. */
	for (i = 0; i < table->n; i++)
		kv_user_run_stop((struct kv_user_run *)table->objs[i]);
	for (type = KV_USER_TYPES; type--;) {
		table = &u->tables[type];
		while (table->n) {
			struct kv_user_obj *obj = table->objs[table->n - 1];

			/* A refusal leaves it to the end of the process. */
			types[type].destroy(u, obj, &verb_ns);
			drop(u, obj);
		}
		kv_user_table_free(table);
	}
}

static void fill(struct kv_user_obj *obj, union kv_object *to)
{
	memset(to, 0, sizeof(*to));
	to->id = obj->id;
	/* All begin as a PD does. */
	snprintf(to->pd.dev, sizeof(to->pd.dev), "%s", kv_user_dev_name(obj->dev));
	if (types[obj->type].fill)
		types[obj->type].fill(obj, to);
}

/**
 * kv_user_get() - what an object is; see model/ops.def
 * @b: the backend
 * @type: of the object
 * @id: its id
 * @object: receives what it is
 *
 * Return: 0 or -ENOENT.
 */
int kv_user_get(struct kv_backend *b, enum kv_type type, uint32_t id,
		    union kv_object *object)
{
	struct kv_user *u = (struct kv_user *)b;
	struct kv_user_obj *obj;

	if (type == KV_CONN)
		kv_user_conn_take_events(u);
	obj = kv_user_obj_find(u, type, id);
	if (!obj)
		return -ENOENT;
	fill(obj, object);
	return 0;
}

/**
 * kv_user_obj_each() - all objects of a type; see model/ops.def
 * @b: the backend
 * @type: of the objects
 * @fn: called for each, in the order of their ids; ends it by returning
 *	non-zero. Makes and destroys nothing.
 * @arg: @fn's
 *
 * Return: 0, or what @fn returned.
 */
int kv_user_obj_each(struct kv_backend *b, enum kv_type type,
		     int (*fn)(const union kv_object *object, void *arg),
		     void *arg)
{
	struct kv_user *u = (struct kv_user *)b;
	const struct kv_user_table *table = &u->tables[type];
	union kv_object object;
	int ret = 0;
	size_t i;

	if (type == KV_CONN)
		kv_user_conn_take_events(u);
	for (i = 0; i < table->n && !ret; i++) {
		fill(table->objs[i], &object);
		ret = fn(&object, arg);
	}
	return ret;
}

/**
 * kv_user_del() - destroy an object; see model/ops.def
 * @b: the backend
 * @type: of the object
 * @id: its id
 * @verb_ns: duration of the verb; 0 if none was called
 *
 * Return: 0 or a negative errno; -EBUSY if it is in use.
 */
int kv_user_del(struct kv_backend *b, enum kv_type type, uint32_t id,
		    uint64_t *verb_ns)
{
	return kv_user_obj_delete((struct kv_user *)b, type, id, verb_ns);
}
