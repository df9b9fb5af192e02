/* SPDX-License-Identifier: MIT */
#ifndef KV_MEASURE_MATRIX_H
#define KV_MEASURE_MATRIX_H

#include <json-c/json.h>
#include "cli/parse.h"
#include "measure/cell.h"
#include "measure/retries.h"

/**
 * struct kv_matrix - operations by sizes, measured on all sides of a comparison
 * @design: the sides
 * @ops: enum kverbs_op
 * @sizes: bytes; atomics have 8, whatever stands here
 * @has_kind: @kind is for all of them; else each has its default
 * @kind: how a latency is measured
 * @plan: how long each cell is measured
 * @work: what is the same for all cells
 * @space: both spaces of this host, open
 * @peer: both spaces of the host where the servers are, open; not used if that is
 *	this one
 * @host: that host's name; NULL: this one
 * @tried: cells that were begun
 * @measured: cells that gave figures
 * @fault: the first fault; of cells that the device can't do if there is no other
 */
struct kv_matrix {
	const struct kv_design *design;
	struct kv_list ops;
	struct kv_list sizes;
	bool has_kind;
	enum kv_kind kind;
	struct kv_plan plan;
	struct kv_work work;
	struct kv_space space[KV_SPACES];
	struct kv_space peer[KV_SPACES];
	const char *host;

	unsigned int tried;
	unsigned int measured;
	struct kv_fault fault;

	/* private */
	unsigned int failed;
	struct kv_cell cell;
	struct kv_retries retries;
	struct kv_progress progress;
};

bool kv_matrix_has_relay(const struct kv_matrix *m);
struct json_object *kv_matrix_spec(const struct kv_matrix *m);
int kv_matrix_check(struct kv_matrix *m);
int kv_matrix_measure(struct kv_matrix *m, struct json_object *doc);

#endif
