/* SPDX-License-Identifier: MIT */
/* Of a backend with the functions of native.h: native_call() is its kv_backend_ops.call. */

#include <errno.h>

static int native_call(struct kv_backend *b, enum kv_op op, const void *in, void *out)
{
	switch (op) {
#define OP(NAME, name, in_, out_, about, ...)							\
	case KV_OP_##NAME:									\
		return NATIVE(name)(b, in, out);
#define GET(NAME, name, in_, out_, about, ...)							\
	case KV_OP_##NAME:									\
		return NATIVE(get)(b, about, ((const struct kv_id *)in)->id, out);
#define DEL(NAME, name, in_, out_, about, ...)							\
	case KV_OP_##NAME:									\
		return NATIVE(del)(b, about, ((const struct kv_id *)in)->id);
#include "model/ops.def"
	case KV_OPS:
		break;
	}
	return -EOPNOTSUPP;
}
