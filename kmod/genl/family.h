/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_FAMILY_H
#define _KV_FAMILY_H

#include "obj.h"

int kv_netlink_init(void);
void kv_netlink_exit(void);
void kv_netlink_run_done(const struct kv_owner *owner, u32 id, int error);

#endif
