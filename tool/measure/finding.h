/* SPDX-License-Identifier: MIT */
#ifndef KV_MEASURE_FINDING_H
#define KV_MEASURE_FINDING_H

#include <json-c/json.h>
#include "measure/stats.h"

/**
 * struct kv_finding - a difference of two series and its verdict, with the words for them
 * @name: their names
 * @who: what each of them is called where it is the faster one
 * @changed: the end that is another one, or "" for both
 * @repeated: what the difference was taken in again and again: "rounds" or "boots"
 * @more: the option that gives more of them
 * @n: how many there were
 * @scale: nanoseconds that are printed for a unit of @diff
 * @resent: packets sent again or late, by each series
 * @steal: share of the time that the host has taken
 * @diff: the difference
 * @judgement: what kv_stats_judge() says of it
 */
struct kv_finding {
	const char *name[2];
	const char *who[2];
	const char *changed;
	const char *repeated;
	const char *more;
	unsigned int n;
	double scale;
	uint64_t resent[2];
	double steal;
	const struct kv_interval *diff;
	const struct kv_judgement *judgement;
};

struct json_object *kv_finding_describe(const struct kv_finding *f);
void kv_finding_put_verdict(struct json_object *obj, const struct kv_finding *f);
void kv_finding_put(struct json_object *obj, const struct kv_finding *f);

#endif
