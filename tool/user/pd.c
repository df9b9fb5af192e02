// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "sys/clock.h"
#include "user/user.h"

/**
 * kv_user_pd_new() - allocate a protection domain; see model/ops.def
 * @b: the backend
 * @init: on which device
 * @to: receives what was made
 * @verb_ns: duration of ibv_alloc_pd()
 *
 * Return: 0 or a negative errno.
 */
int kv_user_pd_new(struct kv_backend *b, const struct kv_pd_init *init,
		   struct kv_pd *to, uint64_t *verb_ns)
{
	struct kv_user *u = (struct kv_user *)b;
	union kv_object object;
	struct kv_user_dev *dev;
	struct kv_user_pd *pd;
	uint64_t start;
	int ret;

	dev = kv_user_dev_open(u, init->dev, &ret);
	if (!dev)
		return ret;
	pd = kv_user_obj_alloc(u, KV_PD, sizeof(*pd), dev, init->persistent, &ret);
	if (!pd)
		return ret;
	start = kv_clock_raw_ns();
	pd->ib = ibv_alloc_pd(dev->ctx);
	*verb_ns = kv_clock_raw_ns() - start;
	if (!pd->ib) {
		ret = kv_user_fail(u, -errno, "%s: ibv_alloc_pd: %s", init->dev, strerror(errno));
		kv_user_obj_free(&pd->obj);
		return ret;
	}
	kv_user_obj_publish(u, &pd->obj);
	kv_user_get(b, KV_PD, pd->obj.id, &object);
	*to = object.pd;
	return 0;
}

/**
 * kv_user_pd_destroy() - undo kv_user_pd_new()
 * @u: the backend
 * @obj: the PD's
 * @verb_ns: duration of ibv_dealloc_pd()
 *
 * Return: 0 or a negative errno: then the PD is as it was.
 */
int kv_user_pd_destroy(struct kv_user *u, struct kv_user_obj *obj, uint64_t *verb_ns)
{
	struct kv_user_pd *pd = (struct kv_user_pd *)obj;
	uint64_t start = kv_clock_raw_ns();
	int ret;

	ret = ibv_dealloc_pd(pd->ib);
	*verb_ns = kv_clock_raw_ns() - start;
	return -ret;
}

/**
 * kv_user_pd_fill() - what a PD is
 * @obj: the PD's
 * @to: stays as it is: libibverbs tells nothing of a PD
 */
void kv_user_pd_fill(struct kv_user_obj *obj, union kv_object *to)
{
}
