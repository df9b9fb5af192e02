/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_FAMILY_H
#define _KV_FAMILY_H

struct kv_event_sender;

int kv_netlink_init(void);
void kv_netlink_exit(void);

extern const struct kv_event_sender kv_netlink_sender;

#endif
