// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>
#include <kverbs.h>
#include "cq.h"
#include "dev.h"
#include "event.h"
#include "qp.h"
#include "rules/queue.h"
#include "rules/request.h"
#include "srq.h"
#include "wqe.h"

/* KV_POSTED_BYTES is the memory that is counted for each request of a queue. */
static_assert(sizeof(struct kv_wqe) <= KV_POSTED_BYTES);

/*
 * The life of a work request that was posted by hand.
 *
 * Its completion carries a pointer to the request. So the request is freed only when no
 * completion can come for it any more: its completion came and CQ_POLL returned it; or the
 * device refused the request; or a later request of the send queue completed; or its QP was
 * drained (drain.c): then no CQ holds a completion of that QP. If a QP can't be drained, its
 * device may complete the request at any time: its memory is kept until the device goes.
 *
 * The objects that a request names stay in use until its completion was returned, or its QP
 * drained. Both happen under dev->lock, which kv_obj.users needs and completions don't have.
 */

/* Fills the completion for the user. Its opcode and the rest are valid on success only. */
static void wqe_fill_wc(struct kv_wqe *wqe, const struct ib_wc *from)
{
	struct kv_wc *wc = &wqe->wc;
	bool recv = wqe->op == KVERBS_OP_RECV;

	wc->qp = wqe->qp->obj.id;
	wc->status = from->status;
	if (from->status != IB_WC_SUCCESS) {
		wc->vendor_err = from->vendor_err;
		return;
	}
	wc->has_inv = wqe->op == KVERBS_OP_READ_WITH_INV;
	wc->has_length = recv || kv_op_among(wqe->op, KV_OPS_READ);
	wc->length = from->byte_len;
	if (!recv)
		return;
	if (from->opcode == IB_WC_RECV_RDMA_WITH_IMM)
		wc->op = KVERBS_WC_OP_RECV_WRITE_WITH_IMM;
	wc->has_imm = from->wc_flags & IB_WC_WITH_IMM;
	if (wc->has_imm)
		wc->imm = be32_to_cpu(from->ex.imm_data);
	/*
	 * mlx5, bnxt_re, irdma, siw and rxe tell the key (mlx5_ib_poll_cq(), bnxt_re_poll_cq(),
	 * irdma_process_cqe(), siw_reap_cqe(), do_complete()).
	 */
	wc->has_inv = from->wc_flags & IB_WC_WITH_INVALIDATE;
	if (wc->has_inv)
		wc->invalidate_rkey = from->ex.invalidate_rkey;
	if (wqe->qp->type == KVERBS_QPT_UD) {
		wc->has_src_qpn = true;
		wc->src_qpn = from->src_qp;
		wc->grh = from->wc_flags & IB_WC_GRH;
	}
}

/*
 * Finds the QP that took an SRQ's receive. A QP that went without a drain is not found: the
 * address of its verbs object is only compared.
 */
static bool wqe_find_taker(struct kv_wqe *wqe, struct kv_cq *cq, const struct ib_wc *wc)
{
	struct kv_qp *qp = xa_load(&wqe->srq->wqes.qps, (unsigned long)wc->qp);

	if (!qp || qp->recv_cq != cq)
		return false;
	wqe->qp = qp;
	wqe->cq = cq;
	cq->wqes.pending++;
	return true;
}

/*
 * A request with a completion of its own stays: siw completes requests behind a READ when the
 * READ is sent, and the READ itself when its response has come.
 */
static void wqe_take_silent(struct kv_wqe *wqe)
{
	struct kv_wqe *earlier, *next;

	list_for_each_entry_safe(earlier, next, &wqe->queue->posted, link) {
		if (earlier == wqe)
			break;
		if (earlier->silent)
			list_move_tail(&earlier->link, &wqe->earlier);
	}
}

/*
 * A completion came. Called by the RDMA core, or by kv_cq_poll().
 *
 * siw flushes a READ twice, one right behind the other, if it has waited for a place among the
 * outstanding READs, got one, and is not sent yet (siw_check_tx_fence(), siw_sq_flush()).
 */
static void wqe_complete(struct ib_cq *ib_cq, struct ib_wc *wc)
{
	struct kv_wqe *wqe = container_of(wc->wr_cqe, struct kv_wqe, cqe);
	struct kv_cq *cq = ib_cq->cq_context;

	guard(spinlock_irqsave)(&cq->obj.dev->wqes.lock);
	if (wqe->done || wqe->kept || (wqe->srq && !wqe_find_taker(wqe, cq, wc)))
		return;
	if (wqe->queue == &wqe->qp->wqes.sq)
		wqe_take_silent(wqe);
	wqe_fill_wc(wqe, wc);
	list_move_tail(&wqe->link, wqe->queue == &wqe->qp->wqes.sq ?
				   &wqe->qp->wqes.sq.done : &wqe->qp->wqes.rq.done);
	list_add_tail(&wqe->cq_link, &cq->wqes.done);
	cq->wqes.taken_out++;
	if (wqe->ops && wqe->ops->completed)
		wqe->ops->completed(wqe);
	/* Pairs with the acquire of kv_cq_wait(). */
	smp_store_release(&wqe->done, true);
	kv_event_send_wc(&wqe->qp->obj, wqe->wc.status, wqe->wc.vendor_err);
	if (kv_cq_core_polls(cq))
		kv_cq_notify(cq);
}

/**
 * kv_wqe_alloc() - a request that is about to be posted
 * @qp: the QP to post it on, or NULL
 * @srq: the SRQ to post it on, or NULL
 * @op: enum kverbs_op
 * @refs: how many objects it will name
 *
 * Locks: dev->lock
 * Return: the request, in no list, or NULL. After kv_wqe_enqueue() its completion
 * or the end of its queue frees it.
 */
struct kv_wqe *kv_wqe_alloc(struct kv_qp *qp, struct kv_srq *srq, u32 op, unsigned int refs)
{
	struct kv_wqe *wqe;

	wqe = kzalloc(struct_size(wqe, ref, refs), GFP_KERNEL_ACCOUNT);
	if (!wqe)
		return NULL;
	wqe->cqe.done = wqe_complete;
	INIT_LIST_HEAD(&wqe->earlier);
	wqe->qp = qp;
	wqe->srq = srq;
	wqe->op = op;
	wqe->keys = qp ? qp->obj.dev->keys : srq->obj.dev->keys;
	wqe->wc.op = kv_op_completion(op);
	if (srq) {
		wqe->queue = &srq->wqes.rq;
	} else if (op == KVERBS_OP_RECV) {
		wqe->queue = &qp->wqes.rq;
		wqe->cq = qp->recv_cq;
	} else {
		wqe->queue = &qp->wqes.sq;
		wqe->cq = qp->send_cq;
	}
	return wqe;
}

/**
 * kv_wqe_hold() - a request names an object, and so uses it
 * @wqe: the request
 * @obj: the object
 *
 * Locks: dev->lock
 */
void kv_wqe_hold(struct kv_wqe *wqe, struct kv_obj *obj)
{
	kv_obj_hold(obj);
	wqe->ref[wqe->refs++] = obj;
}

static struct kv_dev_wqes *wqe_dev(const struct kv_wqe *wqe)
{
	return wqe->qp ? &wqe->qp->obj.dev->wqes : &wqe->srq->obj.dev->wqes;
}

/* Frees the request's place, and ends its use of the objects that it names. dev->lock */
static void wqe_release(struct kv_wqe *wqe)
{
	wqe->queue->taken--;
	if (wqe->cq) {
		guard(spinlock_irq)(&wqe_dev(wqe)->lock);
		wqe->cq->wqes.pending--;
	}
	if (wqe->ops)
		wqe->ops->over(wqe);
	while (wqe->refs)
		kv_obj_unhold(wqe->ref[--wqe->refs]);
}

/* The request is in no list any more. Those before it that were not signaled end with it. */
static void wqe_end(struct kv_wqe *wqe)
{
	struct kv_wqe *earlier, *next;

	list_for_each_entry_safe(earlier, next, &wqe->earlier, link) {
		wqe_release(earlier);
		kfree(earlier);
	}
	wqe_release(wqe);
}

/* The same, and no completion comes for it. */
static void wqe_free(struct kv_wqe *wqe)
{
	wqe_end(wqe);
	kfree(wqe);
}

/*
 * The completion of the request was returned. One that is flushed twice (wqe_complete()) stays
 * until the next one is returned, or its queue is drained: the second completion follows the first.
 */
static void wqe_return(struct kv_wqe *wqe)
{
	struct kv_wq *queue = wqe->queue;

	wqe_end(wqe);
	kfree(queue->repeated);
	queue->repeated = NULL;
	if (wqe->repeats && wqe->wc.status == IB_WC_WR_FLUSH_ERR)
		queue->repeated = wqe;
	else
		kfree(wqe);
}

/* kv_dev_wqes.lock */
static void wqe_unlink(struct kv_wqe *wqe)
{
	list_del(&wqe->link);
	if (!wqe->done)
		return;
	list_del(&wqe->cq_link);
	wqe->cq->wqes.taken_out--;
}

/**
 * kv_wqe_enqueue() - a request is about to be posted: its completion may come
 * before the verb returns
 * @wqe: the request
 *
 * Locks: dev->lock
 */
void kv_wqe_enqueue(struct kv_wqe *wqe)
{
	wqe->queue->taken++;
	guard(spinlock_irq)(&wqe_dev(wqe)->lock);
	list_add_tail(&wqe->link, &wqe->queue->posted);
	if (wqe->cq)
		wqe->cq->wqes.pending++;
}

/**
 * kv_wqe_free() - the device has refused a request, or its completion came and
 * is not needed any more
 * @wqe: the request, enqueued
 *
 * Locks: dev->lock
 */
void kv_wqe_free(struct kv_wqe *wqe)
{
	scoped_guard(spinlock_irq, &wqe_dev(wqe)->lock)
		wqe_unlink(wqe);
	wqe_free(wqe);
}

/*
 * Takes the first request off a list; NULL if there is none. With @keep its completion may
 * still come: it has no effect then.
 */
static struct kv_wqe *wqe_pop(struct kv_dev_wqes *dev, struct list_head *list, bool keep)
{
	struct kv_wqe *wqe;

	guard(spinlock_irq)(&dev->lock);
	wqe = list_first_entry_or_null(list, struct kv_wqe, link);
	if (wqe) {
		wqe_unlink(wqe);
		wqe->kept = keep;
	}
	return wqe;
}

/**
 * kv_wqe_take() - take the completions that came and were not returned yet
 * @cq: the CQ of the completions
 * @wc: receives them, in order
 * @max: how many at most
 *
 * Locks: dev->lock
 * Return: how many there were.
 */
unsigned int kv_wqe_take(struct kv_cq *cq, struct kv_wc *wc, unsigned int max)
{
	struct kv_dev_wqes *dev = &cq->obj.dev->wqes;
	struct kv_wqe *wqe;
	unsigned int n = 0;

	while (n < max) {
		spin_lock_irq(&dev->lock);
		wqe = list_first_entry_or_null(&cq->wqes.done, struct kv_wqe, cq_link);
		if (wqe)
			wqe_unlink(wqe);
		spin_unlock_irq(&dev->lock);
		if (!wqe)
			break;
		if (!wqe->internal)
			wc[n++] = wqe->wc;
		wqe_return(wqe);
	}
	return n;
}

/**
 * kv_wqe_pending() - requests of this CQ whose completions were not returned yet
 * @cq: the CQ
 *
 * Return: how many; receives of SRQs count once they have completed.
 */
unsigned int kv_wqe_pending(struct kv_cq *cq)
{
	return READ_ONCE(cq->wqes.pending);
}

/**
 * kv_wqe_outstanding() - requests whose completions are in the CQ, or will be
 * @cq: the CQ
 *
 * Return: how many.
 */
unsigned int kv_wqe_outstanding(struct kv_cq *cq)
{
	guard(spinlock_irq)(&cq->obj.dev->wqes.lock);
	return cq->wqes.pending - cq->wqes.taken_out;
}

static void wqe_init_wq(struct kv_wq *queue)
{
	INIT_LIST_HEAD(&queue->posted);
	INIT_LIST_HEAD(&queue->done);
}

/* The queue's QP or SRQ is drained, or gone without a drain. */
static void wqe_drop_wq(struct kv_dev *dev, struct kv_wq *queue, bool drained)
{
	struct kv_wqe *wqe;

	lockdep_assert_held(&dev->lock);
	if (queue->repeated && !drained)
		list_add(&queue->repeated->link, &dev->wqes.kept);
	else
		kfree(queue->repeated);
	queue->repeated = NULL;
	while ((wqe = wqe_pop(&dev->wqes, &queue->done, false)))
		wqe_free(wqe);
	while ((wqe = wqe_pop(&dev->wqes, &queue->posted, !drained))) {
		if (drained) {
			wqe_free(wqe);
			continue;
		}
		wqe_release(wqe);
		list_add(&wqe->link, &dev->wqes.kept);
	}
}

/**
 * kv_wqe_add_taker() - completions of an SRQ's receives may name this verbs object
 * @qp: the QP
 * @ib: its verbs object, or the one that will replace it
 *
 * Locks: dev->lock
 * Return: 0 or -ENOMEM.
 */
int kv_wqe_add_taker(struct kv_qp *qp, const struct ib_qp *ib)
{
	if (!qp->srq)
		return 0;
	return xa_err(xa_store(&qp->srq->wqes.qps, (unsigned long)ib, qp, GFP_KERNEL));
}

/**
 * kv_wqe_del_taker() - undo kv_wqe_add_taker()
 * @qp: the QP
 * @ib: the verbs object; receives that it still takes from the SRQ are lost
 *
 * Locks: dev->lock
 */
void kv_wqe_del_taker(struct kv_qp *qp, const struct ib_qp *ib)
{
	spinlock_t *lock = &qp->obj.dev->wqes.lock;

	if (!qp->srq)
		return;
	xa_erase(&qp->srq->wqes.qps, (unsigned long)ib);
	/* A completion that has found the QP holds the lock as long as it uses the QP. */
	spin_lock_irq(lock);
	spin_unlock_irq(lock);
}

/**
 * kv_wqe_init_qp() - a QP is made
 * @qp: the QP, its verbs object made
 *
 * Locks: dev->lock
 * Return: 0: kv_wqe_exit_qp() undoes it; or -ENOMEM.
 */
int kv_wqe_init_qp(struct kv_qp *qp)
{
	int ret;

	wqe_init_wq(&qp->wqes.sq);
	wqe_init_wq(&qp->wqes.rq);
	ret = kv_wqe_add_taker(qp, qp->ib);
	if (!ret && qp->srq)
		qp->recv_cq->wqes.srq_qps++;
	return ret;
}

/**
 * kv_wqe_drop_qp() - drop all requests that were posted on a QP
 * @qp: the QP
 * @drained: no completion of the QP can come any more. Else the QP is gone: memory that
 *	a completion may name is kept.
 *
 * Completions of other QPs stay in its CQs.
 *
 * Locks: dev->lock
 */
void kv_wqe_drop_qp(struct kv_qp *qp, bool drained)
{
	wqe_drop_wq(qp->obj.dev, &qp->wqes.sq, drained);
	wqe_drop_wq(qp->obj.dev, &qp->wqes.rq, drained);
	if (drained)
		return;
	/* The queues themselves are freed. */
	kv_obj_charge(&qp->obj, 0, NULL);
	kv_obj_get(&qp->obj);
	list_add(&qp->kept, &qp->obj.dev->wqes.kept_qps);
}

/**
 * kv_wqe_exit_qp() - undo kv_wqe_init_qp()
 * @qp: the QP, destroyed; its verbs object is compared only
 *
 * Locks: dev->lock
 */
void kv_wqe_exit_qp(struct kv_qp *qp)
{
	kv_wqe_del_taker(qp, qp->ib);
	if (qp->srq)
		qp->recv_cq->wqes.srq_qps--;
}

/**
 * kv_wqe_init_srq() - an SRQ is made
 * @srq: the SRQ; kv_wqe_drop_srq() follows if it is published
 */
void kv_wqe_init_srq(struct kv_srq *srq)
{
	wqe_init_wq(&srq->wqes.rq);
	xa_init_flags(&srq->wqes.qps, XA_FLAGS_ACCOUNT);
}

/**
 * kv_wqe_drop_srq() - drop all receives that were posted on an SRQ
 * @srq: the SRQ, destroyed; its QPs are gone, and with them the receives that they took
 *
 * Locks: dev->lock
 */
void kv_wqe_drop_srq(struct kv_srq *srq)
{
	WARN_ON_ONCE(!xa_empty(&srq->wqes.qps));
	wqe_drop_wq(srq->obj.dev, &srq->wqes.rq, !srq->undrained);
}

/**
 * kv_wqe_free_kept() - free the kept requests: no completion can come any more
 * @dev: the device, whose CQs are all destroyed
 *
 * Locks: dev->lock
 */
void kv_wqe_free_kept(struct kv_dev *dev)
{
	struct kv_qp *qp, *next_qp;
	struct kv_wqe *wqe, *next;

	lockdep_assert_held(&dev->lock);
	list_for_each_entry_safe(qp, next_qp, &dev->wqes.kept_qps, kept) {
		list_del(&qp->kept);
		kv_obj_put(&qp->obj);
	}
	list_for_each_entry_safe(wqe, next, &dev->wqes.kept, link)
		kfree(wqe);
	INIT_LIST_HEAD(&dev->wqes.kept);
}
