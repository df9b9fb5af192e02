// SPDX-License-Identifier: MIT
#include "model/row.h"

#define S struct kv_buf_init
SHAPE(buf_init,
	DEV(BUF_DEV),
	KV_U64(S, length, UINT64_MAX, A(BUF_LENGTH), SIZE,
	       MUST("bytes of the buffer, which starts zeroed")),
	KV_U32(S, pieces, KVERBS_PIECES_MAX, A(BUF_PIECES), UNLESS_0,
	       KEY("kernel: physically contiguous pieces; default: as few as there can be")),
	KV_BOOL(S, has_node, UNTOLD),
	KV_U32(S, node, INT32_MAX, A(BUF_NODE), IF(has_node),
	       KEY("NUMA node of the memory; default: one near the device")),
	KV_BOOL(S, persistent, A(BUF_PERSISTENT), UNTOLD),
);
#undef S

#define S struct kv_buf
SHAPE(buf,
	HEAD(BUF, "buf"),
	KV_U64(S, length, UINT64_MAX, A(BUF_LENGTH)),
	KV_U32(S, pieces, ANY, A(BUF_PIECES)),
	KV_U32(S, node, ANY, A(BUF_NODE)),
);
#undef S

#define S struct kv_buf_data
SHAPE(buf_data,
	KV_ID_ABOUT(S, id),
	KV_U64(S, offset, UINT64_MAX, A(BUF_OFFSET)),
	KV_U64(S, length, UINT64_MAX, A(BUF_LENGTH)),
);
#undef S
