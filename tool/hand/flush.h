/* SPDX-License-Identifier: MIT */
#ifndef KV_HAND_FLUSH_H
#define KV_HAND_FLUSH_H

#include "hand/session.h"

uint32_t kv_flush_each(struct kv_session *s, bool persistent);

#endif
