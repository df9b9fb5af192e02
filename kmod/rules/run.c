// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <linux/errno.h>
#include "loop/loop.h"
#include "request.h"
#include "run.h"

/**
 * kv_run_rules_has_target() - does a loop need a buffer for what the peer sends or writes?
 * @loop: enum kverbs_loop
 *
 * Return: true for ping-pongs.
 */
bool kv_run_rules_has_target(__u32 loop)
{
	return loop != KVERBS_LOOP_NULL && loop != KVERBS_LOOP_POST_TO_COMPLETION;
}

/**
 * kv_run_rules_check_spec() - can a run do this?
 * @s: loop, operation and size of the run
 * @why: receives the refusal
 *
 * Return: 0, -EINVAL, or -EOPNOTSUPP if the device is to blame.
 */
int kv_run_rules_check_spec(const struct kv_run_rules_spec *s, struct kv_refusal *why)
{
	if (!kv_loop_pick(s->loop, s->op, 0))
		return kv_refusal_set(why, -EINVAL,
				      "this loop can't take this op: POST_TO_COMPLETION takes all but SEND; PING, PONG and RELAY take SEND and WRITE");
	if (s->loop == KVERBS_LOOP_NULL)
		return 0;
	if (s->share_cq)
		return kv_refusal_set(why, -EINVAL,
				      "end and peer need a qp each, and cqs of their own");
	if (!kv_op_is_atomic(s->op))
		return 0;
	if (s->size != sizeof(__u64))
		return kv_refusal_set(why, -EINVAL, "size of an atomic operation is 8");
	if (s->remote_addr % sizeof(__u64))
		return kv_refusal_set(why, -EINVAL,
				      "remote_addr of an atomic operation is a multiple of 8");
	return s->atomic ? 0 : kv_refusal_set(why, -EOPNOTSUPP,
					      "the device has no atomic operations");
}

/**
 * kv_run_rules_check_qp() - can a run post to this QP, and poll its CQs?
 * @qp: the QP
 * @why: receives the refusal
 *
 * A run takes every completion for its own.
 *
 * Return: 0, -EINVAL, or -EBUSY.
 */
int kv_run_rules_check_qp(const struct kv_run_rules_qp *qp, struct kv_refusal *why)
{
	if (qp->type != KVERBS_QPT_RC)
		return kv_refusal_set(why, -EINVAL,
				      "a run takes an rc qp: post to uc and ud qps by hand");
	if (qp->srq)
		return kv_refusal_set(why, -EINVAL, "a run takes a qp without an srq");
	if (!qp->polled)
		return kv_refusal_set(why, -EINVAL,
				      "a run polls: it needs a qp whose cqs have the context polled");
	if (qp->srq_cq)
		return kv_refusal_set(why, -EBUSY,
				      "a qp with an srq receives into the cq: a run needs cqs without");
	if (qp->pending)
		return kv_refusal_set(why, -EBUSY,
				      "requests posted by hand are outstanding, or their completions not polled: poll the cq, or reset the qp");
	return 0;
}

static int check_mr(const struct kv_run_rules_mr *mr, __u32 size, struct kv_refusal *why)
{
	if (size > mr->buffer)
		return kv_refusal_set(why, -EINVAL, "size is larger than the mr's buffer");
	if (!mr->same_pd)
		return kv_refusal_set(why, -EINVAL, "the mr and the qp are of different pds");
	if (mr->by_mr && (!mr->registered || mr->offset || mr->length < size))
		return kv_refusal_set(why, -EINVAL,
				      "lkey mr: the mr is not registered over the bytes from its start to size");
	return 0;
}

/**
 * kv_run_rules_check_end() - can a run begin at this end?
 * @s: loop, operation and size of the run, checked
 * @end: the end
 * @why: receives the refusal
 *
 * Return: 0, -EINVAL, or -EBUSY.
 */
int kv_run_rules_check_end(const struct kv_run_rules_spec *s, const struct kv_run_rules_end *end,
			   struct kv_refusal *why)
{
	int ret;

	if (end->needs_reset)
		return kv_refusal_set(why, -EBUSY,
				      "an earlier run left requests outstanding on the qp: reset it and connect it anew");
	ret = check_mr(&end->local, s->size, why);
	if (ret || !kv_run_rules_has_target(s->loop))
		return ret;
	ret = check_mr(&end->target, s->size, why);
	if (ret)
		return ret;
	if (end->other_target)
		return kv_refusal_set(why, -EBUSY,
				      "receives of an earlier run are posted with another target_mr: reset the qp and connect it anew");
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
