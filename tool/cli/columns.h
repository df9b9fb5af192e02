/* SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* Columns of a terminal that does not report its width. */
#define KV_COLUMNS_DEFAULT 80

unsigned int kv_columns_of(const char *text, size_t bytes);
unsigned int kv_columns(int fd, unsigned int otherwise);
