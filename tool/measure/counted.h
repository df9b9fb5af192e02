/* SPDX-License-Identifier: MIT */
#ifndef KV_MEASURE_COUNTED_H
#define KV_MEASURE_COUNTED_H

#include <json-c/json.h>

void kv_counted_print_typical(struct json_object *side);
int kv_counted_print(struct json_object *cells, const char *const name[2]);

#endif
