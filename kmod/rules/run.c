// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <linux/errno.h>
#include "loop/loop.h"
#include "request.h"
#include "run.h"

#define BIT_OF(name) (1U << KVERBS_##name)
#define PINGPONGS (BIT_OF(LOOP_PINGPONG) | BIT_OF(LOOP_PINGPONG_CLIENT) | \
		   BIT_OF(LOOP_PINGPONG_SERVER))
/* The loops that may have several workers. */
#define SEVERAL (BIT_OF(LOOP_POST_TO_COMPLETION) | BIT_OF(LOOP_STREAM))
#define VERBS (SEVERAL | PINGPONGS)

static bool any_op(__u32 op)
{
	return true;
}

static bool is_cmp_swp(__u32 op)
{
	return op == KVERBS_OP_CMP_SWP;
}

/* Attributes that some loops take, with some operations, and others do not. */
struct limit {
	__u32 attr;
	__u32 loops;
	bool (*op)(__u32 op);
	const char *text;
};

static const struct limit spec_limits[] = {
	{ KVERBS_A_SPEC_DEV, BIT_OF(LOOP_NULL), any_op,
	  "dev goes with the null loop only: the device is that of the ends' qps" },
	{ KVERBS_A_SPEC_OP, VERBS, any_op,
	  "op does not go with the null loop, which calls no verb" },
	{ KVERBS_A_SPEC_SIZE, VERBS, any_op,
	  "size does not go with the null loop, which calls no verb" },
	{ KVERBS_A_SPEC_END, VERBS, any_op,
	  "end does not go with the null loop, which calls no verb" },
	{ KVERBS_A_SPEC_COMPARE_ADD, VERBS, kv_op_is_atomic,
	  "compare_add goes with atomics only" },
	{ KVERBS_A_SPEC_SWAP, VERBS, is_cmp_swp, "swap goes with cmp_swp only" },
	{ KVERBS_A_SPEC_TIMEOUT_NS, VERBS, any_op,
	  "timeout_ns does not go with the null loop, which waits for nothing" },
	{ KVERBS_A_SPEC_POST_CONTEXT, VERBS, any_op,
	  "post_context does not go with the null loop, which calls no verb" },
	{ KVERBS_A_SPEC_SPINS, VERBS, any_op,
	  "spins does not go with the null loop, which waits for nothing" },
	{ KVERBS_A_SPEC_DEPTH, BIT_OF(LOOP_STREAM), any_op, "depth goes with streams only" },
	{ KVERBS_A_SPEC_LIST, BIT_OF(LOOP_STREAM), any_op, "list goes with streams only" },
	{ KVERBS_A_SPEC_SIGNAL, BIT_OF(LOOP_STREAM), any_op, "signal goes with streams only" },
	{ 0 },
};

static const struct limit end_limits[] = {
	{ KVERBS_A_END_TARGET_BUF, PINGPONGS, any_op, "target_buf goes with ping-pongs only" },
	{ KVERBS_A_END_TARGET_MR, PINGPONGS, any_op, "target_mr goes with ping-pongs only" },
	{ KVERBS_A_END_TARGET_OFFSET, PINGPONGS, any_op,
	  "target_offset goes with ping-pongs only" },
	{ KVERBS_A_END_REMOTE_ADDR, VERBS, kv_op_needs_remote,
	  "remote_addr goes with write, read and atomics only" },
	{ KVERBS_A_END_REMOTE_KEY, VERBS, kv_op_needs_remote,
	  "remote_key goes with write, read and atomics only" },
	{ KVERBS_A_END_CPU, SEVERAL, any_op,
	  "the cpu of an end goes with POST_TO_COMPLETION and STREAM only: give that of the spec" },
	{ 0 },
};

/**
 * kv_run_ends() - how many ends of connections does a worker drive?
 * @loop: enum kverbs_loop
 *
 * Return: 0 .. KV_LOOP_ENDS
 */
__u32 kv_run_ends(__u32 loop)
{
	if (loop == KVERBS_LOOP_NULL)
		return 0;
	return loop == KVERBS_LOOP_PINGPONG ? 2 : 1;
}

/**
 * kv_run_has_target() - does a loop need a buffer that the peer sends or writes into?
 * @loop: enum kverbs_loop
 *
 * Return: true for ping-pongs.
 */
bool kv_run_has_target(__u32 loop)
{
	return PINGPONGS & 1U << loop;
}

static int check_limits(const struct limit *at, const struct kv_run_given *given, __u32 attrs,
			struct kv_refusal *why)
{
	for (; at->text; at++)
		if (attrs & 1U << at->attr && !(at->loops & 1U << given->loop && at->op(given->op)))
			return kv_refusal_set_attr(why, -EINVAL, at->attr, at->text);
	return 0;
}

static const char *too_many(__u32 most)
{
	if (most > 2)
		return "more than 16 ends: a run has at most so many workers";
	return most > 1 ? "more than two ends: PINGPONG drives both" :
			  "more than one end: this loop drives one";
}

/**
 * kv_run_check_given() - does a spec have what its loop and its operation need, and nothing else?
 * @given: the attributes
 * @why: receives the refusal, with an attribute of KVERBS_A_SPEC_*
 *
 * Return: 0 or -EINVAL.
 */
int kv_run_check_given(const struct kv_run_given *given, struct kv_refusal *why)
{
	__u32 ends = kv_run_ends(given->loop), spec = given->spec;

	if (kv_refusal_need(spec, KVERBS_A_SPEC_LOOP, why,
			    "loop is missing: which loop shall run?"))
		return -EINVAL;
	if (!kv_refusal_given(spec, KVERBS_A_SPEC_TIME_NS) &&
	    kv_refusal_need(spec, KVERBS_A_SPEC_ITERS, why,
			    "iters and time_ns are missing: how long shall it run?"))
		return -EINVAL;
	if (ends && kv_refusal_need(spec, KVERBS_A_SPEC_OP, why, "op is missing: which operation?"))
		return -EINVAL;
	if (ends && !kv_op_fits_loop(given->op, given->loop))
		return kv_refusal_set_attr(why, -EINVAL, KVERBS_A_SPEC_OP,
					   "this loop can't take this op: POST_TO_COMPLETION and STREAM take WRITE, READ, FETCH_ADD and CMP_SWP, ping-pongs take SEND and WRITE");
	if (check_limits(spec_limits, given, spec, why))
		return why->error;
	if (!ends)
		return kv_refusal_need(spec, KVERBS_A_SPEC_DEV, why,
				       "dev is missing: which RDMA device?");
	if (kv_refusal_need(spec, KVERBS_A_SPEC_SIZE, why, "size is missing: how many bytes?"))
		return -EINVAL;
	if (!given->ends)
		return kv_refusal_set_missing(why, KVERBS_A_SPEC_END,
					      "end is missing: which qp and buffers?");
	if (given->ends < ends)
		return kv_refusal_set_missing(why, KVERBS_A_SPEC_END,
					      "an end is missing: PINGPONG drives both");
	if (SEVERAL & 1U << given->loop)
		ends = KV_RUN_WORKERS_MAX;
	if (given->ends > ends)
		return kv_refusal_set_attr(why, -EINVAL, KVERBS_A_SPEC_END, too_many(ends));
	return 0;
}

/**
 * kv_run_check_end_given() - does an end have what the run needs there, and nothing else?
 * @given: the spec's attributes, checked
 * @end: bits 1 << KVERBS_A_END_*
 * @why: receives the refusal, with an attribute of KVERBS_A_END_*
 *
 * Return: 0 or -EINVAL.
 */
int kv_run_check_end_given(const struct kv_run_given *given, __u32 end, struct kv_refusal *why)
{
	int ret;

	ret = kv_refusal_need(end, KVERBS_A_END_QP, why, "qp is missing in this end") ?:
	      kv_refusal_need(end, KVERBS_A_END_LOCAL_BUF, why,
			      "local_buf is missing in this end") ?:
	      check_limits(end_limits, given, end, why);
	if (!ret && kv_run_has_target(given->loop))
		ret = kv_refusal_need(end, KVERBS_A_END_TARGET_BUF, why,
				      "target_buf is missing in this end: this loop needs it");
	if (!ret && kv_op_needs_remote(given->op))
		ret = kv_refusal_need(end, KVERBS_A_END_REMOTE_ADDR, why,
				      "remote_addr is missing in this end: op needs it") ?:
		      kv_refusal_need(end, KVERBS_A_END_REMOTE_KEY, why,
				      "remote_key is missing in this end: op needs it");
	return ret;
}

/**
 * kv_run_check_spec() - can a run do this?
 * @s: loop, operation and size of the run
 * @why: receives the refusal
 *
 * Return: 0, -EINVAL, or -EOPNOTSUPP if the device can't do it.
 */
int kv_run_check_spec(const struct kv_run_spec_facts *s, struct kv_refusal *why)
{
	if (s->loop == KVERBS_LOOP_NULL)
		return 0;
	if (s->share_cq)
		return kv_refusal_set(why, -EINVAL,
				      "two ends need a qp each, and cqs of their own");
	if (s->signal % s->list)
		return kv_refusal_set(why, -EINVAL, "signal is no multiple of list");
	if (s->depth % s->signal)
		return kv_refusal_set(why, -EINVAL, "depth is no multiple of signal");
	if (!kv_op_is_atomic(s->op))
		return 0;
	if (s->size != sizeof(__u64))
		return kv_refusal_set(why, -EINVAL, "size of an atomic operation is 8");
	return s->atomic ? 0 : kv_refusal_set(why, -EOPNOTSUPP,
					      "the device has no atomic operations");
}

/* Can the run take the completions of a CQ of this context? */
static int check_context(const struct kv_run_spec_facts *s, const struct kv_run_qp_facts *qp,
			 struct kv_refusal *why)
{
	if (PINGPONGS & 1U << s->loop && !qp->polled)
		return kv_refusal_set(why, -EINVAL,
				      "a ping-pong polls: it needs a qp whose cqs have the context polled");
	if (qp->other_context)
		return kv_refusal_set(why, -EINVAL,
				      "the send_cqs of all ends need the same context");
	if (s->spins && qp->context != KVERBS_CQ_POLLED)
		return kv_refusal_set(why, -EINVAL,
				      "spins goes with a cq of context polled: no other is polled");
	return 0;
}

/**
 * kv_run_check_qp() - can a run post to this QP, and take the completions of its CQs?
 * @s: the run's spec, checked; its loop is not NULL
 * @qp: the QP
 * @why: receives the refusal
 *
 * A run takes every completion for its own.
 *
 * Return: 0, -EINVAL, or -EBUSY.
 */
int kv_run_check_qp(const struct kv_run_spec_facts *s, const struct kv_run_qp_facts *qp,
		    struct kv_refusal *why)
{
	if (qp->type != KVERBS_QPT_RC)
		return kv_refusal_set(why, -EINVAL,
				      "a run takes an rc qp: post to uc and ud qps by hand");
	if (qp->srq)
		return kv_refusal_set(why, -EINVAL, "a run takes a qp without an srq");
	if (check_context(s, qp, why))
		return why->error;
	if (qp->srq_cq)
		return kv_refusal_set(why, -EBUSY,
				      "a qp with an srq receives into the cq: a run needs cqs without");
	if (qp->pending)
		return kv_refusal_set(why, -EBUSY,
				      "requests posted by hand are outstanding, or their completions not polled: poll the cq, or reset the qp");
	return 0;
}

static int check_buf(const struct kv_run_buf_facts *buf, __u32 size, struct kv_refusal *why)
{
	if (size > buf->buffer || buf->first > buf->buffer - size)
		return kv_refusal_set(why, -EINVAL,
				      "size is larger than what the buffer has from the offset on");
	if (!buf->by_mr && !buf->dma_key)
		return kv_refusal_set(why, -EINVAL,
				      "local_mr or target_mr is missing: in user space the key is always an mr's");
	if (!buf->by_mr && size > buf->contiguous)
		return kv_refusal_set(why, -EINVAL,
				      "the bytes from the offset to size lie in several pieces of the buffer: name an mr");
	if (!buf->by_mr)
		return 0;
	if (!buf->same_pd)
		return kv_refusal_set(why, -EINVAL, "the mr and the qp are of different pds");
	if (!buf->registered || buf->first < buf->offset || size > buf->length ||
	    buf->first - buf->offset > buf->length - size)
		return kv_refusal_set(why, -EINVAL,
				      "the mr is not registered over the buffer's bytes from the offset to size");
	return 0;
}

/* All requests of a QP that fails complete, those that are not signaled, too (IBTA 10.8.3.1). */
static int check_depth(const struct kv_run_spec_facts *s, const struct kv_run_end_facts *end,
		       struct kv_refusal *why)
{
	if (s->depth > end->max_send_wr)
		return kv_refusal_set(why, -EINVAL, "depth is above the qp's max_send_wr");
	if (s->depth > end->send_cqe)
		return kv_refusal_set(why, -EINVAL, "depth is above the cqe of the qp's send_cq");
	if (s->signal > 1 && end->sq_sig_all)
		return kv_refusal_set(why, -EINVAL,
				      "a signal of more than 1 needs a qp without sq_sig_all");
	return 0;
}

/**
 * kv_run_check_end() - can a run begin at this end?
 * @s: the run's spec, checked; its loop is not NULL
 * @end: the end
 * @why: receives the refusal
 *
 * Return: 0, -EINVAL, or -EBUSY.
 */
int kv_run_check_end(const struct kv_run_spec_facts *s, const struct kv_run_end_facts *end,
		     struct kv_refusal *why)
{
	int ret;

	if (kv_op_is_atomic(s->op) && end->remote_addr % sizeof(__u64))
		return kv_refusal_set(why, -EINVAL,
				      "remote_addr of an atomic operation is a multiple of 8");
	if (end->needs_reset)
		return kv_refusal_set(why, -EBUSY,
				      "an earlier run left requests outstanding on the qp: reset it and connect it anew");
	if (s->loop == KVERBS_LOOP_STREAM && check_depth(s, end, why))
		return -EINVAL;
	ret = check_buf(&end->local, s->size, why);
	if (ret || !kv_run_has_target(s->loop))
		return ret;
	ret = check_buf(&end->target, s->size, why);
	if (ret)
		return ret;
	if (end->other_target)
		return kv_refusal_set(why, -EBUSY,
				      "receives of an earlier run are posted with another target_buf or target_mr: reset the qp and connect it anew");
	if (s->op != KVERBS_OP_SEND)
		return 0;
	if (end->one_cq)
		return kv_refusal_set(why, -EINVAL,
				      "SEND needs a qp whose send_cq and recv_cq differ");
	if (end->max_recv_wr < KV_LOOP_RECVS || end->recv_cqe < KV_LOOP_RECVS)
		return kv_refusal_set(why, -EINVAL,
				      "SEND needs a max_recv_wr and a cqe of 2 at least");
	return 0;
}
