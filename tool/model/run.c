// SPDX-License-Identifier: MIT
#include "cli/parse.h"
#include "model/row.h"
#include "rules/run.h"

#define S struct kv_run_end
SHAPE(run_end,
	KV_ID(S, qp, KV_QP, A(END_QP), UNLESS_0),
	KV_ID(S, local_buf, KV_BUF, A(END_LOCAL_BUF), UNLESS_0),
	KV_U64(S, local_offset, UINT64_MAX, A(END_LOCAL_OFFSET), UNLESS_0),
	KV_ID(S, local_mr, KV_MR, A(END_LOCAL_MR), UNLESS_0),
	KV_ID(S, target_buf, KV_BUF, A(END_TARGET_BUF), UNLESS_0),
	KV_U64(S, target_offset, UINT64_MAX, A(END_TARGET_OFFSET), UNLESS_0),
	KV_ID(S, target_mr, KV_MR, A(END_TARGET_MR), UNLESS_0),
	KV_BOOL(S, has_remote),
	KV_U64(S, remote_addr, UINT64_MAX, A(END_REMOTE_ADDR), IF(has_remote)),
	KV_U32(S, remote_key, ANY, A(END_REMOTE_KEY), IF(has_remote)),
);
#undef S

#define S struct kv_run_spec
SHAPE(run_spec,
	KV_TEXT(S, dev, A(SPEC_DEV), KNOWN("device"), UNLESS_0),
	KV_U32(S, loop, KVERBS_LOOP_MAX, A(SPEC_LOOP)),
	/* A loop of 0 is NULL, which has no operation; an operation of 0 is SEND. */
	KV_U32(S, op, KVERBS_OP_MAX, A(SPEC_OP), UNLESS_0_AND_NO(loop)),
	KV_U32(S, size, ANY, A(SPEC_SIZE), UNLESS_0_AND_NO(loop)),
	KV_LIST(S, end, ends, kv_shape_run_end, A(SPEC_END)),
	KV_U64(S, compare_add, UINT64_MAX, A(SPEC_COMPARE_ADD), UNLESS_0),
	KV_U64(S, swap, UINT64_MAX, A(SPEC_SWAP), UNLESS_0),
	KV_U64(S, iters, UINT64_MAX, A(SPEC_ITERS), UNLESS_0),
	KV_U64(S, time_ns, KV_RUN_TIME_NS_MAX, A(SPEC_TIME_NS), KNOWN("time"), UNLESS_0),
	KV_U64(S, warmup, UINT64_MAX, A(SPEC_WARMUP)),
	KV_U64(S, timeout_ns, KV_RUN_TIMEOUT_NS_MAX, A(SPEC_TIMEOUT_NS), KNOWN("timeout"), UNLESS_0),
	KV_U32(S, post_context, KVERBS_POST_MAX, A(SPEC_POST_CONTEXT), UNLESS_0),
	KV_S32(S, cpu, -1, KV_PARSE_CPU_MAX, A(SPEC_CPU), UNLESS_NEGATIVE),
	KV_S32(S, spins, -1, KVERBS_SPINS_MAX, A(SPEC_SPINS), UNLESS_NEGATIVE),
);
#undef S

#define S struct kv_run_start
SHAPE(run_start, KV_STRUCT(S, spec, kv_shape_run_spec, A(RUN_SPEC)));
#undef S

#define S struct kv_run_which
SHAPE(run_which, KV_ID_ABOUT(S, id), KV_U32(S, worker, ANY, A(RUN_WORKER)));
#undef S

#define S struct kv_worker_result
static SHAPE(worker_result,
	KV_BOOL(S, has_cpu),
	KV_U32(S, cpu, ANY, A(RESULT_CPU), IF(has_cpu)),
	KV_S32(S, error, INT32_MIN, INT32_MAX, A(RESULT_ERROR)),
	KV_U32(S, wc_status, ANY, A(RESULT_WC_STATUS)),
	KV_U32(S, vendor_err, ANY, A(RESULT_VENDOR_ERR)),
	KV_U64(S, samples, UINT64_MAX, A(RESULT_SAMPLES)),
	KV_U64(S, warmup, UINT64_MAX, A(RESULT_WARMUP)),
	KV_U64(S, sum_ticks, UINT64_MAX, A(RESULT_SUM_TICKS)),
	KV_U64(S, elapsed_ticks, UINT64_MAX, A(RESULT_ELAPSED_TICKS)),
	KV_U64(S, elapsed_ns, UINT64_MAX, A(RESULT_ELAPSED_NS)),
	KV_U64(S, yields, UINT64_MAX, A(RESULT_YIELDS)),
);
#undef S

#define S struct kv_run_result
SHAPE(run_result,
	KV_STRUCT(S, spec, kv_shape_run_spec, A(RUN_SPEC)),
	KV_U32(S, state, ANY, A(RUN_STATE)),
	KV_U32(S, hist_shift, ANY, A(RUN_HIST_SHIFT)),
	KV_LIST(S, worker, workers, kv_shape_worker_result, A(RUN_RESULT)),
);
#undef S
