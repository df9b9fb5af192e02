/* SPDX-License-Identifier: MIT */
/*
 * The operations of a backend that has a function for each: NATIVE(name) is that function's
 * name, and defined by whoever includes this, any number of times.
 */

#include "model/backend.h"

#define OP(NAME, name, in_, out_, about, ...)							\
	int NATIVE(name)(struct kv_backend *b, const struct kv_##in_ *in,			\
			 struct kv_##out_ *out);
#define GET(...)
#define DEL(...)
#include "model/ops.def"

int NATIVE(get)(struct kv_backend *b, enum kv_type type, uint32_t id, union kv_object *object);
int NATIVE(del)(struct kv_backend *b, enum kv_type type, uint32_t id);
