/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_RUN_H
#define _KV_RUN_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/timer.h>
#include <kverbs.h>
#include "loop_env.h"
#include "obj.h"
#include "rules/run.h"

struct kv_ah;
struct kv_buf;
struct kv_mr;
struct kv_qp;
struct kv_run;

/**
 * struct kv_run_memory - the bytes that one end of a run uses
 * @buf: the buffer; NULL if the loop needs none
 * @mr: the MR whose lkey names @buf; NULL: the PD's local_dma_lkey names it
 * @offset: the first byte that the run uses
 * @buf_id: id of @buf, for messages: the run outlives its use of the other objects, and all
 *	of them if their device goes
 * @mr_id: id of @mr, ditto; 0: none
 */
struct kv_run_memory {
	struct kv_buf *buf;
	struct kv_mr *mr;
	u64 offset;
	u32 buf_id;
	u32 mr_id;
};

/**
 * struct kv_run_end - one end of a connection, as the user has described it
 * @qp: in RTS
 * @qp_id: id of @qp, as kv_run_memory.buf_id
 * @local: to send from and to read into; it has a buffer
 * @target: what the peer sends or writes into
 * @ah: the peer's address, if the QP is a UD QP that sends; else NULL
 * @ah_id: id of @ah, as kv_run_memory.buf_id; 0: none
 * @remote_qpn: the peer's, with @ah
 * @remote_qkey: the peer's, with @ah
 * @remote_addr: of the peer's target
 * @remote_key: of the peer's target; SEND_WITH_INV: the last key of the peer's @inv_mr
 * @inv_mr: the MR that each iteration registers anew; NULL: none does
 * @inv_mr_id: id of @inv_mr, as kv_run_memory.buf_id; 0: none
 * @cpu: of the worker that drives it; -1: that of the spec
 * @has_cqs: its CQs are not those of an end before it; kv_run_start() sets it
 */
struct kv_run_end {
	struct kv_qp *qp;
	u32 qp_id;
	struct kv_run_memory local;
	struct kv_run_memory target;
	struct kv_ah *ah;
	u32 ah_id;
	u32 remote_qpn;
	u32 remote_qkey;
	u64 remote_addr;
	u32 remote_key;
	struct kv_mr *inv_mr;
	u32 inv_mr_id;
	int cpu;
	bool has_cqs;
};

/**
 * struct kv_run_spec - what to run; enum kverbs_a_spec explains the fields
 * @loop: enum kverbs_loop
 * @op: enum kverbs_op
 * @size: bytes
 * @ends: how many of @end
 * @end: [@ends], the ends of the first worker, then those of the next; a run has its own copy
 * @compare_add: atomics
 * @swap: atomics
 * @iters: samples of each worker, ~0 for no limit
 * @time_ns: ~0 for no limit
 * @warmup: iterations
 * @timeout_ns: for each iteration
 * @depth: streams: requests outstanding; other loops: 1
 * @list: streams: requests of a post; other loops: 1
 * @signal: streams: requests of a group, of which the last one is signaled; other loops: 1
 * @workers: threads, to which the ends are shared out
 * @post_context: enum kverbs_post_context
 * @nice: the thread's niceness; 0: neither more nor less urgent than other threads
 * @cpu: of workers whose ends name none; -1 for any
 * @spins: empty polls before the CPU is yielded
 * @spins_given: the user has set @spins
 * @interval_ns: from one group's due time to the next one's; 0: there is none
 * @flags: KVERBS_WR_* of each request
 * @sges: of each send request
 * @recv_sges: of each receive
 * @credits: CREDIT_STREAM: receives that the peer keeps posted; other loops: 0
 */
struct kv_run_spec {
	u32 loop;
	u32 op;
	u32 size;
	u32 ends;
	struct kv_run_end *end;
	u64 compare_add;
	u64 swap;
	u64 iters;
	u64 time_ns;
	u64 warmup;
	u64 timeout_ns;
	u32 depth;
	u32 list;
	u32 signal;
	u32 workers;
	u32 post_context;
	int nice;
	int cpu;
	u32 spins;
	bool spins_given;
	u64 interval_ns;
	u32 flags;
	u32 sges;
	u32 recv_sges;
	u32 credits;
};

/**
 * struct kv_worker - a thread of a run, its ends, and its results
 * @run: its run
 * @from: its ends in the run's spec
 * @ends: how many
 * @task: its thread, valid until the thread is woken
 * @loop: the thread's loop; others set @loop.stop, and read counters
 * @end: [@ends], the work requests of @from
 * @more: the lists of these
 * @sges: for each end the SGEs of its send requests, and then those of its receives
 * @hist: samples
 * @wake: completed by a handler at the event of a CQ, or at the end of the loop; and when the
 *	run is cancelled, or @watch expires
 * @watch: timer of a thread that sleeps without limit: wakes it to look at the limits of time
 * @late: the thread has to look at the limits of time, and whether it is to end
 * @cpu: the last CPU of the thread, or of the handler that ended the loop; -1: it has not begun
 * @error: how it ended
 * @measuring: the warm-up is over
 * @warmup: iterations before the first sample
 * @elapsed_ns: from kv_run.gate_ns to the end of the loop
 */
struct kv_worker {
	struct kv_run *run;
	struct kv_run_end *from;
	u32 ends;
	struct task_struct *task;
	struct kv_loop loop;
	struct kv_end *end;
	union kv_end_wr *more;
	struct ib_sge *sges;
	struct kv_hist *hist;
	struct completion wake;
	struct timer_list watch;
	bool late;
	int cpu;
	int error;
	bool measuring;
	u64 warmup;
	u64 elapsed_ns;
};

/**
 * struct kv_run - a workload and its workers
 * @obj: base; parents are the QPs, until the run is deleted or their device
 *	goes. The run's buffers and MRs are parents of the QPs.
 * @spec: the spec, with the defaults
 * @fn: the loop
 * @told: the workers are told of completions, and don't poll for them (handler.c)
 * @stop_reason: the error to report for -ECANCELED; set before kv_loop.stop
 * @error: of the worker that failed first; 0: none did
 * @warming: workers that have not come to the gate
 * @gate: open, because all workers have come, or are to end
 * @gate_ns: when all had come; 0: not all have
 * @active: workers that have not ended
 * @state: enum kverbs_run_state; the release that makes the rest readable
 * @done: no thread touches the run any more
 * @worker: [@spec.workers], each with its share of the spec's ends
 */
struct kv_run {
	struct kv_obj obj;
	struct kv_run_spec spec;
	kv_loop_fn fn;
	bool told;
	int stop_reason;
	int error;
	atomic_t warming;
	struct completion gate;
	u64 gate_ns;
	atomic_t active;
	int state;
	struct completion done;
	struct kv_worker worker[];
};

/**
 * struct kv_run_culprit - what of a spec causes a refusal
 * @end: number of the end, from 0 on; the number of ends if no end causes it
 * @attr: KVERBS_A_END_*, in which 0 is the end's QP; if no end causes it, KVERBS_A_SPEC_*, in which
 *	0 is none
 */
struct kv_run_culprit {
	u32 end;
	u32 attr;
};

/**
 * kv_run_spec_several() - kv_run_several() of a spec
 * @spec: the spec
 */
static inline bool kv_run_spec_several(const struct kv_run_spec *spec)
{
	return kv_run_several(spec->loop, spec->ends, spec->workers);
}

struct kv_obj *kv_run_start(const struct kv_new *new, const struct kv_run_spec *spec,
			    struct kv_run_culprit *wrong);

extern struct kv_obj_class kv_run_class;

/* worker.c */
void kv_worker_release_end(const struct kv_run_end *end, bool clean);
size_t kv_worker_bytes(const struct kv_run *run);
int kv_worker_init(struct kv_worker *worker, struct kv_run *run, u32 number);
void kv_worker_exit(struct kv_worker *worker);
void kv_workers_cancel(struct kv_run *run, int reason);
int kv_workers_spawn(struct kv_run *run, struct netlink_ext_ack *extack);

#endif
