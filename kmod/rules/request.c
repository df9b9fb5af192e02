// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "request.h"

#define ATOMIC_BYTES 8

#define GIVEN(attr) (1U << KVERBS_A_WR_##attr)

/* By enum kverbs_qp_type (IBTA 11.4.1.1, table 91): a QP's operations, and the text for others. */
static const struct {
	__u32 ops;
	const char *text;
} types[] = {
	[KVERBS_QPT_RC] = { KV_OPS_SEND | KV_OPS_REMOTE | KV_OPS_LOCAL | KV_OP(RECV),
			    "an rc qp does not take this operation" },
	[KVERBS_QPT_UC] = { KV_OPS_DATAGRAM | KV_OPS_WRITE | KV_OPS_LOCAL | KV_OP(RECV),
			    "a uc qp takes send and write, with or without imm, and recv only" },
	[KVERBS_QPT_UD] = { KV_OPS_DATAGRAM | KV_OP(RECV),
			    "a ud qp takes send, with or without imm, and recv only" },
};

#define TWO_SIDED (KV_OPS_DATAGRAM | KV_OP(WRITE_WITH_IMM))
#define PINGPONG (TWO_SIDED | KV_OP(WRITE) | KV_OP(SEND_WITH_INV))

/* By enum kverbs_loop: the operations that a run's loop posts and measures. */
static const __u32 loops[] = {
	[KVERBS_LOOP_NULL] = ~0U,
	[KVERBS_LOOP_POST_TO_COMPLETION] = KV_OP(WRITE) | KV_OPS_READ | KV_OPS_8_BYTES,
	[KVERBS_LOOP_PINGPONG_CLIENT] = PINGPONG,
	[KVERBS_LOOP_PINGPONG_SERVER] = PINGPONG,
	[KVERBS_LOOP_PINGPONG] = PINGPONG,
	[KVERBS_LOOP_STREAM] = TWO_SIDED | KV_OP(WRITE) | KV_OP(READ) | KV_OPS_8_BYTES,
	[KVERBS_LOOP_STREAM_SERVER] = TWO_SIDED,
	[KVERBS_LOOP_CREDIT_STREAM] = KV_OP(SEND),
	[KVERBS_LOOP_CREDIT_SERVER] = KV_OP(SEND),
};

/*
 * Attributes of KVERBS_A_WR_* that some operations take, and others do not. text: the refusal by
 * the others. missing: the refusal by an operation that needs the attribute; with: if not 0, the
 * operation needs it only together with one of these
 */
static const struct limit {
	__u32 attr;
	__u32 ops;
	__u32 with;
	const char *text;
	const char *missing;
} limited[] = {
	{ KVERBS_A_WR_IMM, KV_OPS_IMM, 0, "imm goes with send_with_imm and write_with_imm only",
	  "imm is missing: send_with_imm and write_with_imm need it" },
	{ KVERBS_A_WR_REMOTE_ADDR, KV_OPS_REMOTE, 0,
	  "remote_addr goes with write, write_with_imm, read and atomics only",
	  "remote_addr is missing: where at the peer?" },
	{ KVERBS_A_WR_REMOTE_KEY, KV_OPS_REMOTE, 0,
	  "remote_key goes with write, write_with_imm, read and atomics only",
	  "remote_key is missing: what is the key of the peer's mr?" },
	{ .attr = KVERBS_A_WR_COMPARE_ADD, .ops = KV_OPS_ATOMIC,
	  .text = "compare_add goes with atomics only" },
	{ .attr = KVERBS_A_WR_SWAP, .ops = KV_OP(CMP_SWP), .text = "swap goes with cmp_swp only" },
	{ KVERBS_A_WR_INVALIDATE_RKEY, KV_OP(SEND_WITH_INV), 0,
	  "invalidate_rkey goes with send_with_inv only",
	  "invalidate_rkey is missing: what is the key of the peer's mr?" },
	{ KVERBS_A_WR_AH, KV_OPS_DATAGRAM, GIVEN(REMOTE_QPN) | GIVEN(REMOTE_QKEY),
	  "ah goes with send and send_with_imm only",
	  "ah is missing: remote_qpn and remote_qkey go with it" },
	{ KVERBS_A_WR_REMOTE_QPN, KV_OPS_DATAGRAM, GIVEN(AH),
	  "remote_qpn goes with send and send_with_imm only",
	  "remote_qpn is missing: which qp at the ah's address?" },
	{ KVERBS_A_WR_REMOTE_QKEY, KV_OPS_DATAGRAM, GIVEN(AH),
	  "remote_qkey goes with send and send_with_imm only",
	  "remote_qkey is missing: what is the Q_Key of the peer's qp?" },
	{ 0 },
};

/* By enum kverbs_op: why WR_POST does not take an operation. */
static const char *const unposted[] = {
	[KVERBS_OP_LOCAL_INV] = "local_inv: MR_INV posts it, for the mr's state follows it",
	[KVERBS_OP_REG_MR] = "reg_mr: MR_REG posts it, for the mr's state follows it",
	[KVERBS_OP_ATOMIC_WRITE] = "atomic_write: runs in user space post it, by ibv_wr_atomic_write()",
};

/**
 * kv_op_fits_loop() - does a run's loop take an operation?
 * @op: enum kverbs_op; does not matter for NULL
 * @loop: enum kverbs_loop
 *
 * Return: true if it does.
 */
bool kv_op_fits_loop(__u32 op, __u32 loop)
{
	return kv_op_among(op, loops[loop]);
}

/**
 * kv_op_completion() - the operation that a request's completion shows
 * @op: enum kverbs_op
 *
 * Return: enum kverbs_wc_op. For a receive it is RECV, unless the completion says that a
 * WRITE_WITH_IMM took the receive.
 */
__u32 kv_op_completion(__u32 op)
{
	static const __u32 wc[] = {
		[KVERBS_OP_SEND] = KVERBS_WC_OP_SEND,
		[KVERBS_OP_SEND_WITH_IMM] = KVERBS_WC_OP_SEND,
		[KVERBS_OP_SEND_WITH_INV] = KVERBS_WC_OP_SEND,
		[KVERBS_OP_WRITE] = KVERBS_WC_OP_WRITE,
		[KVERBS_OP_WRITE_WITH_IMM] = KVERBS_WC_OP_WRITE,
		[KVERBS_OP_READ] = KVERBS_WC_OP_READ,
		[KVERBS_OP_READ_WITH_INV] = KVERBS_WC_OP_READ,
		[KVERBS_OP_FETCH_ADD] = KVERBS_WC_OP_FETCH_ADD,
		[KVERBS_OP_CMP_SWP] = KVERBS_WC_OP_CMP_SWP,
		[KVERBS_OP_LOCAL_INV] = KVERBS_WC_OP_LOCAL_INV,
		[KVERBS_OP_REG_MR] = KVERBS_WC_OP_REG_MR,
		[KVERBS_OP_RECV] = KVERBS_WC_OP_RECV,
		[KVERBS_OP_ATOMIC_WRITE] = KVERBS_WC_OP_WRITE,
	};

	return wc[op];
}

/**
 * kv_request_check_list() - is a list of requests for one queue?
 * @given: bits 1 << KVERBS_A_POST_*
 * @n: how many requests
 * @why: receives the refusal, with an attribute of KVERBS_A_POST_*
 *
 * Return: 0 or -EINVAL.
 */
int kv_request_check_list(__u32 given, __u32 n, struct kv_refusal *why)
{
	bool srq = given & 1U << KVERBS_A_POST_SRQ;
	bool qp = given & 1U << KVERBS_A_POST_QP;

	return kv_refusal_if_missing(why, !srq && !qp, KVERBS_A_POST_QP,
				     "qp is missing: post to a qp or an srq") ?:
	       kv_refusal_if(why, srq && qp, -EINVAL, KVERBS_A_POST_SRQ,
			     "qp and srq: post to one of them") ?:
	       kv_refusal_if_missing(why, !n, KVERBS_A_POST_WR, "wr is missing: which requests?") ?:
	       kv_refusal_if(why, n > KVERBS_WR_LIST_MAX, -EINVAL, KVERBS_A_POST_WR,
			     "more than 128 requests: post the rest afterwards");
}

/**
 * kv_request_check_queue() - does a request go to the same queue as the rest of its list?
 * @op: enum kverbs_op
 * @first: the operation of the list's first request
 * @to_srq: the list goes to an SRQ
 * @why: receives the refusal, with an attribute of KVERBS_A_WR_*
 *
 * Return: 0 or -EINVAL.
 */
int kv_request_check_queue(__u32 op, __u32 first, bool to_srq, struct kv_refusal *why)
{
	bool recv = op == KVERBS_OP_RECV, first_recv = first == KVERBS_OP_RECV;

	return kv_refusal_if(why, to_srq && !recv, -EINVAL, KVERBS_A_WR_OP,
			     "an srq takes recv only") ?:
	       kv_refusal_if(why, recv != first_recv, -EINVAL, KVERBS_A_WR_OP,
			     "recv goes to another queue than the rest of the list: post it apart");
}

/**
 * kv_request_check_attrs() - does an operation take these attributes, and need no others?
 * @op: enum kverbs_op; ignored if it is not in @given
 * @given: bits 1 << KVERBS_A_WR_*
 * @why: receives the refusal
 *
 * Return: 0 or -EINVAL.
 */
int kv_request_check_attrs(__u32 op, __u32 given, struct kv_refusal *why)
{
	const struct limit *at;

	if (kv_refusal_need(given, KVERBS_A_WR_OP, why, "op is missing: which operation?"))
		return -EINVAL;
	if (!kv_op_among(op, KV_OPS_POSTED))
		return kv_refusal_set_attr(why, -EINVAL, KVERBS_A_WR_OP, unposted[op]);
	for (at = limited; at->text; at++)
		if (given & 1U << at->attr && !kv_op_among(op, at->ops))
			return kv_refusal_set_attr(why, -EINVAL, at->attr, at->text);
	for (at = limited; at->text; at++)
		if (at->missing && kv_op_among(op, at->ops) && (!at->with || given & at->with) &&
		    kv_refusal_need(given, at->attr, why, at->missing))
			return -EINVAL;
	return 0;
}

static int check_recv(const struct kv_request_facts *r, struct kv_refusal *why)
{
	return kv_refusal_if(why, !r->to_srq && r->uses_srq, -EINVAL, 0,
			     "the qp's receives come from its srq: post there") ?:
	       kv_refusal_if(why, r->flags, -EINVAL, 0, "a recv takes no flags") ?:
	       kv_refusal_if(why, r->sges > r->max_sge, -EINVAL, 0, r->to_srq ?
			     "more sges than the srq's max_sge" :
			     "more sges than the qp's max_recv_sge");
}

/**
 * kv_op_check_type() - does a QP of this type take an operation?
 * @op: enum kverbs_op
 * @type: enum kverbs_qp_type
 * @why: receives the refusal
 *
 * Return: 0 or -EINVAL.
 */
int kv_op_check_type(__u32 op, __u32 type, struct kv_refusal *why)
{
	return kv_refusal_if(why, !kv_op_among(op, types[type].ops), -EINVAL, 0, types[type].text);
}

/**
 * kv_op_check_ah() - does a send of a QP of this type name an address handle, if it needs one?
 * @type: enum kverbs_qp_type
 * @has_ah: it names one
 * @same_pd: the address handle is of the QP's PD
 * @why: receives the refusal
 *
 * Return: 0 or -EINVAL.
 */
int kv_op_check_ah(__u32 type, bool has_ah, bool same_pd, struct kv_refusal *why)
{
	bool ud = type == KVERBS_QPT_UD;

	return kv_refusal_if(why, has_ah && !ud, -EINVAL, 0,
			     "ah is for ud qps only: this one is connected") ?:
	       kv_refusal_if(why, !has_ah && ud, -EINVAL, 0,
			     "ah is missing: a ud qp sends to the address of an ah") ?:
	       kv_refusal_if(why, has_ah && !same_pd, -EINVAL, 0,
			     "the ah and the qp are of different pds");
}

/**
 * kv_op_check_sink() - can an operation name its local memory by this key?
 * @op: enum kverbs_op
 * @iwarp: the device is iWARP
 * @by_mr: the key is an MR's, and not the PD's local DMA key
 * @why: receives the refusal
 *
 * A READ of iWARP names its sink to the peer by the SGE's key (siw_qp_prepare_tx()); the local DMA
 * key is 0.
 *
 * Return: 0 or -EINVAL.
 */
int kv_op_check_sink(__u32 op, bool iwarp, bool by_mr, struct kv_refusal *why)
{
	return kv_refusal_if(why, kv_op_among(op, KV_OPS_READ) && !by_mr && iwarp, -EINVAL, 0,
			     "on iWARP the buffer of a READ needs a registration: name its mr");
}

static int check_atomic(const struct kv_request_facts *r, struct kv_refusal *why)
{
	return kv_refusal_if(why, !r->atomic, -EOPNOTSUPP, 0,
			     "the device has no atomic operations") ?:
	       kv_refusal_if(why, r->sges != 1 || r->bytes != ATOMIC_BYTES, -EINVAL, 0,
			     "an atomic operation takes one sge of 8 bytes") ?:
	       kv_refusal_if(why, r->remote_addr % ATOMIC_BYTES, -EINVAL, 0,
			     "remote_addr of an atomic operation is a multiple of 8");
}

/**
 * kv_op_check_iwarp() - does iWARP have an operation?
 * @op: enum kverbs_op
 * @why: receives the refusal
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int kv_op_check_iwarp(__u32 op, struct kv_refusal *why)
{
	return kv_refusal_if(why, kv_op_among(op, KV_OPS_IMM), -EOPNOTSUPP, 0,
			     "iWARP has no immediate data");
}

/**
 * kv_op_check_flags() - does an operation take these flags?
 * @op: enum kverbs_op, but RECV
 * @flags: KVERBS_WR_*
 * @iwarp: the device is iWARP
 * @why: receives the refusal
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP.
 */
int kv_op_check_flags(__u32 op, __u32 flags, bool iwarp, struct kv_refusal *why)
{
	return kv_refusal_if(why, flags & KVERBS_WR_INLINE && !kv_op_among(op, KV_OPS_CARRY),
			     -EINVAL, 0, "inline goes with sends and writes only") ?:
	       kv_refusal_if(why, flags & KVERBS_WR_SOLICITED && !kv_op_among(op, KV_OPS_RECEIVED),
			     -EINVAL, 0, "solicited goes with sends and write_with_imm only") ?:
	       kv_refusal_if(why, iwarp && kv_op_among(op, KV_OPS_READ) && flags & KVERBS_WR_FENCE,
			     -EOPNOTSUPP, 0, "a READ of iWARP takes no fence");
}

/**
 * kv_op_check_sges() - does an operation take this number of SGEs?
 * @op: enum kverbs_op, but RECV
 * @sges: how many
 * @iwarp: the device is iWARP
 * @why: receives the refusal
 *
 * Return: 0 or -EINVAL.
 */
int kv_op_check_sges(__u32 op, __u32 sges, bool iwarp, struct kv_refusal *why)
{
	return kv_refusal_if(why, iwarp && kv_op_among(op, KV_OPS_READ) && sges != 1, -EINVAL, 0,
			     "a READ of iWARP takes one sge");
}

/**
 * kv_op_check_inv() - has the device an operation, if it invalidates a key?
 * @op: enum kverbs_op
 * @mem_mgt: the device has the memory management extensions (IBTA 10.6.7)
 * @iwarp: the device is iWARP
 * @why: receives the refusal
 *
 * mlx5, bnxt_re, irdma, siw and rxe have SEND with invalidate, and say so by the memory management
 * extensions. Of these only siw and irdma take READ with invalidate (mlx5_ib_opcode[],
 * bnxt_re_post_send(), irdma_post_send()); irdma does for RoCE, too, where it is no operation of
 * the protocol (rdma_cap_read_inv()). rxe takes one, and has no packet for it.
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int kv_op_check_inv(__u32 op, bool mem_mgt, bool iwarp, struct kv_refusal *why)
{
	return kv_refusal_if(why, op == KVERBS_OP_SEND_WITH_INV && !mem_mgt, -EOPNOTSUPP, 0,
			     "the device has no send_with_inv: it lacks the memory management extensions") ?:
	       kv_refusal_if(why, op == KVERBS_OP_READ_WITH_INV && !iwarp, -EOPNOTSUPP, 0,
			     "only iWARP has read_with_inv");
}

/**
 * kv_request_check() - does a queue of this kind ever take this request?
 * @r: the request; its attributes passed kv_request_check_attrs()
 * @why: receives the refusal
 *
 * Return: 0, -EINVAL, or -EOPNOTSUPP if the device can't do it.
 */
int kv_request_check(const struct kv_request_facts *r, struct kv_refusal *why)
{
	if (r->op == KVERBS_OP_RECV)
		return check_recv(r, why);
	return kv_refusal_if(why, r->sges > r->max_sge, -EINVAL, 0,
			     "more sges than the qp's max_send_sge") ?:
	       kv_op_check_flags(r->op, r->flags, r->iwarp, why) ?:
	       kv_refusal_if(why, r->flags & KVERBS_WR_INLINE && r->bytes > r->max_inline, -EINVAL,
			     0, "more bytes than the qp's max_inline") ?:
	       kv_op_check_type(r->op, r->type, why) ?:
	       kv_op_check_ah(r->type, r->has_ah, r->same_pd, why) ?:
	       kv_op_check_inv(r->op, r->mem_mgt, r->iwarp, why) ?:
	       (kv_op_among(r->op, KV_OPS_ATOMIC) ? check_atomic(r, why) : 0) ?:
	       /*
		* iWARP's limits. siw puts such a request into its queue before it refuses the
		* request. Then it refuses all other requests (siw_post_send()).
		*/
	       (r->iwarp ? kv_op_check_iwarp(r->op, why) : 0) ?:
	       kv_op_check_sges(r->op, r->sges, r->iwarp, why);
}

static int check_key(const struct kv_request_sge *sge, struct kv_refusal *why)
{
	if (!sge->by_mr)
		return kv_refusal_if(why, !sge->dma_key && !sge->inlined, -EINVAL, 0,
				     "mr is missing in an sge: buf alone is for the kernel only, in user space the key is always an mr's");
	return kv_refusal_if(why, !sge->same_pd, -EINVAL, 0,
			     "the mr is of another pd than the queue") ?:
	       kv_refusal_if(why, !sge->registered, -EINVAL, 0,
			     "the mr is not registered: register it first") ?:
	       kv_refusal_if(why, !sge->over_buffer, -EINVAL, 0,
			     "the mr is registered over another buffer");
}

/**
 * kv_request_check_sge() - can a request name these bytes?
 * @sge: the bytes
 * @why: receives the refusal
 *
 * The device checks that the bytes are within the registration.
 *
 * Return: 0 or -EINVAL.
 */
int kv_request_check_sge(const struct kv_request_sge *sge, struct kv_refusal *why)
{
	bool beyond = sge->offset > sge->buffer || sge->length > sge->buffer - sge->offset;
	bool split = sge->length > sge->contiguous;

	return kv_refusal_if(why, beyond, -EINVAL, 0,
			     "the bytes are beyond the end of the buffer") ?:
	       check_key(sge, why) ?:
	       kv_refusal_if(why, split && sge->inlined, -EINVAL, 0,
			     "the bytes of an inline sge must lie in one piece of the buffer: take an sge for each piece") ?:
	       kv_refusal_if(why, split && !sge->by_mr, -EINVAL, 0,
			     "the bytes lie in several pieces of the buffer: name an mr, or take an sge for each piece");
}

/**
 * kv_request_check_rest() - can an SGE without a length have the rest of its buffer?
 * @left: bytes from its offset on
 * @why: receives the refusal
 *
 * Return: 0 or -EINVAL.
 */
int kv_request_check_rest(__u64 left, struct kv_refusal *why)
{
	return kv_refusal_if(why, left >> 32, -EINVAL, 0,
			     "length is missing in an sge: an sge has less than 4 GiB");
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
 * runs and requests by hand must not be on a queue together.
 *
 * Return: 0; -EINVAL for the state; -EBUSY for requests that runs left.
 */
int kv_request_check_state(const struct kv_request_queue *q, struct kv_refusal *why)
{
	if (q->to_srq)
		return kv_refusal_if(why, q->run_recvs, -EBUSY, 0,
				     "receives of a run are posted on the srq: take another srq");
	if (q->op != KVERBS_OP_RECV && q->state < KVERBS_QPS_RTS)
		return kv_request_check_rts(q->state, why);
	return kv_refusal_if(why, q->state == KVERBS_QPS_RESET, -EINVAL, 0,
			     "the qp is in RESET: bring it to INIT first") ?:
	       kv_refusal_if(why, q->needs_reset, -EBUSY, 0,
			     "an earlier run left requests on the qp: reset it and connect it anew") ?:
	       kv_refusal_if(why, q->run_recvs, -EBUSY, 0,
			     "receives of an earlier run are posted on the qp: reset it and connect it anew");
}

/**
 * kv_request_check_room() - is there room for more requests, and for their completions?
 * @q: the queue
 * @why: receives the refusal
 *
 * A CQ that overflows loses completions, and its QPs with them.
 *
 * Return: 0 or -EBUSY.
 */
int kv_request_check_room(const struct kv_request_queue *q, struct kv_refusal *why)
{
	return kv_refusal_if(why, !q->room, -EBUSY, 0,
			     q->to_srq ? "the srq is full: poll its completions" :
			     q->op == KVERBS_OP_RECV ?
			     "the receive queue is full: poll its completions" :
			     "the send queue is full: poll its completions") ?:
	       kv_refusal_if(why, q->n > q->room, -EBUSY, 0,
			     "the queue has no room for the whole list: poll its completions, or post fewer") ?:
	       kv_refusal_if(why, q->n > q->cq_room, -EBUSY, 0,
			     "the cq could overflow: poll its completions, or make it with more cqe");
}
