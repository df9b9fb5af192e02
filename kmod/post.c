// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>
#include "ah.h"
#include "cq.h"
#include "dev.h"
#include "mr.h"
#include "post.h"
#include "qp.h"
#include "refuse.h"
#include "rules/request.h"
#include "srq.h"
#include "wqe.h"
#include "wr.h"

/* Registration is local work of the device; if it takes that long, it is lost. */
#define WAIT_MS 2000

static u32 depth_of(const struct kv_wqe *wqe)
{
	if (wqe->srq)
		return wqe->srq->max_wr;
	return wqe->wc.op == KVERBS_OP_RECV ? wqe->qp->cap.max_recv_wr :
					      wqe->qp->cap.max_send_wr;
}

static int check_room(const struct kv_wqe *wqe, struct netlink_ext_ack *extack)
{
	struct kv_cq *cq = wqe->cq;
	const struct kv_request_queue queue = {
		.op = wqe->wc.op,
		.to_srq = wqe->srq,
		.full = wqe->queue->taken >= depth_of(wqe),
		.cq_full = cq && kv_wqe_outstanding(cq) >= cq->cqe,
	};
	struct kv_refusal why;

	return kv_request_check_room(&queue, &why) ? kv_refuse_by(extack, &why) : 0;
}

/* A request for which there is room, or ERR_PTR. */
static struct kv_wqe *alloc_wqe(struct kv_qp *qp, struct kv_srq *srq, u32 op, unsigned int refs,
				struct netlink_ext_ack *extack)
{
	struct kv_wqe *wqe = kv_wqe_alloc(qp, srq, op, refs);
	int ret;

	if (!wqe)
		return ERR_PTR(-ENOMEM);
	ret = check_room(wqe, extack);
	if (!ret)
		return wqe;
	kfree(wqe);
	return ERR_PTR(ret);
}

static int tell_refused(int error, struct netlink_ext_ack *extack)
{
	return kv_refuse(extack, error, error == -ENOMEM ?
			 "the device says that the queue is full: poll its completions" :
			 "the device refuses the request");
}

/*
 * A full queue is -ENOMEM. mlx5 advertises atomics, and refuses to post them for the kernel
 * (handle_qpt_rc()); bnxt_re sends an inline request empty (bnxt_re_copy_wr_payload()).
 */
static int post_send(struct kv_qp *qp, struct ib_send_wr *wr, u64 *verb_ns)
{
	u64 start;
	int ret;

	/* As the runs do: what the post schedules runs before we go on. */
	local_bh_disable();
	start = ktime_get_raw_ns();
	ret = ib_post_send(qp->ib, wr, NULL);
	*verb_ns = ktime_get_raw_ns() - start;
	local_bh_enable();
	return ret;
}

/* A full queue is -EINVAL on bnxt_re (bnxt_qplib_post_recv()), and -ENOMEM elsewhere. */
static int post_recv(const struct kv_wr_spec *spec, struct ib_recv_wr *wr,
		     u64 *verb_ns)
{
	u64 start = ktime_get_raw_ns();
	int ret;

	ret = spec->srq ? ib_post_srq_recv(spec->srq->ib, wr, NULL) :
			  ib_post_recv(spec->qp->ib, wr, NULL);
	*verb_ns = ktime_get_raw_ns() - start;
	return ret;
}

static bool unsignaled(const struct kv_wr_spec *spec)
{
	return spec->op != KVERBS_OP_RECV && spec->flags & KVERBS_WR_UNSIGNALED &&
	       !spec->qp->sq_sig_all;
}

static bool late(const struct kv_wr_spec *spec)
{
	return spec->op == KVERBS_OP_READ && kv_dev_iwarp(spec->qp->obj.dev);
}

/* A request that was checked, on a queue that is ready. */
static int post(const struct kv_wr_spec *spec, u64 *verb_ns,
		struct netlink_ext_ack *extack)
{
	struct kv_dev *dev = spec->qp ? spec->qp->obj.dev : spec->srq->obj.dev;
	struct kv_wqe *wqe;
	struct kv_wr wr;
	unsigned int i;
	int ret;

	wqe = alloc_wqe(spec->qp, spec->srq, spec->op, spec->sges + !!spec->ah, extack);
	if (IS_ERR(wqe))
		return PTR_ERR(wqe);
	wqe->wc.wr_id = spec->wr_id;
	for (i = 0; i < spec->sges; i++)
		kv_wqe_hold(wqe, &spec->sge[i].mr->obj);
	/* The last one: drain.c looks for it there. */
	if (spec->ah)
		kv_wqe_hold(wqe, &spec->ah->obj);

	kv_wr_build(&wr, spec, &wqe->cqe);
	/* A READ of iWARP's may complete behind later requests: it always tells. */
	wqe->silent = unsignaled(spec) && !late(spec);
	wqe->internal = unsignaled(spec) && late(spec);
	if (wqe->internal)
		wr.send.send_flags |= IB_SEND_SIGNALED;
	kv_wqe_enqueue(wqe);
	ret = spec->op == KVERBS_OP_RECV ? post_recv(spec, &wr.recv, verb_ns) :
					   post_send(spec->qp, &wr.send, verb_ns);
	if (!ret)
		return 0;
	/*
	 * siw flushes what it has refused at ERR, with its wr_id, if it has filled the slot of
	 * the queue by then (siw_post_send(), siw_activate_tx_from_sq()): the QP keeps it.
	 */
	if (!kv_dev_iwarp(dev)) {
		kv_wqe_free(wqe);
	} else {
		wqe->internal = true;
		wqe->silent = true;
	}
	return tell_refused(ret, extack);
}

/**
 * kv_post() - post one request by hand
 * @spec: the request, with which kv_wr_check() is content; all that it names
 *	is of one device
 * @verb_ns: receives how long the verb took
 * @extack: where the reason of a refusal goes
 *
 * What it names is in use from now on, until its completion was polled, or that of
 * a later request of the same send queue, or the queue is gone.
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno; -EBUSY if the queue is full, or a run is on the
 * QP, or has left something there or on another QP of its CQs.
 */
int kv_post(const struct kv_wr_spec *spec, u64 *verb_ns, struct netlink_ext_ack *extack)
{
	struct kv_qp *qp = spec->qp;
	struct kv_request_queue queue = { .op = spec->op };
	struct kv_refusal why;
	int ret;

	if (spec->srq)
		return post(spec, verb_ns, extack);
	ret = kv_qp_claim(qp, extack);
	if (ret)
		return ret;
	/*
	 * ib_query_qp() is a command of the firmware's on mlx5 (mlx5_ib_query_qp()) and bnxt_re
	 * (bnxt_re_query_qp()): not for every post. The state of the last transition will do: a QP
	 * goes by itself to SQD, SQE and ERR only, and these take requests.
	 */
	queue.state = qp->state;
	queue.needs_reset = qp->dirty;
	queue.run_recvs = qp->run_recvs;
	if (kv_request_check_state(&queue, &why))
		ret = kv_refuse_by(extack, &why);
	ret = ret ?: kv_qp_check_leftovers(qp, extack) ?: post(spec, verb_ns, extack);
	kv_qp_release(qp);
	return ret;
}

static int post_and_wait(struct kv_qp *qp, struct kv_mr *mr, struct ib_send_wr *wr, u32 op,
			 void (*completed)(struct kv_wqe *wqe), bool *posted,
			 u64 *verb_ns, struct netlink_ext_ack *extack)
{
	u64 start, slept_ns, post_ns;
	struct kv_wqe *wqe;
	bool came;
	int ret;

	wqe = alloc_wqe(qp, NULL, op, 1, extack);
	if (IS_ERR(wqe))
		return PTR_ERR(wqe);
	wqe->internal = true;
	wqe->completed = completed;
	kv_wqe_hold(wqe, &mr->obj);

	wr->wr_cqe = &wqe->cqe;
	kv_wqe_enqueue(wqe);
	start = ktime_get_raw_ns();
	ret = post_send(qp, wr, &post_ns);
	if (ret) {
		kv_wqe_free(wqe);
		return tell_refused(ret, extack);
	}
	*posted = true;
	came = kv_cq_wait(wqe->cq, &wqe->done, WAIT_MS, &slept_ns);
	*verb_ns = ktime_get_raw_ns() - start - slept_ns;
	/* If it does not come in time it may still come: the QP keeps it. */
	if (!came)
		return kv_refuse(extack, -ETIMEDOUT,
				 "no completion within 2 s: reset the qp and connect it anew");
	if (wqe->wc.status != IB_WC_SUCCESS)
		ret = kv_refuse(extack, -EIO,
				"the device completed the request with an error; the qp is in ERR now");
	kv_wqe_free(wqe);
	return ret;
}

/**
 * kv_post_and_wait() - post one request of local work, take its completion
 * @qp: the QP, of @mr's PD
 * @mr: what the request is about; in use until it has completed
 * @wr: the request, signaled; its wr_cqe is set here
 * @op: enum kverbs_op
 * @completed: what its completion calls, be it after this has returned; the MR is
 *	kv_wqe.ref[0]
 * @posted: receives whether the request was posted: @completed was called then, or
 *	will be
 * @verb_ns: if it was posted: receives the time from before the post until the completion
 *	was seen, without what the caller has slept meanwhile
 * @extack: where the reason of a refusal goes
 *
 * Context: may sleep, for 2 s at most
 * Locks: dev->lock
 * Return: 0 or a negative errno; -EIO for a bad completion, -ETIMEDOUT for none.
 */
int kv_post_and_wait(struct kv_qp *qp, struct kv_mr *mr, struct ib_send_wr *wr, u32 op,
		     void (*completed)(struct kv_wqe *wqe), bool *posted,
		     u64 *verb_ns, struct netlink_ext_ack *extack)
{
	int ret;

	*posted = false;
	if (kv_obj_persistent(&qp->obj) && !kv_obj_persistent(&mr->obj))
		return kv_refuse(extack, -EINVAL,
				 "the qp is persistent and the mr is not: it would go while a request names it");
	ret = kv_qp_check_rts(qp, extack) ?: kv_qp_claim(qp, extack);
	if (ret)
		return ret;
	ret = post_and_wait(qp, mr, wr, op, completed, posted, verb_ns, extack);
	kv_qp_release(qp);
	return ret;
}

/**
 * kv_post_poll() - take completions of requests that were posted by hand
 * @cq: where they come
 * @wc: receives them, in order
 * @max: how many at most
 * @verb_ns: receives how long ib_poll_cq() took; 0 if the RDMA core polls
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: how many there were, or a negative errno; -EBUSY while a run polls.
 */
int kv_post_poll(struct kv_cq *cq, struct kv_wc *wc, unsigned int max, u64 *verb_ns,
		 struct netlink_ext_ack *extack)
{
	unsigned int n;
	int ret = 0;

	*verb_ns = 0;
	if (!kv_cq_claim(cq))
		return kv_refuse(extack, -EBUSY,
				 "a run is active on a qp with this cq: wait for it or cancel it");
	n = kv_wqe_take(cq, wc, max);
	while (n < max && !kv_cq_by_core(cq)) {
		ret = kv_cq_poll(cq, max - n, verb_ns);
		if (ret <= 0)
			break;
		n += kv_wqe_take(cq, wc + n, max - n);
	}
	kv_cq_release(cq);
	/* What came before is told first. */
	if (n || ret >= 0)
		return n;
	return kv_refuse(extack, ret, "ib_poll_cq failed");
}
