// SPDX-License-Identifier: MIT
#include "model/row.h"

#define S struct kv_srq_init
SHAPE(srq_init,
	KV_ID(S, pd, KV_PD, A(SRQ_PD), UNLESS_0, MUST("its protection domain")),
	KV_U32(S, max_wr, ANY, A(SRQ_MAX_WR), MUST("receives that can be posted at once")),
	KV_U32(S, max_sge, ANY, A(SRQ_MAX_SGE), PRESET(1),
	       KEY("pieces that a receive can have; default: 1")),
	KV_U32(S, limit, ANY, A(SRQ_LIMIT),
	       KEY("an event comes once when fewer receives are left; default: 0, never")),
	KV_BOOL(S, persistent, A(SRQ_PERSISTENT), UNTOLD),
);
#undef S

#define S struct kv_srq
SHAPE(srq,
	HEAD(SRQ, "srq"),
	KV_ID(S, pd, KV_PD, A(SRQ_PD)),
	KV_U32(S, max_wr, ANY, A(SRQ_MAX_WR)),
	KV_U32(S, max_sge, ANY, A(SRQ_MAX_SGE)),
	KV_U32(S, limit, ANY, A(SRQ_LIMIT)),
);
#undef S

#define S struct kv_srq_attr
SHAPE(srq_attr,
	KV_ID_ABOUT(S, id),
	KV_BOOL(S, has_limit, UNTOLD),
	KV_U32(S, limit, ANY, A(SRQ_LIMIT), IF(has_limit),
	       KEY("an event comes once when fewer receives are left; 0: never")),
	KV_BOOL(S, has_max_wr, UNTOLD),
	KV_U32(S, max_wr, ANY, A(SRQ_MAX_WR), IF(has_max_wr),
	       KEY("receives that can be posted at once")),
);
#undef S
