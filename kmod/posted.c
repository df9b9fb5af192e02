// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>
#include "cq.h"
#include "dev.h"
#include "event.h"
#include "posted.h"
#include "qp.h"
#include "queue.h"
#include "srq.h"

/* What counts as memory, queue by queue. */
static_assert(sizeof(struct kv_posted) <= KV_POSTED_BYTES);

/*
 * The life of a request that was posted by hand.
 *
 * Its completion carries a pointer to it, and may lie in a CQ when its queue is
 * reset or destroyed. So it is freed only when nothing can come for it any more:
 * its completion came; or the device refused it; or a later one of the send
 * queue completed; or, its queue gone, the CQ was polled dry or is gone too.
 *
 * What it names is let go of earlier: when the completion is polled, or the
 * queue gone. Both happen under dev->lock, which obj.users needs and completions
 * don't have.
 */

static void tell_error(const struct kv_posted *posted)
{
	struct kv_event event = {
		.type = KVERBS_EVENT_WC_ERROR,
		.wc_status = posted->wc.status,
		.vendor_err = posted->wc.vendor_err,
	};

	if (event.wc_status != IB_WC_SUCCESS && event.wc_status != IB_WC_WR_FLUSH_ERR)
		kv_event_send_obj(&posted->qp->obj, &event);
}

/* What is told of a completion. Its opcode and the rest are valid on success only. */
static void fill_wc(struct kv_posted *posted, const struct ib_wc *from)
{
	struct kv_post_wc *wc = &posted->wc;
	bool recv = wc->op == KVERBS_OP_RECV;

	wc->qp = posted->qp->obj.id;
	wc->status = from->status;
	if (from->status != IB_WC_SUCCESS) {
		wc->vendor_err = from->vendor_err;
		return;
	}
	wc->has_length = recv || wc->op == KVERBS_OP_READ;
	wc->length = from->byte_len;
	if (!recv)
		return;
	if (from->opcode == IB_WC_RECV_RDMA_WITH_IMM)
		wc->op = KVERBS_OP_RECV_WRITE_IMM;
	wc->has_imm = from->wc_flags & IB_WC_WITH_IMM;
	if (wc->has_imm)
		wc->imm = be32_to_cpu(from->ex.imm_data);
	if (posted->qp->type == KVERBS_QPT_UD) {
		wc->has_src_qpn = true;
		wc->src_qpn = from->src_qp;
		wc->grh = from->wc_flags & IB_WC_GRH;
	}
}

/*
 * Who took an SRQ's receive. The pointer may be of a QP that is gone: only compare
 * it. One that was made since may have the same, but it receives into @cq, or it is
 * not the taker: what is told of it lies in its own CQ, and goes with it.
 */
static struct kv_qp *find_taker(const struct kv_srq *srq, const struct kv_cq *cq,
				const struct ib_qp *ib)
{
	struct kv_qp *qp;

	list_for_each_entry(qp, &srq->post.qps, post.link)
		if (qp->ib == ib && qp->recv_cq == cq)
			return qp;
	return NULL;
}

/* A completion came. Called by the RDMA core, or by kv_cq_poll(). */
static void complete_posted(struct ib_cq *ib_cq, struct ib_wc *wc)
{
	struct kv_posted *posted = container_of(wc->wr_cqe, struct kv_posted, cqe);
	struct kv_cq *cq = ib_cq->cq_context;
	struct kv_post_dev *dev = &cq->obj.dev->post;
	unsigned long flags;

	spin_lock_irqsave(&dev->lock, flags);
	if (posted->state == KV_POSTED_ORPHAN) {
		list_del(&posted->link);
		dev->orphaned--;
		kfree(posted);
		goto unlock;
	}
	if (posted->srq) {
		posted->qp = find_taker(posted->srq, cq, wc->qp);
		if (!posted->qp) {
			posted->state = KV_POSTED_DONE;
			list_move_tail(&posted->link, &posted->srq->post.lost);
			goto unlock;
		}
		posted->cq = cq;
		cq->post.pending++;
	} else if (posted->queue == &posted->qp->post.sq) {
		list_cut_before(&posted->earlier, &posted->queue->posts,
				&posted->link);
	}
	fill_wc(posted, wc);
	list_move_tail(&posted->link, &cq->post.done);
	cq->post.taken_out++;
	/* Pairs with the acquire of who waits for it. */
	smp_store_release(&posted->state, KV_POSTED_DONE);
	tell_error(posted);
	if (kv_cq_by_core(cq))
		kv_cq_notify(cq);
unlock:
	spin_unlock_irqrestore(&dev->lock, flags);
}

/**
 * kv_posted_alloc() - a request that is about to be posted
 * @qp: where, or NULL
 * @srq: where, or NULL
 * @op: enum kverbs_op
 * @refs: how many objects it will name
 *
 * Return: the request, in no list, or NULL. After kv_posted_enqueue() it goes by
 * its completion, or with its queue.
 */
struct kv_posted *kv_posted_alloc(struct kv_qp *qp, struct kv_srq *srq, u32 op,
				  unsigned int refs)
{
	struct kv_posted *posted;

	posted = kzalloc(struct_size(posted, ref, refs), GFP_KERNEL);
	if (!posted)
		return NULL;
	posted->cqe.done = complete_posted;
	INIT_LIST_HEAD(&posted->earlier);
	posted->qp = qp;
	posted->srq = srq;
	posted->wc.op = op;
	if (srq) {
		posted->queue = &srq->post.rq;
	} else if (op == KVERBS_OP_RECV) {
		posted->queue = &qp->post.rq;
		posted->cq = qp->recv_cq;
	} else {
		posted->queue = &qp->post.sq;
		posted->cq = qp->send_cq;
	}
	return posted;
}

/**
 * kv_posted_hold() - a request names an object: that is in use now
 * @posted: the request
 * @obj: the object
 *
 * Locks: dev->lock
 */
void kv_posted_hold(struct kv_posted *posted, struct kv_obj *obj)
{
	lockdep_assert_held(&obj->dev->lock);
	kref_get(&obj->ref);
	obj->users++;
	posted->ref[posted->refs++] = obj;
}

/* None is the last reference: what is in use is not destroyed. */
static void drop_refs(struct kv_posted *posted)
{
	while (posted->refs) {
		struct kv_obj *obj = posted->ref[--posted->refs];

		lockdep_assert_held(&obj->dev->lock);
		obj->users--;
		kv_obj_put(obj);
	}
}

static void give_place_back(struct kv_posted *posted)
{
	posted->queue->taken--;
	if (posted->cq)
		posted->cq->post.pending--;
}

/* In no list any more, and nothing comes for it. kv_post_dev.lock */
static void free_posted(struct kv_posted *posted)
{
	struct kv_posted *earlier, *next;

	list_for_each_entry_safe(earlier, next, &posted->earlier, link) {
		give_place_back(earlier);
		drop_refs(earlier);
		kfree(earlier);
	}
	if (posted->cq && posted->state == KV_POSTED_DONE)
		posted->cq->post.taken_out--;
	give_place_back(posted);
	drop_refs(posted);
	kfree(posted);
}

static struct kv_post_dev *dev_of(const struct kv_posted *posted)
{
	return posted->qp ? &posted->qp->obj.dev->post : &posted->srq->obj.dev->post;
}

/**
 * kv_posted_enqueue() - before the verb is called: the completion may come before
 * that returns
 * @posted: the request
 *
 * Locks: dev->lock
 */
void kv_posted_enqueue(struct kv_posted *posted)
{
	struct kv_post_dev *dev = dev_of(posted);

	spin_lock_irq(&dev->lock);
	list_add_tail(&posted->link, &posted->queue->posts);
	posted->queue->taken++;
	if (posted->cq)
		posted->cq->post.pending++;
	spin_unlock_irq(&dev->lock);
}

/**
 * kv_posted_free() - the device has refused a request, or its completion came and
 * is of no further use
 * @posted: the request, enqueued
 *
 * Locks: dev->lock
 */
void kv_posted_free(struct kv_posted *posted)
{
	struct kv_post_dev *dev = dev_of(posted);

	spin_lock_irq(&dev->lock);
	list_del(&posted->link);
	free_posted(posted);
	spin_unlock_irq(&dev->lock);
}

/**
 * kv_posted_take() - the completions that came and were not told
 * @cq: where they came
 * @wc: receives them, in order
 * @max: how many at most
 *
 * Locks: dev->lock
 * Return: how many there were.
 */
unsigned int kv_posted_take(struct kv_cq *cq, struct kv_post_wc *wc,
			    unsigned int max)
{
	struct kv_post_dev *dev = &cq->obj.dev->post;
	struct kv_posted *posted;
	unsigned int n = 0;

	spin_lock_irq(&dev->lock);
	while (n < max && !list_empty(&cq->post.done)) {
		posted = list_first_entry(&cq->post.done, struct kv_posted, link);
		if (!posted->internal)
			wc[n++] = posted->wc;
		list_del(&posted->link);
		free_posted(posted);
	}
	spin_unlock_irq(&dev->lock);
	return n;
}

/**
 * kv_posted_free_lost() - free what QPs took that were reset or destroyed then
 * @srq: where it was posted
 *
 * Locks: dev->lock
 */
void kv_posted_free_lost(struct kv_srq *srq)
{
	struct kv_post_dev *dev = &srq->obj.dev->post;
	struct kv_posted *posted, *next;

	spin_lock_irq(&dev->lock);
	list_for_each_entry_safe(posted, next, &srq->post.lost, link) {
		list_del(&posted->link);
		free_posted(posted);
	}
	spin_unlock_irq(&dev->lock);
}

/* kv_post_dev.lock */
static void free_orphans(struct kv_post_dev *dev, struct list_head *orphans)
{
	struct kv_posted *posted, *next;

	list_for_each_entry_safe(posted, next, orphans, link) {
		list_del(&posted->link);
		dev->orphaned--;
		kfree(posted);
	}
}

/* kv_post_dev.lock */
static void make_orphan(struct kv_post_dev *dev, struct kv_posted *posted,
			struct list_head *orphans)
{
	give_place_back(posted);
	drop_refs(posted);
	posted->state = KV_POSTED_ORPHAN;
	dev->orphaned++;
	list_move_tail(&posted->link, orphans);
}

/* kv_post_dev.lock */
static void forget_done(struct kv_cq *cq, const struct kv_qp *qp)
{
	struct kv_posted *posted, *next;

	list_for_each_entry_safe(posted, next, &cq->post.done, link) {
		if (posted->qp != qp)
			continue;
		list_del(&posted->link);
		free_posted(posted);
	}
}

/* kv_post_dev.lock */
static void forget_posted(struct kv_post_dev *dev, struct kv_post_queue *queue)
{
	struct kv_posted *posted, *next;

	list_for_each_entry_safe(posted, next, &queue->posts, link)
		make_orphan(dev, posted, &posted->cq->post.orphans);
}

/*
 * What is in a CQ that we poll comes out now; after that nothing comes for its
 * orphans. The CQ is claimed.
 */
static void poll_dry(struct kv_cq *cq)
{
	struct kv_post_dev *dev = &cq->obj.dev->post;
	u64 verb_ns = 0;

	if (kv_cq_by_core(cq))
		return;
	while (kv_cq_poll(cq, UINT_MAX, &verb_ns) > 0)
		;
	spin_lock_irq(&dev->lock);
	free_orphans(dev, &cq->post.orphans);
	spin_unlock_irq(&dev->lock);
}

/* One that a run has claimed has no orphans: what is posted by hand keeps runs away. */
static void claim_and_poll_dry(struct kv_cq *cq)
{
	if (!kv_cq_claim(cq))
		return;
	poll_dry(cq);
	kv_cq_release(cq);
}

/**
 * kv_post_forget_qp() - nothing that was posted on a QP is told any more
 * @qp: the QP: reset, and claimed by the caller; or destroyed, kv_obj.dead, and not
 *	claimed
 *
 * What came to its CQs for other QPs stays.
 *
 * Locks: dev->lock
 */
void kv_post_forget_qp(struct kv_qp *qp)
{
	struct kv_post_dev *dev = &qp->obj.dev->post;

	lockdep_assert_held(&qp->obj.dev->lock);
	spin_lock_irq(&dev->lock);
	forget_done(qp->send_cq, qp);
	forget_done(qp->recv_cq, qp);
	forget_posted(dev, &qp->post.sq);
	forget_posted(dev, &qp->post.rq);
	/* What comes now of what it took from its SRQ is lost. */
	list_del_init(&qp->post.link);
	spin_unlock_irq(&dev->lock);

	if (qp->obj.dead) {
		claim_and_poll_dry(qp->send_cq);
		claim_and_poll_dry(qp->recv_cq);
	} else {
		poll_dry(qp->send_cq);
		poll_dry(qp->recv_cq);
	}
	if (!qp->srq)
		return;
	kv_posted_free_lost(qp->srq);
	if (qp->obj.dead) {
		qp->recv_cq->post.srq_qps--;
		return;
	}
	spin_lock_irq(&dev->lock);
	list_add_tail(&qp->post.link, &qp->srq->post.qps);
	spin_unlock_irq(&dev->lock);
}

/**
 * kv_post_forget_srq() - nothing that was posted on an SRQ is told any more
 * @srq: the SRQ, destroyed
 *
 * Its QPs are gone, and with them what they had completed. Of the CQs that the
 * RDMA core polls any may still have something.
 *
 * Locks: dev->lock
 */
void kv_post_forget_srq(struct kv_srq *srq)
{
	struct kv_post_dev *dev = &srq->obj.dev->post;
	struct kv_posted *posted, *next;

	lockdep_assert_held(&srq->obj.dev->lock);
	kv_posted_free_lost(srq);
	spin_lock_irq(&dev->lock);
	list_for_each_entry_safe(posted, next, &srq->post.rq.posts, link)
		make_orphan(dev, posted, &dev->orphans);
	if (!dev->by_core)
		free_orphans(dev, &dev->orphans);
	spin_unlock_irq(&dev->lock);
}

/**
 * kv_post_forget_cq() - no completion comes any more
 * @cq: the CQ, destroyed; its QPs are gone, and with them what had completed
 *
 * Locks: dev->lock
 */
void kv_post_forget_cq(struct kv_cq *cq)
{
	struct kv_post_dev *dev = &cq->obj.dev->post;

	lockdep_assert_held(&cq->obj.dev->lock);
	WARN_ON_ONCE(!list_empty(&cq->post.done));
	spin_lock_irq(&dev->lock);
	free_orphans(dev, &cq->post.orphans);
	dev->by_core -= kv_cq_by_core(cq);
	if (!dev->by_core)
		free_orphans(dev, &dev->orphans);
	spin_unlock_irq(&dev->lock);
}

/**
 * kv_post_init_dev() - a device came
 * @dev: the device
 */
void kv_post_init_dev(struct kv_dev *dev)
{
	spin_lock_init(&dev->post.lock);
	INIT_LIST_HEAD(&dev->post.orphans);
}

/**
 * kv_post_init_cq() - a CQ is made
 * @cq: the CQ, its context known; kv_post_forget_cq() follows
 *
 * Locks: dev->lock
 */
void kv_post_init_cq(struct kv_cq *cq)
{
	lockdep_assert_held(&cq->obj.dev->lock);
	INIT_LIST_HEAD(&cq->post.done);
	INIT_LIST_HEAD(&cq->post.orphans);
	cq->obj.dev->post.by_core += kv_cq_by_core(cq);
}

/**
 * kv_post_init_qp() - a QP was made
 * @qp: the QP, published: kv_post_forget_qp() follows
 *
 * Locks: dev->lock
 */
void kv_post_init_qp(struct kv_qp *qp)
{
	struct kv_post_dev *dev = &qp->obj.dev->post;

	lockdep_assert_held(&qp->obj.dev->lock);
	INIT_LIST_HEAD(&qp->post.sq.posts);
	INIT_LIST_HEAD(&qp->post.rq.posts);
	INIT_LIST_HEAD(&qp->post.link);
	if (!qp->srq)
		return;
	qp->recv_cq->post.srq_qps++;
	spin_lock_irq(&dev->lock);
	list_add_tail(&qp->post.link, &qp->srq->post.qps);
	spin_unlock_irq(&dev->lock);
}

/**
 * kv_post_init_srq() - an SRQ is made
 * @srq: the SRQ; kv_post_forget_srq() follows if it is published
 */
void kv_post_init_srq(struct kv_srq *srq)
{
	INIT_LIST_HEAD(&srq->post.rq.posts);
	INIT_LIST_HEAD(&srq->post.lost);
	INIT_LIST_HEAD(&srq->post.qps);
}
