/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_AH_H
#define _KV_AH_H

#include <rdma/ib_verbs.h>
#include "obj.h"

/**
 * struct kv_ah - an address handle
 * @obj: base; parent 0 is the PD
 * @ib: the verbs object
 * @attr: the attributes that it was made with, and the destination's MAC address
 */
struct kv_ah {
	struct kv_obj obj;
	struct ib_ah *ib;
	struct rdma_ah_attr attr;
};

struct kv_obj *kv_ah_create(const struct kv_new *new, const struct rdma_ah_attr *attr);

bool kv_ah_has_sgid(struct ib_device *ib, u32 port, u32 index);
int kv_ah_resolve(struct kv_pd *pd, struct rdma_ah_attr *attr, struct netlink_ext_ack *extack);

extern struct kv_obj_class kv_ah_class;

#endif
