/* SPDX-License-Identifier: MIT */
#ifndef KV_TESTS_LISTS_H
#define KV_TESTS_LISTS_H

#include "model/backend.h"

const char *lists_end_when_told(struct kv_backend *b, const char *dev);

#endif
