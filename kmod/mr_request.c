// SPDX-License-Identifier: GPL-2.0
#include <kverbs.h>
#include <rdma/ib_verbs.h>
#include "buf.h"
#include "dev.h"
#include "mr.h"
#include "post.h"
#include "wqe.h"

/* The requests that register and invalidate an MR. */

/*
 * A flushed request of either kind was not executed (IBTA 10.8.3.1): the MR's state is as
 * before. But bnxt_re also flushes requests that it has executed and not yet completed
 * (__flush_sq()): then the next request on the MR fails. After a failure the state is unknown.
 */
static void mr_request_completed(struct kv_wqe *wqe)
{
	struct kv_mr *mr = container_of(wqe->ref[0], struct kv_mr, obj);
	bool reg = wqe->op == KVERBS_OP_REG_MR;
	int state = KV_MR_UNKNOWN;

	if (wqe->wc.status == IB_WC_SUCCESS)
		state = reg ? KV_MR_VALID : KV_MR_FREE;
	else if (wqe->wc.status == IB_WC_WR_FLUSH_ERR)
		state = reg ? KV_MR_FREE : KV_MR_VALID;
	WRITE_ONCE(mr->state, state);
}

/*
 * A request that registers or invalidates an MR is over. Its completion may have come at any
 * time, without dev->lock: so only now an MR in KV_MR_FREE gives back its buffer. An MR in
 * KV_MR_UNKNOWN keeps its buffer.
 */
static void mr_request_over(struct kv_wqe *wqe)
{
	struct kv_mr *mr = container_of(wqe->ref[0], struct kv_mr, obj);

	if (READ_ONCE(mr->state) == KV_MR_FREE)
		kv_obj_set_parent(&mr->obj, KV_MR_BUF, NULL);
}

static const struct kv_wqe_ops request_ops = {
	.completed = mr_request_completed,
	.over = mr_request_over,
};

/**
 * kv_mr_reg() - grant access to exactly these bytes, by fast registration
 * @mr: the MR, not registered
 * @qp: in RTS, same PD; carries the IB_WR_REG_MR
 * @reg: the bytes and the rights; checked by kv_mr_check_buf() and kv_reg_check()
 * @extack: where the reason of a refusal goes
 *
 * On success the keys are mr->ib->lkey and mr->ib->rkey, the address that a
 * peer names is mr->ib->iova (IBTA 10.6.4). The MR uses the buffer until the MR is invalidated
 * or destroyed.
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno.
 */
int kv_mr_reg(struct kv_mr *mr, struct kv_qp *qp, const struct kv_mr_reg *reg,
	      struct netlink_ext_ack *extack)
{
	struct ib_reg_wr wr = {
		.wr.opcode = IB_WR_REG_MR,
		.wr.send_flags = IB_SEND_SIGNALED,
		.access = kv_mr_access(mr, reg->access),
	};
	bool posted;
	u8 last;
	int ret;

	ret = kv_mr_prepare(mr, reg, extack);
	if (ret)
		return ret;
	last = mr->ib->rkey;
	wr.mr = mr->ib;
	/*
	 * ib_inc_rkey() counts in the key's lowest 8 bits: a registration has the same key as
	 * the 256th before it. A peer that still has the old key has access again.
	 */
	ib_update_fast_reg_key(mr->ib, ib_inc_rkey(mr->ib->rkey));
	/* A run counts no keys: it may have made any number. */
	mr->obj.dev->keys += mr->run_qp ? KV_MR_KEYS : 1;
	wr.key = mr->ib->rkey;
	kv_obj_set_parent(&mr->obj, KV_MR_BUF, &reg->buf->obj);
	WRITE_ONCE(mr->state, KV_MR_REGISTERING);
	ret = kv_post_and_wait(qp, mr, &wr.wr, KVERBS_OP_REG_MR, reg->post_context,
			       &request_ops, &posted, extack);
	if (!posted) {
		ib_update_fast_reg_key(mr->ib, last);
		WRITE_ONCE(mr->state, KV_MR_FREE);
		kv_obj_set_parent(&mr->obj, KV_MR_BUF, NULL);
	}
	return ret;
}

/**
 * kv_mr_inv() - take the access back
 * @mr: the MR, registered
 * @qp: in RTS, same PD; carries the IB_WR_LOCAL_INV
 * @post_context: enum kverbs_post_context
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno.
 */
int kv_mr_inv(struct kv_mr *mr, struct kv_qp *qp, u32 post_context, struct netlink_ext_ack *extack)
{
	struct ib_send_wr wr = {
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = mr->ib->rkey,
	};
	bool posted;
	int ret;

	ret = kv_mr_check_state(mr, KV_MR_VALID, extack);
	if (ret)
		return ret;
	/* On an MR that is not valid the request and its QP fail (rxe_invalidate_mr()). */
	WRITE_ONCE(mr->state, KV_MR_INVALIDATING);
	ret = kv_post_and_wait(qp, mr, &wr, KVERBS_OP_LOCAL_INV, post_context, &request_ops,
			       &posted, extack);
	if (!posted)
		WRITE_ONCE(mr->state, KV_MR_VALID);
	return ret;
}
