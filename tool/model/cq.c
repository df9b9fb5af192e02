// SPDX-License-Identifier: MIT
#include "model/row.h"

#define S struct kv_cq_init
SHAPE(cq_init,
	DEV(CQ_DEV),
	KV_U32(S, cqe, ANY, A(CQ_CQE), MUST("how many completions it has to hold")),
	KV_U32(S, comp_vector, ANY, A(CQ_COMP_VECTOR),
	       KEY("which of the device's completion vectors; default: 0")),
	KV_U32(S, context, KVERBS_CQ_MAX, A(CQ_CONTEXT), ENUM(cq_context),
	       KEY("how completions are noticed; default: polled. event: 'poll ... wait' can sleep until one comes. The others are the kernel's: it handles them there and keeps them for 'poll'.")),
	KV_BOOL(S, persistent, A(CQ_PERSISTENT), UNTOLD),
);
#undef S

#define S struct kv_cq
SHAPE(cq,
	HEAD(CQ, "cq"),
	KV_U32(S, cqe, ANY, A(CQ_CQE)),
	KV_U32(S, comp_vector, ANY, A(CQ_COMP_VECTOR)),
	KV_U32(S, context, ANY, A(CQ_CONTEXT), ENUM(cq_context)),
	KV_U32(S, pending, ANY, A(CQ_PENDING)),
);
#undef S

#define S struct kv_cq_poll
SHAPE(cq_poll,
	KV_ID_ABOUT(S, id),
	KV_U32(S, max, KVERBS_POLL_MAX, A(CQ_MAX_WC), UNTOLD),
);
#undef S

#define S struct kv_wc
SHAPE(wc,
	KV_U64(S, wr_id, UINT64_MAX, A(WC_WR_ID)),
	KV_U32(S, op, KVERBS_WC_OP_MAX, A(WC_OP), ENUM(wc_op)),
	KV_U32(S, status, ANY, A(WC_STATUS), NAMED(wc_status)),
	KV_U32(S, vendor_err, ANY, A(WC_VENDOR_ERR), TOLD_IF(status)),
	KV_BOOL(S, has_length, UNTOLD),
	KV_U32(S, length, ANY, A(WC_LENGTH), IF(has_length)),
	KV_BOOL(S, has_imm, UNTOLD),
	KV_U32(S, imm, ANY, A(WC_IMM), IF(has_imm)),
	KV_BOOL(S, has_src_qpn, UNTOLD),
	KV_U32(S, src_qpn, ANY, A(WC_SRC_QPN), IF(has_src_qpn)),
	KV_BOOL(S, grh, A(WC_GRH), TOLD_UNLESS_0),
	KV_ID(S, qp, KV_QP, A(WC_QP), TOLD_UNLESS_0),
);
#undef S

#define S struct kv_polled
SHAPE(polled,
	KV_LIST(S, wc, n, kv_shape_wc, A(CQ_WC)),
);
#undef S

#define S struct kv_cq_arm
SHAPE(cq_arm,
	KV_ID_ABOUT(S, id),
	KV_BOOL(S, solicited, A(CQ_SOLICITED)),
);
#undef S

#define S struct kv_armed
SHAPE(armed,
	KV_BOOL(S, missed, A(CQ_MISSED)),
);
#undef S
