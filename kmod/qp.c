// SPDX-License-Identifier: GPL-2.0
#include <rdma/ib_cache.h>
#include "ah.h"
#include "cq.h"
#include "dev.h"
#include "event.h"
#include "mr.h"
#include "pd.h"
#include "qp.h"
#include "rules/queue.h"
#include "rules/request.h"
#include "refuse.h"
#include "srq.h"

static_assert(KVERBS_MIG_MIGRATED == (int)IB_MIG_MIGRATED);
static_assert(KVERBS_MIG_REARM == (int)IB_MIG_REARM);
static_assert(KVERBS_MIG_ARMED == (int)IB_MIG_ARMED);

static_assert(KVERBS_ACCESS_LOCAL_WRITE == IB_ACCESS_LOCAL_WRITE);
static_assert(KVERBS_ACCESS_REMOTE_WRITE == IB_ACCESS_REMOTE_WRITE);
static_assert(KVERBS_ACCESS_REMOTE_READ == IB_ACCESS_REMOTE_READ);
static_assert(KVERBS_ACCESS_REMOTE_ATOMIC == IB_ACCESS_REMOTE_ATOMIC);

/* The states have the numbers of the verbs. */
static_assert(KVERBS_QPS_RESET == (int)IB_QPS_RESET);
static_assert(KVERBS_QPS_INIT == (int)IB_QPS_INIT);
static_assert(KVERBS_QPS_RTR == (int)IB_QPS_RTR);
static_assert(KVERBS_QPS_RTS == (int)IB_QPS_RTS);
static_assert(KVERBS_QPS_SQD == (int)IB_QPS_SQD);
static_assert(KVERBS_QPS_SQE == (int)IB_QPS_SQE);
static_assert(KVERBS_QPS_ERR == (int)IB_QPS_ERR);

static const enum ib_qp_type to_ib_type[] = {
	[KVERBS_QPT_RC] = IB_QPT_RC,
	[KVERBS_QPT_UC] = IB_QPT_UC,
	[KVERBS_QPT_UD] = IB_QPT_UD,
};

/**
 * kv_qp_state() - the state that a QP is in
 * @qp: the QP
 * @attr: the attributes from kv_qp_query()
 *
 * A device may take the QP to ERR, SQE or SQD by itself, and iWARP's CM may take it to RTS: for
 * these states the query is used. For earlier states iWARP drivers are not reliable: cxgb4 and
 * siw report INIT for a new QP (c4iw_ib_query_qp(), siw_query_qp()), and siw of 6.1 sets no
 * state, which then reads as RESET.
 *
 * Return: the state.
 */
enum kverbs_qp_state kv_qp_state(const struct kv_qp *qp, const struct ib_qp_attr *attr)
{
	/* ERR for an unknown state. */
	enum kverbs_qp_state told = min_t(u32, attr->qp_state, KVERBS_QPS_ERR);

	if (kv_dev_iwarp(qp->obj.dev) && told < KVERBS_QPS_RTS)
		return qp->state;
	return told;
}

/*
 * Handles the QP's events. Drivers call it with their locks held (flush_recv_queue(),
 * siw_qp_event(), __flush_qp()): so it calls no verb. No event comes after ib_destroy_qp().
 */
static void qp_tell_async(struct ib_event *event, void *context)
{
	struct kv_qp *qp = container_of(context, struct kv_qp, obj);

	if (event->event == IB_EVENT_QP_LAST_WQE_REACHED) {
		/* Pairs with the acquire of kv_cq_wait(). */
		smp_store_release(&qp->drain.last_wqe, true);
	}
	if (event->event == IB_EVENT_COMM_EST) {
		guard(spinlock_irqsave)(&qp->obj.dev->wqes.lock);
		if (qp->established)
			qp->established(qp->user);
	}
	kv_event_async(event, context);
}

/*
 * The device returns the limits that it has set: mlx5, bnxt_re and irdma raise them, siw does
 * not change them. siw and cxgb4 refuse UC and UD.
 */
static struct ib_qp *qp_create_ib(struct kv_qp *qp, struct ib_qp_cap *cap)
{
	struct ib_qp_init_attr init = {
		.event_handler = qp_tell_async,
		.qp_context = &qp->obj,
		.send_cq = qp->send_cq->ib,
		.recv_cq = qp->recv_cq->ib,
		.srq = qp->srq ? qp->srq->ib : NULL,
		.cap = *cap,
		.sq_sig_type = qp->sq_sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR,
		.qp_type = to_ib_type[qp->type],
	};
	struct ib_qp *ib;

	ib = ib_create_qp(qp->pd->ib, &init);
	if (!IS_ERR(ib))
		*cap = init.cap;
	return ib;
}

static u64 qp_queue_bytes(const struct kv_qp_init *init)
{
	const struct ib_qp_cap *cap = &init->cap;

	return kv_queue_sq_bytes(cap->max_send_wr, cap->max_send_sge, cap->max_inline_data) +
	       kv_queue_rq_bytes(cap->max_recv_wr, cap->max_recv_sge);
}

static const char *qp_explain_create(int error, const struct ib_qp_cap *cap)
{
	if (error == -ENOMEM)
		return "ib_create_qp failed: no memory for queues of this depth";
	if (error == -EINVAL && cap->max_inline_data)
		return "ib_create_qp failed: max_inline may be more than the device takes";
	return "ib_create_qp failed";
}

/**
 * kv_qp_create() - create a queue pair
 * @new: its protection domain and its owner
 * @init: its attributes
 *
 * Locks: dev->lock
 * Return: the QP, in RESET, owned by the id table, or ERR_PTR.
 */
struct kv_obj *kv_qp_create(const struct kv_new *new, const struct kv_qp_init *init)
{
	struct kv_qp *qp = kv_obj_alloc(&kv_qp_class, sizeof(*qp), new);
	unsigned int i;
	int ret;

	if (IS_ERR(qp))
		return ERR_CAST(qp);
	qp->pd = new->pd;
	qp->init = *init;
	qp->port = 1;
	for (i = 0; i < ARRAY_SIZE(qp->last_run); i++) {
		INIT_LIST_HEAD(&qp->last_run[i].link);
		qp->last_run[i].qp = qp;
	}
	kv_obj_set_parent(&qp->obj, KV_QP_SEND_CQ, &qp->send_cq->obj);
	kv_obj_set_parent(&qp->obj, KV_QP_RECV_CQ, &qp->recv_cq->obj);
	if (qp->srq)
		kv_obj_set_parent(&qp->obj, KV_QP_SRQ, &qp->srq->obj);
	ret = kv_obj_charge(&qp->obj, qp_queue_bytes(init), new->extack);
	if (ret)
		return kv_obj_give_up(&qp->obj, ret);

	kv_obj_time(&qp->obj, CREATE, qp->ib = qp_create_ib(qp, &qp->cap));
	ret = PTR_ERR_OR_ZERO(qp->ib);
	if (ret)
		return kv_obj_made(&qp->obj, ret, qp_explain_create(ret, &init->cap), new->extack);
	if (qp->srq) {
		qp->cap.max_recv_wr = 0;
		qp->cap.max_recv_sge = 0;
	}
	ret = kv_wqe_init_qp(qp);
	if (ret)
		ib_destroy_qp(qp->ib);
	return kv_obj_made(&qp->obj, ret, "no memory for the requests of the qp", new->extack);
}

/*
 * Replaces a verbs object that can't leave ERR by a new one in RESET, with a new QPN. iWARP QPs
 * have no way back (siw_qp_modify(), c4iw_modify_qp(), irdma_modify_qp()). irdma's RoCE QPs
 * report that they are in RESET, but refuse INIT (irdma_modify_qp_roce()).
 */
static int qp_renew_ib(struct kv_qp *qp)
{
	struct ib_qp_cap cap = qp->cap;
	struct ib_qp *old = qp->ib, *fresh;
	int ret;

	fresh = qp_create_ib(qp, &cap);
	if (IS_ERR(fresh))
		return PTR_ERR(fresh);
	ret = kv_wqe_add_taker(qp, fresh);
	if (ret)
		goto err_destroy_fresh;
	ret = ib_destroy_qp(old);
	if (ret)
		goto err_del_taker;
	kv_wqe_del_taker(qp, old);
	qp->ib = fresh;
	return 0;

err_del_taker:
	kv_wqe_del_taker(qp, fresh);
err_destroy_fresh:
	ib_destroy_qp(fresh);
	return ret;
}

/*
 * The QP goes to ERR at once: so when many QPs go, no QP waits until the requests of another
 * one are flushed.
 */
static void qp_stop(struct kv_obj *obj, int reason)
{
	kv_drain_begin(container_of(obj, struct kv_qp, obj));
}

/*
 * A run on another QP may have claimed the QP's CQs; then this QP has no request outstanding
 * there.
 */
static int qp_drain_claimed(struct kv_qp *qp)
{
	bool send = kv_cq_claim(qp->send_cq);
	bool recv = qp->recv_cq != qp->send_cq && kv_cq_claim(qp->recv_cq);
	int ret;

	ret = kv_drain_qp(qp);
	if (recv)
		kv_cq_release(qp->recv_cq);
	if (send)
		kv_cq_release(qp->send_cq);
	return ret;
}

/*
 * mlx5, bnxt_re and irdma return a firmware's error from here, and the verbs object stays
 * (mlx5_ib_destroy_qp(), bnxt_re_destroy_qp(), irdma_destroy_qp()): so the kv_qp stays, drained.
 */
static int qp_destroy(struct kv_obj *obj)
{
	struct kv_qp *qp = container_of(obj, struct kv_qp, obj);
	bool drained = !qp_drain_claimed(qp);
	int ret;

	kv_obj_time(obj, DESTROY, ret = kv_group_detach_all(qp) ?: ib_destroy_qp(qp->ib));
	if (ret)
		return ret;
	if (!drained) {
		pr_warn_once("kverbs: a device does not complete all requests of a QP in ERR\n");
		if (qp->srq)
			qp->srq->undrained = true;
	}
	kv_wqe_exit_qp(qp);
	list_del(&qp->last_run[0].link);
	list_del(&qp->last_run[1].link);
	kv_wqe_drop_qp(qp, drained);
	kv_mr_leave_run(qp);
	return 0;
}

/**
 * kv_qp_query() - ask the device for the QP's attributes
 * @qp: the QP
 * @attr: receives them; 0 where a driver sets nothing
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno.
 */
int kv_qp_query(struct kv_qp *qp, struct ib_qp_attr *attr, struct netlink_ext_ack *extack)
{
	struct ib_qp_init_attr init;
	int ret;

	/* siw, cxgb4 and bnxt_re set only some attributes. */
	memset(attr, 0, sizeof(*attr));
	ret = ib_query_qp(qp->ib, attr, IB_QP_ATTR_STANDARD_BITS & ~IB_QP_CAP, &init);
	return ret ? kv_verb_failed(extack, KVERBS_STAGE_QUERY, ret, "ib_query_qp failed") : 0;
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
	struct kv_refusal why;
	struct ib_qp_attr attr;
	int ret;

	ret = kv_qp_query(qp, &attr, extack);
	if (ret)
		return ret;
	return kv_request_check_rts(kv_qp_state(qp, &attr), &why) ? kv_refuse_by(extack, &why) : 0;
}

static bool qp_lacks_pkey(struct ib_device *ib, u32 port, u16 index)
{
	u16 pkey;

	return rdma_ib_or_roce(ib, port) && ib_get_cached_pkey(ib, port, index, &pkey);
}

/* Checks the values that the table can't: they depend on the device. */
static int qp_check_values(const struct kv_qp *qp, enum kverbs_qp_state from,
			   const struct kv_qp_modify *modify, struct kv_refusal *wrong)
{
	const struct ib_qp_attr *attr = &modify->attr;
	struct ib_device *ib = qp->ib->device;
	u32 mask = modify->mask;
	u32 port = mask & KV_QPA_PORT ? attr->port_num : qp->port;

	if (mask & KV_QPA_CUR_STATE && (u32)attr->cur_qp_state != from)
		return kv_refusal_set_attr(wrong, -EINVAL, KV_QPA_CUR_STATE,
					   "cur_state is not the state that the qp is in");
	if (mask & KV_QPA_PKEY_INDEX && qp_lacks_pkey(ib, port, attr->pkey_index))
		return kv_refusal_set_attr(wrong, -EINVAL, KV_QPA_PKEY_INDEX,
					   "no P_Key at pkey_index of this port");
	/* mlx5_set_path() hands it on unchecked; __mlx4_ib_modify_qp() refuses it, by -EINVAL. */
	if (mask & KV_QPA_ALT_PATH && qp_lacks_pkey(ib, attr->alt_port_num, attr->alt_pkey_index))
		return kv_refusal_set_attr(wrong, -EINVAL, KV_QPA_ALT_PATH,
					   "no P_Key at alt_pkey_index of alt_port");
	if (mask & KV_QPA_MAX_QP_RD_ATOMIC && attr->max_rd_atomic > ib->attrs.max_qp_init_rd_atom)
		return kv_refusal_set_attr(wrong, -EINVAL, KV_QPA_MAX_QP_RD_ATOMIC,
					   "max_rd_atomic is above the device's max_qp_init_rd_atom");
	if (mask & KV_QPA_MAX_DEST_RD_ATOMIC && attr->max_dest_rd_atomic > ib->attrs.max_qp_rd_atom)
		return kv_refusal_set_attr(wrong, -EINVAL, KV_QPA_MAX_DEST_RD_ATOMIC,
					   "max_dest_rd_atomic is above the device's max_qp_rd_atom");
	return 0;
}

/* A QP whose send queue still drains can leave SQD only for ERR; some devices log a refusal. */
static int qp_check_drained(const struct ib_qp_attr *now, const struct kv_qp_modify *modify,
			    struct netlink_ext_ack *extack)
{
	if (now->qp_state != IB_QPS_SQD || !now->sq_draining || modify->to == KVERBS_QPS_ERR)
		return 0;
	return kv_refuse(extack, -EBUSY,
			 "the send queue is still draining: wait for sq_drained, or go to ERR");
}

/* The QP's attributes are valid until RESET. */
static void qp_note_modified(struct kv_qp *qp, const struct kv_qp_modify *modify)
{
	unsigned int slot;

	if (modify->mask & KV_QPA_PORT)
		qp->port = modify->attr.port_num;
	qp->given |= modify->mask;
	kv_qp_set_state(qp, modify->to);
	if (modify->to != KVERBS_QPS_RESET)
		return;
	qp->was_reset = true;
	qp->port = 1;
	qp->given = 0;
	qp->drain.last_wqe = false;
	qp->credit = (struct kv_credit){};
	kv_mr_leave_run(qp);
	for (slot = KV_QP_LOCAL_BUF; slot <= KV_QP_AH; slot++)
		kv_obj_set_parent(&qp->obj, slot, NULL);
}

/* Some devices change the QP's state before they find that they have no memory for it. */
static void qp_explain_failure(struct kv_qp *qp, enum kverbs_qp_state from, int error,
			       struct netlink_ext_ack *extack)
{
	const char *text = "ib_modify_qp failed: the device refuses this value of an attribute";
	struct ib_qp_attr now;
	bool moved = false;

	if (!kv_qp_query(qp, &now, NULL) && kv_qp_state(qp, &now) != from) {
		kv_qp_set_state(qp, kv_qp_state(qp, &now));
		moved = true;
	}
	if (!extack || extack->_msg)
		return;
	if (moved)
		text = "ib_modify_qp failed, and the device left the qp in another state: reset it";
	else if (error == -ENOMEM)
		text = "ib_modify_qp failed: no memory";
	kv_verb_failed(extack, KVERBS_STAGE_MODIFY, error, text);
}

/* Before RESET: posted requests complete first, and their completions are dropped. */
static int qp_drain(struct kv_qp *qp, struct netlink_ext_ack *extack)
{
	int ret;

	kv_obj_time(&qp->obj, DRAIN, ret = kv_drain_qp(qp));
	if (ret)
		return kv_verb_failed(extack, KVERBS_STAGE_DRAIN, ret,
				      "the device does not complete the requests that are posted on the qp: it stays in ERR; try again, or delete it");
	kv_wqe_drop_qp(qp, true);
	return 0;
}

static int qp_modify_ib(struct kv_qp *qp, struct kv_qp_modify *modify,
			struct netlink_ext_ack *extack)
{
	int mask = modify->mask | KV_QPA_STATE;
	struct ib_qp_attr *attr = &modify->attr;
	int ret = 0, renewed = -EINVAL;

	if (modify->to == KVERBS_QPS_RESET && qp->groups.count)
		kv_obj_time(&qp->obj, MODIFY, ret = kv_group_detach_all(qp));
	if (ret)
		return kv_verb_failed(extack, KVERBS_STAGE_MODIFY, ret, "ib_detach_mcast failed");
	if (modify->to == KVERBS_QPS_RESET && kv_dev_iwarp(qp->obj.dev)) {
		if (qp->state != KVERBS_QPS_RESET)
			kv_obj_time(&qp->obj, MODIFY, ret = qp_renew_ib(qp));
		return ret;
	}
	if (modify->mask & KV_QPA_AV && !modify->resolved)
		kv_obj_time(&qp->obj, RESOLVE, ret = kv_ah_resolve(qp->pd, &attr->ah_attr, extack));
	if (ret)
		return ret;
	kv_obj_time(&qp->obj, MODIFY, ret = ib_modify_qp(qp->ib, attr, mask));
	/* A QP that was in ERR may be unable to leave RESET. */
	if (ret && modify->to == KVERBS_QPS_INIT && qp->was_reset)
		kv_obj_time(&qp->obj, MODIFY, renewed = qp_renew_ib(qp));
	if (!renewed) {
		qp->was_reset = false;
		kv_obj_time(&qp->obj, MODIFY, ret = ib_modify_qp(qp->ib, attr, mask));
	}
	return ret;
}

/**
 * kv_qp_modify() - take the QP through one transition
 * @qp: the QP
 * @modify: the transition and its attributes; receives the defaults
 * @wrong: receives a refusal because of an attribute, as that of kv_qp_table_check()
 * @extack: where the reason of any other refusal goes
 *
 * Before RESET a QP that is not in RESET goes to ERR, and its requests complete. After RESET
 * it may have another QPN: if the device can't take a QP back to RESET, a new verbs object
 * replaces the old one.
 *
 * Context: may sleep until address resolution ends, with or without an answer
 * Locks: dev->lock
 * Return: 0 or a negative errno; -EBUSY while a run is on the QP, or its send
 * queue is draining; -ETIMEDOUT if requests do not complete.
 */
int kv_qp_modify(struct kv_qp *qp, struct kv_qp_modify *modify,
		 struct kv_refusal *wrong, struct netlink_ext_ack *extack)
{
	struct ib_qp_attr *attr = &modify->attr;
	enum kverbs_qp_state from;
	struct ib_qp_attr now;
	int ret;

	ret = kv_qp_query(qp, &now, extack);
	if (ret)
		return ret;
	from = kv_qp_state(qp, &now);
	if (from == KVERBS_QPS_RESET && modify->to == KVERBS_QPS_INIT) {
		if (!(modify->mask & KV_QPA_PORT))
			attr->port_num = 1;
		if (!(modify->mask & KV_QPA_PKEY_INDEX))
			attr->pkey_index = 0;
		modify->mask |= KV_QPA_PORT | KV_QPA_PKEY_INDEX;
	}
	ret = kv_qp_table_check(qp->type, from, modify->to, modify->mask, wrong) ?:
	      qp_check_values(qp, from, modify, wrong) ?:
	      qp_check_drained(&now, modify, extack) ?:
	      kv_qp_claim(qp, extack);
	if (ret)
		return ret;

	attr->qp_state = (enum ib_qp_state)modify->to;
	if (modify->to == KVERBS_QPS_RESET)
		ret = qp_drain(qp, extack);
	if (!ret)
		ret = qp_modify_ib(qp, modify, extack);
	if (!ret)
		qp_note_modified(qp, modify);
	else
		qp_explain_failure(qp, from, ret, extack);
	kv_qp_release(qp);
	return ret;
}

/* May requests of runs be outstanding on the QP? */
static bool qp_has_left(const struct kv_qp *qp)
{
	return qp->needs_reset || qp->run_recvs ||
	       (qp->srq && qp->received && qp->srq->run_recvs);
}

/* The QPs of one run may have the CQ in common. */
static int qp_check_last_run(const struct kv_cq *cq, const struct kv_qp *qp,
			     struct netlink_ext_ack *extack)
{
	const struct kv_last_run_qp *last;

	list_for_each_entry(last, &cq->last_run, link)
		if (last->qp != qp && !(qp->in_spec && last->qp->in_spec) && qp_has_left(last->qp))
			return kv_refuse(extack, -EBUSY,
					 "requests of an earlier run on another qp could complete into the cq: reset that qp");
	return 0;
}

/**
 * kv_qp_check_outstanding() - can only requests of this QP complete into its CQs?
 * @qp: the QP, claimed or about to be: no run is active on its CQs
 * @extack: where the reason of a refusal goes
 *
 * A run takes each completion for its own; requests posted by hand rely on free entries.
 *
 * Locks: dev->lock
 * Return: 0, or -EBUSY if another QP, one that the same spec does not name, has requests of a run
 * outstanding there.
 */
int kv_qp_check_outstanding(const struct kv_qp *qp, struct netlink_ext_ack *extack)
{
	lockdep_assert_held(&qp->obj.dev->lock);
	return qp_check_last_run(qp->send_cq, qp, extack) ?:
	       qp_check_last_run(qp->recv_cq, qp, extack);
}

static void qp_note_last_run(struct kv_cq *cq, struct kv_last_run_qp *last, bool first)
{
	struct kv_last_run_qp *before, *next;

	if (first)
		list_for_each_entry_safe(before, next, &cq->last_run, link)
			list_del_init(&before->link);
	list_move_tail(&last->link, &cq->last_run);
}

/**
 * kv_qp_note_run() - a run begins on the QP
 * @qp: the QP; kv_qp_check_outstanding() was good
 * @first: of the run's QPs that have these CQs in common, this one is noted first
 *
 * Locks: dev->lock
 */
void kv_qp_note_run(struct kv_qp *qp, bool first)
{
	lockdep_assert_held(&qp->obj.dev->lock);
	qp_note_last_run(qp->send_cq, &qp->last_run[0], first);
	if (qp->recv_cq != qp->send_cq)
		qp_note_last_run(qp->recv_cq, &qp->last_run[1], first);
}

/**
 * kv_qp_set_user() - a connection begins or ends its use of the QP
 * @qp: the QP
 * @established: called when the device reports that the peer's first message came before
 *	the CM's last one (IB_EVENT_COMM_EST), in any context, with a spinlock held; or NULL
 * @user: its argument
 *
 * Locks: dev->lock
 */
void kv_qp_set_user(struct kv_qp *qp, void (*established)(void *user), void *user)
{
	lockdep_assert_held(&qp->obj.dev->lock);
	guard(spinlock_irq)(&qp->obj.dev->wqes.lock);
	qp->established = established;
	qp->user = user;
}

/**
 * kv_qp_claim() - become the only user that posts on the QP and polls its CQs
 * @qp: the QP
 * @extack: where the reason of a refusal goes
 *
 * Return: 0 or -EBUSY.
 */
int kv_qp_claim(struct kv_qp *qp, struct netlink_ext_ack *extack)
{
	bool send = kv_cq_claim(qp->send_cq);

	if (send && (qp->recv_cq == qp->send_cq || kv_cq_claim(qp->recv_cq)))
		return 0;
	if (send)
		kv_cq_release(qp->send_cq);
	return kv_refuse(extack, -EBUSY,
			 "a run is active on the qp, or on another qp with the same cq: wait for it or cancel it");
}

/**
 * kv_qp_release() - let others claim the QP
 * @qp: the QP, claimed by the caller
 */
void kv_qp_release(struct kv_qp *qp)
{
	if (qp->recv_cq != qp->send_cq)
		kv_cq_release(qp->recv_cq);
	kv_cq_release(qp->send_cq);
}

struct kv_obj_class kv_qp_class = {
	KV_OBJ_CLASS(qp, KV_OBJ_QP, "a", "delete"),
	.stop = qp_stop,
	.destroy = qp_destroy,
};
