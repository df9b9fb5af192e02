/* SPDX-License-Identifier: MIT */
#pragma once

#include "file/file.h"
#include "model/shape.h"

/*
 * The calls that another host can make: the operations of model/ops.def that are not LOCAL, with
 * their numbers here and their names in messages; and calls that are no operation of a backend.
 */

/* CALL(NAME, name, args, result): like an operation, but without an object. */
#define KV_CALLS_OTHER(CALL) CALL(NOP, nop, none, none) KV_FILE_CALLS(CALL)

enum kv_call {
#define OP(NAME, name, in, out, about, ...) KV_CALL_##NAME = KV_OP_##NAME,
#include "model/ops.def"
	KV_CALL_OPS = KV_OPS - 1,
#define CALL(NAME, name, args, result) KV_CALL_##NAME,
	KV_CALLS_OTHER(CALL)
#undef CALL
	KV_CALLS,
};

/* The longest wait in one call; a longer wait takes several calls. */
#define KV_CALL_WAIT_MS 1000

/* The attribute of kv_request.args and of kv_reply.result. */
#define KV_ATTR_NEST (KV_ATTR_BEYOND + 3)

#include "model/as_struct.h"
#include "remote/call.def"

/* The arguments, by the name of the call. */
union kv_call_args {
#define OP(NAME, name, in, out, about, ...) struct kv_##in name;
#include "model/ops.def"
#define CALL(NAME, name, args, result) struct kv_##args name;
	KV_CALLS_OTHER(CALL)
#undef CALL
	struct kv_id id;
};

/* The result, by the name of the call. */
union kv_call_result {
#define OP(NAME, name, in, out, about, ...) struct kv_##out name;
#include "model/ops.def"
#define CALL(NAME, name, args, result) struct kv_##result name;
	KV_CALLS_OTHER(CALL)
#undef CALL
	union kv_object object;
};

/* One call. */
struct kv_call_row {
	const char *name; /* the name in messages; NULL: no other host may make the call */
	const struct kv_shape *args; /* shape of the arguments */
	const struct kv_shape *result; /* shape of the result */
	/* Type of the object that the arguments' id names; KV_NO_TYPE: a run, or none. */
	enum kv_type about;
	bool sends; /* the request may carry data */
};

extern const struct kv_call_row kv_call_rows[KV_CALLS];

int kv_call_put_bins(const struct kv_hist *hist, uint8_t *data, uint32_t *length);
