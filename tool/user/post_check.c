// SPDX-License-Identifier: MIT
#include <errno.h>
#include "user/post.h"

/* May a request that is posted by hand be posted where it is to go? */

#define QPN_MAX 0xffffffU

/* Flags and fields that an operation takes, and the types that take it; RC takes all. */
static const struct {
	const char *name;
	uint32_t flags; /* KVERBS_WR_* */
	bool imm;
	bool remote;
	bool uc;
	bool ud;
} ops[] = {
	[KVERBS_OP_SEND] = { "SEND", KVERBS_WR__ALL, .imm = true, .uc = true, .ud = true },
	[KVERBS_OP_WRITE] = { "WRITE", KVERBS_WR__ALL, .imm = true, .remote = true, .uc = true },
	[KVERBS_OP_READ] = { "READ", KVERBS_WR__ALL & ~KVERBS_WR_INLINE, .remote = true },
	[KVERBS_OP_FETCH_ADD] = { "FETCH_ADD", KVERBS_WR__ALL & ~KVERBS_WR_INLINE,
				  .remote = true },
	[KVERBS_OP_CMP_SWP] = { "CMP_SWP", KVERBS_WR__ALL & ~KVERBS_WR_INLINE, .remote = true },
	[KVERBS_OP_RECV] = { "RECV", 0, .uc = true, .ud = true },
};

bool kv_user_op_is_atomic(uint32_t op)
{
	return op == KVERBS_OP_FETCH_ADD || op == KVERBS_OP_CMP_SWP;
}

/* The kind of queue that a request goes to, for texts. */
const char *kv_user_post_queue_name(const struct kv_wr *wr)
{
	return wr->srq ? "srq" : wr->op == KVERBS_OP_RECV ? "receive queue" : "send queue";
}

/* Refusals that need no object. */
static int check_fields(struct kv_user *u, const struct kv_wr *wr)
{
	if (wr->op > KVERBS_OP_RECV)
		return kv_user_fail(u, -ERANGE, "op is %u: it must be 0 to %d", wr->op,
				    KVERBS_OP_RECV);
	if (wr->flags & ~KVERBS_WR__ALL)
		return kv_user_fail(u, -EINVAL, "flags 0x%x has some that are unknown: 0x%x",
				    wr->flags, wr->flags & ~KVERBS_WR__ALL);
	if (!wr->qp == !wr->srq)
		return kv_user_fail(u, -EINVAL,
				    "qp or srq: where does it go? One of them is needed");
	if (wr->srq && wr->op != KVERBS_OP_RECV)
		return kv_user_fail(u, -EINVAL, "srq: it takes receives only");
	if (wr->flags & ~ops[wr->op].flags)
		return kv_user_fail(u, -EINVAL,
				    wr->op == KVERBS_OP_RECV ? "flags: a receive has none" :
				    "flags: inline is for SEND and WRITE only");
	if (wr->has_imm && !ops[wr->op].imm)
		return kv_user_fail(u, -EINVAL, "imm: immediate data is for SEND and WRITE only");
	if (wr->has_remote && !ops[wr->op].remote)
		return kv_user_fail(u, -EINVAL,
				    "remote_addr and remote_key are for WRITE, READ and atomics only");
	if (!wr->has_remote && ops[wr->op].remote)
		return kv_user_fail(u, -EINVAL,
				    "remote_addr or remote_key is missing: %s needs both",
				    ops[wr->op].name);
	if (wr->sges > KVERBS_SGE_MAX)
		return kv_user_fail(u, -EINVAL, "%u sges are more than any request takes: %d",
				    wr->sges, KVERBS_SGE_MAX);
	return kv_user_check_max(u, "remote_qpn", wr->remote_qpn, QPN_MAX);
}

static int check_type(struct kv_user *u, const struct kv_wr *wr, const struct kv_user_qp *qp)
{
	const char *name = ops[wr->op].name;
	int ret;

	if (qp->type == KVERBS_QPT_UC && !ops[wr->op].uc)
		return kv_user_fail(u, -EINVAL,
				    "op: qp %u is UC: it takes SEND, WRITE and RECV, not %s",
				    qp->obj.id, name);
	if (qp->type == KVERBS_QPT_UD && !ops[wr->op].ud)
		return kv_user_fail(u, -EINVAL, "op: qp %u is UD: it takes SEND and RECV, not %s",
				    qp->obj.id, name);
	ret = kv_user_op_is_atomic(wr->op) ? kv_user_dev_check_atomic(u, qp->obj.dev) : 0;
	if (ret)
		return ret;
	if (wr->has_imm && kv_user_dev_is_iwarp(qp->obj.dev))
		return kv_user_fail(u, -EOPNOTSUPP, "imm: iWARP, which is what %s is, has no immediate data",
				    kv_user_dev_name(qp->obj.dev));
	if (wr->op == KVERBS_OP_READ && kv_user_dev_is_iwarp(qp->obj.dev)) {
		if (wr->flags & KVERBS_WR_FENCE)
			return kv_user_fail(u, -EOPNOTSUPP, "a READ of iWARP takes no fence");
		if (wr->sges != 1)
			return kv_user_fail(u, -EINVAL, "a READ of iWARP takes one sge");
	}
	if (wr->op == KVERBS_OP_RECV && qp->srq)
		return kv_user_fail(u, -EINVAL,
				    "qp %u takes its receives from srq %u: post them there",
				    qp->obj.id, qp->srq->obj.id);
	return 0;
}

static int find_ah(struct kv_user *u, const struct kv_wr *wr,
		   const struct kv_user_qp *qp, struct kv_user_target *to)
{
	bool needed = qp->type == KVERBS_QPT_UD && wr->op == KVERBS_OP_SEND;

	if (!needed && (wr->ah || wr->remote_qpn || wr->remote_qkey))
		return kv_user_fail(u, -EINVAL,
				    "ah, remote_qpn and remote_qkey are for sends on a UD qp only");
	if (!needed)
		return 0;
	if (!wr->ah)
		return kv_user_fail(u, -EINVAL, "ah is missing: where does the datagram go?");
	to->ah = kv_user_obj_find(u, KV_AH, wr->ah);
	if (!to->ah)
		return -ENOENT;
	if (to->ah->obj.parents[0] != to->pd)
		return kv_user_fail(u, -EINVAL, "ah %u and qp %u are of different pds", wr->ah,
				    wr->qp);
	return 0;
}

static int check_state(struct kv_user *u, const struct kv_wr *wr, struct kv_user_qp *qp)
{
	uint32_t state;
	int ret = kv_user_qp_query_state(u, qp, &state);

	if (ret)
		return ret;
	if (wr->op != KVERBS_OP_RECV && state < KVERBS_QPS_RTS)
		return kv_user_qp_check_rts(u, qp);
	if (state == KVERBS_QPS_RESET)
		return kv_user_fail(u, -EINVAL, "qp %u is in RESET: bring it to INIT first",
				    wr->qp);
	return 0;
}

static int find_qp(struct kv_user *u, const struct kv_wr *wr, struct kv_user_target *to)
{
	struct kv_user_qp *qp = kv_user_obj_find(u, KV_QP, wr->qp);
	bool recv = wr->op == KVERBS_OP_RECV;
	int ret;

	if (!qp)
		return -ENOENT;
	to->qp = qp;
	to->pd = qp->obj.parents[KV_USER_QP_PD];
	to->queue = recv ? &qp->rq : &qp->sq;
	to->cq = recv ? qp->recv_cq : qp->send_cq;
	ret = check_type(u, wr, qp);
	return ret ? ret : find_ah(u, wr, qp, to);
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

static int find_srq(struct kv_user *u, const struct kv_wr *wr, struct kv_user_target *to)
{
	struct kv_user_srq *srq = kv_user_obj_find(u, KV_SRQ, wr->srq);

	if (!srq)
		return -ENOENT;
	if (wr->ah || wr->remote_qpn || wr->remote_qkey)
		return kv_user_fail(u, -EINVAL,
				    "ah, remote_qpn and remote_qkey are for sends on a UD qp only");
	to->srq = srq;
	to->pd = srq->obj.parents[0];
	to->queue = &srq->rq;
	return 0;
}

/*
 * Finds what a request names, but for its MRs; @to is zeroed. An error, too, if a queue of this
 * kind never takes it.
 */
int kv_user_post_find(struct kv_user *u, const struct kv_wr *wr, struct kv_user_target *to)
{
	int ret = check_fields(u, wr);

	if (ret)
		return ret;
	return wr->qp ? find_qp(u, wr, to) : find_srq(u, wr, to);
}

/* Requests of runs and requests by hand must not meet. */
static int check_runs(struct kv_user *u, const struct kv_user_qp *qp)
{
	if (qp->needs_reset)
		return kv_user_fail(u, -EBUSY,
				    "an earlier run left requests on qp %u: reset it and connect it anew",
				    qp->obj.id);
	if (qp->recvs)
		return kv_user_fail(u, -EBUSY,
				    "receives of an earlier run are posted on qp %u: reset it and connect it anew",
				    qp->obj.id);
	return kv_user_qp_check_outstanding(u, qp);
}

/* Can the queue take one more now? -EINVAL for the state of a QP, -EBUSY. */
int kv_user_post_check_ready(struct kv_user *u, const struct kv_wr *wr,
			     const struct kv_user_target *to)
{
	int ret;

	ret = to->srq ? check_srq_idle(u, to->srq) : kv_user_qp_check_idle(u, to->qp);
	if (!ret && to->qp)
		ret = check_state(u, wr, to->qp);
	if (!ret && to->qp)
		ret = check_runs(u, to->qp);
	if (ret)
		return ret;
	if (to->queue->n >= to->queue->max)
		return kv_user_fail(u, -EBUSY, "the %s is full: poll its completions",
				    kv_user_post_queue_name(wr));
	/* One that overflows loses completions, and its QPs with them. */
	if (to->cq && to->cq->pending >= (unsigned int)to->cq->ib->cqe)
		return kv_user_fail(u, -EBUSY,
				    "cq %u could overflow: poll its completions, or make it with more cqe",
				    to->cq->obj.id);
	return 0;
}
