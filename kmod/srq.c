// SPDX-License-Identifier: GPL-2.0
#include <rdma/ib_verbs.h>
#include "dev.h"
#include "event.h"
#include "pd.h"
#include "rules/queue.h"
#include "refuse.h"
#include "srq.h"

/**
 * kv_srq_query() - ask the device for values that it may have changed by itself
 * @srq: the SRQ; its fields are updated
 *
 * A limit that was reached is reset to 0. The depth is the value that the device
 * chose for the requested one. If the device gives no answer, the fields do not
 * change.
 *
 * Locks: dev->lock
 */
void kv_srq_query(struct kv_srq *srq)
{
	struct ib_srq_attr attr = {};

	lockdep_assert_held(&srq->obj.dev->lock);
	/* A firmware command on mlx5 and bnxt_re; cxgb4 does not have it (-EOPNOTSUPP). */
	if (ib_query_srq(srq->ib, &attr))
		return;
	srq->max_wr = attr.max_wr;
	srq->limit = attr.srq_limit;
}

/**
 * kv_srq_create() - create a shared receive queue
 * @new: its protection domain and its owner; the device has SRQs
 * @max_wr: its depth, 1 .. max_srq_wr
 * @max_sge: SGEs of each receive, 1 .. max_srq_sge
 * @limit: when SRQ_LIMIT_REACHED comes, 0 .. @max_wr
 *
 * Locks: dev->lock
 * Return: the SRQ, owned by the id table, or ERR_PTR.
 */
struct kv_obj *kv_srq_create(const struct kv_new *new, u32 max_wr, u32 max_sge, u32 limit)
{
	struct ib_srq_init_attr init = {
		.event_handler = kv_event_async,
		.attr.max_wr = max_wr,
		.attr.max_sge = max_sge,
		.attr.srq_limit = limit,
		.srq_type = IB_SRQT_BASIC,
	};
	struct kv_srq *srq = kv_obj_alloc(&kv_srq_class, sizeof(*srq), new);
	int ret;

	if (IS_ERR(srq))
		return ERR_CAST(srq);
	srq->pd = new->pd;
	kv_wqe_init_srq(srq);
	init.srq_context = &srq->obj;
	ret = kv_obj_charge(&srq->obj, kv_queue_rq_bytes(max_wr, max_sge), new->extack);
	if (ret)
		return kv_obj_give_up(&srq->obj, ret);

	/* The core does not check for ib_device_ops.create_srq: kv_dev_caps() has done it. */
	kv_obj_time(&srq->obj, CREATE, srq->ib = ib_create_srq(new->pd->ib, &init));
	if (!IS_ERR(srq->ib)) {
		srq->max_wr = init.attr.max_wr;
		srq->max_sge = init.attr.max_sge;
		srq->limit = limit;
		kv_srq_query(srq);
	}
	return kv_obj_made(&srq->obj, PTR_ERR_OR_ZERO(srq->ib), srq->ib == ERR_PTR(-ENOMEM) ?
			   "ib_create_srq failed: no memory for a queue of this depth" :
			   "ib_create_srq failed", new->extack);
}

/*
 * No driver completes the receives that are still posted. If a driver refuses, the core logs
 * a warning (ib_destroy_srq()).
 */
static int srq_destroy(struct kv_obj *obj)
{
	struct kv_srq *srq = container_of(obj, struct kv_srq, obj);

	kv_obj_time(obj, DESTROY, ib_destroy_srq(srq->ib));
	kv_wqe_drop_srq(srq);
	return 0;
}

/* Devices check each of the two new values against the current ones, not against each other. */
static int srq_check_modify(const struct kv_srq *srq, const struct ib_srq_attr *attr, int mask,
			    int *wrong, struct netlink_ext_ack *extack)
{
	*wrong = IB_SRQ_LIMIT;
	if (mask & IB_SRQ_LIMIT && attr->srq_limit > srq->max_wr)
		return kv_refuse(extack, -EINVAL, "limit is above max_wr: raise max_wr first");
	if (!(mask & IB_SRQ_MAX_WR))
		return 0;
	*wrong = IB_SRQ_MAX_WR;
	if (!(srq->ib->device->attrs.device_cap_flags & IB_DEVICE_SRQ_RESIZE))
		return kv_refuse(extack, -EOPNOTSUPP, "max_wr: the device can't resize an srq");
	if (attr->max_wr < srq->limit || (mask & IB_SRQ_LIMIT && attr->max_wr < attr->srq_limit))
		return kv_refuse(extack, -EINVAL, "max_wr is below limit: lower limit first");
	if (attr->max_wr < srq->wqes.rq.taken + srq->run_recvs)
		return kv_refuse(extack, -EBUSY,
				 "more receives than max_wr are posted: let them complete, and poll their completions");
	return 0;
}

/**
 * kv_srq_modify() - change a limit, the depth, or both
 * @srq: the SRQ
 * @attr: the new limit and depth; max_wr at most the device's max_srq_wr
 * @mask: which of them change: IB_SRQ_MAX_WR, IB_SRQ_LIMIT
 * @wrong: receives which of them a refusal before the verb is about
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno; -EBUSY if more receives are posted than the new
 * depth.
 */
int kv_srq_modify(struct kv_srq *srq, struct ib_srq_attr *attr, int mask, int *wrong,
		  struct netlink_ext_ack *extack)
{
	u64 before = srq->obj.bytes, after = before;
	int ret;

	kv_srq_query(srq);
	ret = srq_check_modify(srq, attr, mask, wrong, extack);
	if (ret)
		return ret;
	if (mask & IB_SRQ_MAX_WR)
		after = kv_queue_rq_bytes(attr->max_wr, srq->max_sge);
	ret = kv_obj_charge(&srq->obj, max(before, after), extack);
	if (ret)
		return ret;

	/* bnxt_re_modify_srq() takes one bit of the mask at a time, rxe alone can resize. */
	kv_obj_time(&srq->obj, MODIFY, ret = ib_modify_srq(srq->ib, attr, mask));
	kv_obj_charge(&srq->obj, ret ? before : after, NULL);
	if (ret)
		return kv_verb_failed(extack, KVERBS_STAGE_MODIFY, ret,
				      "ib_modify_srq failed: the device refuses the value of an attribute");
	if (mask & IB_SRQ_MAX_WR)
		srq->max_wr = attr->max_wr;
	if (mask & IB_SRQ_LIMIT)
		srq->limit = attr->srq_limit;
	kv_srq_query(srq);
	return 0;
}

struct kv_obj_class kv_srq_class = {
	KV_OBJ_CLASS(srq, KV_OBJ_SRQ, "an", "delete"),
	.destroy = srq_destroy,
};
