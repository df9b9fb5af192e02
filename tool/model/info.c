// SPDX-License-Identifier: MIT
#include "model/row.h"

const struct kv_shape kv_shape_none;

#define S struct kv_info
SHAPE(info,
	KV_TEXT(S, version, A(INFO_VERSION)),
	KV_TEXT(S, counter, A(INFO_COUNTER)),
	KV_U64(S, counter_hz, UINT64_MAX, A(INFO_COUNTER_HZ)),
	KV_U64(S, created, UINT64_MAX, A(INFO_CREATED)),
	KV_U64(S, destroyed, UINT64_MAX, A(INFO_DESTROYED)),
	KV_U64(S, buffer_bytes, UINT64_MAX, A(INFO_BUFFER_BYTES)),
);
#undef S

#define S struct kv_flushed
SHAPE(flushed, KV_U32(S, flushed, ANY, A(INFO_FLUSHED)), KV_U32(S, busy, ANY, A(INFO_BUSY)));
#undef S

#define S struct kv_id
SHAPE(id, KV_ID_ABOUT(S, id));
#undef S
