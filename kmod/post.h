/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_POST_H
#define _KV_POST_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <kverbs.h>
#include <rdma/ib_verbs.h>

struct kv_ah;
struct kv_cq;
struct kv_mr;
struct kv_qp;
struct kv_srq;
struct kv_dev;
struct netlink_ext_ack;

/**
 * struct kv_post_queue - requests posted by hand to one queue
 * @posts: those that have not completed, in the order of the posts; the device's
 *	kv_post_dev.lock
 * @taken: how many of the queue's places are taken, which they are until the
 *	completion was polled; dev->lock
 */
struct kv_post_queue {
	struct list_head posts;
	unsigned int taken;
};

/**
 * struct kv_post_qp - what a QP keeps for post.c: kv_post_init_qp() once it is
 * published, kv_post_forget_qp() after RESET and after its end
 * @sq: sends
 * @rq: receives, if it has no SRQ
 * @link: in its SRQ's @qps; the device's kv_post_dev.lock
 */
struct kv_post_qp {
	struct kv_post_queue sq;
	struct kv_post_queue rq;
	struct list_head link;
};

/**
 * struct kv_post_srq - what an SRQ keeps for post.c: kv_post_init_srq() when it is
 * made, kv_post_forget_srq() after its end
 * @rq: its receives
 * @lost: receives that a QP took which was reset or destroyed then; the device's
 *	kv_post_dev.lock
 * @qps: QPs that use it; ditto
 */
struct kv_post_srq {
	struct kv_post_queue rq;
	struct list_head lost;
	struct list_head qps;
};

/**
 * struct kv_post_cq - what a CQ keeps for post.c: kv_post_init_cq() when it is
 * made, kv_post_forget_cq() after its end
 * @done: requests that have completed and were not polled, in order
 * @orphans: requests of QPs that were reset or destroyed; their completions may
 *	still come
 * @pending: requests whose completions come here and were not polled
 * @taken_out: how many are in @done: their completions take no place in the CQ
 * @srq_qps: QPs that receive here from an SRQ; dev->lock
 *
 * All but @srq_qps: the device's kv_post_dev.lock.
 */
struct kv_post_cq {
	struct list_head done;
	struct list_head orphans;
	unsigned int pending;
	unsigned int taken_out;
	unsigned int srq_qps;
};

/**
 * struct kv_post_dev - what a device keeps for post.c
 * @lock: protects the lists of requests and what completions change. Taken in
 *	softirqs; under dev->lock or not.
 * @orphans: requests of SRQs that were destroyed; their completions may still come
 *	to a CQ that the RDMA core polls; @lock
 * @orphaned: how many orphans there are, of CQs too; @lock
 * @by_core: CQs that the RDMA core polls; dev->lock
 */
struct kv_post_dev {
	spinlock_t lock;
	struct list_head orphans;
	unsigned int orphaned;
	unsigned int by_core;
};

/**
 * struct kv_post_sge - a piece of a buffer
 * @mr: whose
 * @offset: first byte, checked against the buffer
 * @length: bytes, ditto
 * @lkey: enum kverbs_lkey
 */
struct kv_post_sge {
	struct kv_mr *mr;
	u64 offset;
	u32 length;
	u32 lkey;
};

/**
 * struct kv_post_spec - one work request, as it was asked for; enum kverbs_a_wr
 * says what the fields mean
 * @qp: where it goes, or NULL
 * @srq: where it goes, or NULL
 * @op: enum kverbs_op, up to RECV
 * @wr_id: the caller's
 * @flags: KVERBS_WR_*
 * @has_imm: @imm is there
 * @imm: immediate data, host order
 * @sges: how many of @sge
 * @sge: pieces
 * @remote_addr: WRITE, READ, atomics
 * @remote_key: ditto
 * @compare_add: atomics
 * @swap: CMP_SWP
 * @ah: UD
 * @remote_qpn: UD
 * @remote_qkey: UD
 */
struct kv_post_spec {
	struct kv_qp *qp;
	struct kv_srq *srq;
	u32 op;
	u64 wr_id;
	u32 flags;
	bool has_imm;
	u32 imm;
	unsigned int sges;
	struct kv_post_sge sge[KVERBS_SGE_MAX];
	u64 remote_addr;
	u32 remote_key;
	u64 compare_add;
	u64 swap;
	struct kv_ah *ah;
	u32 remote_qpn;
	u32 remote_qkey;
};

/**
 * struct kv_post_wc - one completion, as it is told; enum kverbs_a_wc says what
 * the fields mean
 * @wr_id: the caller's
 * @status: enum ib_wc_status
 * @vendor_err: on failure
 * @op: enum kverbs_op
 * @qp: id of the QP, 0 if it is gone
 * @has_length: @length is there
 * @length: bytes
 * @has_imm: @imm is there
 * @imm: immediate data, host order
 * @has_src_qpn: @src_qpn is there
 * @src_qpn: UD receives
 * @grh: UD receives
 */
struct kv_post_wc {
	u64 wr_id;
	u32 status;
	u32 vendor_err;
	u32 op;
	u32 qp;
	bool has_length;
	u32 length;
	bool has_imm;
	u32 imm;
	bool has_src_qpn;
	u32 src_qpn;
	bool grh;
};

int kv_post(const struct kv_post_spec *spec, u64 *verb_ns,
	    struct netlink_ext_ack *extack);
int kv_post_and_wait(struct kv_qp *qp, struct kv_mr *mr, struct ib_send_wr *wr,
		     u32 op, struct netlink_ext_ack *extack);
int kv_post_poll(struct kv_cq *cq, struct kv_post_wc *wc, unsigned int max,
		 u64 *verb_ns, struct netlink_ext_ack *extack);
unsigned int kv_post_pending(struct kv_cq *cq);
bool kv_post_waiting(struct kv_cq *cq);
void kv_post_init_dev(struct kv_dev *dev);
void kv_post_init_cq(struct kv_cq *cq);
void kv_post_forget_cq(struct kv_cq *cq);
void kv_post_init_qp(struct kv_qp *qp);
void kv_post_forget_qp(struct kv_qp *qp);
void kv_post_init_srq(struct kv_srq *srq);
void kv_post_forget_srq(struct kv_srq *srq);

#endif
