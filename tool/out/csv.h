/* SPDX-License-Identifier: MIT */
#pragma once

#include <json-c/json.h>

int kv_csv_print(struct json_object *rows);
