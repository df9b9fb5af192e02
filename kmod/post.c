// SPDX-License-Identifier: GPL-2.0
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include "ah.h"
#include "cq.h"
#include "dev.h"
#include "mr.h"
#include "posted.h"
#include "qp.h"
#include "srq.h"
#include "wr.h"

/* Registration is local work of the device; if it takes that long, it is lost. */
#define WAIT_MS 2000

/* What queues that are gone may have left behind, of one device. */
#define ORPHANS_MAX 16384

static int check_state(const struct kv_qp *qp, u32 op,
		       struct netlink_ext_ack *extack)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr = {};
	int ret;

	ret = ib_query_qp(qp->ib, &attr, IB_QP_STATE, &init);
	if (ret) {
		NL_SET_ERR_MSG(extack, "ib_query_qp failed");
		return ret;
	}
	if (op == KVERBS_OP_RECV) {
		if (attr.qp_state != IB_QPS_RESET)
			return 0;
		NL_SET_ERR_MSG(extack, "the qp is in RESET: bring it to INIT first");
		return -EINVAL;
	}
	switch (attr.qp_state) {
	case IB_QPS_RESET:
		NL_SET_ERR_MSG(extack, "the qp is in RESET: bring it to INIT, RTR and RTS first");
		return -EINVAL;
	case IB_QPS_INIT:
		NL_SET_ERR_MSG(extack, "the qp is in INIT: bring it to RTR and RTS first");
		return -EINVAL;
	case IB_QPS_RTR:
		NL_SET_ERR_MSG(extack, "the qp is in RTR: bring it to RTS first");
		return -EINVAL;
	default:
		return 0;
	}
}

/* What runs post and what is posted by hand must not meet. */
static int check_runs(const struct kv_qp *qp, struct netlink_ext_ack *extack)
{
	if (qp->dirty) {
		NL_SET_ERR_MSG(extack, "an earlier run left requests on the qp: reset it and connect it anew");
		return -EBUSY;
	}
	if (qp->run_recvs) {
		NL_SET_ERR_MSG(extack, "receives of an earlier run are posted on the qp: reset it and connect it anew");
		return -EBUSY;
	}
	return 0;
}

/* Requests whose completions lie in the CQ, or may come; not those of queues that are gone. */
static unsigned int outstanding(struct kv_cq *cq)
{
	struct kv_post_dev *dev = &cq->obj.dev->post;
	unsigned int n;

	spin_lock_irq(&dev->lock);
	n = cq->post.pending - cq->post.taken_out;
	spin_unlock_irq(&dev->lock);
	return n;
}

static int check_room(struct kv_posted *posted, u32 depth,
		      struct netlink_ext_ack *extack)
{
	const struct kv_obj *obj = posted->qp ? &posted->qp->obj : &posted->srq->obj;
	struct kv_cq *cq = posted->cq;

	if (posted->queue->taken >= depth) {
		if (posted->srq)
			NL_SET_ERR_MSG(extack, "the srq is full: poll its completions");
		else if (posted->wc.op == KVERBS_OP_RECV)
			NL_SET_ERR_MSG(extack, "the receive queue is full: poll its completions");
		else
			NL_SET_ERR_MSG(extack, "the send queue is full: poll its completions");
		return -EBUSY;
	}
	/* One that overflows loses completions, and its QPs with them. */
	if (cq && outstanding(cq) >= cq->cqe) {
		NL_SET_ERR_MSG(extack, "the cq could overflow: poll its completions, or make it with more cqe");
		return -EBUSY;
	}
	if (READ_ONCE(obj->dev->post.orphaned) >= ORPHANS_MAX) {
		NL_SET_ERR_MSG(extack, "too many requests of queues that are gone could still complete: delete the cqs of the contexts softirq and workqueue");
		return -EBUSY;
	}
	return 0;
}

static int tell_refused(int error, struct netlink_ext_ack *extack)
{
	if (error == -ENOMEM)
		NL_SET_ERR_MSG(extack, "the device says that the queue is full: poll its completions");
	else
		NL_SET_ERR_MSG(extack, "the device refuses the request");
	return error;
}

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

static int post_recv(const struct kv_post_spec *spec, struct ib_recv_wr *wr,
		     u64 *verb_ns)
{
	u64 start = ktime_get_raw_ns();
	int ret;

	ret = spec->srq ? ib_post_srq_recv(spec->srq->ib, wr, NULL) :
			  ib_post_recv(spec->qp->ib, wr, NULL);
	*verb_ns = ktime_get_raw_ns() - start;
	return ret;
}

static u32 depth_of(const struct kv_post_spec *spec)
{
	if (spec->srq)
		return spec->srq->max_wr;
	return spec->op == KVERBS_OP_RECV ? spec->qp->max_recv_wr :
					    spec->qp->max_send_wr;
}

/* A request that was checked, on a queue that is ready. */
static int post(const struct kv_post_spec *spec, u64 *verb_ns,
		struct netlink_ext_ack *extack)
{
	struct kv_posted *posted;
	struct kv_wr wr;
	unsigned int i;
	int ret;

	posted = kv_posted_alloc(spec->qp, spec->srq, spec->op,
				 spec->sges + !!spec->ah);
	if (!posted)
		return -ENOMEM;
	ret = check_room(posted, depth_of(spec), extack);
	if (ret) {
		kfree(posted);
		return ret;
	}
	posted->wc.wr_id = spec->wr_id;
	for (i = 0; i < spec->sges; i++)
		kv_posted_hold(posted, &spec->sge[i].mr->obj);
	if (spec->ah)
		kv_posted_hold(posted, &spec->ah->obj);

	kv_wr_prep_post(&wr, spec, &posted->cqe);
	kv_posted_enqueue(posted);
	ret = spec->op == KVERBS_OP_RECV ? post_recv(spec, &wr.recv, verb_ns) :
					   post_send(spec->qp, &wr.send, verb_ns);
	if (!ret)
		return 0;
	kv_posted_free(posted);
	return tell_refused(ret, extack);
}

/**
 * kv_post() - post one request by hand
 * @spec: the request, with which kv_wr_check_post() is content; all that it names
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
int kv_post(const struct kv_post_spec *spec, u64 *verb_ns,
	    struct netlink_ext_ack *extack)
{
	int ret;

	if (spec->srq) {
		kv_posted_free_lost(spec->srq);
		return post(spec, verb_ns, extack);
	}
	ret = kv_qp_claim(spec->qp, extack);
	if (ret)
		return ret;
	ret = check_state(spec->qp, spec->op, extack) ?:
	      check_runs(spec->qp, extack) ?:
	      kv_qp_check_leftovers(spec->qp, extack) ?:
	      post(spec, verb_ns, extack);
	kv_qp_release(spec->qp);
	return ret;
}

/* Its CQ is claimed. What comes for others meanwhile waits for kv_post_poll(). */
static int wait_done(struct kv_posted *posted, struct netlink_ext_ack *extack)
{
	unsigned long deadline = jiffies + msecs_to_jiffies(WAIT_MS);
	struct kv_cq *cq = posted->cq;
	u64 verb_ns = 0;

	/* Pairs with the release that follows the completion's last store. */
	while (smp_load_acquire(&posted->state) != KV_POSTED_DONE) {
		if (!kv_cq_by_core(cq) && kv_cq_poll(cq, UINT_MAX, &verb_ns) > 0)
			continue;
		if (time_after(jiffies, deadline)) {
			NL_SET_ERR_MSG(extack, "no completion within 2 s: reset the qp and connect it anew");
			return -ETIMEDOUT;
		}
		usleep_range(1, 10);
	}
	return 0;
}

static int post_and_wait(struct kv_qp *qp, struct kv_mr *mr, struct ib_send_wr *wr,
			 u32 op, struct netlink_ext_ack *extack)
{
	struct kv_posted *posted;
	u64 verb_ns;
	int ret;

	posted = kv_posted_alloc(qp, NULL, op, 1);
	if (!posted)
		return -ENOMEM;
	ret = check_room(posted, qp->max_send_wr, extack);
	if (ret) {
		kfree(posted);
		return ret;
	}
	posted->internal = true;
	kv_posted_hold(posted, &mr->obj);

	wr->wr_cqe = &posted->cqe;
	kv_posted_enqueue(posted);
	ret = post_send(qp, wr, &verb_ns);
	if (ret) {
		kv_posted_free(posted);
		return tell_refused(ret, extack);
	}
	ret = wait_done(posted, extack);
	/* It may still come: the QP keeps it. */
	if (ret)
		return ret;
	if (posted->wc.status != IB_WC_SUCCESS) {
		NL_SET_ERR_MSG(extack, "the device completed the request with an error; the qp is in ERR now");
		ret = -EIO;
	}
	kv_posted_free(posted);
	return ret;
}

/**
 * kv_post_and_wait() - post one request of local work, take its completion
 * @qp: the QP, of @mr's PD
 * @mr: what the request is about; in use until it has completed
 * @wr: the request, signaled; its wr_cqe is set here
 * @op: enum kverbs_op
 * @extack: where the reason of a refusal goes
 *
 * Context: may sleep, for 2 s at most
 * Locks: dev->lock
 * Return: 0 or a negative errno; -EIO for a bad completion, -ETIMEDOUT for none.
 */
int kv_post_and_wait(struct kv_qp *qp, struct kv_mr *mr, struct ib_send_wr *wr,
		     u32 op, struct netlink_ext_ack *extack)
{
	int ret;

	if (kv_obj_persistent(&qp->obj) && !kv_obj_persistent(&mr->obj)) {
		NL_SET_ERR_MSG(extack, "the qp is persistent and the mr is not: it would go while a request names it");
		return -EINVAL;
	}
	ret = kv_qp_check_rts(qp, extack) ?: kv_qp_claim(qp, extack);
	if (ret)
		return ret;
	ret = post_and_wait(qp, mr, wr, op, extack);
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
int kv_post_poll(struct kv_cq *cq, struct kv_post_wc *wc, unsigned int max,
		 u64 *verb_ns, struct netlink_ext_ack *extack)
{
	unsigned int n;
	int ret = 0;

	*verb_ns = 0;
	if (!kv_cq_claim(cq)) {
		NL_SET_ERR_MSG(extack, "a run is active on a qp with this cq: wait for it or cancel it");
		return -EBUSY;
	}
	n = kv_posted_take(cq, wc, max);
	while (n < max && !kv_cq_by_core(cq)) {
		ret = kv_cq_poll(cq, max - n, verb_ns);
		if (ret <= 0)
			break;
		n += kv_posted_take(cq, wc + n, max - n);
	}
	kv_cq_release(cq);
	/* What came before is told first. */
	if (n || ret >= 0)
		return n;
	NL_SET_ERR_MSG(extack, "ib_poll_cq failed");
	return ret;
}

/**
 * kv_post_pending() - requests whose completions come here and were not polled
 * @cq: the CQ
 *
 * Return: how many; of those of SRQs the ones that have completed.
 */
unsigned int kv_post_pending(struct kv_cq *cq)
{
	return READ_ONCE(cq->post.pending);
}

/**
 * kv_post_waiting() - have completions come that nobody was told of?
 * @cq: the CQ
 *
 * Return: true if they came out of the verbs' CQ already, by the RDMA core or
 * while a registration was waited for.
 */
bool kv_post_waiting(struct kv_cq *cq)
{
	struct kv_post_dev *dev = &cq->obj.dev->post;
	bool waiting;

	spin_lock_irq(&dev->lock);
	waiting = !list_empty(&cq->post.done);
	spin_unlock_irq(&dev->lock);
	return waiting;
}
