/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_SRQ_H
#define _KV_SRQ_H

#include "obj.h"
#include "wqe.h"

struct kv_pd;

/**
 * struct kv_srq - a shared receive queue
 * @obj: base; parent 0 is the PD
 * @ib: the verbs object
 * @pd: its protection domain
 * @max_wr: its depth; dev->lock
 * @max_sge: SGEs of each receive
 * @limit: when SRQ_LIMIT_REACHED comes, 0: never; dev->lock
 * @undrained: a QP that took from it is gone and could not be drained; dev->lock
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
	struct kv_srq_wqes wqes;
};

struct kv_obj *kv_srq_create(const struct kv_new *new, u32 max_wr, u32 max_sge, u32 limit);
void kv_srq_query(struct kv_srq *srq);
int kv_srq_modify(struct kv_srq *srq, struct ib_srq_attr *attr, int mask,
		  struct netlink_ext_ack *extack);

extern struct kv_obj_class kv_srq_class;

#endif
