/* SPDX-License-Identifier: MIT */
#pragma once

#include <json-c/json.h>
#include "model/site.h"

struct json_object *kv_environment_create(const struct kv_site *site, unsigned int n,
					  const char *label);
void kv_environment_add_peer(struct json_object *environment,
			 const struct kv_site *peer, unsigned int n);
