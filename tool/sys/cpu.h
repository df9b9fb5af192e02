/* SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "cli/fault.h"

/* The CPUs of this host: the CPUs of runs, and the time that a hypervisor takes. */

/* The ticks of this machine's CPUs at a moment, see proc_stat(5). */
struct kv_steal {
	uint64_t all; /* ticks of all kinds, of all CPUs */
	uint64_t stolen; /* ticks of @all that the host has given to others */
};

int kv_placement_choose(const int32_t *asked, unsigned int n, int32_t cpu[2], struct kv_fault *f);
int32_t kv_placement_spins(void);
void kv_placement_online(char *text, size_t size, unsigned int *count);
void kv_steal_start(struct kv_steal *s);
double kv_steal_share(const struct kv_steal *s);
