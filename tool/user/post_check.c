// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include "rules/request.h"
#include "user/post.h"

/* Checks whether a queue can take the requests that are posted by hand. */

/* Adds to the text of a failure the number of the request that failed. Returns @ret. */
int kv_user_post_blame(struct kv_user *u, const struct kv_post *in, uint32_t i, int ret)
{
	char text[sizeof(u->base.err)];

	if (ret && in->wrs > 1) {
		snprintf(text, sizeof(text), "%s", u->base.err);
		snprintf(u->base.err, sizeof(u->base.err), "wr %u: %.480s", i + 1, text);
	}
	return ret;
}

/* Refusals that need no object. */
static int check_fields(struct kv_user *u, const struct kv_post *in)
{
	int ret = kv_user_rule(u, kv_request_check_list(kv_shape_given(&kv_shape_post, in),
							in->wrs, &u->why));

	for (uint32_t i = 0; i < in->wrs && !ret; i++) {
		const struct kv_wr *wr = &in->wr[i];

		ret = kv_request_check_attrs(wr->op, kv_shape_given(&kv_shape_wr, wr), &u->why) ?:
		      kv_request_check_queue(wr->op, in->wr->op, in->srq, &u->why);
		ret = kv_user_post_blame(u, in, i, kv_user_rule(u, ret));
	}
	return ret;
}

static int find_qp(struct kv_user *u, const struct kv_post *in, struct kv_user_target *to)
{
	struct kv_user_qp *qp = kv_user_obj_find(u, KV_QP, in->qp);
	bool recv = in->wr->op == KVERBS_OP_RECV;

	if (!qp)
		return -ENOENT;
	to->qp = qp;
	to->pd = qp->obj.parents[KV_USER_QP_PD];
	to->queue = recv ? &qp->rq : &qp->sq;
	to->cq = recv ? qp->recv_cq : qp->send_cq;
	return 0;
}

static int find_srq(struct kv_user *u, const struct kv_post *in, struct kv_user_target *to)
{
	struct kv_user_srq *srq = kv_user_obj_find(u, KV_SRQ, in->srq);

	if (!srq)
		return -ENOENT;
	to->srq = srq;
	to->pd = srq->obj.parents[0];
	to->queue = &srq->rq;
	return 0;
}

/* Checks the fields of the requests, and finds their queue; @to is zeroed. */
int kv_user_post_find(struct kv_user *u, const struct kv_post *in, struct kv_user_target *to)
{
	return check_fields(u, in) ?: (in->srq ? find_srq(u, in, to) : find_qp(u, in, to));
}

/* Does a queue of this kind ever take the request? */
int kv_user_post_check(struct kv_user *u, const struct kv_wr *wr,
		       const struct kv_user_target *to, const struct kv_user_ah *ah)
{
	const struct kv_user_qp *qp = to->qp;
	struct kv_request_facts r = {
		.op = wr->op,
		.flags = wr->flags,
		.has_ah = ah,
		.same_pd = ah && ah->obj.parents[0] == to->pd,
		.remote_addr = wr->remote_addr,
		.sges = wr->sges,
		.to_srq = to->srq,
		.max_sge = to->queue->max_sge,
	};

	for (unsigned int i = 0; i < wr->sges; i++)
		r.bytes += wr->sge[i].length;
	if (qp) {
		r.type = qp->is.type;
		r.uses_srq = qp->srq;
		r.iwarp = kv_user_dev_is_iwarp(qp->obj.dev);
		r.atomic = kv_user_dev_caps(qp->obj.dev) & KVERBS_CAP_ATOMIC;
		r.mem_mgt = qp->obj.dev->attr.device_cap_flags & IBV_DEVICE_MEM_MGT_EXTENSIONS;
		r.max_inline = qp->is.max_inline;
	}
	if (wr->op == KVERBS_OP_READ_WITH_INV && r.iwarp)
		return kv_user_fail(u, -EOPNOTSUPP,
				    "libibverbs has no read_with_inv: only the kernel can post it");
	return kv_user_rule(u, kv_request_check(&r, &u->why));
}

static uint32_t room(uint32_t most, uint32_t taken)
{
	return taken < most ? most - taken : 0;
}

/* A receive may complete on any QP of the SRQ, where a run would take the completion. */
static int check_srq_idle(struct kv_user *u, const struct kv_user_srq *srq)
{
	const struct kv_user_qp *qp;
	int ret = 0;

	KV_USER_FOR_EACH(u, KV_QP, qp)
		if (qp->srq == srq && !ret)
			ret = kv_user_cq_check_idle(u, qp->recv_cq);
	return ret;
}

/* Can the queue take all requests now? -EINVAL for the state of a QP, -EBUSY. */
int kv_user_post_check_ready(struct kv_user *u, const struct kv_post *in,
			     const struct kv_user_target *to)
{
	struct kv_request_queue queue = {
		.op = in->wr->op,
		.n = in->wrs,
		.to_srq = to->srq,
		.room = room(to->queue->max, to->queue->n),
		.cq_room = to->cq ? room((uint32_t)to->cq->ib->cqe, to->cq->is.pending) :
				    UINT32_MAX,
	};
	int ret = to->srq ? check_srq_idle(u, to->srq) : kv_user_qp_check_idle(u, to->qp);

	if (!ret && to->qp)
		ret = kv_user_qp_query_state(u, to->qp, &queue.state);
	if (ret)
		return ret;
	if (to->qp && queue.op != KVERBS_OP_RECV && queue.state < KVERBS_QPS_RTS)
		return kv_user_qp_check_rts(u, to->qp);
	if (to->srq)
		queue.run_recvs = to->srq->recvs;
	if (to->qp) {
		queue.needs_reset = to->qp->needs_reset;
		queue.run_recvs = to->qp->recvs;
	}
	return kv_user_rule(u, kv_request_check_state(&queue, &u->why)) ?:
	       (to->qp ? kv_user_qp_check_outstanding(u, to->qp) : 0) ?:
	       kv_user_rule(u, kv_request_check_room(&queue, &u->why));
}
