// SPDX-License-Identifier: MIT
#include "model/row.h"

#define ANY UINT32_MAX

#define S struct kv_mr_init
static const struct kv_member mr_init_members[] = {
	KV_ID(S, pd, KV_PD, A(MR_PD), UNLESS_0),
	KV_U64(S, length, UINT64_MAX, A(MR_LENGTH)),
	KV_U32(S, max_access, KVERBS_ACCESS__ALL, A(MR_MAX_ACCESS)),
	KV_BOOL(S, persistent, A(MR_PERSISTENT)),
};
#undef S

const struct kv_shape kv_shape_mr_init = KV_SHAPE(struct kv_mr_init, mr_init_members);

#define S struct kv_mr
static const struct kv_member mr_members[] = {
	KV_U32(S, id, ANY, A(MR_ID), KNOWN("mr")),
	KV_TEXT(S, dev, A(MR_DEV), KNOWN("device")),
	KV_BOOL(S, persistent, A(MR_PERSISTENT)),
	KV_ID(S, pd, KV_PD, A(MR_PD)),
	KV_U64(S, length, UINT64_MAX, A(MR_LENGTH)),
	KV_U32(S, max_access, ANY, A(MR_MAX_ACCESS)),
	KV_BOOL(S, registered),
	KV_U32(S, access, ANY, A(MR_ACCESS), IF(registered)),
	KV_U64(S, offset, UINT64_MAX, A(MR_OFFSET)),
	KV_U64(S, reg_length, UINT64_MAX, A(MR_REG_LENGTH)),
	KV_U32(S, lkey, ANY, A(MR_LKEY)),
	KV_U32(S, rkey, ANY, A(MR_RKEY)),
	KV_U64(S, iova, UINT64_MAX, A(MR_IOVA)),
};
#undef S

const struct kv_shape kv_shape_mr = KV_SHAPE(struct kv_mr, mr_members);

#define S struct kv_mr_reg
static const struct kv_member mr_reg_members[] = {
	KV_ID_ABOUT(S, id),
	KV_ID(S, qp, KV_QP, A(MR_QP), UNLESS_0),
	KV_U32(S, access, KVERBS_ACCESS__ALL, A(MR_ACCESS)),
	KV_U64(S, offset, UINT64_MAX, A(MR_OFFSET)),
	KV_U64(S, length, UINT64_MAX, A(MR_LENGTH)),
};
#undef S

const struct kv_shape kv_shape_mr_reg = KV_SHAPE(struct kv_mr_reg, mr_reg_members);

#define S struct kv_mr_inv
static const struct kv_member mr_inv_members[] = {
	KV_ID_ABOUT(S, id),
	KV_ID(S, qp, KV_QP, A(MR_QP), UNLESS_0),
};
#undef S

const struct kv_shape kv_shape_mr_inv = KV_SHAPE(struct kv_mr_inv, mr_inv_members);

#define S struct kv_mr_write
static const struct kv_member mr_write_members[] = {
	KV_ID_ABOUT(S, id),
	KV_U64(S, offset, UINT64_MAX),
	KV_U64(S, length, UINT64_MAX),
};
#undef S

const struct kv_shape kv_shape_mr_write = KV_SHAPE(struct kv_mr_write, mr_write_members);

#define S struct kv_mr_read
static const struct kv_member mr_read_members[] = {
	KV_ID_ABOUT(S, id),
	KV_U64(S, offset, UINT64_MAX),
	KV_U64(S, length, UINT64_MAX),
};
#undef S

const struct kv_shape kv_shape_mr_read = KV_SHAPE(struct kv_mr_read, mr_read_members);

#define S struct kv_mr_file
static const struct kv_member mr_file_members[] = {
	KV_ID_ABOUT(S, id),
	KV_S32(S, fd, INT32_MIN, INT32_MAX, A(MR_FD), KNOWN("file")),
	KV_U64(S, file_offset, UINT64_MAX, A(MR_FILE_OFFSET)),
	KV_U64(S, offset, UINT64_MAX, A(MR_OFFSET)),
	KV_U64(S, length, UINT64_MAX, A(MR_LENGTH)),
};
#undef S

const struct kv_shape kv_shape_mr_file = KV_SHAPE(struct kv_mr_file, mr_file_members);

#define S struct kv_moved
static const struct kv_member moved_members[] = {
	KV_U64(S, length, UINT64_MAX, A(MR_LENGTH)),
};
#undef S

const struct kv_shape kv_shape_moved = KV_SHAPE(struct kv_moved, moved_members);
