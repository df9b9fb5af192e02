/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_QP_H
#define _KV_QP_H

#include <rdma/ib_verbs.h>
#include "obj.h"

struct kv_cq;
struct kv_mr;
struct kv_pd;

/* What a QP uses: its parents by slot. */
enum kv_qp_parent {
	KV_QP_PD,
	KV_QP_SEND_CQ,
	KV_QP_RECV_CQ,
	KV_QP_LOCAL_MR,
	KV_QP_TARGET_MR,
};

/**
 * struct kv_qp - an RC queue pair
 * @obj: base; parents as enum kv_qp_parent says. The MRs are those that the last
 *	run posted: receives may still be outstanding on them, so they stay until
 *	another run, RESET, or the QP's end.
 * @ib: the verbs object
 * @pd: its protection domain
 * @send_cq: where sends complete
 * @recv_cq: where receives complete
 * @max_send_wr: depth of the send queue
 * @max_recv_wr: depth of the receive queue
 * @recvs: receives that are posted; of the run while one is active, else under
 *	dev->lock
 * @dirty: a run ended with other requests outstanding; ditto
 * @wr_id: the last one that kv_qp_post_and_wait() used; dev->lock
 */
struct kv_qp {
	struct kv_obj obj;
	struct ib_qp *ib;
	struct kv_pd *pd;
	struct kv_cq *send_cq;
	struct kv_cq *recv_cq;
	u32 max_send_wr;
	u32 max_recv_wr;
	u32 recvs;
	bool dirty;
	u64 wr_id;
};

/**
 * struct kv_qp_modify - one transition
 * @attr: its attributes; qp_state always
 * @mask: which of them are there, IB_QP_* flags
 */
struct kv_qp_modify {
	struct ib_qp_attr attr;
	int mask;
};

struct kv_qp *kv_qp_create(struct kv_pd *pd, struct kv_cq *send_cq,
			   struct kv_cq *recv_cq, const struct kv_owner *owner,
			   u32 max_send_wr, u32 max_recv_wr,
			   struct netlink_ext_ack *extack);
int kv_qp_modify(struct kv_qp *qp, struct kv_qp_modify *modify,
		 struct netlink_ext_ack *extack);
int kv_qp_query(struct kv_qp *qp, struct ib_qp_attr *attr,
		struct netlink_ext_ack *extack);
int kv_qp_check_rts(struct kv_qp *qp, struct netlink_ext_ack *extack);
int kv_qp_claim(struct kv_qp *qp, struct netlink_ext_ack *extack);
void kv_qp_release(struct kv_qp *qp);
int kv_qp_post_and_wait(struct kv_qp *qp, struct ib_send_wr *wr,
			struct netlink_ext_ack *extack);

extern const struct kv_obj_ops kv_qp_ops;

#endif
