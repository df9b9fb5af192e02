// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>
#include "ah.h"
#include "buf.h"
#include "cq.h"
#include "dev.h"
#include "mr.h"
#include "post.h"
#include "qp.h"
#include "refuse.h"
#include "remote_inv.h"
#include "rules/request.h"
#include "srq.h"
#include "trace.h"
#include "wqe.h"
#include "wr.h"

/* A registration is local work of the device: after this time it is taken as lost. */
#define WAIT_MS 2000

/* Checks that a queue and its CQ have enough free places. */
static int post_check_room(struct kv_qp *qp, struct kv_srq *srq, u32 op, u32 n,
			   struct netlink_ext_ack *extack)
{
	bool recv = op == KVERBS_OP_RECV;
	struct kv_request_queue queue = { .op = op, .n = n, .to_srq = srq, .cq_room = U32_MAX };
	struct kv_refusal why;
	struct kv_cq *cq;

	if (srq) {
		queue.room = srq->max_wr - min(srq->max_wr, srq->wqes.rq.taken);
	} else {
		u32 depth = recv ? qp->cap.max_recv_wr : qp->cap.max_send_wr;
		u32 taken = recv ? qp->wqes.rq.taken : qp->wqes.sq.taken;

		cq = recv ? qp->recv_cq : qp->send_cq;
		queue.room = depth - min(depth, taken);
		queue.cq_room = cq->cqe - min(cq->cqe, kv_wqe_outstanding(cq));
	}
	return kv_request_check_room(&queue, &why) ? kv_refuse_by(extack, &why) : 0;
}

static int post_tell_refused(int error, struct netlink_ext_ack *extack)
{
	return kv_verb_failed(extack, KVERBS_STAGE_POST, error, error == -ENOMEM ?
			      "the device says that the queue is full: poll its completions" :
			      "the device refuses the request");
}

/* @context: enum kverbs_post_context. Softirqs that a post raises run in post_end_context(). */
static void post_begin_context(u32 context)
{
	if (context == KVERBS_POST_BH_DISABLED)
		local_bh_disable();
}

static void post_end_context(u32 context)
{
	if (context == KVERBS_POST_BH_DISABLED)
		local_bh_enable();
}

static bool post_is_unsignaled(const struct kv_wr_spec *spec)
{
	return spec->op != KVERBS_OP_RECV && spec->flags & KVERBS_WR_UNSIGNALED &&
	       !spec->qp->sq_sig_all;
}

static bool post_is_late(const struct kv_wr_spec *spec)
{
	return kv_op_among(spec->op, KV_OPS_READ) && kv_dev_iwarp(spec->qp->obj.dev);
}

/**
 * struct kv_post - requests on their way to a queue
 * @n: how many
 * @spec: the requests as the caller describes them
 * @wqe: their tracking
 * @wr: the requests as the verb takes them, each linked to the next one
 * @unnamed: the verb has failed without naming the request that it refused
 */
struct kv_post {
	unsigned int n;
	const struct kv_wr_spec *spec;
	struct kv_wqe **wqe;
	struct kv_wr *wr;
	bool unnamed;
};

static void post_prep_one(struct kv_post *post, unsigned int i)
{
	const struct kv_wr_spec *spec = &post->spec[i];
	struct kv_wqe *wqe = post->wqe[i];
	struct kv_wr *wr = &post->wr[i];
	unsigned int sge;

	wqe->wc.wr_id = spec->wr_id;
	if (spec->op == KVERBS_OP_RECV || spec->op == KVERBS_OP_READ_WITH_INV)
		wqe->ops = &kv_remote_inv_ops;
	if (spec->op == KVERBS_OP_READ_WITH_INV)
		wqe->wc.invalidate_rkey = spec->sge[0].mr->ib->rkey;
	for (sge = 0; sge < spec->sges; sge++) {
		kv_wqe_hold(wqe, &spec->sge[sge].buf->obj);
		if (spec->sge[sge].mr)
			kv_wqe_hold(wqe, &spec->sge[sge].mr->obj);
	}
	/* The AH is the last reference: drain.c looks for it there. */
	if (spec->ah)
		kv_wqe_hold(wqe, &spec->ah->obj);

	kv_wr_build(wr, spec, &wqe->cqe);
	/* A READ on iWARP may complete after later requests: so it is always signaled. */
	wqe->silent = post_is_unsignaled(spec) && !post_is_late(spec);
	wqe->internal = post_is_unsignaled(spec) && post_is_late(spec);
	wqe->repeats = post_is_late(spec);
	if (wqe->internal)
		wr->send.send_flags |= IB_SEND_SIGNALED;
	if (i && spec->op == KVERBS_OP_RECV)
		post->wr[i - 1].recv.next = &wr->recv;
	else if (i)
		post->wr[i - 1].send.next = &wr->send;
	kv_wqe_enqueue(wqe);
}

/*
 * Calls the verb. Each driver posts a list up to a request that it refuses, and returns that
 * request. The requests before it stay posted: mlx5r_post_send(), bnxt_re_post_send(),
 * irdma_post_send(), siw_post_send(), rxe_post_send_kernel(), and the same for receives. A driver
 * that refuses the whole list at once may return no request (rxe_post_send() of a QP that is being
 * destroyed).
 *
 * A full queue is -ENOMEM, a full receive queue of bnxt_re -EINVAL (bnxt_qplib_post_recv()). mlx5
 * advertises atomics, and refuses to post them for the kernel (handle_qpt_rc()); bnxt_re sends an
 * inline request empty (bnxt_re_copy_wr_payload()).
 */
static int post_all(struct kv_post *post, struct kv_posted *posted)
{
	const struct kv_wr_spec *spec = post->spec;
	const struct ib_send_wr *bad_send = NULL;
	const struct ib_recv_wr *bad_recv = NULL;
	const struct kv_wr *bad = NULL;
	u64 start = ktime_get_raw_ns();
	int ret;

	if (spec->op != KVERBS_OP_RECV)
		ret = ib_post_send(spec->qp->ib, &post->wr->send, &bad_send);
	else if (spec->srq)
		ret = ib_post_srq_recv(spec->srq->ib, &post->wr->recv, &bad_recv);
	else
		ret = ib_post_recv(spec->qp->ib, &post->wr->recv, &bad_recv);
	posted->verb_ns = ktime_get_raw_ns() - start;
	if (bad_send)
		bad = container_of(bad_send, struct kv_wr, send);
	else if (bad_recv)
		bad = container_of(bad_recv, struct kv_wr, recv);
	posted->n = !ret ? post->n : bad ? bad - post->wr : 0;
	post->unnamed = !bad;
	return ret;
}

/*
 * siw may refuse a request after filling a slot of the queue with it. Then ERR flushes that
 * request, with its wr_id (siw_post_send(), siw_activate_tx_from_sq()): the QP keeps the request.
 * If siw can't begin to send (siw_sq_start()), it names no request, and may have all of them.
 */
static void post_drop_refused(struct kv_post *post, unsigned int posted, bool iwarp)
{
	unsigned int i;

	for (i = posted; i < post->n; i++) {
		if (iwarp && (i == posted || post->unnamed)) {
			post->wqe[i]->internal = true;
			post->wqe[i]->silent = true;
		} else {
			kv_wqe_free(post->wqe[i]);
		}
	}
}

static int post_alloc(struct kv_post *post)
{
	const struct kv_wr_spec *spec;
	unsigned int i;

	post->wr = kvcalloc(post->n, sizeof(*post->wr), GFP_KERNEL);
	post->wqe = kcalloc(post->n, sizeof(*post->wqe), GFP_KERNEL);
	if (!post->wr || !post->wqe)
		return -ENOMEM;
	for (i = 0; i < post->n; i++) {
		spec = &post->spec[i];
		post->wqe[i] = kv_wqe_alloc(spec->qp, spec->srq, spec->op,
					    2 * spec->sges + !!spec->ah);
		if (!post->wqe[i])
			goto err_free_wqes;
	}
	return 0;

err_free_wqes:
	while (i--)
		kfree(post->wqe[i]);
	return -ENOMEM;
}

/* Requests that were checked, on a queue that is ready and has room. */
static int post_list(const struct kv_wr_spec *spec, unsigned int n, u32 context,
		     struct kv_posted *posted, struct netlink_ext_ack *extack)
{
	struct kv_dev *dev = spec->qp ? spec->qp->obj.dev : spec->srq->obj.dev;
	struct kv_post post = { .n = n, .spec = spec };
	unsigned int i;
	int ret;

	ret = post_alloc(&post);
	if (ret)
		goto free;
	for (i = 0; i < n; i++)
		post_prep_one(&post, i);
	post_begin_context(context);
	ret = post_all(&post, posted);
	post_end_context(context);
	trace_kverbs_post(spec->qp ? &spec->qp->obj : &spec->srq->obj, n, posted->n, ret,
			  posted->verb_ns);
	if (ret)
		post_drop_refused(&post, posted->n, kv_dev_iwarp(dev));
	/* Requests that are posted stay posted: then the command is not refused. */
	posted->error = ret;
	ret = posted->n ? 0 : post_tell_refused(ret, extack);
free:
	kfree(post.wqe);
	kvfree(post.wr);
	return ret;
}

/**
 * kv_post() - post requests by hand, in order, to one queue
 * @spec: the requests, checked by kv_wr_check(); all objects that they name are of one
 *	device
 * @n: how many
 * @context: enum kverbs_post_context, of the verb
 * @posted: receives how many are posted, and the error if not all are
 * @extack: where the reason of a refusal goes
 *
 * A request uses the objects that it names until its completion was polled, or that of a later
 * request of the same send queue, or until the queue is gone.
 *
 * Locks: dev->lock
 * Return: 0 if at least one is posted, or a negative errno; -EBUSY if the queue has no room
 * for all, or a run is active on the QP, or has left requests on it or on another QP of its CQs.
 */
int kv_post(const struct kv_wr_spec *spec, unsigned int n, u32 context,
	    struct kv_posted *posted, struct netlink_ext_ack *extack)
{
	struct kv_qp *qp = spec->qp;
	struct kv_request_queue queue = { .op = spec->op };
	struct kv_refusal why;
	int ret;

	if (spec->srq) {
		queue.to_srq = true;
		queue.run_recvs = spec->srq->run_recvs;
		if (kv_request_check_state(&queue, &why))
			return kv_refuse_by(extack, &why);
		return post_check_room(NULL, spec->srq, spec->op, n, extack) ?:
		       post_list(spec, n, context, posted, extack);
	}
	ret = kv_qp_claim(qp, extack);
	if (ret)
		return ret;
	/*
	 * ib_query_qp() is a firmware command on mlx5 (mlx5_ib_query_qp()) and bnxt_re
	 * (bnxt_re_query_qp()), too slow for every post. The state of the last transition is good
	 * enough: a QP goes by itself only to SQD, SQE and ERR, and these take requests.
	 */
	queue.state = qp->state;
	queue.needs_reset = qp->needs_reset;
	queue.run_recvs = qp->run_recvs;
	if (kv_request_check_state(&queue, &why))
		ret = kv_refuse_by(extack, &why);
	ret = ret ?: kv_qp_check_outstanding(qp, extack) ?:
	      post_check_room(qp, NULL, spec->op, n, extack) ?:
	      post_list(spec, n, context, posted, extack);
	kv_qp_release(qp);
	return ret;
}

static int post_and_wait(struct kv_qp *qp, struct kv_mr *mr, struct ib_send_wr *wr, u32 op,
			 u32 context, const struct kv_wqe_ops *ops, bool *posted,
			 struct netlink_ext_ack *extack)
{
	u64 start, slept_ns;
	struct kv_wqe *wqe;
	bool came;
	int ret;

	ret = post_check_room(qp, NULL, op, 1, extack);
	if (ret)
		return ret;
	wqe = kv_wqe_alloc(qp, NULL, op, 1);
	if (!wqe)
		return -ENOMEM;
	wqe->internal = true;
	wqe->ops = ops;
	kv_wqe_hold(wqe, &mr->obj);

	wr->wr_cqe = &wqe->cqe;
	kv_wqe_enqueue(wqe);
	post_begin_context(context);
	kv_obj_time(&mr->obj, POST, ret = ib_post_send(qp->ib, wr, NULL));
	post_end_context(context);
	if (ret) {
		kv_wqe_free(wqe);
		return post_tell_refused(ret, extack);
	}
	*posted = true;
	start = ktime_get_raw_ns();
	came = kv_cq_wait(wqe->cq, &wqe->done, WAIT_MS, &slept_ns);
	kv_obj_timed(&mr->obj, KVERBS_STAGE_COMPLETION, ktime_get_raw_ns() - start - slept_ns);
	/* A completion that is late may still come: the QP keeps the request. */
	if (!came)
		return kv_verb_failed(extack, KVERBS_STAGE_COMPLETION, -ETIMEDOUT,
				      "no completion within 2 s: reset the qp and connect it anew");
	if (wqe->wc.status != IB_WC_SUCCESS)
		ret = kv_verb_failed(extack, KVERBS_STAGE_COMPLETION, -EIO,
				     "the device completed the request with an error; the qp is in ERR now");
	kv_wqe_free(wqe);
	return ret;
}

/**
 * kv_post_and_wait() - post one request of local work, take its completion
 * @qp: the QP, of @mr's PD, in RTS
 * @mr: the MR of the request; in use until the request has completed
 * @wr: the request, signaled; its wr_cqe is set here
 * @op: enum kverbs_op
 * @context: enum kverbs_post_context, of the post
 * @ops: called at the request's end, maybe after this has returned; the MR is kv_wqe.ref[0]
 * @posted: receives true if the request was posted: then @ops were called, or will be
 * @extack: where the reason of a refusal goes
 *
 * The time of COMPLETION is the time from the verb's return until the completion was seen,
 * without the time that the caller has slept meanwhile.
 *
 * Context: may sleep, for 2 s at most
 * Locks: dev->lock
 * Return: 0 or a negative errno; -EIO for a bad completion, -ETIMEDOUT for none.
 */
int kv_post_and_wait(struct kv_qp *qp, struct kv_mr *mr, struct ib_send_wr *wr, u32 op,
		     u32 context, const struct kv_wqe_ops *ops, bool *posted,
		     struct netlink_ext_ack *extack)
{
	int ret;

	*posted = false;
	if (kv_obj_persistent(&qp->obj) && !kv_obj_persistent(&mr->obj))
		return kv_refuse(extack, -EINVAL,
				 "the qp is persistent and the mr is not: the mr would go while a request names it");
	ret = kv_qp_claim(qp, extack);
	if (ret)
		return ret;
	ret = post_and_wait(qp, mr, wr, op, context, ops, posted, extack);
	kv_qp_release(qp);
	return ret;
}

/**
 * kv_post_poll() - take completions of requests that were posted by hand
 * @cq: the CQ of the completions
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
	while (n < max && !kv_cq_core_polls(cq)) {
		ret = kv_cq_poll(cq, max - n, verb_ns);
		if (ret <= 0)
			break;
		n += kv_wqe_take(cq, wc + n, max - n);
	}
	kv_cq_release(cq);
	trace_kverbs_poll(&cq->obj, n, *verb_ns);
	/* Completions that came before an error are returned first. */
	if (n || ret >= 0)
		return n;
	return kv_verb_failed(extack, KVERBS_STAGE_COMPLETION, ret, "ib_poll_cq failed");
}
