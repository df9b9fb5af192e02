// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "sys/steal.h"

/* user, nice, system, idle, iowait, irq, softirq, steal; guests' time is part of user's. */
#define KINDS 8
#define STEAL 7

/**
 * kv_steal_start() - begin to watch what the host takes from this machine's CPUs
 * @s: receives what was taken so far; nothing where /proc/stat can't be read
 */
void kv_steal_start(struct kv_steal *s)
{
	FILE *f = fopen("/proc/stat", "re");
	uint64_t v;

	memset(s, 0, sizeof(*s));
	if (!f)
		return;
	if (!fscanf(f, "cpu")) {
		for (unsigned int i = 0; i < KINDS && fscanf(f, "%" SCNu64, &v) == 1; i++) {
			s->all += v;
			s->stolen += i == STEAL ? v : 0;
		}
	}
	fclose(f);
}

/**
 * kv_steal_share() - what the host has taken since
 * @s: when that began
 *
 * Return: 0 .. 1, of the time of all CPUs. Always 0 where the hypervisor does not tell, as
 * QEMU without KVM.
 */
double kv_steal_share(const struct kv_steal *s)
{
	struct kv_steal now;

	kv_steal_start(&now);
	return now.all > s->all ? (double)(now.stolen - s->stolen) / (double)(now.all - s->all) : 0;
}
