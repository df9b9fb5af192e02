/* SPDX-License-Identifier: MIT */
#ifndef KV_MEASURE_RESULT_H
#define KV_MEASURE_RESULT_H

#include <json-c/json.h>
#include "measure/point.h"

/* Changes whenever a reader of the older documents would be misled. */
#define KV_RESULT_VERSION 2

struct json_object *kv_result_create(const char *schema, struct json_object *spec,
				     struct json_object *capsule);
struct json_object *kv_result_work(const struct kv_work *w);
void kv_result_put_limits(struct json_object *spec, const struct kv_work *w);
struct json_object *kv_result_series(const struct kv_work *w, enum kv_space_id space,
				   const struct kv_series *side);
void kv_result_hist(struct json_object *obj, const struct kv_hist *h, double ns_per_tick);
struct json_object *kv_result_point(const struct kv_point *c);

#endif
