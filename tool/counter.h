/* SPDX-License-Identifier: MIT */
#ifndef KV_COUNTER_H
#define KV_COUNTER_H

#include <stdint.h>

/* A device has some dozens. */
#define KV_COUNTERS_MAX 128

/**
 * struct kv_counter - one of a port's counters
 * @name: as the driver names it
 * @value: since the device exists, or what was added meanwhile
 */
struct kv_counter {
	char name[64];
	uint64_t value;
};

/**
 * struct kv_counters - what the driver counts at port 1 (hw_counters)
 * @counters: how many there are
 * @counter: in the order of their names
 */
struct kv_counters {
	unsigned int counters;
	struct kv_counter counter[KV_COUNTERS_MAX];
};

struct kv_backend;

int kv_counters_read(struct kv_backend *b, const char *dev,
		     struct kv_counters *c);

#endif
