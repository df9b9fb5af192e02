/* SPDX-License-Identifier: MIT */
#ifndef KV_SYS_PLACEMENT_H
#define KV_SYS_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>
#include "cli/fault.h"

int kv_placement_choose(const int32_t *asked, unsigned int n, int32_t cpu[2], struct kv_fault *f);
int32_t kv_placement_spins(void);
void kv_placement_online(char *text, size_t size, unsigned int *count);

#endif
