// SPDX-License-Identifier: MIT
#include "model/row.h"

#define S struct kv_sge
SHAPE(sge,
	KV_ID(S, buf, KV_BUF, A(SGE_BUF), UNLESS_0, TOLD),
	KV_U64(S, offset, UINT64_MAX, A(SGE_OFFSET)),
	KV_U32(S, length, ANY, A(SGE_LENGTH)),
	KV_ID(S, mr, KV_MR, A(SGE_MR), UNLESS_0),
);
#undef S

/* The keys of flags. */
static const struct kv_enum flags[] = {
	{ "inline", KVERBS_WR_INLINE },
	{ "unsignaled", KVERBS_WR_UNSIGNALED },
	{ "fence", KVERBS_WR_FENCE },
	{ "solicited", KVERBS_WR_SOLICITED },
	{ NULL, 0 },
};

#define S struct kv_wr
SHAPE(wr,
	KV_U32(S, op, KVERBS_OP_MAX, A(WR_OP), ENUM(wr_op)),
	KV_U64(S, wr_id, UINT64_MAX, A(WR_WR_ID)),
	KV_LIST(S, sge, sges, kv_shape_sge, A(WR_SGE)),
	KV_BOOL(S, has_imm, UNTOLD),
	KV_U32(S, imm, ANY, A(WR_IMM), IF(has_imm)),
	KV_U32(S, flags, KVERBS_WR__ALL, A(WR_FLAGS), .form = KV_FORM_BITS, .names = flags),
	KV_BOOL(S, has_remote, UNTOLD),
	KV_U64(S, remote_addr, UINT64_MAX, A(WR_REMOTE_ADDR), IF(has_remote)),
	KV_U32(S, remote_key, ANY, A(WR_REMOTE_KEY), IF(has_remote)),
	KV_U64(S, compare_add, UINT64_MAX, A(WR_COMPARE_ADD), CALLED("add"), UNLESS_0,
	       TOLD_AMONG(op, 1U << KVERBS_OP_FETCH_ADD)),
	KV_U64(S, compare_add, UINT64_MAX, CALLED("compare"),
	       TOLD_AMONG(op, 1U << KVERBS_OP_CMP_SWP)),
	KV_U64(S, swap, UINT64_MAX, A(WR_SWAP), UNLESS_0, TOLD_AMONG(op, 1U << KVERBS_OP_CMP_SWP)),
	KV_ID(S, ah, KV_AH, A(WR_AH), UNLESS_0),
	KV_U32(S, remote_qpn, 0xffffff, A(WR_REMOTE_QPN), UNLESS_0, TOLD_IF(ah)),
	KV_U32(S, remote_qkey, ANY, A(WR_REMOTE_QKEY), UNLESS_0_AND_NO(ah),
	       .tell = KV_TELL_BESIDE),
);
#undef S

#define S struct kv_post
SHAPE(post,
	KV_ID(S, qp, KV_QP, A(POST_QP), UNLESS_0),
	KV_ID(S, srq, KV_SRQ, A(POST_SRQ), UNLESS_0),
	KV_U32(S, context, KVERBS_POST_MAX, A(POST_CONTEXT), UNLESS_0),
	KV_LIST_AT(S, wr, wrs, KVERBS_WR_LIST_MAX, kv_shape_wr, A(POST_WR)),
);
#undef S

#define S struct kv_posted
SHAPE(posted,
	KV_U32(S, posted, KVERBS_WR_LIST_MAX, A(POST_POSTED)),
	KV_S32(S, error, INT32_MIN, 0, A(POST_ERROR)),
);
#undef S
