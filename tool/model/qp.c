// SPDX-License-Identifier: MIT
#include "model/row.h"
#include "qp_table.h"

#define ANY UINT32_MAX

#define S struct kv_qp_init
static const struct kv_member qp_init_members[] = {
	KV_ID(S, pd, KV_PD, A(QP_PD), UNLESS_0),
	KV_U32(S, type, KVERBS_QPT_MAX, A(QP_TYPE)),
	KV_ID(S, send_cq, KV_CQ, A(QP_SEND_CQ), UNLESS_0),
	KV_ID(S, recv_cq, KV_CQ, A(QP_RECV_CQ), UNLESS_0),
	KV_ID(S, srq, KV_SRQ, A(QP_SRQ), UNLESS_0),
	KV_U32(S, max_send_wr, ANY, A(QP_MAX_SEND_WR)),
	KV_U32(S, max_recv_wr, ANY, A(QP_MAX_RECV_WR), UNLESS_0_AND(srq)),
	KV_U32(S, max_send_sge, ANY, A(QP_MAX_SEND_SGE)),
	KV_U32(S, max_recv_sge, ANY, A(QP_MAX_RECV_SGE), UNLESS_0_AND(srq)),
	KV_U32(S, max_inline, ANY, A(QP_MAX_INLINE)),
	KV_BOOL(S, sq_sig_all, A(QP_SQ_SIG_ALL)),
	KV_BOOL(S, persistent, A(QP_PERSISTENT)),
};
#undef S

const struct kv_shape kv_shape_qp_init = KV_SHAPE(struct kv_qp_init, qp_init_members);

#define S struct kv_av
static const struct kv_member av_members[] = {
	KV_BOOL(S, has_dgid),
	KV_HEX(S, dgid, A(QP_DGID), IF(has_dgid)),
	KV_BOOL(S, has_sgid_index),
	KV_U32(S, sgid_index, ANY, A(QP_SGID_INDEX), IF(has_sgid_index)),
	KV_U32(S, dlid, ANY, A(QP_DLID), UNLESS_0),
	/* Even 0, so that an address vector of nothing else is one too. */
	KV_U32(S, sl, ANY, A(QP_SL)),
	KV_U32(S, traffic_class, ANY, A(QP_TRAFFIC_CLASS), UNLESS_0),
	KV_U32(S, flow_label, ANY, A(QP_FLOW_LABEL), UNLESS_0),
	/* Even 0, which is not its default; it belongs to the DGID. */
	KV_U32(S, hop_limit, ANY, A(QP_HOP_LIMIT), IF(has_dgid)),
};

/* The module has no more attributes of the alternate path's. */
static const struct kv_member alt_av_members[] = {
	KV_BOOL(S, has_dgid),
	KV_HEX(S, dgid, A(QP_ALT_DGID), KNOWN("alt_dgid"), IF(has_dgid)),
	KV_BOOL(S, has_sgid_index),
	KV_U32(S, sgid_index, ANY, A(QP_ALT_SGID_INDEX), KNOWN("alt_sgid_index"),
	       IF(has_sgid_index)),
	KV_U32(S, dlid, ANY, A(QP_ALT_DLID), KNOWN("alt_dlid"), UNLESS_0),
	KV_U32(S, sl, ANY),
	KV_U32(S, traffic_class, ANY),
	KV_U32(S, flow_label, ANY),
	KV_U32(S, hop_limit, ANY),
};
#undef S

static const struct kv_shape qp_av = KV_SHAPE(struct kv_av, av_members);
static const struct kv_shape qp_alt_av = KV_SHAPE(struct kv_av, alt_av_members);

#define S struct kv_qp_attr
static const struct kv_member qp_attr_members[] = {
	KV_U32(S, mask, ANY),
#define ATTR(member, key, NAME, BIT_, max, ...)						\
	KV_U32(S, member, max, A(QP_##NAME), BIT(KV_QPA_##BIT_)),
#define VECTOR(member, BIT_) KV_STRUCT(S, member, qp_##member, BIT(KV_QPA_##BIT_)),
#include "model/qp_attr.def"
};
#undef S

const struct kv_shape kv_shape_qp_attr = KV_SHAPE(struct kv_qp_attr, qp_attr_members,
						       .mask = offsetof(struct kv_qp_attr, mask));

#define S struct kv_qp
static const struct kv_member qp_members[] = {
	KV_U32(S, id, ANY, A(QP_ID), KNOWN("qp")),
	KV_TEXT(S, dev, A(QP_DEV), KNOWN("device")),
	KV_BOOL(S, persistent, A(QP_PERSISTENT)),
	KV_ID(S, pd, KV_PD, A(QP_PD)),
	KV_U32(S, type, ANY, A(QP_TYPE)),
	KV_ID(S, send_cq, KV_CQ, A(QP_SEND_CQ)),
	KV_ID(S, recv_cq, KV_CQ, A(QP_RECV_CQ)),
	KV_ID(S, srq, KV_SRQ, A(QP_SRQ)),
	KV_U32(S, max_send_wr, ANY, A(QP_MAX_SEND_WR)),
	KV_U32(S, max_recv_wr, ANY, A(QP_MAX_RECV_WR)),
	KV_U32(S, max_send_sge, ANY, A(QP_MAX_SEND_SGE)),
	KV_U32(S, max_recv_sge, ANY, A(QP_MAX_RECV_SGE)),
	KV_U32(S, max_inline, ANY, A(QP_MAX_INLINE)),
	KV_BOOL(S, sq_sig_all, A(QP_SQ_SIG_ALL)),
	KV_BOOL(S, sq_draining, A(QP_SQ_DRAINING)),
	KV_U32(S, qpn, ANY, A(QP_QPN)),
	KV_STRUCT(S, attr, kv_shape_qp_attr),
};
#undef S

const struct kv_shape kv_shape_qp = KV_SHAPE(struct kv_qp, qp_members);

#define S struct kv_qp_modify
static const struct kv_member qp_modify_members[] = {
	KV_ID_ABOUT(S, id),
	KV_STRUCT(S, attr, kv_shape_qp_attr),
};
#undef S

const struct kv_shape kv_shape_qp_modify = KV_SHAPE(struct kv_qp_modify, qp_modify_members);
