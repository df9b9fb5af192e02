/* SPDX-License-Identifier: MIT */
#ifndef KV_OBJECT_CONTENT_H
#define KV_OBJECT_CONTENT_H

#include "cli/fault.h"
#include "model/structs.h"

int kv_content_rest(const struct kv_mr *mr, uint64_t offset, uint64_t *length, struct kv_fault *f);

#endif
