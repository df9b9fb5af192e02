/* SPDX-License-Identifier: MIT */
#ifndef KV_OUT_CAPSULE_H
#define KV_OUT_CAPSULE_H

#include <json-c/json.h>
#include "model/site.h"

struct json_object *kv_capsule_create(const struct kv_site *space,
				      unsigned int n);
void kv_capsule_add_peer(struct json_object *capsule,
			 const struct kv_site *peer, unsigned int n);

#endif
