/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_QUOTA_H
#define _KV_QUOTA_H

#include <linux/types.h>

struct netlink_ext_ack;

int kv_quota_charge_object(struct netlink_ext_ack *extack);
void kv_quota_uncharge_object(void);
u64 kv_quota_objects(void);
int kv_quota_charge_bytes(u64 amount, struct netlink_ext_ack *extack);
void kv_quota_uncharge_bytes(u64 amount);
u64 kv_quota_bytes(void);
u64 kv_quota_sq_bytes(u32 wrs, u32 sges, u32 max_inline);
u64 kv_quota_rq_bytes(u32 wrs, u32 sges);
u64 kv_quota_cq_bytes(u32 cqe);

#endif
