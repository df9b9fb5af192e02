// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "user/conn.h"
#include "user/run.h"
#include "user/user.h"

/* Ids, parents and users of all objects. */

/* Wrappers that give the functions of all types the same arguments. */
#define OBJECT(TYPE, type, ...)								\
	static int type##_new(struct kv_user *u, void *obj, const void *init) \
	{										\
		return kv_user_##type##_new(u, obj, init);				\
	}										\
	static int type##_destroy(struct kv_user *u, void *obj)		\
	{										\
		return kv_user_##type##_destroy(u, obj);				\
	}										\
	static void type##_fill(void *obj, void *to)					\
	{										\
		kv_user_##type##_fill(obj, to);						\
	}										\
	_Static_assert(offsetof(struct kv_##type, dev) == offsetof(struct kv_pd, dev), #type);
#include "model/objects.def"

static const size_t run_size = sizeof(struct kv_user_run);

/* The data of each type. */
static const struct {
	const char *name;
	const size_t *size;
	size_t persistent; /* offset in struct kv_TYPE_init */
	int (*make)(struct kv_user *u, void *obj, const void *init);
	int (*destroy)(struct kv_user *u, void *obj);
	void (*fill)(void *obj, void *to);
} types[KV_USER_TYPES] = {
#define OBJECT(TYPE, type, ...)								\
	[KV_##TYPE] = { #type, &kv_user_##type##_size,				\
			offsetof(struct kv_##type##_init, persistent),			\
			type##_new, type##_destroy, type##_fill },
#include "model/objects.def"
	[KV_USER_RUN] = { "run", &run_size, .destroy = kv_user_run_destroy },
};

/* The last id of each type; no id is used twice, even by different backends. */
static uint32_t last_id[KV_USER_TYPES];

static int refuse_persistent(struct kv_user *u)
{
	return kv_user_fail(u, -EOPNOTSUPP,
			    "nothing is persistent in user space: objects of libibverbs live in the process");
}

int kv_user_flush(struct kv_user *u, void *obj, const struct kv_none *in, struct kv_flushed *out)
{
	return refuse_persistent(u);
}

/*
 * Allocates a zeroed object. The caller publishes or frees it before the next object is published,
 * because that takes the room in the table. Without memory returns NULL and leaves the text.
 */
void *kv_user_obj_alloc(struct kv_user *u, unsigned int type, struct kv_user_dev *dev)
{
	struct kv_user_obj *obj;

	obj = kv_user_table_reserve(&u->tables[type]) ? calloc(1, *types[type].size) : NULL;
	if (!obj) {
		kv_user_fail(u, -ENOMEM, "no memory");
		return NULL;
	}
	obj->type = type;
	obj->dev = dev;
	obj->parents = obj->own;
	obj->slots = KV_USER_PARENTS;
	return obj;
}

/* Undoes kv_user_obj_alloc(). */
void kv_user_obj_free(struct kv_user_obj *obj)
{
	for (unsigned int i = 0; i < obj->slots; i++)
		kv_user_obj_set_parent(obj, i, NULL);
	if (obj->parents != obj->own)
		free(obj->parents);
	free(obj);
}

/* Gives a complete object its id. From now on the object can be found; the backend owns it. */
void kv_user_obj_publish(struct kv_user *u, struct kv_user_obj *obj)
{
	obj->id = __atomic_add_fetch(&last_id[obj->type], 1, __ATOMIC_RELAXED);
	kv_user_table_add(&u->tables[obj->type], obj);
}

/* Room for more parents than most objects have; the object has none yet. */
int kv_user_obj_set_slots(struct kv_user *u, struct kv_user_obj *obj, unsigned int slots)
{
	struct kv_user_obj **parents = calloc(slots, sizeof(struct kv_user_obj *));

	if (!parents)
		return kv_user_fail(u, -ENOMEM, "no memory");
	obj->parents = parents;
	obj->slots = slots;
	return 0;
}

/* Sets the parent that the object uses in this slot; NULL for none. */
void kv_user_obj_set_parent(struct kv_user_obj *obj, unsigned int slot, struct kv_user_obj *parent)
{
	if (parent)
		parent->users++;
	if (obj->parents[slot])
		obj->parents[slot]->users--;
	obj->parents[slot] = parent;
}

/* Finds an object by its id. If there is none, leaves the text for -ENOENT and returns NULL. */
void *kv_user_obj_find(struct kv_user *u, unsigned int type, uint32_t id)
{
	struct kv_user_obj *obj = kv_user_table_find(&u->tables[type], id);

	if (obj)
		return obj;
	u->base.refused = type < KV_TYPES ? kv_object_rows[type].shape->member : NULL;
	kv_user_fail(u, -ENOENT, "no %s with id %u in user space", types[type].name, id);
	return NULL;
}

static bool uses(const struct kv_user_obj *obj, const struct kv_user_obj *parent)
{
	for (unsigned int i = 0; i < obj->slots; i++)
		if (obj->parents[i] == parent)
			return true;
	return false;
}

static const struct kv_user_obj *find_user(const struct kv_user *u, const struct kv_user_obj *obj)
{
	for (unsigned int type = KV_USER_TYPES; type--;)
		for (size_t i = 0; i < u->tables[type].n; i++)
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
	if (user->type == KV_MR)
		return kv_user_fail(u, -EBUSY,
				    "%s %u is in use by mr %u: invalidate or delete that first",
				    name, obj->id, user->id);
	if (obj->type == KV_BUF || obj->type == KV_MR)
		return kv_user_fail(u, -EBUSY,
				    "%s %u is in use by qp %u, which may still have requests posted on it: delete or reset that first",
				    name, obj->id, user->id);
	if (user->type == KV_USER_RUN)
		return kv_user_fail(u, -EBUSY,
				    "%s %u is in use by run %u: cancel or delete that first",
				    name, obj->id, user->id);
	return kv_user_fail(u, -EBUSY, "%s %u is in use by %s %u: delete that first", name, obj->id,
			    types[user->type].name, user->id);
}

/* Frees a destroyed object that has no users. */
static void drop(struct kv_user *u, struct kv_user_obj *obj)
{
	kv_user_table_remove(&u->tables[obj->type], obj->id);
	kv_user_obj_free(obj);
}

/*
 * Makes an object. The first member of @init, a struct kv_TYPE_init, is the object's parent 0,
 * or the name of its device. @to, a struct kv_TYPE, receives the object.
 */
int kv_user_obj_new(struct kv_user *u, enum kv_type type, const void *init, void *to)
{
	const struct kv_member *first = kv_object_rows[type].init->member;
	struct kv_user_obj *obj, *parent = NULL;
	struct kv_user_dev *dev;
	int ret = -ENOENT;

	if (first->refers) {
		parent = kv_user_obj_find(u, first->refers - 1, *(const uint32_t *)init);
		dev = parent ? parent->dev : NULL;
	} else {
		dev = kv_user_dev_open(u, *(const char *const *)init, &ret);
	}
	if (!dev)
		return ret;
	if (*((const bool *)init + types[type].persistent))
		return refuse_persistent(u);
	obj = kv_user_obj_alloc(u, type, dev);
	if (!obj)
		return -ENOMEM;
	kv_user_obj_set_parent(obj, 0, parent);
	ret = types[type].make(u, obj, init);
	if (ret) {
		kv_user_obj_free(obj);
		return ret;
	}
	kv_user_obj_publish(u, obj);
	kv_user_obj_fill(obj, to);
	return 0;
}

/* Destroys an object; -EBUSY if another object uses it. */
int kv_user_obj_delete(struct kv_user *u, struct kv_user_obj *obj)
{
	int ret;

	if (obj->users || obj->posts)
		return refuse_busy(u, obj);
	ret = types[obj->type].destroy(u, obj);
	if (ret)
		return kv_user_verb_failed(u, KVERBS_STAGE_DESTROY, ret,
					   "%s %u can't be destroyed: %s", types[obj->type].name,
					   obj->id, strerror(-ret));
	drop(u, obj);
	return 0;
}

/* At the end: destroys users before the objects that they use. Waits for the runs to stop. */
void kv_user_obj_destroy_all(struct kv_user *u)
{
	struct kv_user_table *table = &u->tables[KV_USER_RUN];

	/* All runs are asked first, so that they stop in parallel. */
	for (size_t i = 0; i < table->n; i++)
		kv_user_run_stop((struct kv_user_run *)table->objs[i]);
	for (unsigned int type = KV_USER_TYPES; type--;) {
		table = &u->tables[type];
		while (table->n) {
			struct kv_user_obj *obj = table->objs[table->n - 1];

			/* A verbs object that can't be destroyed stays until the process ends. */
			types[type].destroy(u, obj);
			drop(u, obj);
		}
		kv_user_table_free(table);
	}
}

/* Fills @to, a struct kv_TYPE, from an object; runs have no such struct. */
void kv_user_obj_fill(struct kv_user_obj *obj, void *to)
{
	/* All these structs begin as struct kv_pd does. */
	struct kv_pd *head = to;

	memset(to, 0, kv_object_rows[obj->type].shape->size);
	types[obj->type].fill(obj, to);
	head->id = obj->id;
	snprintf(head->dev, sizeof(head->dev), "%s", kv_user_dev_name(obj->dev));
}

/* kv_backend_ops.each */
int kv_user_obj_each(struct kv_backend *b, enum kv_type type,
		     int (*fn)(const union kv_object *object, void *arg), void *arg)
{
	struct kv_user *u = (struct kv_user *)b;
	const struct kv_user_table *table = &u->tables[type];
	union kv_object object;
	int ret = 0;

	if (type == KV_CONN)
		kv_user_conn_take_events(u);
	for (size_t i = 0; i < table->n && !ret; i++) {
		kv_user_obj_fill(table->objs[i], &object);
		ret = fn(&object, arg);
	}
	return ret;
}
