/* SPDX-License-Identifier: MIT */
#pragma once

#include <json-c/json.h>
#include "measure/point.h"
#include "out/out.h"

/* Increased whenever a reader written for older documents would misread a new one. */
#define KV_RESULT_VERSION 4

/* A difference of two series and its verdict, with the words for them. */
struct kv_finding {
	const char *name[2]; /* the names of the two series */
	const char *who[2]; /* the name of each series in a verdict that says it is faster */
	const char *changed; /* the end in which the series differ, or "" for both */
	const char *repeated; /* the unit of the statistics: "rounds" or "boots" */
	const char *more; /* the option or the script that gives more rounds or boots */
	unsigned int n; /* how many rounds or boots there were */
	const double *median[2]; /* [@n] medians of each series */
	uint64_t samples[2]; /* number of samples of each series */
	uint64_t resent[2]; /* packets of each series that were sent again or late */
	double steal; /* share of the time that the host has taken */
	double scale; /* printed nanoseconds per unit of @median */

	/* private */
	struct kv_interval diff;
	struct kv_judgement judgement;
};

struct json_object *kv_result_create(const struct kv_schema *schema, struct json_object *spec,
				     struct json_object *environment);
struct json_object *kv_result_work(const struct kv_workload *w);
void kv_result_put_limits(struct json_object *spec, const struct kv_workload *w);
struct json_object *kv_result_series(const struct kv_workload *w, enum kv_space_id space,
				   const struct kv_series *side);
struct json_object *kv_result_medians(const double *median, unsigned int n, double factor);
void kv_result_hist(struct json_object *obj, const struct kv_hist *h, double ns_per_tick);
struct json_object *kv_result_point(const struct kv_point *c);
void kv_finding_put(struct json_object *obj, struct kv_finding *f);
