// SPDX-License-Identifier: MIT
#include "cli/parse.h"
#include "model/row.h"
#include "rules/run.h"

/* Runs without verbs, with verbs, and with both ends in one thread. */
#define NULL_LOOP (1U << KVERBS_LOOP_NULL)
#define VERBS (~NULL_LOOP)
#define BOTH_ENDS (1U << KVERBS_LOOP_RELAY)

#define S struct kv_run_end
SHAPE(run_end,
	KV_ID(S, qp, KV_QP, A(END_QP)),
	KV_ID(S, local_mr, KV_MR, A(END_LOCAL_MR)),
	KV_ID(S, target_mr, KV_MR, A(END_TARGET_MR), UNLESS_0),
	KV_U32(S, lkey, KVERBS_LKEY_MAX, A(END_LKEY)),
	KV_U64(S, remote_addr, UINT64_MAX, A(END_REMOTE_ADDR)),
	KV_U32(S, remote_key, ANY, A(END_REMOTE_KEY)),
);
#undef S

#define S struct kv_run_spec
SHAPE(run_spec,
	KV_TEXT(S, dev, A(RUN_DEV), KNOWN("device"), AMONG(loop, NULL_LOOP)),
	KV_U32(S, loop, KVERBS_LOOP_MAX, A(RUN_LOOP)),
	KV_U32(S, op, KVERBS_OP_CMP_SWP, A(RUN_OP), AMONG(loop, VERBS)),
	KV_U32(S, size, ANY, A(RUN_SIZE), AMONG(loop, VERBS)),
	KV_STRUCT(S, end, kv_shape_run_end, A(RUN_END), AMONG(loop, VERBS)),
	KV_STRUCT(S, peer, kv_shape_run_end, A(RUN_PEER), AMONG(loop, BOTH_ENDS)),
	KV_U64(S, compare_add, UINT64_MAX, A(RUN_COMPARE_ADD), AMONG(loop, VERBS)),
	KV_U64(S, swap, UINT64_MAX, A(RUN_SWAP), AMONG(loop, VERBS)),
	KV_U64(S, iters, UINT64_MAX, A(RUN_ITERS), UNLESS_0),
	KV_U64(S, time_ns, KV_RUN_TIME_NS_MAX, A(RUN_TIME_NS), KNOWN("time"), UNLESS_0),
	KV_U64(S, warmup, UINT64_MAX, A(RUN_WARMUP)),
	KV_U64(S, timeout_ns, KV_RUN_TIMEOUT_NS_MAX, A(RUN_TIMEOUT_NS), KNOWN("timeout"), UNLESS_0),
	KV_U32(S, post, KVERBS_POST_MAX, A(RUN_POST)),
	KV_S32(S, cpu, -1, KV_PARSE_CPU_MAX, A(RUN_CPU), UNLESS_NEGATIVE),
	KV_S32(S, spins, -1, KVERBS_SPINS_MAX, A(RUN_SPINS), UNLESS_NEGATIVE),
);
#undef S

#define S struct kv_run_result
SHAPE(run_result,
	KV_U32(S, state, ANY, A(RUN_STATE)),
	KV_S32(S, error, INT32_MIN, INT32_MAX, A(RUN_ERROR)),
	KV_U32(S, wc_status, ANY, A(RUN_WC_STATUS)),
	KV_U32(S, vendor_err, ANY, A(RUN_VENDOR_ERR)),
	KV_U64(S, samples, UINT64_MAX, A(RUN_SAMPLES)),
	KV_U64(S, warmed, UINT64_MAX, A(RUN_WARMED)),
	KV_U64(S, elapsed_ticks, UINT64_MAX, A(RUN_ELAPSED_TICKS)),
	KV_U64(S, elapsed_ns, UINT64_MAX, A(RUN_ELAPSED_NS)),
	KV_U64(S, let_go, UINT64_MAX, A(RUN_LET_GO)),
	KV_U64(S, hist.sum, UINT64_MAX, A(RUN_SUM_TICKS)),
);
#undef S
