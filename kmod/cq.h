/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_CQ_H
#define _KV_CQ_H

#include "obj.h"

struct ib_cq;

/**
 * struct kv_cq - a completion queue that we poll ourselves
 * @obj: base
 * @ib: the verbs object
 * @cqe: how many completions it holds
 * @comp_vector: its completion vector
 * @claimed: bit 0: somebody polls it. Whoever sets the bit may call
 *	ib_poll_cq() until clearing it; completions have no other way out.
 */
struct kv_cq {
	struct kv_obj obj;
	struct ib_cq *ib;
	u32 cqe;
	u32 comp_vector;
	unsigned long claimed;
};

struct kv_cq *kv_cq_create(struct kv_dev *dev, const struct kv_owner *owner,
			   u32 cqe, u32 comp_vector,
			   struct netlink_ext_ack *extack);
bool kv_cq_claim(struct kv_cq *cq);
void kv_cq_release(struct kv_cq *cq);

extern const struct kv_obj_ops kv_cq_ops;

#endif
