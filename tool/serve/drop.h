/* SPDX-License-Identifier: MIT */
#ifndef KV_SERVE_DROP_H
#define KV_SERVE_DROP_H

#include "cli/fault.h"

int kv_serve_drop(struct kv_fault *f);

#endif
