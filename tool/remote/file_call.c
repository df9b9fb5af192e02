// SPDX-License-Identifier: MIT
#include "remote/file_call.h"

#define ANY UINT32_MAX

#define S struct kv_file_open
static const struct kv_member open_members[] = {
	KV_TEXT(S, name),
};
#undef S

#define S struct kv_file_create
static const struct kv_member create_members[] = {
	KV_TEXT(S, name),
	KV_U64(S, length, INT64_MAX),
	KV_HEX(S, digest),
	KV_BOOL(S, replace),
};
#undef S

#define S struct kv_file_piece
static const struct kv_member piece_members[] = {
	KV_ID(S, mr, KV_MR),
	KV_U64(S, mr_offset, UINT64_MAX),
	KV_U64(S, offset, UINT64_MAX),
	KV_U32(S, length, ANY),
};
#undef S

#define S struct kv_file_finish
static const struct kv_member finish_members[] = {
	KV_HEX(S, digest),
};
#undef S

#define S struct kv_file_close
static const struct kv_member close_members[] = {
	KV_TEXT(S, why),
};
#undef S

#define S struct kv_file_opened
static const struct kv_member opened_members[] = {
	KV_U64(S, length, INT64_MAX),
};
#undef S

#define S struct kv_file_hashed
static const struct kv_member hashed_members[] = {
	KV_U64(S, done, INT64_MAX),
	KV_HEX(S, digest),
};
#undef S

const struct kv_shape kv_shape_file_open = KV_SHAPE(struct kv_file_open, open_members);
const struct kv_shape kv_shape_file_create =
	KV_SHAPE(struct kv_file_create, create_members);
const struct kv_shape kv_shape_file_piece = KV_SHAPE(struct kv_file_piece, piece_members);
const struct kv_shape kv_shape_file_finish =
	KV_SHAPE(struct kv_file_finish, finish_members);
const struct kv_shape kv_shape_file_close = KV_SHAPE(struct kv_file_close, close_members);
const struct kv_shape kv_shape_file_opened =
	KV_SHAPE(struct kv_file_opened, opened_members);
const struct kv_shape kv_shape_file_hashed =
	KV_SHAPE(struct kv_file_hashed, hashed_members);
