// SPDX-License-Identifier: MIT
#include <errno.h>
#include "rules/request.h"
#include "user/post.h"

/* May a request that is posted by hand be posted where it is to go? */

/* Refusals that need no object. */
static int check_fields(struct kv_user *u, const struct kv_wr *wr)
{
	struct kv_refusal why;

	if (!wr->qp && !wr->srq)
		return kv_user_fail(u, -EINVAL, "qp is missing: post to a qp or an srq");
	if (kv_request_check_attrs(wr->op, kv_shape_given(&kv_shape_wr, wr), &why))
		return kv_user_refuse(u, &why);
	return 0;
}

static int find_qp(struct kv_user *u, const struct kv_wr *wr, struct kv_user_target *to)
{
	struct kv_user_qp *qp = kv_user_obj_find(u, KV_QP, wr->qp);
	bool recv = wr->op == KVERBS_OP_RECV;

	if (!qp)
		return -ENOENT;
	to->qp = qp;
	to->pd = qp->obj.parents[KV_USER_QP_PD];
	to->queue = recv ? &qp->rq : &qp->sq;
	to->cq = recv ? qp->recv_cq : qp->send_cq;
	to->ah = wr->ah ? kv_user_obj_find(u, KV_AH, wr->ah) : NULL;
	return wr->ah && !to->ah ? -ENOENT : 0;
}

static int find_srq(struct kv_user *u, const struct kv_wr *wr, struct kv_user_target *to)
{
	struct kv_user_srq *srq = kv_user_obj_find(u, KV_SRQ, wr->srq);

	if (!srq)
		return -ENOENT;
	to->srq = srq;
	to->pd = srq->obj.parents[0];
	to->queue = &srq->rq;
	return 0;
}

static int check_queue(struct kv_user *u, const struct kv_wr *wr, const struct kv_user_target *to)
{
	const struct kv_user_qp *qp = to->qp;
	struct kv_request_facts r = {
		.op = wr->op,
		.flags = wr->flags,
		.has_imm = wr->has_imm,
		.has_ah = to->ah,
		.same_pd = to->ah && to->ah->obj.parents[0] == to->pd,
		.remote_addr = wr->remote_addr,
		.sges = wr->sges,
		.to_srq = to->srq,
		.max_sge = to->queue->max_sge,
	};
	struct kv_refusal why;

	for (unsigned int i = 0; i < wr->sges; i++)
		r.bytes += wr->sge[i].length;
	if (qp) {
		r.type = qp->type;
		r.uses_srq = qp->srq;
		r.iwarp = kv_user_dev_is_iwarp(qp->obj.dev);
		r.atomic = kv_user_dev_has_atomics(qp->obj.dev);
		r.max_inline = qp->max_inline;
	}
	return kv_request_check(&r, &why) ? kv_user_refuse(u, &why) : 0;
}

/*
 * Finds what a request names, but for its MRs; @to is zeroed. An error, too, if a queue of this
 * kind never takes it.
 */
int kv_user_post_find(struct kv_user *u, const struct kv_wr *wr, struct kv_user_target *to)
{
	int ret = check_fields(u, wr);

	if (!ret)
		ret = wr->qp ? find_qp(u, wr, to) : find_srq(u, wr, to);
	return ret ? ret : check_queue(u, wr, to);
}

/* A receive may complete on any of the SRQ's QPs, where a run would meet it. */
static int check_srq_idle(struct kv_user *u, const struct kv_user_srq *srq)
{
	const struct kv_user_qp *qp;
	int ret = 0;

	KV_USER_FOR_EACH(u, KV_QP, qp)
		if (qp->srq == srq && !ret)
			ret = kv_user_cq_check_idle(u, qp->recv_cq);
	return ret;
}

/* Can the queue take one more now? -EINVAL for the state of a QP, -EBUSY. */
int kv_user_post_check_ready(struct kv_user *u, const struct kv_wr *wr,
			     const struct kv_user_target *to)
{
	struct kv_request_queue queue = {
		.op = wr->op,
		.to_srq = to->srq,
		.full = to->queue->n >= to->queue->max,
		.cq_full = to->cq && to->cq->pending >= (unsigned int)to->cq->ib->cqe,
	};
	struct kv_refusal why;
	int ret;

	ret = to->srq ? check_srq_idle(u, to->srq) : kv_user_qp_check_idle(u, to->qp);
	if (!ret && to->qp)
		ret = kv_user_qp_query_state(u, to->qp, &queue.state);
	if (ret)
		return ret;
	if (to->qp && wr->op != KVERBS_OP_RECV && queue.state < KVERBS_QPS_RTS)
		return kv_user_qp_check_rts(u, to->qp);
	if (to->qp) {
		queue.needs_reset = to->qp->needs_reset;
		queue.run_recvs = to->qp->recvs;
	}
	if (kv_request_check_state(&queue, &why))
		return kv_user_refuse(u, &why);
	ret = to->qp ? kv_user_qp_check_outstanding(u, to->qp) : 0;
	if (!ret && kv_request_check_room(&queue, &why))
		ret = kv_user_refuse(u, &why);
	return ret;
}
