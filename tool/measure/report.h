/* SPDX-License-Identifier: MIT */
#ifndef KV_MEASURE_REPORT_H
#define KV_MEASURE_REPORT_H

#include <json-c/json.h>
#include "cli/fault.h"

int kv_report_compare(struct json_object *doc, struct kv_fault *f);
int kv_report_lat(struct json_object *doc, struct kv_fault *f);

/* tables.c */
int kv_tables_latencies(struct json_object *points, const char *const name[2], struct kv_fault *f);
int kv_tables_instructions(struct json_object *points, const char *const name[2],
			   struct kv_fault *f);
int kv_tables_quadrants(struct json_object *points, struct kv_fault *f);
void kv_tables_print_typical(struct json_object *series);

#endif
