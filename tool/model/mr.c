// SPDX-License-Identifier: MIT
#include "model/row.h"

#define S struct kv_mr_init
SHAPE(mr_init,
	KV_ID(S, pd, KV_PD, A(MR_PD), UNLESS_0, MUST("its protection domain")),
	KV_U32(S, max_pages, INT32_MAX, A(MR_MAX_PAGES), UNLESS_0,
	       KEY("pages that a registration may have; default: 256, or as many as the device can")),
	KV_BOOL(S, persistent, A(MR_PERSISTENT), UNTOLD),
);
#undef S

#define S struct kv_mr
SHAPE(mr,
	HEAD(MR, "mr"),
	KV_ID(S, pd, KV_PD, A(MR_PD)),
	KV_U32(S, max_pages, ANY, A(MR_MAX_PAGES)),
	KV_BOOL(S, registered),
	KV_ID(S, buf, KV_BUF, A(MR_BUF), IF(registered)),
	KV_U64(S, offset, UINT64_MAX, A(MR_OFFSET), IF(registered)),
	KV_U64(S, length, UINT64_MAX, A(MR_LENGTH), IF(registered)),
	KV_U32(S, access, ANY, A(MR_ACCESS), IF(registered), FLAGS(access)),
	KV_U32(S, lkey, ANY, A(MR_LKEY), IF(registered)),
	KV_U32(S, rkey, ANY, A(MR_RKEY), IF(registered)),
	KV_U64(S, iova, UINT64_MAX, A(MR_IOVA), IF(registered)),
);
#undef S

#define CARRIER "kernel: the QP that carries the request, in rts; user space needs none"

#define S struct kv_mr_reg
SHAPE(mr_reg,
	KV_ID_ABOUT(S, id),
	KV_ID(S, buf, KV_BUF, A(MR_BUF), UNLESS_0, MUST("the buffer that it is registered over")),
	KV_ID(S, qp, KV_QP, A(MR_QP), UNLESS_0, KEY(CARRIER)),
	KV_U64(S, offset, UINT64_MAX, A(MR_OFFSET), SIZE,
	       KEY("first byte in the buffer; default: 0")),
	KV_U64(S, length, UINT64_MAX, A(MR_LENGTH), SIZE,
	       KEY("bytes; default: the rest of the buffer")),
	KV_U32(S, access, KVERBS_ACCESS__ALL, A(MR_ACCESS), FLAGS(access),
	       KEY("rights that are granted; default: none, the device may read the bytes")),
	KV_U32(S, post_context, KVERBS_POST_MAX, A(MR_POST_CONTEXT), UNLESS_0),
);
#undef S

#define S struct kv_mr_inv
SHAPE(mr_inv,
	KV_ID_ABOUT(S, id),
	KV_ID(S, qp, KV_QP, A(MR_QP), UNLESS_0, KEY(CARRIER)),
	KV_U32(S, post_context, KVERBS_POST_MAX, A(MR_POST_CONTEXT), UNLESS_0),
);
#undef S
