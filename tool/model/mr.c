// SPDX-License-Identifier: MIT
#include "model/row.h"

#define S struct kv_mr_init
SHAPE(mr_init,
	KV_ID(S, pd, KV_PD, A(MR_PD), UNLESS_0, MUST("its protection domain")),
	KV_U64(S, length, UINT64_MAX, A(MR_LENGTH), SIZE,
	       MUST("bytes of the buffer, which starts zeroed")),
	KV_U32(S, max_access, KVERBS_ACCESS__ALL, A(MR_MAX_ACCESS), FLAGS(access), UNTOLD,
	       PRESET(KVERBS_ACCESS__ALL), CALLED("access"),
	       KEY("rights that 'mr reg' may grant; default: all")),
	KV_BOOL(S, persistent, A(MR_PERSISTENT), UNTOLD),
);
#undef S

#define S struct kv_mr
SHAPE(mr,
	HEAD(MR, "mr"),
	KV_ID(S, pd, KV_PD, A(MR_PD)),
	KV_U64(S, length, UINT64_MAX, A(MR_LENGTH)),
	KV_U32(S, max_access, ANY, A(MR_MAX_ACCESS), FLAGS(access)),
	KV_BOOL(S, registered),
	KV_U32(S, access, ANY, A(MR_ACCESS), IF(registered), FLAGS(access)),
	KV_U64(S, offset, UINT64_MAX, A(MR_OFFSET), IF(registered)),
	KV_U64(S, reg_length, UINT64_MAX, A(MR_REG_LENGTH), IF(registered)),
	KV_U32(S, lkey, ANY, A(MR_LKEY), IF(registered)),
	KV_U32(S, rkey, ANY, A(MR_RKEY), IF(registered)),
	KV_U64(S, iova, UINT64_MAX, A(MR_IOVA), IF(registered)),
);
#undef S

#define CARRIER "kernel: the QP that carries the request, in rts; user space needs none"

#define S struct kv_mr_reg
SHAPE(mr_reg,
	KV_ID_ABOUT(S, id),
	KV_ID(S, qp, KV_QP, A(MR_QP), UNLESS_0, KEY(CARRIER)),
	KV_U32(S, access, KVERBS_ACCESS__ALL, A(MR_ACCESS), FLAGS(access),
	       KEY("rights that are granted; default: all that 'mr add' allowed and the device has")),
	KV_U64(S, offset, UINT64_MAX, A(MR_OFFSET), SIZE,
	       KEY("first byte in the buffer; default: 0")),
	KV_U64(S, length, UINT64_MAX, A(MR_LENGTH), SIZE,
	       KEY("bytes; default: the rest of the buffer")),
);
#undef S

#define S struct kv_mr_inv
SHAPE(mr_inv,
	KV_ID_ABOUT(S, id),
	KV_ID(S, qp, KV_QP, A(MR_QP), UNLESS_0, KEY(CARRIER)),
);
#undef S

#define S struct kv_mr_write
SHAPE(mr_write,
	KV_ID_ABOUT(S, id),
	KV_U64(S, offset, UINT64_MAX, A(MR_OFFSET)),
	KV_U64(S, length, UINT64_MAX, A(MR_LENGTH)),
);
#undef S

#define S struct kv_mr_read
SHAPE(mr_read,
	KV_ID_ABOUT(S, id),
	KV_U64(S, offset, UINT64_MAX, A(MR_OFFSET)),
	KV_U64(S, length, UINT64_MAX, A(MR_LENGTH)),
);
#undef S

#define S struct kv_mr_file
SHAPE(mr_file,
	KV_ID_ABOUT(S, id),
	KV_S32(S, fd, INT32_MIN, INT32_MAX, A(MR_FD), KNOWN("file")),
	KV_U64(S, file_offset, UINT64_MAX, A(MR_FILE_OFFSET)),
	KV_U64(S, offset, UINT64_MAX, A(MR_OFFSET)),
	KV_U64(S, length, UINT64_MAX, A(MR_LENGTH)),
);
#undef S

#define S struct kv_moved
SHAPE(moved,
	KV_U64(S, length, UINT64_MAX, A(MR_LENGTH)),
);
#undef S
