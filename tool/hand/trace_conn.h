/* SPDX-License-Identifier: MIT */
#ifndef KV_HAND_TRACE_CONN_H
#define KV_HAND_TRACE_CONN_H

#include "backend.h"

/* The telling backend's operations on connections. */

void kv_trace_conn_fill(struct kv_backend_ops *ops);

#endif
