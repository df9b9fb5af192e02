/* SPDX-License-Identifier: MIT */
#ifndef KV_OBJECT_FLUSH_H
#define KV_OBJECT_FLUSH_H

#include "batch/session.h"

uint32_t kv_flush_each(struct kv_session *s, bool persistent);

#endif
