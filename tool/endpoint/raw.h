/* SPDX-License-Identifier: MIT */
#pragma once

#include "cli/parse.h"
#include "model/backend.h"

/* Without the CM a QP goes from RESET to RTS, with one step for each state. */
enum kv_raw_step {
	KV_RAW_INIT,
	KV_RAW_RTR,
	KV_RAW_RTS,
	KV_RAW_STEPS,
};

/* The default Q_Key of UD; a Q_Key with the highest bit set is privileged. */
#define KV_RAW_QKEY 0x11111111

/* The defaults of all attributes. */
#define KV_RAW_DEFAULTS {							\
	.timeout = 14, /* 4.096 us * 2^14 = 67 ms until a packet is sent again */	\
	.retry_cnt = 6, /* 7 would be for ever on some devices */		\
	.rnr_retry = 6, /* 7 would be for ever */				\
	.min_rnr_timer = 12, /* 0.64 ms (IBTA table 45) */			\
	.max_rd_atomic = 1,							\
	.max_dest_rd_atomic = 1,						\
	.qkey = KV_RAW_QKEY,							\
	.port = 1,								\
	.av.hop_limit = 64,							\
}

uint32_t kv_raw_needs(uint32_t type, enum kv_raw_step step);
uint32_t kv_raw_mtu(uint32_t active);
void kv_raw_set_peer(struct kv_qp_attr *attr, const struct kv_address *peer, uint32_t sgid_index);
int kv_raw_modify(struct kv_backend *b, uint32_t type, enum kv_raw_step step,
		  struct kv_qp_modify *to, uint64_t *ns);
