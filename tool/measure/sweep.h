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
	struct kv_list qps; /* of each thread, in turn; none: what @work has */
	/*
	 * Requests per second of each connection, see kv_workload.rate; KV_PARSE_PERCENT: of what
	 * is reached without.
	 */
	struct kv_list rates;
	/* @kind applies to all operations; else each operation has its default kind. */
	bool has_kind;
	enum kv_kind kind; /* how a latency is measured */
	/* of streams: each size has a depth that fits, up to this one; 0: that of @work */
	uint32_t depth_max;
	struct kv_plan plan; /* how long each point is measured */
	struct kv_workload work; /* the members that all points share */
	/* bits 1 << enum kv_space_id: those that are measured, and whose sites are open */
	uint32_t spaces;
	struct kv_site site[KV_SPACES]; /* of this host */
	/* Of the hosts where the servers are, @work.hosts of them; not used if @host is NULL. */
	struct kv_site peer[KV_HOSTS_MAX][KV_SPACES];
	const char *host; /* name of the first host where the servers are; NULL: this host */

	unsigned int tried; /* points that were begun */
	unsigned int measured; /* points that gave figures */
	/* The first fault; a point that the device can't do counts if there is no other. */
	struct kv_fault fault;
	/* sentences on the sizes and QPs that were asked for and cannot be; empty: none */
	char left_out[400];

	/* private */
	unsigned int failed;
	/* requests per second of a connection without a rate, in the slower series; 0: not known */
	double capacity;
	bool over; /* a signal came, or the device is gone */
	struct kv_point point;
	struct kv_retries retries;
	struct kv_progress progress;
};

bool kv_sweep_has_one_thread(const struct kv_sweep *m);
struct json_object *kv_sweep_spec(const struct kv_sweep *m);
int kv_sweep_settle(struct kv_sweep *m);
int kv_sweep_check(struct kv_sweep *m);
int kv_sweep_measure(struct kv_sweep *m, struct json_object *doc);
