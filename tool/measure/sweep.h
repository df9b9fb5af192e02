/* SPDX-License-Identifier: MIT */
#pragma once

#include <json-c/json.h>
#include "cli/parse.h"
#include "measure/point.h"
#include "measure/retries.h"

/* Operations by sizes, measured in all series of a comparison. */
struct kv_sweep {
	const struct kv_contrast *contrast; /* the series */
	struct kv_list ops; /* enum kverbs_op */
	struct kv_list sizes; /* bytes; an atomic operation has 8 bytes in any case */
	/* @kind applies to all operations; else each operation has its default kind. */
	bool has_kind;
	enum kv_kind kind; /* how a latency is measured */
	struct kv_plan plan; /* how long each point is measured */
	struct kv_workload work; /* the members that all points share */
	uint32_t spaces; /* bits 1 << enum kv_space_id: those that are measured, and whose sites are open */
	struct kv_site site[KV_SPACES]; /* of this host */
	struct kv_site peer[KV_SPACES]; /* of the host where the servers are; not used if @host is NULL */
	const char *host; /* name of the host where the servers are; NULL: this host */

	unsigned int tried; /* points that were begun */
	unsigned int measured; /* points that gave figures */
	/* The first fault; a point that the device can't do counts if there is no other. */
	struct kv_fault fault;

	/* private */
	unsigned int failed;
	struct kv_point point;
	struct kv_retries retries;
	struct kv_progress progress;
};

bool kv_sweep_has_one_thread(const struct kv_sweep *m);
struct json_object *kv_sweep_spec(const struct kv_sweep *m);
int kv_sweep_check(struct kv_sweep *m);
int kv_sweep_measure(struct kv_sweep *m, struct json_object *doc);
