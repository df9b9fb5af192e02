/* SPDX-License-Identifier: MIT */
#ifndef KV_FILE_PROBE_H
#define KV_FILE_PROBE_H

#include "measure/pair.h"

void kv_probe_explain(const struct kv_pair *p, unsigned int end, struct kv_fault *f);

#endif
