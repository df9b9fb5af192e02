/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>
#include <json-c/json.h>
#include "cli/fault.h"
#include "cli/parse.h"

/* When a rate is kept up with; the constants are in knee_rates.c. */
#define KV_KNEE_RATES_RULE "98 % of the requests are done in time, and p99 is at most 10 times that of the lowest rate"

void kv_knee_rates_put(struct json_object *spec, const struct kv_list *rates);
void kv_knee_rates_mark(struct json_object *doc);
int kv_knee_rates_print(struct json_object *doc, struct kv_fault *f);
void kv_knee_rates_tell(struct json_object *doc, FILE *out);
