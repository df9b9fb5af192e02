/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_QP_H
#define _KV_QP_H

#include <linux/stddef.h>
#include <rdma/ib_verbs.h>
#include "drain.h"
#include "obj.h"
#include "rules/qp_table.h"
#include "wqe.h"

struct kv_cq;
struct kv_pd;
struct kv_srq;

/* What a QP uses: its parents by slot. */
enum kv_qp_parent {
	KV_QP_PD,
	KV_QP_SEND_CQ,
	KV_QP_RECV_CQ,
	KV_QP_SRQ,
	KV_QP_LOCAL_BUF,
	KV_QP_LOCAL_MR,
	KV_QP_TARGET_BUF,
	KV_QP_TARGET_MR,
};

/**
 * struct kv_qp - a queue pair
 * @obj: base; parents as enum kv_qp_parent says. Buffers and MRs are those that the
 *	last run posted: receives may still be outstanding on them, so they stay until
 *	another run, RESET, or the QP's end.
 * @ib: the verbs object
 * @init: what ib_create_qp() was given, no limit above the device's:
 * @type: its transport, which the device has
 * @pd: its protection domain; the rest is of the same device
 * @send_cq: where sends complete
 * @recv_cq: where receives complete, may be the same
 * @srq: where receives come from, or NULL: from its own queue
 * @cap: depths of the queues, SGEs of each request, and bytes that a send can carry inline;
 *	of receives 0 with @srq
 * @sq_sig_all: every send completes
 * @port: where INIT has put it, 1 before; dev->lock
 * @given: KV_QPA_*, the attributes that it was given since it was in RESET: the
 *	others mean nothing yet; dev->lock
 * @state: where the last transition has brought it; a device may have brought it
 *	further, to ERR, SQE or SQD; dev->lock
 * @received: it was in RTR since it was in RESET; dev->lock
 * @was_reset: it was in another state before it was in RESET; dev->lock
 * @established: see kv_qp_set_user(); NULL: no CONN uses it. To write, dev->lock and
 *	kv_dev_wqes.lock, to read, one of them
 * @user: ditto
 * @wqes: requests posted by hand
 * @drain: its markers
 * @kept: in kv_dev_wqes.kept_qps, once it is gone and could not be drained
 * @run_recvs: receives of runs that are posted; of the run while one is active,
 *	else under dev->lock
 * @needs_reset: a run ended with other requests outstanding; ditto
 */
struct kv_qp {
	struct kv_obj obj;
	struct ib_qp *ib;

	struct_group_tagged(kv_qp_init, init, /* kv_qp_create() copies it */
		enum kverbs_qp_type type;
		struct kv_pd *pd;
		struct kv_cq *send_cq;
		struct kv_cq *recv_cq;
		struct kv_srq *srq;
		struct ib_qp_cap cap;
		bool sq_sig_all;
	);
	u32 port;
	u32 given;
	enum kverbs_qp_state state;
	bool received;
	bool was_reset;
	void (*established)(void *user);
	void *user;
	struct kv_qp_wqes wqes;
	struct kv_drain drain;
	struct list_head kept;
	u32 run_recvs;
	bool needs_reset;
};

/**
 * struct kv_qp_modify - one transition
 * @to: the state to go to
 * @cur_state: if KV_QPA_CUR_STATE is there: which state the QP is thought to be in
 * @attr: the other attributes
 * @mask: which of them are there, KV_QPA_*
 * @resolved: the destination's MAC address is in @attr already
 */
struct kv_qp_modify {
	enum kverbs_qp_state to;
	enum kverbs_qp_state cur_state;
	struct ib_qp_attr attr;
	u32 mask;
	bool resolved;
};

struct kv_obj *kv_qp_create(const struct kv_qp_init *init, struct kv_owner *owner,
			    struct netlink_ext_ack *extack);
int kv_qp_modify(struct kv_qp *qp, struct kv_qp_modify *modify,
		 struct kv_qp_step *wrong, struct netlink_ext_ack *extack);
int kv_qp_query(struct kv_qp *qp, struct ib_qp_attr *attr,
		struct netlink_ext_ack *extack);
enum kverbs_qp_state kv_qp_state(const struct kv_qp *qp, const struct ib_qp_attr *attr);
void kv_qp_set_user(struct kv_qp *qp, void (*established)(void *user), void *user);
int kv_qp_check_rts(struct kv_qp *qp, struct netlink_ext_ack *extack);
int kv_qp_check_outstanding(const struct kv_qp *qp, struct netlink_ext_ack *extack);
int kv_qp_claim(struct kv_qp *qp, struct netlink_ext_ack *extack);
void kv_qp_release(struct kv_qp *qp);

/**
 * kv_qp_set_state() - a transition is done
 * @qp: the QP
 * @state: its state now
 *
 * Locks: dev->lock
 */
static inline void kv_qp_set_state(struct kv_qp *qp, enum kverbs_qp_state state)
{
	qp->state = state;
	if (state == KVERBS_QPS_RESET)
		qp->received = false;
	else if (state == KVERBS_QPS_RTR || state == KVERBS_QPS_RTS)
		qp->received = true;
}

extern struct kv_obj_class kv_qp_class;

#endif
