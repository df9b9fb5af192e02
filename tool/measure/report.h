/* SPDX-License-Identifier: MIT */
#ifndef KV_MEASURE_REPORT_H
#define KV_MEASURE_REPORT_H

#include <json-c/json.h>
#include "cli/fault.h"

int kv_report_compare(struct json_object *doc, struct kv_fault *f);
int kv_report_lat(struct json_object *doc, struct kv_fault *f);

#endif
