// SPDX-License-Identifier: MIT
#include "model/row.h"

#define ANY UINT32_MAX

const struct kv_shape kv_shape_none;

#define S struct kv_info
static const struct kv_member info_members[] = {
	KV_TEXT(S, version, A(INFO_VERSION)),
	KV_TEXT(S, counter, A(INFO_COUNTER)),
	KV_U64(S, created, UINT64_MAX, A(INFO_CREATED)),
	KV_U64(S, destroyed, UINT64_MAX, A(INFO_DESTROYED)),
	KV_U64(S, buffer_bytes, UINT64_MAX, A(INFO_BUFFER_BYTES)),
};
#undef S

const struct kv_shape kv_shape_info = KV_SHAPE(struct kv_info, info_members);

#define S struct kv_flushed
static const struct kv_member flushed_members[] = {
	KV_U32(S, flushed, ANY, A(INFO_FLUSHED)),
	KV_U32(S, kept, ANY, A(INFO_KEPT)),
};
#undef S

const struct kv_shape kv_shape_flushed = KV_SHAPE(struct kv_flushed, flushed_members);

#define S struct kv_id
static const struct kv_member id_members[] = {
	KV_ID_ABOUT(S, id),
};
#undef S

const struct kv_shape kv_shape_id = KV_SHAPE(struct kv_id, id_members);
