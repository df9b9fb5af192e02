/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "loop_env.h"

/* How a request names its bytes. */
enum kv_put_data {
	KV_PUT_SGE,
	KV_PUT_SGES,
	KV_PUT_INLINE,
	KV_PUT_INLINES, /* the buffers of kv_user_put_bufs() are set */
	KV_PUT_DATA,
};

/*
 * The bytes of a request with several SGEs as buffers of inline data: they stand behind its SGEs.
 */
static inline struct ibv_data_buf *kv_user_put_bufs(const struct ibv_send_wr *wr)
{
	_Static_assert(sizeof(struct ibv_data_buf) <= sizeof(struct ibv_sge), "one fits into the other's room");
	return (struct ibv_data_buf *)(wr->sg_list + wr->num_sge);
}

kv_put_fn kv_user_put_pick(uint32_t op, bool ud, enum kv_put_data data);
uint64_t kv_user_put_flags(enum ibv_qp_type type, bool atomic_write);

/* The loops that were compiled with user/loop_wr.h: kv_loop_pick() and the like. */
kv_loop_fn kv_loop_pick_wr(const struct kv_loop_form *form, int bh_disabled);
kv_loop_fn kv_loop_pick_event_wr(int bh_disabled);
