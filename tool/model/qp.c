// SPDX-License-Identifier: MIT
#include "model/shape.h"
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
	KV_U32(S, state, KVERBS_QPS_ERR, A(QP_STATE), BIT(KV_QPA_STATE)),
	KV_U32(S, cur_state, KVERBS_QPS_ERR, A(QP_CUR_STATE), BIT(KV_QPA_CUR_STATE)),
	KV_U32(S, access, ANY, A(QP_ACCESS), BIT(KV_QPA_ACCESS)),
	KV_U32(S, port, ANY, A(QP_PORT), BIT(KV_QPA_PORT)),
	KV_U32(S, pkey_index, ANY, A(QP_PKEY_INDEX), BIT(KV_QPA_PKEY_INDEX)),
	KV_U32(S, qkey, ANY, A(QP_QKEY), BIT(KV_QPA_QKEY)),
	KV_U32(S, path_mtu, ANY, A(QP_PATH_MTU), BIT(KV_QPA_PATH_MTU)),
	KV_U32(S, dest_qpn, ANY, A(QP_DEST_QPN), BIT(KV_QPA_DEST_QPN)),
	KV_U32(S, rq_psn, ANY, A(QP_RQ_PSN), BIT(KV_QPA_RQ_PSN)),
	KV_STRUCT(S, av, qp_av, BIT(KV_QPA_AV)),
	KV_U32(S, min_rnr_timer, ANY, A(QP_MIN_RNR_TIMER), BIT(KV_QPA_MIN_RNR_TIMER)),
	KV_U32(S, max_dest_rd_atomic, ANY, A(QP_MAX_DEST_RD_ATOMIC),
		 BIT(KV_QPA_MAX_DEST_RD_ATOMIC)),
	KV_U32(S, sq_psn, ANY, A(QP_SQ_PSN), BIT(KV_QPA_SQ_PSN)),
	KV_U32(S, timeout, ANY, A(QP_TIMEOUT), BIT(KV_QPA_TIMEOUT)),
	KV_U32(S, retry_cnt, ANY, A(QP_RETRY_CNT), BIT(KV_QPA_RETRY_CNT)),
	KV_U32(S, rnr_retry, ANY, A(QP_RNR_RETRY), BIT(KV_QPA_RNR_RETRY)),
	KV_U32(S, max_rd_atomic, ANY, A(QP_MAX_RD_ATOMIC), BIT(KV_QPA_MAX_RD_ATOMIC)),
	KV_U32(S, path_mig_state, KVERBS_MIG_ARMED, A(QP_PATH_MIG_STATE),
		 BIT(KV_QPA_PATH_MIG_STATE)),
	KV_STRUCT(S, alt_av, qp_alt_av, BIT(KV_QPA_ALT_PATH)),
	KV_U32(S, alt_port, ANY, A(QP_ALT_PORT), BIT(KV_QPA_ALT_PATH)),
	KV_U32(S, alt_pkey_index, ANY, A(QP_ALT_PKEY_INDEX), BIT(KV_QPA_ALT_PATH)),
	KV_U32(S, alt_timeout, ANY, A(QP_ALT_TIMEOUT), BIT(KV_QPA_ALT_PATH)),
	KV_U32(S, sqd_async_notify, ANY, A(QP_SQD_ASYNC_NOTIFY), BIT(KV_QPA_SQD_ASYNC_NOTIFY)),
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
