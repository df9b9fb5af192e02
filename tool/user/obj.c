// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include "clock.h"
#include "user/user.h"

/* Ids and who uses whom, for all objects; and the two that have little else. */

static int destroy_pd(struct kv_user_obj *obj, uint64_t *verb_ns);
static int destroy_cq(struct kv_user_obj *obj, uint64_t *verb_ns);

/* What differs between the types. */
static const struct {
	const char *name;
	/* 0, or what the verb refused with: then the object is as it was. */
	int (*destroy)(struct kv_user_obj *obj, uint64_t *verb_ns);
} types[KV_USER_TYPES] = {
	[KV_USER_RUN] = { "run", kv_user_run_destroy },
	[KV_USER_QP] = { "qp", kv_user_qp_destroy },
	[KV_USER_MR] = { "mr", kv_user_mr_destroy },
	[KV_USER_CQ] = { "cq", destroy_cq },
	[KV_USER_PD] = { "pd", destroy_pd },
};

/* The last id of each type; none is used twice, by whichever backend. */
static uint32_t last_id[KV_USER_TYPES];

/**
 * kv_user_obj_publish() - give an object its id; from now on it is found
 * @u: the backend, which owns it from now on
 * @obj: the object, complete, from malloc()
 * @type: what it is
 * @dev: its device
 */
void kv_user_obj_publish(struct kv_user *u, struct kv_user_obj *obj,
			 enum kv_user_type type, struct kv_user_dev *dev)
{
	obj->type = type;
	obj->id = __atomic_add_fetch(&last_id[type], 1, __ATOMIC_RELAXED);
	obj->dev = dev;
	obj->next = u->objs[type];
	u->objs[type] = obj;
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
void *kv_user_obj_find(struct kv_user *u, enum kv_user_type type, uint32_t id)
{
	struct kv_user_obj *obj;

	for (obj = u->objs[type]; obj; obj = obj->next)
		if (obj->id == id)
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

static int refuse_busy(struct kv_user *u, const struct kv_user_obj *obj)
{
	const char *what = types[obj->type].name;
	const struct kv_user_obj *user = NULL;
	int type;

	for (type = 0; type < KV_USER_TYPES && !user; type++)
		for (user = u->objs[type]; user && !uses(user, obj);)
			user = user->next;
	if (obj->type == KV_USER_MR)
		return kv_user_fail(u, -EBUSY, "mr %u is in use by qp %u, which may still have requests posted on it: delete or reset that first", obj->id, user->id);
	return kv_user_fail(u, -EBUSY, "%s %u is in use by %s %u: delete that first", what, obj->id, types[user->type].name, user->id);
}

static void free_obj(struct kv_user *u, struct kv_user_obj *obj)
{
	struct kv_user_obj **link = &u->objs[obj->type];
	unsigned int i;

	while (*link != obj)
		link = &(*link)->next;
	*link = obj->next;
	for (i = 0; i < KV_USER_PARENTS; i++)
		kv_user_obj_set_parent(obj, i, NULL);
	free(obj);
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
int kv_user_obj_delete(struct kv_user *u, enum kv_user_type type, uint32_t id,
		       uint64_t *verb_ns)
{
	struct kv_user_obj *obj = kv_user_obj_find(u, type, id);
	int ret;

	if (!obj)
		return -ENOENT;
	if (obj->users)
		return refuse_busy(u, obj);
	ret = types[type].destroy(obj, verb_ns);
	if (ret)
		return kv_user_fail(u, ret, "%s %u can't be destroyed: %s", types[type].name, id, strerror(-ret));
	free_obj(u, obj);
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
	struct kv_user_obj *obj;
	uint64_t verb_ns;
	int type;

	/* All at once, so that they stop at once. */
	for (obj = u->objs[KV_USER_RUN]; obj; obj = obj->next)
		kv_user_run_stop((struct kv_user_run *)obj);
	for (type = 0; type < KV_USER_TYPES; type++) {
		while ((obj = u->objs[type])) {
			/* A refusal leaves it to the end of the process. */
			types[type].destroy(obj, &verb_ns);
			free_obj(u, obj);
		}
	}
}

/**
 * kv_user_pd_new() - allocate a protection domain; see struct kv_backend_ops
 * @b: the backend
 * @name: the device's
 * @id: where its id goes
 * @verb_ns: duration of ibv_alloc_pd()
 *
 * Return: 0 or a negative errno.
 */
int kv_user_pd_new(struct kv_backend *b, const char *name, uint32_t *id,
		   uint64_t *verb_ns)
{
	struct kv_user *u = (struct kv_user *)b;
	struct kv_user_dev *dev;
	struct kv_user_pd *pd;
	uint64_t start;
	int ret;

	dev = kv_user_dev_open(u, name, &ret);
	if (!dev)
		return ret;
	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return kv_user_fail(u, -ENOMEM, "no memory");
	start = kv_clock_raw_ns();
	pd->ib = ibv_alloc_pd(dev->ctx);
	*verb_ns = kv_clock_raw_ns() - start;
	if (!pd->ib) {
		ret = kv_user_fail(u, -errno, "%s: ibv_alloc_pd: %s", name, strerror(errno));
		free(pd);
		return ret;
	}
	kv_user_obj_publish(u, &pd->obj, KV_USER_PD, dev);
	*id = pd->obj.id;
	return 0;
}

/**
 * kv_user_pd_del() - deallocate a protection domain; see struct kv_backend_ops
 * @b: the backend
 * @id: its id
 * @verb_ns: duration of ibv_dealloc_pd()
 *
 * Return: 0 or a negative errno.
 */
int kv_user_pd_del(struct kv_backend *b, uint32_t id, uint64_t *verb_ns)
{
	return kv_user_obj_delete((struct kv_user *)b, KV_USER_PD, id, verb_ns);
}

static int destroy_pd(struct kv_user_obj *obj, uint64_t *verb_ns)
{
	struct kv_user_pd *pd = (struct kv_user_pd *)obj;
	uint64_t start = kv_clock_raw_ns();
	int ret;

	ret = ibv_dealloc_pd(pd->ib);
	*verb_ns = kv_clock_raw_ns() - start;
	return -ret;
}

/**
 * kv_user_cq_new() - create a completion queue; see struct kv_backend_ops
 * @b: the backend
 * @name: the device's
 * @cqe: how many completions it must hold, 1 .. max_cqe
 * @id: where its id goes
 * @verb_ns: duration of ibv_create_cq()
 *
 * Return: 0 or a negative errno.
 */
int kv_user_cq_new(struct kv_backend *b, const char *name, uint32_t cqe,
		   uint32_t *id, uint64_t *verb_ns)
{
	struct kv_user *u = (struct kv_user *)b;
	struct kv_user_dev *dev;
	struct kv_user_cq *cq;
	uint64_t start;
	int ret;

	dev = kv_user_dev_open(u, name, &ret);
	if (!dev)
		return ret;
	if (!cqe || cqe > (uint32_t)dev->attr.max_cqe)
		return kv_user_fail(u, -EINVAL, "cqe is %u: it must be 1 to %d, the max_cqe of %s", cqe, dev->attr.max_cqe, name);
	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return kv_user_fail(u, -ENOMEM, "no memory");
	start = kv_clock_raw_ns();
	cq->ib = ibv_create_cq(dev->ctx, (int)cqe, NULL, NULL, 0);
	*verb_ns = kv_clock_raw_ns() - start;
	if (!cq->ib) {
		ret = kv_user_fail(u, -errno, "%s: ibv_create_cq with cqe %u: %s", name, cqe, strerror(errno));
		free(cq);
		return ret;
	}
	kv_user_obj_publish(u, &cq->obj, KV_USER_CQ, dev);
	*id = cq->obj.id;
	return 0;
}

/**
 * kv_user_cq_del() - destroy a completion queue; see struct kv_backend_ops
 * @b: the backend
 * @id: its id
 * @verb_ns: duration of ibv_destroy_cq()
 *
 * Return: 0 or a negative errno.
 */
int kv_user_cq_del(struct kv_backend *b, uint32_t id, uint64_t *verb_ns)
{
	return kv_user_obj_delete((struct kv_user *)b, KV_USER_CQ, id, verb_ns);
}

static int destroy_cq(struct kv_user_obj *obj, uint64_t *verb_ns)
{
	struct kv_user_cq *cq = (struct kv_user_cq *)obj;
	uint64_t start = kv_clock_raw_ns();
	int ret;

	ret = ibv_destroy_cq(cq->ib);
	*verb_ns = kv_clock_raw_ns() - start;
	return -ret;
}
