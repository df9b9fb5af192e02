/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <json-c/json.h>
#include "model/site.h"

/* The counters of both ends, read twice. */
struct kv_retries {
	/* The ends; NULL for an end that shares the device of the other. */
	const struct kv_site *site[2];
	bool counted[2]; /* both readings succeeded */
	struct kv_counters before[2]; /* the first reading */
	struct kv_counters after[2]; /* the second reading */
};

void kv_retries_start(struct kv_retries *r, const struct kv_site *client,
		      const struct kv_site *server);
uint64_t kv_retries_count(const struct kv_site *client, const struct kv_site *server);
void kv_retries_stop(struct kv_retries *r);
struct json_object *kv_retries_describe(const struct kv_retries *r);
void kv_retries_tell(struct json_object *described, FILE *out);
