/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_WQE_H
#define _KV_WQE_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

struct kv_cq;
struct kv_dev;
struct kv_obj;
struct kv_qp;
struct kv_srq;
struct kv_wqe;

/**
 * struct kv_wq - work requests that were posted by hand to one queue
 * @posted: those that have not completed, in the order of the posts; the device's
 *	kv_dev_wqes.lock
 * @done: those that have completed, but CQ_POLL has not returned them yet; for a QP
 *	with an SRQ the receives that the QP took from the SRQ; ditto
 * @taken: how many of the queue's places are taken: a request takes its place until
 *	its completion is returned; dev->lock
 * @repeated: a request whose completion was returned, and may come once more; or NULL; dev->lock
 */
struct kv_wq {
	struct list_head posted;
	struct list_head done;
	unsigned int taken;
	struct kv_wqe *repeated;
};

/**
 * struct kv_qp_wqes - the requests of a QP: kv_wqe_init_qp(),
 * kv_wqe_exit_qp()
 * @sq: sends
 * @rq: receives
 */
struct kv_qp_wqes {
	struct kv_wq sq;
	struct kv_wq rq;
};

/**
 * struct kv_srq_wqes - the requests of an SRQ: kv_wqe_init_srq(), kv_wqe_drop_srq()
 * @rq: its receives
 * @qps: the QPs that take from it, by the address of their ib_qp: a completion names its QP
 *	by nothing else
 */
struct kv_srq_wqes {
	struct kv_wq rq;
	struct xarray qps;
};

/**
 * struct kv_cq_wqes - the requests that complete into a CQ
 * @done: requests that have completed and were not returned yet, in order
 * @pending: requests of this CQ whose completions were not returned yet
 * @taken_out: how many are in @done: their completions take no place in the CQ
 * @srq_qps: QPs that receive here from an SRQ; dev->lock
 *
 * All but @srq_qps: the device's kv_dev_wqes.lock.
 */
struct kv_cq_wqes {
	struct list_head done;
	unsigned int pending;
	unsigned int taken_out;
	unsigned int srq_qps;
};

/**
 * struct kv_dev_wqes - the requests of a device
 * @lock: protects the lists of requests, and all data that completions change. Taken in
 *	softirqs; under dev->lock or not.
 * @kept: requests whose completions may still come, of QPs that could not be drained;
 *	freed when the device goes; dev->lock
 * @kept_qps: such QPs, for their markers, linked by kv_qp.kept, each with a reference;
 *	ditto
 * @undrained: the last attempt to drain a QP has failed; dev->lock
 */
struct kv_dev_wqes {
	spinlock_t lock;
	struct list_head kept;
	struct list_head kept_qps;
	bool undrained;
};

/**
 * struct kv_wc - one completion, for the user; enum kverbs_a_wc explains the
 * fields
 * @wr_id: the caller's
 * @status: enum ib_wc_status
 * @vendor_err: on failure
 * @op: enum kverbs_wc_op
 * @qp: id of the QP, 0 if it is gone
 * @length: bytes
 * @imm: immediate data, host order
 * @src_qpn: UD receives
 * @invalidate_rkey: the key that a SEND_WITH_INV of the peer's, or this READ_WITH_INV, has
 *	invalidated; for READ_WITH_INV set when the request is posted
 * @has_length: @length is there
 * @has_imm: @imm is there
 * @has_src_qpn: @src_qpn is there
 * @grh: UD receives
 * @has_inv: @invalidate_rkey is there
 */
struct kv_wc {
	u64 wr_id;
	u32 status;
	u32 vendor_err;
	u32 op;
	u32 qp;
	u32 length;
	u32 imm;
	u32 src_qpn;
	u32 invalidate_rkey;
	bool has_length;
	bool has_imm;
	bool has_src_qpn;
	bool grh;
	bool has_inv;
};

/**
 * struct kv_wqe_ops - functions called at the end of a request
 * @completed: called when its completion has come; with kv_dev_wqes.lock held, in any context;
 *	or NULL
 * @over: called when its completion was returned or its queue drained; under dev->lock, before
 *	the objects that it names are released
 */
struct kv_wqe_ops {
	void (*completed)(struct kv_wqe *wqe);
	void (*over)(struct kv_wqe *wqe);
};

/**
 * struct kv_wqe - a work request that was posted by hand
 * @cqe: the wr_cqe of its completion
 * @link: in kv_wq.posted or kv_wq.done, in @earlier of a later request, or in
 *	kv_dev_wqes.kept
 * @cq_link: in kv_cq_wqes.done
 * @earlier: @silent sends of the same queue that are complete because this one is
 * @done: its completion came; to be read with acquire
 * @kept: its QP could not be drained and is gone; only the memory is left
 * @internal: its completion is returned to nobody
 * @repeats: its completion may come twice if it is flushed
 * @silent: it completes with a later one of its queue, and by itself only with an error
 * @qp: the QP of the post; for a receive of an SRQ the QP that took it, once @done
 * @srq: the SRQ of the post, or NULL
 * @cq: the CQ of its completion; for a receive of an SRQ once @done
 * @queue: the queue that it takes a place of
 * @op: enum kverbs_op
 * @ops: functions called at its end, or NULL
 * @keys: kv_dev.keys when it was posted
 * @wc: its completion, for the user
 * @refs: how many of @ref there are
 * @ref: the objects that it names. Each is in use, with a reference, until the completion
 *	was returned or the queue is drained; dev->lock
 */
struct kv_wqe {
	struct ib_cqe cqe;
	struct list_head link;
	struct list_head cq_link;
	struct list_head earlier;
	bool done;
	bool kept;
	bool internal;
	bool repeats;
	bool silent;
	struct kv_qp *qp;
	struct kv_srq *srq;
	struct kv_cq *cq;
	struct kv_wq *queue;
	u32 op;
	const struct kv_wqe_ops *ops;
	u64 keys;
	struct kv_wc wc;
	unsigned int refs;
	struct kv_obj *ref[];
};

struct kv_wqe *kv_wqe_alloc(struct kv_qp *qp, struct kv_srq *srq, u32 op, unsigned int refs);
void kv_wqe_hold(struct kv_wqe *wqe, struct kv_obj *obj);
void kv_wqe_enqueue(struct kv_wqe *wqe);
void kv_wqe_free(struct kv_wqe *wqe);
unsigned int kv_wqe_take(struct kv_cq *cq, struct kv_wc *wc, unsigned int max);
unsigned int kv_wqe_pending(struct kv_cq *cq);
unsigned int kv_wqe_outstanding(struct kv_cq *cq);
void kv_wqe_free_kept(struct kv_dev *dev);
int kv_wqe_init_qp(struct kv_qp *qp);
int kv_wqe_add_taker(struct kv_qp *qp, const struct ib_qp *ib);
void kv_wqe_del_taker(struct kv_qp *qp, const struct ib_qp *ib);
void kv_wqe_drop_qp(struct kv_qp *qp, bool drained);
void kv_wqe_exit_qp(struct kv_qp *qp);
void kv_wqe_init_srq(struct kv_srq *srq);
void kv_wqe_drop_srq(struct kv_srq *srq);

/**
 * kv_wq_idle() - is no request outstanding?
 * @queue: the queue
 *
 * Locks: dev->lock: no request comes meanwhile; completions only take some away
 * Return: true if all have completed.
 */
static inline bool kv_wq_idle(const struct kv_wq *queue)
{
	return list_empty_careful(&queue->posted);
}

#endif
