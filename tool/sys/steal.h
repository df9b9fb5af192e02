/* SPDX-License-Identifier: MIT */
#ifndef KV_SYS_STEAL_H
#define KV_SYS_STEAL_H

#include <stdint.h>

/**
 * struct kv_steal - what this machine's CPUs had done at a moment, see proc_stat(5)
 * @all: ticks of all kinds, of all CPUs
 * @stolen: of these, the host has given to others
 */
struct kv_steal {
	uint64_t all;
	uint64_t stolen;
};

void kv_steal_start(struct kv_steal *s);
double kv_steal_share(const struct kv_steal *s);

#endif
