// SPDX-License-Identifier: MIT
#include "model/row.h"

#define S struct kv_stage
SHAPE(stage,
	KV_U32(S, kind, KVERBS_STAGE_MAX, A(STAGE_KIND)),
	KV_U64(S, ns, UINT64_MAX, A(STAGE_NS)),
);
#undef S
