// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "sys/clock.h"
#include "user/post.h"
#include "user/user.h"

static int check_init(struct kv_user *u, const struct kv_user_dev *dev,
		      const struct kv_srq_init *init)
{
	int ret;

	if (!(kv_user_dev_can(dev) & KVERBS_CAN_SRQ))
		return kv_user_fail(u, -EOPNOTSUPP,
				    "%s has no shared receive queues",
				    kv_user_dev_name(dev));
	ret = kv_user_check_count(u, "max_wr", init->max_wr, dev->attr.max_srq_wr, "max_srq_wr");
	if (!ret)
		ret = kv_user_check_count(u, "max_sge", init->max_sge,
					  dev->attr.max_srq_sge, "max_srq_sge");
	if (!ret && init->limit > init->max_wr)
		return kv_user_fail(u, -EINVAL,
				    "limit %u is above max_wr, which is %u",
				    init->limit, init->max_wr);
	return ret;
}

/* A device without an answer has what it was asked for. */
static void refresh(struct kv_user_srq *srq)
{
	struct ibv_srq_attr attr = { 0 };

	if (!ibv_query_srq(srq->ib, &attr))
		srq->attr = attr;
	srq->rq.max = srq->attr.max_wr;
}

static int set_limit(struct kv_user *u, struct kv_user_srq *srq, uint32_t limit)
{
	struct ibv_srq_attr attr = { .srq_limit = limit };
	int ret;

	ret = limit ? ibv_modify_srq(srq->ib, &attr, IBV_SRQ_LIMIT) : 0;
	return ret ? kv_user_fail(u, -ret,
				  "ibv_modify_srq with limit %u: %s",
				  limit, strerror(ret)) : 0;
}

/**
 * kv_user_srq_new() - create a shared receive queue; see model/ops.def
 * @b: the backend
 * @init: of which PD, how deep, and when to tell that it runs dry
 * @to: receives what was made
 * @verb_ns: duration of ibv_create_srq(), which knows no limit: that is set by
 *	ibv_modify_srq() after it
 *
 * Return: 0 or a negative errno.
 */
int kv_user_srq_new(struct kv_backend *b, const struct kv_srq_init *init,
		    struct kv_srq *to, uint64_t *verb_ns)
{
	struct kv_user *u = (struct kv_user *)b;
	struct ibv_srq_init_attr attr = {
		.attr.max_wr = init->max_wr,
		.attr.max_sge = init->max_sge,
	};
	struct kv_user_pd *pd = kv_user_obj_find(u, KV_PD, init->pd);
	union kv_object object;
	struct kv_user_srq *srq;
	uint64_t start;
	int ret;

	if (!pd)
		return -ENOENT;
	ret = check_init(u, pd->obj.dev, init);
	if (ret)
		return ret;
	srq = kv_user_obj_alloc(u, KV_SRQ, sizeof(*srq), pd->obj.dev, init->persistent, &ret);
	if (!srq)
		return ret;
	start = kv_clock_raw_ns();
	srq->ib = ibv_create_srq(pd->ib, &attr);
	*verb_ns = kv_clock_raw_ns() - start;
	if (!srq->ib) {
		ret = kv_user_fail(u, -errno,
				   "ibv_create_srq with max_wr %u and max_sge %u: %s",
				   init->max_wr, init->max_sge, strerror(errno));
		goto err_free;
	}
	ret = set_limit(u, srq, init->limit);
	if (ret)
		goto err_destroy_srq;
	srq->attr = attr.attr;
	srq->attr.srq_limit = init->limit;
	kv_user_queue_init(&srq->rq, attr.attr.max_wr, attr.attr.max_sge);
	refresh(srq);
	kv_user_obj_set_parent(&srq->obj, 0, &pd->obj);
	kv_user_obj_publish(u, &srq->obj);
	kv_user_get(b, KV_SRQ, srq->obj.id, &object);
	*to = object.srq;
	return 0;

err_destroy_srq:
	ibv_destroy_srq(srq->ib);
err_free:
	kv_user_obj_free(&srq->obj);
	return ret;
}

/* Devices check each of the two against what is in force, not against the other. */
static int check_attr(struct kv_user *u, const struct kv_user_srq *srq,
		      const struct kv_srq_attr *attr)
{
	const struct kv_user_dev *dev = srq->obj.dev;
	int ret;

	if (!attr->has_limit && !attr->has_max_wr)
		return kv_user_fail(u, -EINVAL, "limit and max_wr are missing: what shall change?");
	if (attr->has_limit && attr->limit > srq->attr.max_wr)
		return kv_user_fail(u, -EINVAL,
				    "limit %u is above max_wr, which is %u: raise that first",
				    attr->limit, srq->attr.max_wr);
	if (!attr->has_max_wr)
		return 0;
	ret = kv_user_check_count(u, "max_wr", attr->max_wr, dev->attr.max_srq_wr, "max_srq_wr");
	if (ret)
		return ret;
	if (!(dev->attr.device_cap_flags & IBV_DEVICE_SRQ_RESIZE))
		return kv_user_fail(u, -EOPNOTSUPP,
				    "max_wr: %s can't resize an srq",
				    kv_user_dev_name(dev));
	if (attr->max_wr < srq->attr.srq_limit || (attr->has_limit && attr->max_wr < attr->limit))
		return kv_user_fail(u, -EINVAL,
				    "max_wr %u is below limit: lower that first",
				    attr->max_wr);
	if (attr->max_wr < srq->rq.n)
		return kv_user_fail(u, -EBUSY,
				    "more receives than max_wr are posted, %u: let them complete, and poll their completions",
				    srq->rq.n);
	return 0;
}

/**
 * kv_user_srq_modify() - change depth or limit of an SRQ; see model/ops.def
 * @b: the backend
 * @attr: the SRQ, and what to change
 * @to: receives what it is then
 * @verb_ns: duration of ibv_modify_srq()
 *
 * Return: 0 or a negative errno.
 */
int kv_user_srq_modify(struct kv_backend *b, const struct kv_srq_attr *attr,
		       struct kv_srq *to, uint64_t *verb_ns)
{
	struct kv_user *u = (struct kv_user *)b;
	struct kv_user_srq *srq = kv_user_obj_find(u, KV_SRQ, attr->id);
	struct ibv_srq_attr ib = { .max_wr = attr->max_wr, .srq_limit = attr->limit };
	union kv_object object;
	uint64_t start;
	int ret, mask;

	if (!srq)
		return -ENOENT;
	refresh(srq);
	ret = check_attr(u, srq, attr);
	if (ret)
		return ret;
	mask = (attr->has_max_wr ? IBV_SRQ_MAX_WR : 0) |
	       (attr->has_limit ? IBV_SRQ_LIMIT : 0);
	start = kv_clock_raw_ns();
	ret = ibv_modify_srq(srq->ib, &ib, mask);
	*verb_ns = kv_clock_raw_ns() - start;
	if (ret)
		return kv_user_fail(u, -ret,
				    "ibv_modify_srq of srq %u: %s%s",
				    attr->id, strerror(ret), ret == EINVAL ?
				    ": the device refuses this value of an attribute" : "");
	if (attr->has_max_wr)
		srq->attr.max_wr = attr->max_wr;
	if (attr->has_limit)
		srq->attr.srq_limit = attr->limit;
	kv_user_get(b, KV_SRQ, attr->id, &object);
	*to = object.srq;
	return 0;
}

/**
 * kv_user_srq_destroy() - undo kv_user_srq_new()
 * @u: the backend
 * @obj: the SRQ's
 * @verb_ns: duration of ibv_destroy_srq()
 *
 * Return: 0 or a negative errno: then the SRQ is as it was.
 */
int kv_user_srq_destroy(struct kv_user *u, struct kv_user_obj *obj, uint64_t *verb_ns)
{
	struct kv_user_srq *srq = (struct kv_user_srq *)obj;
	uint64_t start = kv_clock_raw_ns();
	int ret;

	ret = ibv_destroy_srq(srq->ib);
	*verb_ns = kv_clock_raw_ns() - start;
	if (!ret)
		kv_user_queue_forget(&srq->rq);
	return -ret;
}

/**
 * kv_user_srq_fill() - what an SRQ is, as the device sees it now
 * @obj: the SRQ's
 * @to: receives it
 */
void kv_user_srq_fill(struct kv_user_obj *obj, union kv_object *to)
{
	struct kv_user_srq *srq = (struct kv_user_srq *)obj;

	refresh(srq);
	to->srq.pd = obj->parents[0]->id;
	to->srq.max_wr = srq->attr.max_wr;
	to->srq.max_sge = srq->attr.max_sge;
	to->srq.limit = srq->attr.srq_limit;
}
