// SPDX-License-Identifier: MIT
#include "model/row.h"

#define ANY UINT32_MAX

#define S struct kv_sge
static const struct kv_member sge_members[] = {
	KV_ID(S, mr, KV_MR, A(SGE_MR), UNLESS_0),
	KV_U64(S, offset, UINT64_MAX, A(SGE_OFFSET)),
	KV_U32(S, length, ANY, A(SGE_LENGTH)),
	KV_U32(S, lkey, KVERBS_LKEY_MAX, A(SGE_LKEY)),
};
#undef S

const struct kv_shape kv_shape_sge = KV_SHAPE(struct kv_sge, sge_members);

#define S struct kv_wr
static const struct kv_member wr_members[] = {
	KV_ID(S, qp, KV_QP, A(WR_QP), UNLESS_0),
	KV_ID(S, srq, KV_SRQ, A(WR_SRQ), UNLESS_0),
	KV_U32(S, op, KVERBS_OP_RECV, A(WR_OP)),
	KV_U64(S, wr_id, UINT64_MAX, A(WR_WR_ID)),
	KV_U32(S, flags, KVERBS_WR__ALL, A(WR_FLAGS)),
	KV_BOOL(S, has_imm),
	KV_U32(S, imm, ANY, A(WR_IMM), IF(has_imm)),
	KV_LIST(S, sge, sges, kv_shape_sge, A(WR_SGE)),
	KV_BOOL(S, has_remote),
	KV_U64(S, remote_addr, UINT64_MAX, A(WR_REMOTE_ADDR), IF(has_remote)),
	KV_U32(S, remote_key, ANY, A(WR_REMOTE_KEY), IF(has_remote)),
	KV_U64(S, compare_add, UINT64_MAX, A(WR_COMPARE_ADD), UNLESS_0),
	KV_U64(S, swap, UINT64_MAX, A(WR_SWAP), UNLESS_0),
	KV_ID(S, ah, KV_AH, A(WR_AH), UNLESS_0),
	KV_U32(S, remote_qpn, ANY, A(WR_REMOTE_QPN), UNLESS_0),
	KV_U32(S, remote_qkey, ANY, A(WR_REMOTE_QKEY), UNLESS_0_AND_NO(ah)),
};
#undef S

const struct kv_shape kv_shape_wr = KV_SHAPE(struct kv_wr, wr_members);
