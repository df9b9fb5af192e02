/* SPDX-License-Identifier: MIT */
#ifndef KV_USER_RUN_H
#define KV_USER_RUN_H

#include <pthread.h>
#include <sched.h>
#include "loop_env.h"
#include "user/user.h"

/* One end of a connection, as it was asked for. */
struct kv_user_end {
	struct kv_user_qp *qp; /* in RTS */
	struct kv_user_buf *local; /* what is sent from and read into */
	struct kv_user_mr *local_mr; /* whose key names it; NULL if nothing was said */
	/* What the peer sends or writes into; NULL if the loop has no use for it. */
	struct kv_user_buf *target;
	struct kv_user_mr *target_mr; /* whose key names it; ditto */
};

/* A workload and what runs it. */
struct kv_user_run {
	/*
	 * Base; parents are the QPs of @ends. What the run posts from and into are the QPs'
	 * parents.
	 */
	struct kv_user_obj obj;
	struct kv_run_spec spec; /* what was asked for, defaults filled in */
	struct kv_user_end ends[KV_LOOP_ENDS]; /* those of @spec */
	struct kv_loop loop; /* what it works on; others set @loop.stop, and read counters */
	struct kv_end end[KV_LOOP_ENDS]; /* the work requests of @ends */
	struct kv_hist hist; /* samples */
	kv_loop_fn fn; /* the loop */
	uint64_t time; /* the loop's ticks */
	pthread_t thread; /* the run's own; unused with @spec.in_wait */
	int done; /* eventfd of @thread, readable for ever once the run has ended */
	/* With @spec.in_wait: where the waiting thread may be when the run is over. */
	cpu_set_t cpus;
	bool joined; /* the loop runs no more; its QPs and CQs are free */
	int reason; /* why it was stopped, a negative errno; set before @loop.stop */
	/*
	 * Warm-up is over: set after the histogram was emptied, so that its iterations are
	 * never read as samples.
	 */
	int measuring;
	uint32_t state; /* enum kverbs_run_state; the release that makes the rest readable */
	int error; /* how it ended */
	__u64 warmup; /* iterations before the first sample */
	int cpu; /* where the loop was last; -1: it has not begun */
	uint64_t before; /* ticks that were measured before the loop was called last */
	uint64_t elapsed_ns; /* around the measured part, by CLOCK_MONOTONIC_RAW */
};

/* wr.c */
int kv_user_run_refuse(struct kv_user *u, unsigned int i, const struct kv_refusal *why);
int kv_user_wr_check(struct kv_user *u, const struct kv_user_run *run);
void kv_user_wr_prep(struct kv_user_run *run, unsigned int i);

/* run.c */
bool kv_user_run_active(struct kv_user_run *run);
void kv_user_run_stop(struct kv_user_run *run);
int kv_user_run_destroy(struct kv_user *u, void *obj);
void kv_user_run_check_dev(struct kv_user_run *run);

/* worker.c */
int kv_user_worker_start(struct kv_user *u, struct kv_user_run *run);
int kv_user_worker_wait(struct kv_user_run *run, int timeout_ms);
void kv_user_worker_join(struct kv_user_run *run);

#endif
