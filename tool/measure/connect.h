/* SPDX-License-Identifier: MIT */
#ifndef KV_MEASURE_CONNECT_H
#define KV_MEASURE_CONNECT_H

#include "measure/pair.h"

/* What both ways of connecting a pair agree on. */

/* After "receiver not ready"; 7 would be for ever. */
#define KV_CONNECT_RNR_RETRIES 6
/* READs and atomics outstanding, in each direction. */
#define KV_CONNECT_RD_ATOMIC 1

int kv_connect_cm(struct kv_pair *p, const uint32_t access[2], struct kv_fault *f);
void kv_connect_undo(struct kv_pair *p);

#endif
