/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "loop_env.h"

kv_put_fn kv_user_put_pick(uint32_t op, bool ud, bool inlined);
uint64_t kv_user_put_flags(enum ibv_qp_type type);

/* The loops that were compiled with user/loop_wr.h: kv_loop_pick() and the like. */
kv_loop_fn kv_loop_pick_wr(const struct kv_loop_form *form, int bh_disabled);
kv_loop_fn kv_loop_pick_event_wr(int bh_disabled);
