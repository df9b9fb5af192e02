/* SPDX-License-Identifier: MIT */
#ifndef KV_MEASURE_SWEEP_H
#define KV_MEASURE_SWEEP_H

#include <json-c/json.h>
#include "cli/parse.h"
#include "measure/point.h"
#include "measure/retries.h"

/**
 * struct kv_sweep - operations by sizes, measured in all series of a comparison
 * @contrast: the series
 * @ops: enum kverbs_op
 * @sizes: bytes; an atomic operation has 8 bytes in any case
 * @has_kind: @kind applies to all operations; else each operation has its default kind
 * @kind: how a latency is measured
 * @plan: how long each point is measured
 * @work: the members that all points share
 * @site: both spaces of this host, open
 * @peer: both spaces of the host where the servers are, open; not used if @host is
 *	NULL
 * @host: name of the host where the servers are; NULL: this host
 * @tried: points that were begun
 * @measured: points that gave figures
 * @fault: the first fault; a point that the device can't do counts if there is no other
 */
struct kv_sweep {
	const struct kv_contrast *contrast;
	struct kv_list ops;
	struct kv_list sizes;
	bool has_kind;
	enum kv_kind kind;
	struct kv_plan plan;
	struct kv_workload work;
	struct kv_site site[KV_SPACES];
	struct kv_site peer[KV_SPACES];
	const char *host;

	unsigned int tried;
	unsigned int measured;
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

#endif
