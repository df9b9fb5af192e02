// SPDX-License-Identifier: GPL-2.0
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/netlink.h>
#include <rdma/ib_cache.h>
#include "cq.h"
#include "dev.h"
#include "pd.h"
#include "qp.h"

/* Registration is local work of the device; if it takes that long, it is lost. */
#define POST_AND_WAIT_MS 2000

/**
 * kv_qp_create() - create an RC queue pair
 * @pd: its protection domain
 * @send_cq: where sends complete, same device
 * @recv_cq: where receives complete, same device
 * @owner: whose it is
 * @max_send_wr: depth of the send queue, 1 .. max_qp_wr
 * @max_recv_wr: depth of the receive queue, 1 .. max_qp_wr
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: the QP, in RESET, owned by the id table, or ERR_PTR.
 */
struct kv_qp *kv_qp_create(struct kv_pd *pd, struct kv_cq *send_cq,
			   struct kv_cq *recv_cq, const struct kv_owner *owner,
			   u32 max_send_wr, u32 max_recv_wr,
			   struct netlink_ext_ack *extack)
{
	struct ib_qp_init_attr init = {
		.send_cq = send_cq->ib,
		.recv_cq = recv_cq->ib,
		.cap.max_send_wr = max_send_wr,
		.cap.max_recv_wr = max_recv_wr,
		.cap.max_send_sge = 1,
		.cap.max_recv_sge = 1,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
	};
	struct kv_dev *dev = pd->obj.dev;
	struct kv_qp *qp;
	u64 start;
	int ret;

	if (max_send_wr > dev->ib->attrs.max_qp_wr ||
	    max_recv_wr > dev->ib->attrs.max_qp_wr) {
		NL_SET_ERR_MSG(extack, "max_send_wr or max_recv_wr is above the device's max_qp_wr");
		return ERR_PTR(-EINVAL);
	}

	qp = kv_obj_alloc(KV_OBJ_QP, sizeof(*qp), dev, owner, extack);
	if (IS_ERR(qp))
		return qp;
	kv_obj_set_parent(&qp->obj, KV_QP_PD, &pd->obj);
	kv_obj_set_parent(&qp->obj, KV_QP_SEND_CQ, &send_cq->obj);
	kv_obj_set_parent(&qp->obj, KV_QP_RECV_CQ, &recv_cq->obj);
	qp->pd = pd;
	qp->send_cq = send_cq;
	qp->recv_cq = recv_cq;

	start = ktime_get_raw_ns();
	qp->ib = ib_create_qp(pd->ib, &init);
	qp->obj.verb_ns = ktime_get_raw_ns() - start;
	if (IS_ERR(qp->ib)) {
		ret = PTR_ERR(qp->ib);
		NL_SET_ERR_MSG(extack, "ib_create_qp failed");
		goto err_free;
	}
	qp->max_send_wr = init.cap.max_send_wr;
	qp->max_recv_wr = init.cap.max_recv_wr;

	ret = kv_obj_publish(&qp->obj, extack);
	if (ret)
		goto err_destroy_qp;
	return qp;

err_destroy_qp:
	ib_destroy_qp(qp->ib);
err_free:
	kv_obj_free(&qp->obj);
	return ERR_PTR(ret);
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
}

/**
 * kv_qp_query() - ask the device for the QP's attributes
 * @qp: the QP
 * @attr: where they go
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

	ret = ib_query_qp(qp->ib, attr, IB_QP_STATE | IB_QP_ACCESS_FLAGS |
			  IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN |
			  IB_QP_SQ_PSN, &init);
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
	/* A driver need not fill what it has not. */
	struct ib_qp_attr attr = {};
	int ret;

	ret = kv_qp_query(qp, &attr, extack);
	if (ret)
		return ret;
	switch (attr.qp_state) {
	case IB_QPS_RTS:
		return 0;
	case IB_QPS_RESET:
		NL_SET_ERR_MSG(extack, "the qp is in RESET: bring it to INIT, RTR and RTS first");
		break;
	case IB_QPS_INIT:
		NL_SET_ERR_MSG(extack, "the qp is in INIT: bring it to RTR and RTS first");
		break;
	case IB_QPS_RTR:
		NL_SET_ERR_MSG(extack, "the qp is in RTR: bring it to RTS first");
		break;
	case IB_QPS_ERR:
		NL_SET_ERR_MSG(extack, "the qp is in ERR: reset it and connect it anew");
		break;
	default:
		NL_SET_ERR_MSG(extack, "the qp is not in RTS");
	}
	return -EINVAL;
}

/* The way through the states that needs no more than we offer (IBTA 10.3.1). */
static int check_transition(enum ib_qp_state from, enum ib_qp_state to,
			    struct netlink_ext_ack *extack)
{
	if (to == IB_QPS_RESET || to == IB_QPS_ERR)
		return 0;
	if ((from == IB_QPS_RESET && to == IB_QPS_INIT) ||
	    (from == IB_QPS_INIT && to == IB_QPS_INIT) ||
	    (from == IB_QPS_INIT && to == IB_QPS_RTR) ||
	    (from == IB_QPS_RTR && to == IB_QPS_RTS) ||
	    (from == IB_QPS_RTS && to == IB_QPS_RTS))
		return 0;
	switch (from) {
	case IB_QPS_RESET:
		NL_SET_ERR_MSG(extack, "the qp is in RESET: its next state is INIT");
		break;
	case IB_QPS_INIT:
		NL_SET_ERR_MSG(extack, "the qp is in INIT: its next state is RTR");
		break;
	case IB_QPS_RTR:
		NL_SET_ERR_MSG(extack, "the qp is in RTR: its next state is RTS");
		break;
	case IB_QPS_ERR:
		NL_SET_ERR_MSG(extack, "the qp is in ERR: its next state is RESET");
		break;
	default:
		NL_SET_ERR_MSG(extack, "no such transition: from here the qp goes to ERR or RESET");
	}
	return -EINVAL;
}

/*
 * On RoCE a destination is a MAC address too, and ib_modify_qp() of the kernel
 * does not look it up: RTR would succeed, and packets vanish. Making an address
 * handle fills it in.
 */
static int resolve_ah(struct kv_qp *qp, struct rdma_ah_attr *ah_attr,
		      struct netlink_ext_ack *extack)
{
	const struct ib_gid_attr *sgid;
	struct ib_ah *ah;

	sgid = rdma_get_gid_attr(qp->ib->device, rdma_ah_get_port_num(ah_attr),
				 rdma_ah_read_grh(ah_attr)->sgid_index);
	if (IS_ERR(sgid)) {
		NL_SET_ERR_MSG(extack, "no GID at sgid_index of this port");
		return -EINVAL;
	}
	rdma_put_gid_attr(sgid);

	if (ah_attr->type != RDMA_AH_ATTR_TYPE_ROCE)
		return 0;
	ah = rdma_create_user_ah(qp->pd->ib, ah_attr, NULL);
	if (IS_ERR(ah)) {
		NL_SET_ERR_MSG(extack, "the destination's MAC address can't be resolved: check dgid and the route");
		return PTR_ERR(ah);
	}
	rdma_destroy_ah(ah, 0);
	return 0;
}

/**
 * kv_qp_modify() - take the QP through one transition
 * @qp: the QP
 * @modify: which, with what
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno; -EBUSY while a run is on the QP.
 */
int kv_qp_modify(struct kv_qp *qp, struct kv_qp_modify *modify,
		 struct netlink_ext_ack *extack)
{
	struct ib_qp_attr *attr = &modify->attr;
	struct ib_qp_attr now = {};
	u64 start;
	int ret;

	ret = kv_qp_query(qp, &now, extack);
	if (ret)
		return ret;
	ret = check_transition(now.qp_state, attr->qp_state, extack);
	if (ret)
		return ret;
	ret = kv_qp_claim(qp, extack);
	if (ret)
		return ret;

	start = ktime_get_raw_ns();
	if (modify->mask & IB_QP_AV)
		ret = resolve_ah(qp, &attr->ah_attr, extack);
	if (!ret) {
		ret = ib_modify_qp(qp->ib, attr, modify->mask);
		if (ret)
			NL_SET_ERR_MSG(extack, "ib_modify_qp failed: the device refuses this value of an attribute");
	}
	qp->obj.verb_ns = ktime_get_raw_ns() - start;

	if (!ret && attr->qp_state == IB_QPS_RESET) {
		struct ib_wc wc;

		/* RESET forgets what was posted; its completions go too. */
		while (ib_poll_cq(qp->send_cq->ib, 1, &wc) > 0 ||
		       ib_poll_cq(qp->recv_cq->ib, 1, &wc) > 0)
			;
		qp->recvs = 0;
		qp->dirty = false;
		kv_obj_set_parent(&qp->obj, KV_QP_LOCAL_MR, NULL);
		kv_obj_set_parent(&qp->obj, KV_QP_TARGET_MR, NULL);
	}
	kv_qp_release(qp);
	return ret;
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

/**
 * kv_qp_post_and_wait() - post one request of local work, take its completion
 * @qp: the QP
 * @wr: the request, signaled; its wr_id is set here
 * @extack: where the reason of a refusal goes
 *
 * Context: may sleep, for 2 s at most
 * Locks: dev->lock
 * Return: 0 or a negative errno; -EIO for a bad completion.
 */
int kv_qp_post_and_wait(struct kv_qp *qp, struct ib_send_wr *wr,
			struct netlink_ext_ack *extack)
{
	unsigned long deadline;
	struct ib_wc wc;
	int ret;

	lockdep_assert_held(&qp->obj.dev->lock);
	ret = kv_qp_check_rts(qp, extack);
	if (ret)
		return ret;
	ret = kv_qp_claim(qp, extack);
	if (ret)
		return ret;

	wr->wr_id = ++qp->wr_id;
	/* As the runs do: what the post schedules runs before it returns. */
	local_bh_disable();
	ret = ib_post_send(qp->ib, wr, NULL);
	local_bh_enable();
	if (ret) {
		NL_SET_ERR_MSG(extack, "ib_post_send failed");
		goto release;
	}

	deadline = jiffies + msecs_to_jiffies(POST_AND_WAIT_MS);
	while (ib_poll_cq(qp->send_cq->ib, 1, &wc) < 1 || wc.wr_id != wr->wr_id) {
		if (time_after(jiffies, deadline)) {
			NL_SET_ERR_MSG(extack, "no completion within 2 s: reset the qp and connect it anew");
			/* It may still come, and must not be taken for a run's. */
			qp->dirty = true;
			ret = -ETIMEDOUT;
			goto release;
		}
		usleep_range(1, 10);
	}
	if (wc.status != IB_WC_SUCCESS) {
		NL_SET_ERR_MSG(extack, "the device completed the request with an error; the qp is in ERR now");
		ret = -EIO;
	}
release:
	kv_qp_release(qp);
	return ret;
}

const struct kv_obj_ops kv_qp_ops = {
	.destroy = destroy_qp,
};
