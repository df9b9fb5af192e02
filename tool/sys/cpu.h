/* SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "cli/fault.h"

/* With 1, sched_yield() yields the CPU to tasks of the same session only. */
#define KV_AUTOGROUP "/proc/sys/kernel/sched_autogroup_enabled"

/* The CPUs of this host: the CPUs of runs, and the time that a hypervisor takes. */

/* A tick of /proc/stat: USER_HZ is 100 wherever Linux has drivers for RDMA. */
#define KV_CPU_TICK_NS 10000000ULL

/* The time of all CPUs that are online, up to a moment; see proc_stat(5). */
struct kv_cpu_time {
	uint64_t all_ns; /* of all kinds */
	uint64_t idle_ns; /* idle, also while a disk is waited for; in whole ticks */
	/* given to others by the host of this virtual machine; in whole ticks */
	uint64_t stolen_ns;
};

int kv_placement_choose(const int32_t *asked, unsigned int n, int32_t *cpu, unsigned int wanted,
			struct kv_fault *f);
int32_t kv_placement_spins(void);
void kv_placement_online(char *text, size_t size, unsigned int *count);
void kv_cpu_time_read(struct kv_cpu_time *t);
