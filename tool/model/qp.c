// SPDX-License-Identifier: MIT
#include "model/row.h"
#include "rules/qp_table.h"

#define S struct kv_qp_init
SHAPE(qp_init,
	KV_ID(S, pd, KV_PD, A(QP_PD), UNLESS_0, TOLD, MUST("its protection domain")),
	KV_U32(S, type, KVERBS_QPT_MAX, A(QP_TYPE), ENUM(qp_type),
	       KEY("transport; default: rc")),
	KV_ID(S, send_cq, KV_CQ, A(QP_SEND_CQ), UNLESS_0, TOLD, KEY("where sends complete")),
	KV_ID(S, recv_cq, KV_CQ, A(QP_RECV_CQ), UNLESS_0, TOLD, KEY("where receives complete")),
	KV_ID(S, srq, KV_SRQ, A(QP_SRQ), UNLESS_0,
	      KEY("where receives come from in place of an own queue")),
	KV_U32(S, max_send_wr, ANY, A(QP_MAX_SEND_WR), PRESET(16),
	       KEY("requests that can be posted at once; default: 16")),
	KV_U32(S, max_recv_wr, ANY, A(QP_MAX_RECV_WR), UNLESS_0_AND(srq), TOLD_UNLESS_0,
	       PRESET(16), KEY("receives that can be posted at once; default: 16; not with srq")),
	KV_U32(S, max_send_sge, ANY, A(QP_MAX_SEND_SGE), PRESET(1),
	       KEY("pieces that a request can have; default: 1")),
	KV_U32(S, max_recv_sge, ANY, A(QP_MAX_RECV_SGE), UNLESS_0_AND(srq), TOLD_UNLESS_0,
	       PRESET(1), KEY("pieces that a receive can have; default: 1; not with srq")),
	KV_U32(S, max_inline, ANY, A(QP_MAX_INLINE), SIZE,
	       KEY("bytes that a request can carry inline; default: 0")),
	KV_BOOL(S, sq_sig_all, A(QP_SQ_SIG_ALL),
		KEY("every send completes, unsignaled or not")),
	KV_BOOL(S, persistent, A(QP_PERSISTENT), UNTOLD),
);
#undef S

#define S struct kv_av
static const struct kv_member av_members[] = {
	KV_BOOL(S, has_dgid, UNTOLD),
	KV_HEX(S, dgid, A(QP_DGID), IF(has_dgid), KEY("the peer's GID")),
	KV_BOOL(S, has_sgid_index, UNTOLD),
	KV_U32(S, sgid_index, ANY, A(QP_SGID_INDEX), IF(has_sgid_index),
	       KEY("entry of the own GID table to send from")),
	KV_U32(S, dlid, ANY, A(QP_DLID), UNLESS_0, TOLD, KEY("the peer's LID, InfiniBand only")),
	/* Sent also if it is 0, so that an address vector is never empty. */
	KV_U32(S, sl, ANY, A(QP_SL), KEY("service level, 0 to 15")),
	KV_U32(S, traffic_class, ANY, A(QP_TRAFFIC_CLASS), UNLESS_0, TOLD, KEY("0 to 255")),
	KV_U32(S, flow_label, ANY, A(QP_FLOW_LABEL), UNLESS_0, TOLD, KEY("20 bits")),
	/* Sent with the DGID, also if it is 0: the default is not 0. */
	KV_U32(S, hop_limit, ANY, A(QP_HOP_LIMIT), IF(has_dgid), TOLD, PRESET(64),
	       KEY("0 to 255; default: 64; on RoCE the kernel takes the route's")),
};

/* The module has no other attributes for the alternate path. */
static const struct kv_member alt_av_members[] = {
	KV_BOOL(S, has_dgid, UNTOLD),
	KV_HEX(S, dgid, A(QP_ALT_DGID), KNOWN("alt_dgid"), IF(has_dgid),
	       KEY("the alternate path, InfiniBand only: the peer's GID")),
	KV_BOOL(S, has_sgid_index, UNTOLD),
	KV_U32(S, sgid_index, ANY, A(QP_ALT_SGID_INDEX), KNOWN("alt_sgid_index"),
	       IF(has_sgid_index), KEY("entry of the own GID table")),
	KV_U32(S, dlid, ANY, A(QP_ALT_DLID), KNOWN("alt_dlid"), UNLESS_0, TOLD,
	       KEY("the peer's LID")),
	KV_U32(S, sl, ANY, BEYOND(1), UNTOLD),
	KV_U32(S, traffic_class, ANY, BEYOND(2), UNTOLD),
	KV_U32(S, flow_label, ANY, BEYOND(3), UNTOLD),
	KV_U32(S, hop_limit, ANY, BEYOND(4), UNTOLD, PRESET(64)),
};
#undef S

static const struct kv_shape qp_av = KV_SHAPE(struct kv_av, av_members);
static const struct kv_shape qp_alt_av = KV_SHAPE(struct kv_av, alt_av_members);

#define S struct kv_qp_attr
static const struct kv_member qp_attr_members[] = {
	KV_U32(S, mask, ANY, UNTOLD),
#define ATTR(member, NAME, BIT_, max, ibv, form_, help_, ...)				\
	KV_U32(S, member, max, A(QP_##NAME), BIT(KV_QPA_##BIT_), .form = KV_FORM_##form_,	\
	       .help = help_, ##__VA_ARGS__),
#define VECTOR(member, BIT_) KV_STRUCT(S, member, qp_##member, BIT(KV_QPA_##BIT_)),
#include "model/qp_attr.def"
};
#undef S

const struct kv_shape kv_shape_qp_attr = KV_SHAPE(struct kv_qp_attr, qp_attr_members,
						       .mask = offsetof(struct kv_qp_attr, mask));

#define S struct kv_qp
SHAPE(qp,
	HEAD(QP, "qp"),
	KV_U32(S, type, ANY, A(QP_TYPE), ENUM(qp_type)),
	KV_U32(S, qpn, ANY, A(QP_QPN)),
	KV_ID(S, pd, KV_PD, A(QP_PD)),
	KV_ID(S, send_cq, KV_CQ, A(QP_SEND_CQ)),
	KV_ID(S, recv_cq, KV_CQ, A(QP_RECV_CQ)),
	KV_ID(S, srq, KV_SRQ, A(QP_SRQ), TOLD_UNLESS_0),
	KV_U32(S, max_send_wr, ANY, A(QP_MAX_SEND_WR)),
	KV_U32(S, max_recv_wr, ANY, A(QP_MAX_RECV_WR), TOLD_UNLESS_0),
	KV_U32(S, max_send_sge, ANY, A(QP_MAX_SEND_SGE)),
	KV_U32(S, max_recv_sge, ANY, A(QP_MAX_RECV_SGE), TOLD_UNLESS_0),
	KV_U32(S, max_inline, ANY, A(QP_MAX_INLINE)),
	KV_BOOL(S, sq_sig_all, A(QP_SQ_SIG_ALL)),
	KV_STRUCT(S, attr, kv_shape_qp_attr),
	KV_BOOL(S, sq_draining, A(QP_SQ_DRAINING),
		TOLD_AMONG(attr.state, 1U << KVERBS_QPS_SQD)),
);
#undef S

#define S struct kv_qp_modify
SHAPE(qp_modify, KV_ID_ABOUT(S, id), KV_STRUCT(S, attr, kv_shape_qp_attr));
#undef S
