/* SPDX-License-Identifier: MIT */
#ifndef KV_FILE_FLOW_H
#define KV_FILE_FLOW_H

#include "cli/fault.h"
#include "measure/pair.h"

struct kv_transfer;

int kv_flow_run(struct kv_transfer *t, struct kv_pair *pair, struct kv_fault *f);

/* probe.c */
void kv_probe_explain(const struct kv_pair *p, unsigned int end, struct kv_fault *f);

#endif
