// SPDX-License-Identifier: MIT
#include "model/row.h"

#define ANY UINT32_MAX

#define S struct kv_srq_init
static const struct kv_member srq_init_members[] = {
	KV_ID(S, pd, KV_PD, A(SRQ_PD), UNLESS_0),
	KV_U32(S, max_wr, ANY, A(SRQ_MAX_WR)),
	KV_U32(S, max_sge, ANY, A(SRQ_MAX_SGE)),
	KV_U32(S, limit, ANY, A(SRQ_LIMIT)),
	KV_BOOL(S, persistent, A(SRQ_PERSISTENT)),
};
#undef S

const struct kv_shape kv_shape_srq_init = KV_SHAPE(struct kv_srq_init, srq_init_members);

#define S struct kv_srq
static const struct kv_member srq_members[] = {
	KV_U32(S, id, ANY, A(SRQ_ID), KNOWN("srq")),
	KV_TEXT(S, dev, A(SRQ_DEV), KNOWN("device")),
	KV_BOOL(S, persistent, A(SRQ_PERSISTENT)),
	KV_ID(S, pd, KV_PD, A(SRQ_PD)),
	KV_U32(S, max_wr, ANY, A(SRQ_MAX_WR)),
	KV_U32(S, max_sge, ANY, A(SRQ_MAX_SGE)),
	KV_U32(S, limit, ANY, A(SRQ_LIMIT)),
};
#undef S

const struct kv_shape kv_shape_srq = KV_SHAPE(struct kv_srq, srq_members);

#define S struct kv_srq_attr
static const struct kv_member srq_attr_members[] = {
	KV_ID_ABOUT(S, id),
	KV_BOOL(S, has_limit),
	KV_U32(S, limit, ANY, A(SRQ_LIMIT), IF(has_limit)),
	KV_BOOL(S, has_max_wr),
	KV_U32(S, max_wr, ANY, A(SRQ_MAX_WR), IF(has_max_wr)),
};
#undef S

const struct kv_shape kv_shape_srq_attr = KV_SHAPE(struct kv_srq_attr, srq_attr_members);
