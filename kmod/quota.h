/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_QUOTA_H
#define _KV_QUOTA_H

#include <linux/types.h>

struct netlink_ext_ack;

int kv_quota_charge_object(struct netlink_ext_ack *extack);
void kv_quota_uncharge_object(void);
u64 kv_quota_objects(void);
u64 kv_quota_max_objects(void);
int kv_quota_charge_bytes(u64 amount, struct netlink_ext_ack *extack);
void kv_quota_uncharge_bytes(u64 amount);
u64 kv_quota_bytes(void);
u64 kv_quota_max_bytes(void);

#endif
