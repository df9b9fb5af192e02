/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdint.h>

/* The memory of this host. */

void kv_memory_shrink(void);
int kv_memory_used(uint64_t *bytes);
uint64_t kv_memory_available(void);
uint64_t kv_memory_for(uint64_t bytes);
