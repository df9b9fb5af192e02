/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_RUN_H
#define _KV_RUN_H

#include <linux/completion.h>
#include <kverbs.h>
#include "loop_env.h"
#include "obj.h"

struct kv_mr;
struct kv_qp;

/**
 * struct kv_run_end - one end of a connection, as it was asked for
 * @qp: in RTS
 * @local: what is sent from and read into
 * @target: what the peer sends or writes into; NULL if the loop has no use for it
 * @lkey: enum kverbs_lkey
 * @remote_addr: of the peer's target
 * @remote_key: of the peer's target
 */
struct kv_run_end {
	struct kv_qp *qp;
	struct kv_mr *local;
	struct kv_mr *target;
	u32 lkey;
	u64 remote_addr;
	u32 remote_key;
};

/**
 * struct kv_run_spec - what to run; enum kverbs_a_run says what the fields mean
 * @loop: enum kverbs_loop
 * @op: enum kverbs_op
 * @size: bytes
 * @end: all but KVERBS_LOOP_NULL
 * @peer: KVERBS_LOOP_RELAY only
 * @compare_add: atomics
 * @swap: atomics
 * @iters: samples, ~0 for no limit
 * @time_ns: ~0 for no limit
 * @warmup: iterations
 * @timeout_ns: for each iteration
 * @post: enum kverbs_post
 * @cpu: -1 for any
 * @spins: empty polls before the CPU is let go
 */
struct kv_run_spec {
	u32 loop;
	u32 op;
	u32 size;
	struct kv_run_end end;
	struct kv_run_end peer;
	u64 compare_add;
	u64 swap;
	u64 iters;
	u64 time_ns;
	u64 warmup;
	u64 timeout_ns;
	u32 post;
	int cpu;
	u32 spins;
};

/**
 * struct kv_run - a workload and its thread
 * @obj: base; parents are the QPs, until the run is deleted or their device
 *	goes. What the run posts from and into are the QPs' parents.
 * @spec: what was asked for
 * @loop: what the thread works on; others set @loop.stop, and read counters
 * @end: the work requests
 * @hist: samples
 * @fn: the loop
 * @stop_reason: what to report for -ECANCELED; set before @loop.stop
 * @state: enum kverbs_run_state; the release that makes the rest readable
 * @error: how it ended
 * @measuring: the warm-up is over
 * @warmed: iterations before the first sample
 * @elapsed_ns: around the measured part
 * @done: the thread touches the run no more
 */
struct kv_run {
	struct kv_obj obj;
	struct kv_run_spec spec;
	struct kv_loop loop;
	struct kv_end end[2];
	struct kv_hist *hist;
	kv_loop_fn fn;
	int stop_reason;
	int state;
	int error;
	bool measuring;
	u64 warmed;
	u64 elapsed_ns;
	struct completion done;
};

struct kv_obj *kv_run_start(struct kv_dev *dev, struct kv_owner *owner,
			    const struct kv_run_spec *spec,
			    struct netlink_ext_ack *extack);
void kv_run_cancel(struct kv_run *run, int reason);

extern struct kv_obj_class kv_run_class;

#endif
