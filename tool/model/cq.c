// SPDX-License-Identifier: MIT
#include "model/row.h"

#define ANY UINT32_MAX

#define S struct kv_cq_init
static const struct kv_member cq_init_members[] = {
	KV_TEXT_AT(S, dev, 64, A(CQ_DEV), KNOWN("device")),
	KV_U32(S, cqe, ANY, A(CQ_CQE)),
	KV_U32(S, comp_vector, ANY, A(CQ_COMP_VECTOR)),
	KV_U32(S, context, KVERBS_CQ_MAX, A(CQ_CONTEXT)),
	KV_BOOL(S, persistent, A(CQ_PERSISTENT)),
};
#undef S

const struct kv_shape kv_shape_cq_init = KV_SHAPE(struct kv_cq_init, cq_init_members);

#define S struct kv_cq
static const struct kv_member cq_members[] = {
	KV_U32(S, id, ANY, A(CQ_ID), KNOWN("cq")),
	KV_TEXT(S, dev, A(CQ_DEV), KNOWN("device")),
	KV_BOOL(S, persistent, A(CQ_PERSISTENT)),
	KV_U32(S, cqe, ANY, A(CQ_CQE)),
	KV_U32(S, comp_vector, ANY, A(CQ_COMP_VECTOR)),
	KV_U32(S, context, ANY, A(CQ_CONTEXT)),
	KV_U32(S, pending, ANY, A(CQ_PENDING)),
};
#undef S

const struct kv_shape kv_shape_cq = KV_SHAPE(struct kv_cq, cq_members);

#define S struct kv_cq_poll
static const struct kv_member cq_poll_members[] = {
	KV_ID_ABOUT(S, id),
	KV_U32(S, max, KVERBS_POLL_MAX, A(CQ_MAX_WC)),
};
#undef S

const struct kv_shape kv_shape_cq_poll = KV_SHAPE(struct kv_cq_poll, cq_poll_members);

#define S struct kv_wc
static const struct kv_member wc_members[] = {
	KV_U64(S, wr_id, UINT64_MAX, A(WC_WR_ID)),
	KV_U32(S, status, ANY, A(WC_STATUS)),
	KV_U32(S, vendor_err, ANY, A(WC_VENDOR_ERR)),
	KV_U32(S, op, ANY, A(WC_OP)),
	KV_ID(S, qp, KV_QP, A(WC_QP)),
	KV_BOOL(S, has_length),
	KV_U32(S, length, ANY, A(WC_LENGTH), IF(has_length)),
	KV_BOOL(S, has_imm),
	KV_U32(S, imm, ANY, A(WC_IMM), IF(has_imm)),
	KV_BOOL(S, has_src_qpn),
	KV_U32(S, src_qpn, ANY, A(WC_SRC_QPN), IF(has_src_qpn)),
	KV_BOOL(S, grh, A(WC_GRH)),
};
#undef S

const struct kv_shape kv_shape_wc = KV_SHAPE(struct kv_wc, wc_members);

#define S struct kv_polled
static const struct kv_member polled_members[] = {
	KV_LIST(S, wc, n, kv_shape_wc, A(CQ_WC)),
};
#undef S

const struct kv_shape kv_shape_polled = KV_SHAPE(struct kv_polled, polled_members);

#define S struct kv_cq_arm
static const struct kv_member cq_arm_members[] = {
	KV_ID_ABOUT(S, id),
	KV_BOOL(S, solicited, A(CQ_SOLICITED)),
};
#undef S

const struct kv_shape kv_shape_cq_arm = KV_SHAPE(struct kv_cq_arm, cq_arm_members);

#define S struct kv_armed
static const struct kv_member armed_members[] = {
	KV_BOOL(S, missed, A(CQ_MISSED)),
};
#undef S

const struct kv_shape kv_shape_armed = KV_SHAPE(struct kv_armed, armed_members);
