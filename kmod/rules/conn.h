/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_RULES_CONN_H
#define _KV_RULES_CONN_H

#include <kverbs.h>
#include "refusal.h"

/* The default of ACK_TIMEOUT: 4.096 us * 2^14 = 67 ms until a packet is sent again. */
#define KV_CONN_ACK_TIMEOUT 14

/* Rules about the states of a connection that a command fits, and about its QP. */

__u32 kv_conn_rules_states(__u32 cmd);
int kv_conn_rules_check_state(__u32 states, __u32 state, struct kv_refusal *why);
int kv_conn_rules_check_qp(__u32 type, bool in_use, __u32 state, struct kv_refusal *why);
int kv_conn_rules_check_join(bool any, bool multicast, bool same_family, struct kv_refusal *why);
int kv_conn_rules_check_given(__u32 given, __u32 state, bool iwarp, struct kv_refusal *why);

#endif
