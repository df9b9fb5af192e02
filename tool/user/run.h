/* SPDX-License-Identifier: MIT */
#pragma once

#include <pthread.h>
#include <sched.h>
#include "loop_env.h"
#include "rules/run.h"
#include "user/user.h"

/* One end of a connection, as it was asked for. */
struct kv_user_end {
	struct kv_user_qp *qp; /* in RTS */
	/* the run sends from and reads into it; NULL if the loop does not */
	struct kv_user_buf *local;
	struct kv_user_mr *local_mr; /* whose key names @local; NULL if not given */
	/* The peer sends or writes into this buffer; NULL if the loop does not use it. */
	struct kv_user_buf *target;
	struct kv_user_mr *target_mr; /* whose key names @target; NULL likewise */
	struct kv_user_ah *ah; /* the peer's address, of a UD QP that sends; else NULL */
};

/* A thread of a run, its loop, and its results. */
struct kv_user_worker {
	struct kv_user_run *run; /* its run */
	struct kv_loop loop; /* the loop's data; other threads set @loop.stop, and read counters */
	unsigned int first; /* number of its first end in the run */
	struct kv_end *end; /* the work requests of its ends; owned, as are the next three */
	/* for each end those of a send, room for kv_user_put_bufs(), and those of a receive */
	struct ibv_sge *sges;
	__u64 *posted; /* when the groups outstanding were posted, for each end */
	struct ibv_send_wr *more; /* kv_user_wr_more() requests for each end */
	struct kv_hist hist; /* samples */
	pthread_t thread; /* its own; unused with in_wait */
	int32_t cpu_asked; /* where it runs; -1: anywhere */
	/*
	 * The warm-up is over. Set after the histogram is emptied, so that iterations of the
	 * warm-up are never read as samples.
	 */
	int measuring;
	int error; /* 0, or the negative errno that ended the loop */
	__u64 warmup; /* iterations before the first sample */
	int cpu; /* the loop's last CPU; -1: the loop has not begun */
	uint64_t before; /* ticks measured before the last call of the loop */
	uint64_t elapsed_ns; /* around the measured part, by CLOCK_MONOTONIC_RAW */
};

/* A workload, with its workers. */
struct kv_user_run {
	/*
	 * Base; the parents are the QPs of @ends. The buffers and MRs that the run uses are parents
	 * of the QPs.
	 */
	struct kv_user_obj obj;
	struct kv_run_spec spec; /* as requested, with the defaults filled in */
	struct kv_user_end *ends; /* those of @spec; owned */
	struct kv_user_worker *worker; /* [@workers], each with its share of @ends; owned */
	unsigned int workers; /* how many */
	unsigned int share; /* ends of a worker */
	bool several; /* each worker drives several, see kv_run_several() */
	bool one_cq; /* which have one CQ in common; set by kv_user_wr_check() */
	unsigned int threads; /* how many threads were made: none with @spec.in_wait */
	kv_loop_fn fn; /* the loop */
	bool sleeps; /* the thread sleeps in the completion channel of its CQ (loop/event.c) */
	bool spins_given; /* @spec has the user's number of spins */
	uint64_t time; /* the loop's ticks */
	int done; /* eventfd of the threads, readable for ever once the run has ended */
	/* eventfd, readable once all workers have warmed up, or are to end */
	int gate;
	uint64_t gate_ns; /* when all had warmed up; 0: not all have */
	unsigned int warming; /* workers that have not come to the gate */
	unsigned int active; /* workers that have not ended */
	/* With @spec.in_wait: CPUs that the waiting thread gets back when the run is over. */
	cpu_set_t cpus;
	bool joined; /* the loop runs no more; its QPs and CQs are free */
	int reason; /* why it was stopped, a negative errno; set before kv_loop.stop */
	uint32_t state; /* enum kverbs_run_state; its release makes the rest readable */
};

/* wr.c */
int kv_user_run_refuse(struct kv_user *u, unsigned int i, const struct kv_refusal *why);
uint32_t kv_user_wr_more(const struct kv_run_spec *spec);
size_t kv_user_wr_sges(const struct kv_run_spec *spec);
int kv_user_wr_check(struct kv_user *u, struct kv_user_run *run);
struct kv_end *kv_user_wr_prep(struct kv_user_run *run, unsigned int i);

/* run.c */
bool kv_user_run_active(struct kv_user_run *run);
void kv_user_run_stop(struct kv_user_run *run);
struct kv_user_worker *kv_user_run_worker(const struct kv_user_run *run, unsigned int i);
int kv_user_run_destroy(struct kv_user *u, void *obj);
void kv_user_run_check_dev(struct kv_user_run *run);

/* worker.c */
int kv_user_worker_start(struct kv_user *u, struct kv_user_run *run);
int kv_user_worker_wait(struct kv_user_run *run, int timeout_ms);
void kv_user_worker_join(struct kv_user_run *run);
