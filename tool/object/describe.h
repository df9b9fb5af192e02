/* SPDX-License-Identifier: MIT */
#pragma once

#include <json-c/json.h>
#include "cli/fault.h"
#include "model/shape.h"

/*
 * Structs as JSON. The keys are those of the commands, with _ for -; a member that is absent or
 * meaningless has no key.
 */

void kv_describe(struct json_object *obj, const struct kv_shape *shape, const void *from);
void kv_describe_object(struct json_object *obj, enum kv_type type, const char *name,
			const union kv_object *object);
void kv_describe_event(struct json_object *obj, const struct kv_event *event);
void kv_describe_dev(struct json_object *obj, const struct kv_dev *dev);
void kv_describe_gid(struct json_object *obj, const char *key, const uint8_t gid[16]);
struct json_object *kv_describe_flags(const struct kv_enum *table, uint32_t flags);
