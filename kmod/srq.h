/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_SRQ_H
#define _KV_SRQ_H

#include "obj.h"
#include "wqe.h"

/* The objects that an SRQ uses: its parents by slot. */
enum kv_srq_parent {
	KV_SRQ_PD,
	KV_SRQ_TARGET_BUF,
	KV_SRQ_TARGET_MR,
};

/**
 * struct kv_srq - a shared receive queue
 * @obj: base; parents as enum kv_srq_parent says. The buffer and the MR are those of the receives
 *	of runs: these stay posted until the SRQ is gone.
 * @ib: the verbs object
 * @pd: its protection domain
 * @max_wr: its depth; dev->lock
 * @max_sge: SGEs of each receive
 * @limit: when SRQ_LIMIT_REACHED comes, 0: never; dev->lock
 * @undrained: a QP that took from it is gone and could not be drained; dev->lock
 * @run_recvs: receives of runs that are posted; a run replaces those that complete; dev->lock
 * @run_lost: a QP that took from these is reset or gone: fewer are posted; dev->lock
 * @target_offset: where their bytes begin in parent KV_SRQ_TARGET_BUF; dev->lock
 * @wqes: its receives
 */
struct kv_srq {
	struct kv_obj obj;
	struct ib_srq *ib;
	struct kv_pd *pd;
	u32 max_wr;
	u32 max_sge;
	u32 limit;
	bool undrained;
	u32 run_recvs;
	bool run_lost;
	u64 target_offset;
	struct kv_srq_wqes wqes;
};

struct kv_obj *kv_srq_create(const struct kv_new *new, u32 max_wr, u32 max_sge, u32 limit);
void kv_srq_query(struct kv_srq *srq);
int kv_srq_modify(struct kv_srq *srq, struct ib_srq_attr *attr, int mask, int *wrong,
		  struct netlink_ext_ack *extack);

extern struct kv_obj_class kv_srq_class;

#endif
