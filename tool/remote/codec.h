/* SPDX-License-Identifier: MIT */
#ifndef KV_REMOTE_CODEC_H
#define KV_REMOTE_CODEC_H

#include <json-c/json.h>
#include "model/shape.h"

/*
 * Structs as JSON. What a struct has stands in a table, its shape; one encoder and
 * one decoder serve all of them. Every member is always there: the decoder refuses
 * what is missing, unknown, of another type or out of range, and names it.
 */

/* Called with an id, not 0. Other than 0 ends it. */
typedef int (*kv_codec_id)(uint32_t refers, const char *name, uint32_t id,
			   void *arg);

int kv_codec_ids(const struct kv_shape *shape, const void *from, kv_codec_id fn,
		 void *arg);
struct json_object *kv_codec_encode(const struct kv_shape *shape,
				    const void *from);
int kv_codec_decode(const struct kv_shape *shape, struct json_object *obj,
		    const char *name, void *to, char *why, size_t size);

#endif
