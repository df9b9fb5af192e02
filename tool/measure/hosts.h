/* SPDX-License-Identifier: MIT */
#pragma once

#include <json-c/json.h>
#include "measure/block.h"

/* Streams to several hosts: the share of each. */

void kv_hosts_put_shares(struct json_object *obj, const struct kv_workload *w,
			 const struct kv_series *s);
