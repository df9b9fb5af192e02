/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_QP_H
#define _KV_QP_H

#include <linux/stddef.h>
#include <rdma/ib_verbs.h>
#include "drain.h"
#include "loop/loop.h"
#include "multicast.h"
#include "obj.h"
#include "rules/qp_table.h"
#include "wqe.h"

/* The objects that a QP uses: its parents by slot. */
enum kv_qp_parent {
	KV_QP_PD,
	KV_QP_SEND_CQ,
	KV_QP_RECV_CQ,
	KV_QP_SRQ,
	KV_QP_LOCAL_BUF,
	KV_QP_LOCAL_MR,
	KV_QP_TARGET_BUF,
	KV_QP_TARGET_MR,
	KV_QP_AH,
	KV_QP_INV_MR,
};

/**
 * struct kv_last_run_qp - a QP in the list of those of the last run of a CQ
 * @link: in kv_cq.last_run; dev->lock
 * @qp: the QP
 */
struct kv_last_run_qp {
	struct list_head link;
	const struct kv_qp *qp;
};

/**
 * struct kv_qp - a queue pair
 * @obj: base; parents as enum kv_qp_parent says. The buffers, MRs and the AH are those of the
 *	last run: its receives may still be outstanding, so they stay until another run,
 *	RESET, or the QP's end.
 * @ib: the verbs object
 * @pd: its protection domain
 * @init: the arguments of ib_create_qp(), no limit above the device's, objects of the PD's device:
 * @type: its transport, which the device has
 * @send_cq: the CQ of its sends
 * @recv_cq: the CQ of its receives, may be the same
 * @srq: the SRQ of its receives, or NULL: it has a receive queue of its own
 * @cap: depths of the queues, SGEs of each request, and bytes that a send can carry inline;
 *	with @srq, 0 for receives
 * @sq_sig_all: every send completes
 * @port: the port that INIT has set, 1 before; dev->lock
 * @given: KV_QPA_*, the attributes that were set since RESET: the others have no
 *	meaning yet; dev->lock
 * @state: the state after the last transition; the device may have taken the QP
 *	further, to ERR, SQE or SQD; dev->lock
 * @received: it was in RTR since it was in RESET; dev->lock
 * @was_reset: it was in another state before it was in RESET; dev->lock
 * @established: see kv_qp_set_user(); NULL: no CONN uses it. dev->lock and
 *	kv_dev_wqes.lock to write, one of them to read
 * @user: ditto
 * @wqes: requests posted by hand
 * @drain: its markers
 * @kept: in kv_dev_wqes.kept_qps, once it is gone and could not be drained
 * @run_recvs: receives of runs that are posted; an active run owns it, else it is under
 *	dev->lock
 * @target_offset: where their bytes begin in parent KV_QP_TARGET_BUF; dev->lock
 * @needs_reset: a run ended with other requests outstanding; ditto
 * @groups: the multicast groups that @ib is attached to; ditto
 * @flow: what is outstanding here of an active run whose ends have one CQ in common; else NULL. The
 *	run owns it
 * @last_run: for @send_cq, and for @recv_cq if it is another one
 * @in_spec: a spec that is being checked names it; dev->lock
 * @credit: of the connection's runs with credits; as @run_recvs
 */
struct kv_qp {
	struct kv_obj obj;
	struct ib_qp *ib;
	struct kv_pd *pd;

	struct_group_tagged(kv_qp_init, init, /* kv_qp_create() copies it */
		enum kverbs_qp_type type;
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
	u64 target_offset;
	bool needs_reset;
	struct kv_groups groups;
	struct kv_flow *flow;
	struct kv_last_run_qp last_run[2];
	bool in_spec;
	struct kv_credit credit;
};

/* The kv_qp of a verbs object. */
static inline struct kv_qp *kv_qp_of(const struct ib_qp *ib)
{
	return container_of((struct kv_obj *)ib->qp_context, struct kv_qp, obj);
}

/**
 * struct kv_qp_modify - one transition
 * @to: the state to go to
 * @attr: the other attributes; if @mask has KV_QPA_CUR_STATE, cur_qp_state is the state that the
 *	caller expects the QP in
 * @mask: the attributes that are set, KV_QPA_*
 * @resolved: the destination's MAC address is in @attr already
 */
struct kv_qp_modify {
	enum kverbs_qp_state to;
	struct ib_qp_attr attr;
	u32 mask;
	bool resolved;
};

struct kv_obj *kv_qp_create(const struct kv_new *new, const struct kv_qp_init *init);
int kv_qp_modify(struct kv_qp *qp, struct kv_qp_modify *modify,
		 struct kv_refusal *wrong, struct netlink_ext_ack *extack);
int kv_qp_query(struct kv_qp *qp, struct ib_qp_attr *attr, struct netlink_ext_ack *extack);
enum kverbs_qp_state kv_qp_state(const struct kv_qp *qp, const struct ib_qp_attr *attr);
void kv_qp_set_user(struct kv_qp *qp, void (*established)(void *user), void *user);
int kv_qp_check_rts(struct kv_qp *qp, struct netlink_ext_ack *extack);
int kv_qp_check_outstanding(const struct kv_qp *qp, struct netlink_ext_ack *extack);
void kv_qp_note_run(struct kv_qp *qp, bool first);
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
