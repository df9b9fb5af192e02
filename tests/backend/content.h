/* SPDX-License-Identifier: MIT */
#ifndef KV_TESTS_CONTENT_H
#define KV_TESTS_CONTENT_H

#include "model/backend.h"

const char *content_stays_in_its_buffer(struct kv_backend *b, const char *dev);

#endif
