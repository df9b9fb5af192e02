/* SPDX-License-Identifier: MIT */
#ifndef KV_MEASURE_QUADRANTS_H
#define KV_MEASURE_QUADRANTS_H

#include <json-c/json.h>

int kv_quadrants_print(struct json_object *cells);

#endif
