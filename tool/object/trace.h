/* SPDX-License-Identifier: MIT */
#ifndef KV_OBJECT_TRACE_H
#define KV_OBJECT_TRACE_H

#include "object/tell.h"

/*
 * A backend around another one that tells which verbs it calls, and which it was
 * asked for and did not call. What is asked for is told in the words of the
 * commands.
 */

int kv_trace_wrap(struct kv_backend **b, kv_trace_fn *fn, void *arg);
void kv_trace_settle(struct kv_backend *b);

#endif
