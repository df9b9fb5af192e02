// SPDX-License-Identifier: GPL-2.0
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>
#include "ah.h"
#include "cq.h"
#include "dev.h"
#include "drain.h"
#include "qp.h"
#include "srq.h"
#include "wqe.h"

/*
 * A QP is drained before RESET and before its destruction: it goes to ERR, a marker is
 * posted to each queue that has requests outstanding, and completions are taken until
 * the markers come. Then nothing is outstanding: no CQ holds a completion of this QP,
 * and none will come.
 *
 * Without a drain, mlx5, bnxt_re and irdma take the QP's completions out of its CQs inside
 * ib_modify_qp(RESET) and ib_destroy_qp() (mlx5_ib_cq_clean(), bnxt_qplib_clean_qp(),
 * irdma_clean_cqes()): a wait for such a completion never ends. siw does nothing at RESET
 * (siw_qp_nextstate_from_idle()). It flushes receives inside ib_destroy_qp()
 * (siw_rq_flush()), and so writes to memory that is already freed.
 *
 * ib_drain_qp() does the same, but waits without bound, can't drain a UD QP (its marker
 * is a WRITE), and needs CQs that the RDMA core made.
 */

/* Requests that a device does not complete in this time are lost. */
#define DRAIN_MS 2000

/*
 * After a drain that failed, the device's next drains get less time: many QPs of a broken
 * device may have to go.
 */
#define DISTRUST_MS 50

/* Time for a device to report that a QP takes no more from its SRQ; some never report it. */
#define LAST_WQE_MS 100

static void drain_complete_marker(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kv_marker *marker = container_of(wc->wr_cqe, struct kv_marker, cqe);

	/* Pairs with the acquire of kv_cq_wait(). */
	smp_store_release(&marker->done, true);
}

/* The AH of a run, which the QP keeps until RESET. */
static struct kv_ah *drain_run_ah(const struct kv_qp *qp)
{
	struct kv_obj *obj = qp->obj.parents[KV_QP_AH];

	return obj ? container_of(obj, struct kv_ah, obj) : NULL;
}

/*
 * A UD QP's marker needs an AH, too. This is the AH of the last run, or of a send that is
 * outstanding, or has just completed: under dev->lock a send keeps its AH until CQ_POLL has
 * returned its completion.
 */
static struct kv_ah *drain_find_ah(struct kv_qp *qp)
{
	const struct kv_wq *sq = &qp->wqes.sq;
	struct kv_ah *ah = drain_run_ah(qp);
	const struct kv_wqe *last;

	if (ah)
		return ah;
	guard(spinlock_irq)(&qp->obj.dev->wqes.lock);
	last = list_last_entry(list_empty(&sq->posted) ? &sq->done : &sq->posted,
			       struct kv_wqe, link);
	return container_of(last->ref[last->refs - 1], struct kv_ah, obj);
}

/*
 * Like __ib_drain_sq() this posts an RDMA WRITE of no bytes. In ERR no device sends it:
 * rxe (rxe_requester()), siw (siw_sq_flush_wr()), irdma (irdma_sched_qp_flush_work()),
 * cxgb4 (complete_sq_drain_wr()), mlx5 and bnxt_re complete it with a flush error, after
 * the requests that were posted before.
 */
static int drain_post_sq(struct kv_qp *qp)
{
	union {
		struct ib_send_wr wr;
		struct ib_rdma_wr rdma;
		struct ib_ud_wr ud;
	} send = {};

	send.wr.wr_cqe = &qp->drain.sq.cqe;
	send.wr.send_flags = IB_SEND_SIGNALED;
	send.wr.opcode = IB_WR_RDMA_WRITE;
	if (qp->type == KVERBS_QPT_UD) {
		send.wr.opcode = IB_WR_SEND;
		send.ud.ah = drain_find_ah(qp)->ib;
		send.ud.remote_qpn = 1;
	}
	return ib_post_send(qp->ib, &send.wr, NULL);
}

static int drain_post_rq(struct kv_qp *qp)
{
	struct ib_recv_wr recv = { .wr_cqe = &qp->drain.rq.cqe };

	return ib_post_recv(qp->ib, &recv, NULL);
}

static unsigned int drain_patience(const struct kv_qp *qp)
{
	return qp->obj.dev->wqes.undrained ? DISTRUST_MS : DRAIN_MS;
}

/* A full queue has room again once the completion of a flushed request has been taken. */
static int drain_post_marker(struct kv_qp *qp, struct kv_marker *marker, struct kv_cq *cq,
			     int (*post)(struct kv_qp *qp))
{
	unsigned long deadline = jiffies + msecs_to_jiffies(drain_patience(qp));
	int ret;

	/* The marker of a drain that failed is still there. */
	if (marker->posted && !smp_load_acquire(&marker->done))
		return 0;
	marker->cqe.done = drain_complete_marker;
	marker->posted = true;
	marker->done = false;
	for (;;) {
		ret = post(qp);
		/* -EINVAL: a full receive queue of bnxt_re (bnxt_qplib_post_recv()). */
		if ((ret != -ENOMEM && ret != -EINVAL) || time_after(jiffies, deadline))
			break;
		if (kv_cq_core_polls(cq) || kv_cq_poll(cq, UINT_MAX, NULL) <= 0)
			usleep_range(1, 10);
	}
	marker->posted = !ret;
	return ret;
}

/*
 * The QP takes no more from its SRQ: the completions of the receives that it took are in its
 * CQ, or on their way to complete_wqe(). __ib_drain_srq() of 6.12 does the same, but needs
 * IB_POLL_DIRECT for the last part.
 */
static void drain_srq(struct kv_qp *qp)
{
	struct kv_cq *cq = qp->recv_cq;

	/* rxe of 6.1 does not report it. */
	kv_cq_wait(cq, &qp->drain.last_wqe, LAST_WQE_MS, NULL);
	if (!kv_cq_core_polls(cq)) {
		while (kv_cq_poll(cq, UINT_MAX, NULL) > 0)
			;
		return;
	}
	while (ib_process_cq_direct(cq->ib, cq->cqe) > 0)
		;
	/* Another CPU may be handling some completions, in a work item or a softirq. */
	if (cq->context == KVERBS_CQ_SOFTIRQ)
		synchronize_rcu();
	else
		flush_work(&cq->ib->work);
}

/*
 * Requests of runs have no kv_wqe: needs_reset and run_recvs of the QP stand for them. A run on a
 * UD QP without an AH has sent nothing.
 */
static bool drain_sq_idle(const struct kv_qp *qp)
{
	return kv_wq_idle(&qp->wqes.sq) &&
	       (!qp->needs_reset || (qp->type == KVERBS_QPT_UD && !drain_run_ah(qp)));
}

static bool drain_rq_idle(const struct kv_qp *qp)
{
	return kv_wq_idle(&qp->wqes.rq) && !qp->run_recvs;
}

/**
 * kv_drain_begin() - bring a QP to ERR: its requests are flushed, and its run ends
 * @qp: the QP; one in RESET stays there
 *
 * Most of the time of a drain is the device's. QPs are drained one after the other, but if
 * this is called for all of them first, the device flushes all of them at once (irdma
 * flushes 20 ms later, irdma_sched_qp_flush_work()).
 *
 * Locks: dev->lock
 * Return: 0 or the verb's error.
 */
int kv_drain_begin(struct kv_qp *qp)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	int ret;

	lockdep_assert_held(&qp->obj.dev->lock);
	if (qp->state == KVERBS_QPS_RESET || qp->state == KVERBS_QPS_ERR)
		return 0;
	ret = ib_modify_qp(qp->ib, &attr, IB_QP_STATE);
	if (!ret)
		kv_qp_set_state(qp, KVERBS_QPS_ERR);
	return ret;
}

/* Returns false if the marker is on a queue, and does not complete to @cq in time. */
static bool drain_wait(const struct kv_qp *qp, struct kv_marker *marker, struct kv_cq *cq)
{
	return !marker->posted || kv_cq_wait(cq, &marker->done, drain_patience(qp), NULL);
}

/**
 * kv_drain_qp() - bring a QP to ERR, and wait until none of its requests is outstanding
 * @qp: the QP; no run is active on it, and the caller has claimed each of its CQs that
 *	its requests can complete to
 *
 * Nothing is done to a QP in RESET.
 *
 * Context: may sleep, for 2 s and a bit at most
 * Locks: dev->lock
 * Return: 0; -ETIMEDOUT if the device does not give all requests back; or a verb's
 * error. After an error the QP may be drained again.
 */
int kv_drain_qp(struct kv_qp *qp)
{
	struct kv_drain *drain = &qp->drain;
	int ret;

	lockdep_assert_held(&qp->obj.dev->lock);
	if (qp->state == KVERBS_QPS_RESET)
		return 0;
	ret = kv_drain_begin(qp);
	/* Nothing can complete: the error does not matter. */
	if (ret && drain_sq_idle(qp) && drain_rq_idle(qp) && !(qp->srq && qp->received))
		return 0;
	if (!ret && !drain_sq_idle(qp))
		ret = drain_post_marker(qp, &drain->sq, qp->send_cq, drain_post_sq);
	if (!ret && !drain_rq_idle(qp))
		ret = drain_post_marker(qp, &drain->rq, qp->recv_cq, drain_post_rq);
	if (ret)
		return ret;
	if (!drain_wait(qp, &drain->sq, qp->send_cq) || !drain_wait(qp, &drain->rq, qp->recv_cq)) {
		qp->obj.dev->wqes.undrained = true;
		return -ETIMEDOUT;
	}
	qp->obj.dev->wqes.undrained = false;
	drain->sq.posted = false;
	drain->rq.posted = false;
	if (qp->srq && qp->received) {
		drain_srq(qp);
		qp->srq->run_lost = qp->srq->run_recvs;
	}
	qp->needs_reset = false;
	qp->run_recvs = 0;
	return 0;
}
