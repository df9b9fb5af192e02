/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_RULES_MULTICAST_H
#define _KV_RULES_MULTICAST_H

#include <kverbs.h>
#include "refusal.h"

/* Rules about the multicast groups that a QP is attached to. */

int kv_group_check_qp(__u32 type, __u32 state, __u32 groups, struct kv_refusal *why);
int kv_group_check(const __u8 gid[16], __u32 lid, bool has_lids, struct kv_refusal *why);

#endif
