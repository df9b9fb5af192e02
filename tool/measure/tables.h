/* SPDX-License-Identifier: MIT */
#ifndef KV_MEASURE_TABLES_H
#define KV_MEASURE_TABLES_H

#include <json-c/json.h>
#include "cli/fault.h"

int kv_tables_latencies(struct json_object *points, const char *const name[2], struct kv_fault *f);
int kv_tables_instructions(struct json_object *points, const char *const name[2],
			   struct kv_fault *f);
int kv_tables_quadrants(struct json_object *points, struct kv_fault *f);
void kv_tables_print_typical(struct json_object *series);

#endif
