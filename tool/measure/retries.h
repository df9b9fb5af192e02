/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <json-c/json.h>
#include "measure/workload.h"

/* One end, and those of all hosts that it is connected to. */
#define KV_RETRIES_ENDS (1 + KV_HOSTS_MAX)

/* The counters of all ends, read twice. */
struct kv_retries {
	/*
	 * The ends; NULL for an end that shares the device of the other, and where there is none.
	 */
	const struct kv_site *site[KV_RETRIES_ENDS];
	unsigned int n; /* how many ends */
	bool counted[KV_RETRIES_ENDS]; /* both readings succeeded */
	struct kv_counters before[KV_RETRIES_ENDS]; /* the first reading */
	struct kv_counters after[KV_RETRIES_ENDS]; /* the second reading */
};

void kv_retries_start(struct kv_retries *r, const struct kv_site *client,
		      const struct kv_site *server);
void kv_retries_add(struct kv_retries *r, const struct kv_site *server);
uint64_t kv_retries_count(const struct kv_site *client, const struct kv_site *server);
void kv_retries_stop(struct kv_retries *r);
struct json_object *kv_retries_describe(const struct kv_retries *r);
void kv_retries_tell(struct json_object *described, FILE *out);
