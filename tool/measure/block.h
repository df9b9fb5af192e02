/* SPDX-License-Identifier: MIT */
#pragma once

#include "measure/pair.h"
#include "measure/runs.h"

/* The samples of one series, of a point or on its own. */
struct kv_series {
	struct kv_hist hist; /* the samples of all its blocks */
	struct kv_run_spec spec; /* the spec of its last run, with the values in effect */
	uint64_t samples; /* number of samples in @hist */
	uint64_t warmup; /* iterations that were discarded */
	uint64_t yields; /* how often the thread yielded the CPU while samples were taken */
	uint64_t elapsed_ns; /* how long samples were taken */
	uint64_t lost; /* messages, the warm-up's among them, that the responder has not received */
	struct kv_aside aside; /* of all its blocks */
	uint64_t worker[KV_RUN_WORKERS_MAX]; /* of @samples those of each thread */
	/*
	 * Of several QPs of a thread: the sums over all blocks of the samples at the QP with the
	 * fewest, and the most.
	 */
	uint64_t least;
	uint64_t most;
	/* How long each verb of the setup took, see kv_pair_verbs(). */
	struct kv_times verb[KV_VERBS];
};

int kv_block_measure(const struct kv_site *site, struct kv_pair *p, const struct kv_workload *work,
		     const struct kv_amount *amount, const struct kv_watch *watch,
		     struct kv_run_result *result, struct kv_aside *aside, struct kv_fault *f);

void kv_series_reset(struct kv_series *s);
void kv_series_add(struct kv_series *s, const struct kv_run_result *r);
void kv_series_merge(struct kv_series *s, const struct kv_series *from);
uint64_t kv_series_requests(const struct kv_series *s, const struct kv_workload *work);
double kv_series_figure(const struct kv_series *s, const struct kv_workload *work);
int kv_series_measure_null(struct kv_series *s, const struct kv_site *site,
			   const struct kv_workload *work, struct kv_fault *f);

/* verify.c */
int kv_verify_pairs(struct kv_pair *p, unsigned int n, struct kv_fault *f);
