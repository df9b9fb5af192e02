// SPDX-License-Identifier: GPL-2.0
#include <linux/netlink.h>
#include <rdma/ib_cache.h>
#include "ah.h"
#include "cq.h"
#include "dev.h"
#include "event.h"
#include "pd.h"
#include "qp.h"
#include "queue.h"
#include "srq.h"

/* The tables and ib_modify_qp() speak of the same bits. */
static_assert(KV_QPA_STATE == IB_QP_STATE);
static_assert(KV_QPA_CUR_STATE == IB_QP_CUR_STATE);
static_assert(KV_QPA_SQD_ASYNC_NOTIFY == IB_QP_EN_SQD_ASYNC_NOTIFY);
static_assert(KV_QPA_ACCESS == IB_QP_ACCESS_FLAGS);
static_assert(KV_QPA_PKEY_INDEX == IB_QP_PKEY_INDEX);
static_assert(KV_QPA_PORT == IB_QP_PORT);
static_assert(KV_QPA_QKEY == IB_QP_QKEY);
static_assert(KV_QPA_AV == IB_QP_AV);
static_assert(KV_QPA_PATH_MTU == IB_QP_PATH_MTU);
static_assert(KV_QPA_TIMEOUT == IB_QP_TIMEOUT);
static_assert(KV_QPA_RETRY_CNT == IB_QP_RETRY_CNT);
static_assert(KV_QPA_RNR_RETRY == IB_QP_RNR_RETRY);
static_assert(KV_QPA_RQ_PSN == IB_QP_RQ_PSN);
static_assert(KV_QPA_MAX_RD_ATOMIC == IB_QP_MAX_QP_RD_ATOMIC);
static_assert(KV_QPA_ALT_PATH == IB_QP_ALT_PATH);
static_assert(KV_QPA_MIN_RNR_TIMER == IB_QP_MIN_RNR_TIMER);
static_assert(KV_QPA_SQ_PSN == IB_QP_SQ_PSN);
static_assert(KV_QPA_MAX_DEST_RD_ATOMIC == IB_QP_MAX_DEST_RD_ATOMIC);
static_assert(KV_QPA_PATH_MIG_STATE == IB_QP_PATH_MIG_STATE);
static_assert(KV_QPA_DEST_QPN == IB_QP_DEST_QPN);

static_assert(KVERBS_MIG_MIGRATED == (int)IB_MIG_MIGRATED);
static_assert(KVERBS_MIG_REARM == (int)IB_MIG_REARM);
static_assert(KVERBS_MIG_ARMED == (int)IB_MIG_ARMED);

static const enum ib_qp_type to_ib_type[] = {
	[KVERBS_QPT_RC] = IB_QPT_RC,
	[KVERBS_QPT_UC] = IB_QPT_UC,
	[KVERBS_QPT_UD] = IB_QPT_UD,
};

static const enum ib_qp_state to_ib_state[] = {
	[KVERBS_QPS_RESET] = IB_QPS_RESET,
	[KVERBS_QPS_INIT] = IB_QPS_INIT,
	[KVERBS_QPS_RTR] = IB_QPS_RTR,
	[KVERBS_QPS_RTS] = IB_QPS_RTS,
	[KVERBS_QPS_SQD] = IB_QPS_SQD,
	[KVERBS_QPS_SQE] = IB_QPS_SQE,
	[KVERBS_QPS_ERR] = IB_QPS_ERR,
};

/**
 * kv_qp_state() - which state an answer of the device speaks of
 * @attr: what kv_qp_query() filled
 *
 * Return: the state, ERR for one that nobody knows.
 */
enum kverbs_qp_state kv_qp_state(const struct ib_qp_attr *attr)
{
	enum kverbs_qp_state state;

	for (state = KVERBS_QPS_RESET; state < KVERBS_QPS_ERR; state++)
		if (to_ib_state[state] == attr->qp_state)
			break;
	return state;
}

static void set_parents(struct kv_qp *qp)
{
	kv_obj_set_parent(&qp->obj, KV_QP_PD, &qp->pd->obj);
	kv_obj_set_parent(&qp->obj, KV_QP_SEND_CQ, &qp->send_cq->obj);
	kv_obj_set_parent(&qp->obj, KV_QP_RECV_CQ, &qp->recv_cq->obj);
	if (qp->srq)
		kv_obj_set_parent(&qp->obj, KV_QP_SRQ, &qp->srq->obj);
}

static struct ib_qp *create_ib(struct kv_qp *qp, const struct kv_qp_init *from)
{
	struct ib_qp_init_attr init = {
		.event_handler = kv_event_async,
		.qp_context = &qp->obj,
		.send_cq = from->send_cq->ib,
		.recv_cq = from->recv_cq->ib,
		.srq = from->srq ? from->srq->ib : NULL,
		.cap.max_send_wr = from->max_send_wr,
		.cap.max_recv_wr = from->max_recv_wr,
		.cap.max_send_sge = from->max_send_sge,
		.cap.max_recv_sge = from->max_recv_sge,
		.cap.max_inline_data = from->max_inline,
		.sq_sig_type = from->sq_sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR,
		.qp_type = to_ib_type[from->type],
	};
	struct ib_qp *ib;

	ib = ib_create_qp(from->pd->ib, &init);
	if (IS_ERR(ib))
		return ib;
	qp->max_send_wr = init.cap.max_send_wr;
	qp->max_recv_wr = from->srq ? 0 : init.cap.max_recv_wr;
	qp->max_send_sge = init.cap.max_send_sge;
	qp->max_recv_sge = from->srq ? 0 : init.cap.max_recv_sge;
	qp->max_inline = init.cap.max_inline_data;
	return ib;
}

static u64 queue_bytes(const struct kv_qp_init *init)
{
	return kv_queue_sq_bytes(init->max_send_wr, init->max_send_sge, init->max_inline) +
	       kv_queue_rq_bytes(init->max_recv_wr, init->max_recv_sge);
}

/**
 * kv_qp_create() - create a queue pair
 * @init: what it is made with
 * @owner: whose it is
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: the QP, in RESET, owned by the id table, or ERR_PTR.
 */
struct kv_qp *kv_qp_create(const struct kv_qp_init *init,
			   const struct kv_owner *owner,
			   struct netlink_ext_ack *extack)
{
	struct kv_qp *qp;
	u64 start;
	int ret;

	qp = kv_obj_alloc(KV_OBJ_QP, sizeof(*qp), init->pd->obj.dev, owner, extack);
	if (IS_ERR(qp))
		return qp;
	qp->type = init->type;
	qp->pd = init->pd;
	qp->send_cq = init->send_cq;
	qp->recv_cq = init->recv_cq;
	qp->srq = init->srq;
	qp->sq_sig_all = init->sq_sig_all;
	qp->port = 1;
	set_parents(qp);
	ret = kv_obj_charge(&qp->obj, queue_bytes(init), extack);
	if (ret)
		goto err_free;

	start = ktime_get_raw_ns();
	qp->ib = create_ib(qp, init);
	qp->obj.verb_ns = ktime_get_raw_ns() - start;
	if (IS_ERR(qp->ib)) {
		ret = PTR_ERR(qp->ib);
		if (ret == -ENOMEM)
			NL_SET_ERR_MSG(extack, "ib_create_qp failed: no memory for queues of this depth");
		else if (ret == -EINVAL && init->max_inline)
			NL_SET_ERR_MSG(extack, "ib_create_qp failed: max_inline may be more than the device takes");
		else
			NL_SET_ERR_MSG(extack, "ib_create_qp failed");
		goto err_free;
	}

	ret = kv_obj_publish(&qp->obj, extack);
	if (ret)
		goto err_destroy_qp;
	kv_post_init_qp(qp);
	return qp;

err_destroy_qp:
	ib_destroy_qp(qp->ib);
err_free:
	kv_obj_free(&qp->obj);
	return ERR_PTR(ret);
}

static void forget_ran(struct kv_cq *cq, const struct kv_qp *qp)
{
	if (cq->ran == qp)
		cq->ran = NULL;
}

/*
 * No drain: nobody waits for the flushed completions, and once ib_destroy_qp()
 * has returned the device reaches none of the buffers.
 */
static void destroy_qp(struct kv_obj *obj)
{
	struct kv_qp *qp = container_of(obj, struct kv_qp, obj);
	u64 start = ktime_get_raw_ns();

	ib_destroy_qp(qp->ib);
	obj->verb_ns = ktime_get_raw_ns() - start;
	forget_ran(qp->send_cq, qp);
	forget_ran(qp->recv_cq, qp);
	kv_post_forget_qp(qp);
}

/**
 * kv_qp_query() - ask the device for the QP's attributes
 * @qp: the QP
 * @attr: where they go; a driver need not fill what it has not
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno.
 */
int kv_qp_query(struct kv_qp *qp, struct ib_qp_attr *attr,
		struct netlink_ext_ack *extack)
{
	struct ib_qp_init_attr init;
	int ret;

	memset(attr, 0, sizeof(*attr));
	ret = ib_query_qp(qp->ib, attr, IB_QP_ATTR_STANDARD_BITS & ~IB_QP_CAP, &init);
	if (ret)
		NL_SET_ERR_MSG(extack, "ib_query_qp failed");
	return ret;
}

/**
 * kv_qp_check_rts() - can requests be posted?
 * @qp: the QP
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0 if the QP is in RTS, else -EINVAL.
 */
int kv_qp_check_rts(struct kv_qp *qp, struct netlink_ext_ack *extack)
{
	static const char *const text[] = {
		[KVERBS_QPS_RESET] = "the qp is in RESET: bring it to INIT, RTR and RTS first",
		[KVERBS_QPS_INIT] = "the qp is in INIT: bring it to RTR and RTS first",
		[KVERBS_QPS_RTR] = "the qp is in RTR: bring it to RTS first",
		[KVERBS_QPS_SQD] = "the qp is in SQD: bring it back to RTS first",
		[KVERBS_QPS_SQE] = "the qp is in SQE: bring it back to RTS first",
		[KVERBS_QPS_ERR] = "the qp is in ERR: reset it and connect it anew",
	};
	enum kverbs_qp_state state;
	struct ib_qp_attr attr;
	int ret;

	ret = kv_qp_query(qp, &attr, extack);
	if (ret)
		return ret;
	state = kv_qp_state(&attr);
	if (state == KVERBS_QPS_RTS)
		return 0;
	if (extack)
		extack->_msg = text[state];
	return -EINVAL;
}

static int refuse(struct kv_qp_step *wrong, u32 bit, const char *text)
{
	wrong->bit = bit;
	wrong->text = text;
	return -EINVAL;
}

/* What the table does not know: is there such a thing, of this device? */
static int check_values(const struct kv_qp *qp, enum kverbs_qp_state from,
			const struct kv_qp_modify *modify, struct kv_qp_step *wrong)
{
	const struct ib_qp_attr *attr = &modify->attr;
	struct ib_device *ib = qp->ib->device;
	u32 mask = modify->mask;
	u32 port = mask & KV_QPA_PORT ? attr->port_num : qp->port;
	u16 pkey;

	if (mask & KV_QPA_CUR_STATE && modify->cur_state != from)
		return refuse(wrong, KV_QPA_CUR_STATE,
			      "cur_state is not the state that the qp is in");
	if (mask & KV_QPA_PKEY_INDEX && rdma_ib_or_roce(ib, port) &&
	    ib_get_cached_pkey(ib, port, attr->pkey_index, &pkey))
		return refuse(wrong, KV_QPA_PKEY_INDEX,
			      "no P_Key at pkey_index of this port");
	if (mask & KV_QPA_MAX_RD_ATOMIC &&
	    attr->max_rd_atomic > ib->attrs.max_qp_init_rd_atom)
		return refuse(wrong, KV_QPA_MAX_RD_ATOMIC,
			      "max_rd_atomic is above the device's max_qp_init_rd_atom");
	if (mask & KV_QPA_MAX_DEST_RD_ATOMIC &&
	    attr->max_dest_rd_atomic > ib->attrs.max_qp_rd_atom)
		return refuse(wrong, KV_QPA_MAX_DEST_RD_ATOMIC,
			      "max_dest_rd_atomic is above the device's max_qp_rd_atom");
	return 0;
}

/* Whose SQD is not yet complete leaves it only by ERR; some devices log the refusal. */
static int check_drained(const struct ib_qp_attr *now,
			 const struct kv_qp_modify *modify,
			 struct netlink_ext_ack *extack)
{
	if (now->qp_state != IB_QPS_SQD || !now->sq_draining ||
	    modify->to == KVERBS_QPS_ERR)
		return 0;
	NL_SET_ERR_MSG(extack, "the send queue is still draining: wait for sq_drained, or go to ERR");
	return -EBUSY;
}

/* What the QP was given holds until RESET, which forgets what was posted, too. */
static void note_modified(struct kv_qp *qp, const struct kv_qp_modify *modify)
{
	if (modify->mask & KV_QPA_PORT)
		qp->port = modify->attr.port_num;
	qp->given |= modify->mask;
	if (modify->to != KVERBS_QPS_RESET)
		return;
	qp->port = 1;
	qp->given = 0;
	qp->run_recvs = 0;
	qp->dirty = false;
	kv_obj_set_parent(&qp->obj, KV_QP_LOCAL_MR, NULL);
	kv_obj_set_parent(&qp->obj, KV_QP_TARGET_MR, NULL);
	kv_post_forget_qp(qp);
}

/* Some devices are in the new state before they find that they have no memory for it. */
static void explain_failure(struct kv_qp *qp, enum kverbs_qp_state from, int error,
			    struct netlink_ext_ack *extack)
{
	struct ib_qp_attr now;

	if (!kv_qp_query(qp, &now, NULL) && kv_qp_state(&now) != from)
		NL_SET_ERR_MSG(extack, "ib_modify_qp failed, and the device left the qp in another state: reset it");
	else if (error == -ENOMEM)
		NL_SET_ERR_MSG(extack, "ib_modify_qp failed: no memory");
	else
		NL_SET_ERR_MSG(extack, "ib_modify_qp failed: the device refuses this value of an attribute");
}

/**
 * kv_qp_modify() - take the QP through one transition
 * @qp: the QP
 * @modify: which, with what; receives what has defaults
 * @wrong: receives the attribute to blame, and why, if it is one
 * @extack: where the reason of any other refusal goes
 *
 * Context: may sleep until the destination has answered, or has not
 * Locks: dev->lock
 * Return: 0 or a negative errno; -EBUSY while a run is on the QP, or its send
 * queue is draining.
 */
int kv_qp_modify(struct kv_qp *qp, struct kv_qp_modify *modify,
		 struct kv_qp_step *wrong, struct netlink_ext_ack *extack)
{
	struct ib_qp_attr *attr = &modify->attr;
	enum kverbs_qp_state from;
	struct ib_qp_attr now;
	u64 start;
	int ret;

	ret = kv_qp_query(qp, &now, extack);
	if (ret)
		return ret;
	from = kv_qp_state(&now);
	if (from == KVERBS_QPS_RESET && modify->to == KVERBS_QPS_INIT) {
		if (!(modify->mask & KV_QPA_PORT))
			attr->port_num = 1;
		if (!(modify->mask & KV_QPA_PKEY_INDEX))
			attr->pkey_index = 0;
		modify->mask |= KV_QPA_PORT | KV_QPA_PKEY_INDEX;
	}
	ret = kv_qp_table_check(qp->type, from, modify->to, modify->mask, wrong) ?:
	      check_values(qp, from, modify, wrong) ?:
	      check_drained(&now, modify, extack) ?:
	      kv_qp_claim(qp, extack);
	if (ret)
		return ret;

	attr->qp_state = to_ib_state[modify->to];
	attr->cur_qp_state = to_ib_state[modify->cur_state];
	start = ktime_get_raw_ns();
	if (modify->mask & KV_QPA_AV && !modify->resolved)
		ret = kv_ah_resolve(qp->pd, &attr->ah_attr, extack);
	if (!ret) {
		ret = ib_modify_qp(qp->ib, attr, modify->mask | KV_QPA_STATE);
		if (ret)
			explain_failure(qp, from, ret, extack);
	}
	qp->obj.verb_ns = ktime_get_raw_ns() - start;
	if (!ret)
		note_modified(qp, modify);
	kv_qp_release(qp);
	return ret;
}

/**
 * kv_qp_fail() - bring the QP to ERR: what is posted is flushed, and its run ends
 * @qp: the QP; one in RESET stays there
 *
 * Locks: dev->lock
 */
void kv_qp_fail(struct kv_qp *qp)
{
	struct kv_qp_modify modify = { .to = KVERBS_QPS_ERR };

	if (kv_qp_query(qp, &modify.attr, NULL) ||
	    modify.attr.qp_state == IB_QPS_RESET || modify.attr.qp_state == IB_QPS_ERR)
		return;
	modify.attr.qp_state = IB_QPS_ERR;
	if (!ib_modify_qp(qp->ib, &modify.attr, IB_QP_STATE))
		note_modified(qp, &modify);
}

static int check_ran(const struct kv_cq *cq, const struct kv_qp *qp,
		     struct netlink_ext_ack *extack)
{
	const struct kv_qp *ran = cq->ran;

	if (!ran || ran == qp || !(ran->dirty || ran->run_recvs))
		return 0;
	NL_SET_ERR_MSG(extack, "requests of an earlier run on another qp could complete into the cq: reset that qp");
	return -EBUSY;
}

/**
 * kv_qp_check_leftovers() - can only what is posted on this QP complete into its CQs?
 * @qp: the QP, claimed or about to be: no run is active on its CQs
 * @extack: where the reason of a refusal goes
 *
 * A run takes whatever comes for its own; what is posted by hand counts on the room.
 *
 * Locks: dev->lock
 * Return: 0, or -EBUSY if another QP has requests of a run outstanding there.
 */
int kv_qp_check_leftovers(const struct kv_qp *qp, struct netlink_ext_ack *extack)
{
	lockdep_assert_held(&qp->obj.dev->lock);
	return check_ran(qp->send_cq, qp, extack) ?: check_ran(qp->recv_cq, qp, extack);
}

/**
 * kv_qp_claim() - become the only one who posts on the QP and polls its CQs
 * @qp: the QP
 * @extack: where the reason of a refusal goes
 *
 * Return: 0 or -EBUSY.
 */
int kv_qp_claim(struct kv_qp *qp, struct netlink_ext_ack *extack)
{
	if (!kv_cq_claim(qp->send_cq))
		goto busy;
	if (qp->recv_cq != qp->send_cq && !kv_cq_claim(qp->recv_cq)) {
		kv_cq_release(qp->send_cq);
		goto busy;
	}
	return 0;
busy:
	NL_SET_ERR_MSG(extack, "a run is active on the qp, or on another qp with the same cq: wait for it or cancel it");
	return -EBUSY;
}

/**
 * kv_qp_release() - let others have it
 * @qp: the QP, claimed by the caller
 */
void kv_qp_release(struct kv_qp *qp)
{
	if (qp->recv_cq != qp->send_cq)
		kv_cq_release(qp->recv_cq);
	kv_cq_release(qp->send_cq);
}

const struct kv_obj_ops kv_qp_ops = {
	.destroy = destroy_qp,
};
