/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>
#include <json-c/json.h>

struct json_object *kv_knee_sizes_describe(struct json_object *points,
					   struct json_object *series_list);
void kv_knee_sizes_print(struct json_object *knees, FILE *out);
