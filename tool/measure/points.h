/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <json-c/json.h>

bool kv_points_are_alike(struct json_object *a, struct json_object *b, const char *path);
bool kv_points_is_first(struct json_object *points, size_t number, const char *path);
