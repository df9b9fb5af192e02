// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <linux/errno.h>
#include "request.h"

#define OP(op) (1U << KVERBS_OP_##op)
#define ATOMICS (OP(FETCH_ADD) | OP(CMP_SWP))
#define REMOTE (OP(WRITE) | OP(READ) | ATOMICS)
#define ATOMIC_BYTES 8

/* By enum kverbs_qp_type: the operations that a QP takes, and the refusal of others. */
static const struct {
	__u32 ops;
	const char *text;
} types[] = {
	[KVERBS_QPT_RC] = { OP(SEND) | REMOTE | OP(RECV),
			    "an rc qp does not take this operation" },
	[KVERBS_QPT_UC] = { OP(SEND) | OP(WRITE) | OP(RECV),
			    "a uc qp takes send, write and recv only" },
	[KVERBS_QPT_UD] = { OP(SEND) | OP(RECV), "a ud qp takes send and recv only" },
};

/* Attributes of KVERBS_A_WR_* that some operations take, and others do not. */
static const struct limit {
	__u32 attr;
	__u32 ops;
	const char *text;
} limited[] = {
	{ KVERBS_A_WR_IMM, OP(SEND) | OP(WRITE),
	  "immediate data goes with send and write only" },
	{ KVERBS_A_WR_REMOTE_ADDR, REMOTE,
	  "remote_addr goes with write, read and atomics only" },
	{ KVERBS_A_WR_REMOTE_KEY, REMOTE,
	  "remote_key goes with write, read and atomics only" },
	{ KVERBS_A_WR_COMPARE_ADD, ATOMICS, "compare_add goes with atomics only" },
	{ KVERBS_A_WR_SWAP, OP(CMP_SWP), "swap goes with cmp_swp only" },
	{ KVERBS_A_WR_AH, OP(SEND), "ah goes with send only" },
	{ KVERBS_A_WR_REMOTE_QPN, OP(SEND), "remote_qpn goes with send only" },
	{ KVERBS_A_WR_REMOTE_QKEY, OP(SEND), "remote_qkey goes with send only" },
	{ KVERBS_A_WR_SRQ, OP(RECV), "an srq takes recv only" },
	{ 0 },
};

/**
 * kv_op_is_atomic() - does an operation move 8 bytes, and return the old ones?
 * @op: enum kverbs_op
 *
 * Return: true for FETCH_ADD and CMP_SWP.
 */
bool kv_op_is_atomic(__u32 op)
{
	return op <= KVERBS_OP_RECV && ATOMICS & 1U << op;
}

/**
 * kv_op_needs_remote() - does an operation name memory of the peer?
 * @op: enum kverbs_op
 *
 * Return: true for WRITE, READ and atomics.
 */
bool kv_op_needs_remote(__u32 op)
{
	return op <= KVERBS_OP_RECV && REMOTE & 1U << op;
}

static int need(__u32 given, __u32 attr, struct kv_refusal *why, const char *text)
{
	if (given & 1U << attr)
		return 0;
	kv_refusal_set_attr(why, -EINVAL, attr, text);
	why->missing = true;
	return -EINVAL;
}

/**
 * kv_request_check_attrs() - does an operation take these attributes, and need no others?
 * @op: enum kverbs_op, up to RECV
 * @given: bits 1 << KVERBS_A_WR_*
 * @why: receives the refusal
 *
 * Return: 0 or -EINVAL.
 */
int kv_request_check_attrs(__u32 op, __u32 given, struct kv_refusal *why)
{
	const struct limit *at;
	int ret = 0;

	for (at = limited; at->text; at++)
		if (given & 1U << at->attr && !(at->ops & 1U << op))
			return kv_refusal_set_attr(why, -EINVAL, at->attr, at->text);
	if (given & 1U << KVERBS_A_WR_QP && given & 1U << KVERBS_A_WR_SRQ)
		return kv_refusal_set_attr(why, -EINVAL, KVERBS_A_WR_SRQ,
					   "qp and srq: post to one of them");
	if (kv_op_needs_remote(op)) {
		ret = need(given, KVERBS_A_WR_REMOTE_ADDR, why,
			   "remote_addr is missing: where at the peer?");
		return ret ? ret : need(given, KVERBS_A_WR_REMOTE_KEY, why,
					"remote_key is missing: which key has the peer's mr?");
	}
	if (given & 1U << KVERBS_A_WR_AH) {
		ret = need(given, KVERBS_A_WR_REMOTE_QPN, why,
			   "remote_qpn is missing: which qp at the ah's address?");
		return ret ? ret : need(given, KVERBS_A_WR_REMOTE_QKEY, why,
					"remote_qkey is missing: which key has the peer's qp?");
	}
	if (given & (1U << KVERBS_A_WR_REMOTE_QPN | 1U << KVERBS_A_WR_REMOTE_QKEY))
		ret = need(given, KVERBS_A_WR_AH, why,
			   "ah is missing: remote_qpn and remote_qkey go with it");
	return ret;
}

static int check_recv(const struct kv_request_facts *r, struct kv_refusal *why)
{
	if (!r->to_srq && r->uses_srq)
		return kv_refusal_set(why, -EINVAL,
				      "the qp's receives come from its srq: post there");
	if (r->flags)
		return kv_refusal_set(why, -EINVAL, "a recv takes no flags");
	if (r->sges > r->max_sge)
		return kv_refusal_set(why, -EINVAL, r->to_srq ?
				      "more sges than the srq's max_sge" :
				      "more sges than the qp's max_recv_sge");
	return 0;
}

static int check_ud(const struct kv_request_facts *r, struct kv_refusal *why)
{
	if (!r->has_ah)
		return kv_refusal_set(why, -EINVAL,
				      "ah is missing: a ud qp needs to be told where to send");
	return r->same_pd ? 0 : kv_refusal_set(why, -EINVAL,
					       "the ah and the qp are of different pds");
}

static int check_atomic(const struct kv_request_facts *r, struct kv_refusal *why)
{
	if (!r->atomic)
		return kv_refusal_set(why, -EOPNOTSUPP, "the device has no atomic operations");
	if (r->sges != 1 || r->bytes != ATOMIC_BYTES)
		return kv_refusal_set(why, -EINVAL, "an atomic operation takes one sge of 8 bytes");
	if (r->remote_addr % ATOMIC_BYTES)
		return kv_refusal_set(why, -EINVAL,
				      "remote_addr of an atomic operation is a multiple of 8");
	return 0;
}

/*
 * iWARP's limits. siw takes such a request into its queue before it refuses it, and
 * refuses all others then (siw_post_send()).
 */
static int check_iwarp(const struct kv_request_facts *r, struct kv_refusal *why)
{
	if (r->has_imm)
		return kv_refusal_set(why, -EOPNOTSUPP, "iWARP has no immediate data");
	if (r->op == KVERBS_OP_READ && r->sges != 1)
		return kv_refusal_set(why, -EINVAL, "a READ of iWARP takes one sge");
	if (r->op == KVERBS_OP_READ && r->flags & KVERBS_WR_FENCE)
		return kv_refusal_set(why, -EOPNOTSUPP, "a READ of iWARP takes no fence");
	return 0;
}

/**
 * kv_request_check() - does a queue of this kind ever take this request?
 * @r: the request; its attributes passed kv_request_check_attrs()
 * @why: receives the refusal
 *
 * Return: 0, -EINVAL, or -EOPNOTSUPP if the device is to blame.
 */
int kv_request_check(const struct kv_request_facts *r, struct kv_refusal *why)
{
	if (r->op == KVERBS_OP_RECV)
		return check_recv(r, why);
	if (r->sges > r->max_sge)
		return kv_refusal_set(why, -EINVAL, "more sges than the qp's max_send_sge");
	if (r->flags & KVERBS_WR_INLINE && r->op != KVERBS_OP_SEND && r->op != KVERBS_OP_WRITE)
		return kv_refusal_set(why, -EINVAL, "inline goes with send and write only");
	if (r->flags & KVERBS_WR_INLINE && r->bytes > r->max_inline)
		return kv_refusal_set(why, -EINVAL, "more bytes than the qp's max_inline");
	if (!(types[r->type].ops & 1U << r->op))
		return kv_refusal_set(why, -EINVAL, types[r->type].text);
	if (r->type == KVERBS_QPT_UD)
		return check_ud(r, why);
	if (r->has_ah)
		return kv_refusal_set(why, -EINVAL,
				      "ah is for ud qps only: this one is connected");
	if (kv_op_is_atomic(r->op))
		return check_atomic(r, why);
	return r->iwarp ? check_iwarp(r, why) : 0;
}

/**
 * kv_request_check_sge() - can a request name these bytes?
 * @sge: the bytes
 * @why: receives the refusal
 *
 * Whether they are within the registration the device checks.
 *
 * Return: 0 or -EINVAL.
 */
int kv_request_check_sge(const struct kv_request_sge *sge, struct kv_refusal *why)
{
	if (sge->offset > sge->buffer || sge->length > sge->buffer - sge->offset)
		return kv_refusal_set(why, -EINVAL,
				      "the bytes are beyond the end of the mr's buffer");
	if (!sge->same_pd)
		return kv_refusal_set(why, -EINVAL, "the mr is of another pd than the queue");
	if (sge->needs_mr && !sge->registered)
		return kv_refusal_set(why, -EINVAL,
				      "lkey mr: the mr is not registered: register it first");
	return 0;
}

/**
 * kv_request_check_rts() - does a QP in this state send?
 * @state: enum kverbs_qp_state
 * @why: receives the refusal
 *
 * Return: 0 for RTS, else -EINVAL.
 */
int kv_request_check_rts(__u32 state, struct kv_refusal *why)
{
	static const char *const text[] = {
		[KVERBS_QPS_RESET] = "the qp is in RESET: bring it to INIT, RTR and RTS first",
		[KVERBS_QPS_INIT] = "the qp is in INIT: bring it to RTR and RTS first",
		[KVERBS_QPS_RTR] = "the qp is in RTR: bring it to RTS first",
		[KVERBS_QPS_SQD] = "the qp is in SQD: bring it back to RTS first",
		[KVERBS_QPS_SQE] = "the qp is in SQE: bring it back to RTS first",
		[KVERBS_QPS_ERR] = "the qp is in ERR: reset it and connect it anew",
	};

	return state == KVERBS_QPS_RTS ? 0 : kv_refusal_set(why, -EINVAL, text[state]);
}

/**
 * kv_request_check_state() - does a queue take requests by hand now?
 * @q: the queue
 * @why: receives the refusal
 *
 * Sends are taken in SQD, SQE and ERR, too: the device flushes them or keeps them. Requests of
 * runs and requests by hand must not meet.
 *
 * Return: 0; -EINVAL for the state; -EBUSY for what runs left.
 */
int kv_request_check_state(const struct kv_request_queue *q, struct kv_refusal *why)
{
	if (q->to_srq)
		return 0;
	if (q->op != KVERBS_OP_RECV && q->state < KVERBS_QPS_RTS)
		return kv_request_check_rts(q->state, why);
	if (q->state == KVERBS_QPS_RESET)
		return kv_refusal_set(why, -EINVAL, "the qp is in RESET: bring it to INIT first");
	if (q->needs_reset)
		return kv_refusal_set(why, -EBUSY,
				      "an earlier run left requests on the qp: reset it and connect it anew");
	if (q->run_recvs)
		return kv_refusal_set(why, -EBUSY,
				      "receives of an earlier run are posted on the qp: reset it and connect it anew");
	return 0;
}

/**
 * kv_request_check_room() - is there room for one more request, and for its completion?
 * @q: the queue
 * @why: receives the refusal
 *
 * A CQ that overflows loses completions, and its QPs with them.
 *
 * Return: 0 or -EBUSY.
 */
int kv_request_check_room(const struct kv_request_queue *q, struct kv_refusal *why)
{
	if (q->full)
		return kv_refusal_set(why, -EBUSY,
				      q->to_srq ? "the srq is full: poll its completions" :
				      q->op == KVERBS_OP_RECV ?
				      "the receive queue is full: poll its completions" :
				      "the send queue is full: poll its completions");
	if (q->cq_full)
		return kv_refusal_set(why, -EBUSY,
				      "the cq could overflow: poll its completions, or make it with more cqe");
	return 0;
}
