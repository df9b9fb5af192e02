/* SPDX-License-Identifier: MIT */
#ifndef KV_MEASURE_VERIFY_H
#define KV_MEASURE_VERIFY_H

#include "measure/block.h"

int kv_verify_pair(struct kv_pair *p, struct kv_fault *f);

#endif
