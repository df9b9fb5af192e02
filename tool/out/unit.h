/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool kv_unit_counts(void);
const char *kv_unit_name(void);
double kv_unit_of(double ns);
void kv_unit_group(char *text, size_t size);
const char *kv_unit_count(char *text, size_t size, uint64_t count);

/* A count for a reader. */
#define KV_COUNT_TEXT 32
#define KV_COUNT(count) kv_unit_count((char[KV_COUNT_TEXT]){ "" }, KV_COUNT_TEXT, count)
