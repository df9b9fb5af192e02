/* SPDX-License-Identifier: MIT */
#ifndef KV_MEASURE_BLOCK_H
#define KV_MEASURE_BLOCK_H

#include "measure/pair.h"

/**
 * struct kv_amount - how much a block measures
 * @iters: samples; 0: no limit
 * @time_ns: how long samples are taken; 0: no limit, if there are @iters
 * @warmup: iterations before the first sample
 */
struct kv_amount {
	uint64_t iters;
	uint64_t time_ns;
	uint64_t warmup;
};

/**
 * struct kv_watch - a callback for the progress of a block
 * @fn: called some times a second with the run's result so far, without its bins
 * @arg: for @fn
 */
struct kv_watch {
	void (*fn)(const struct kv_run_result *r, void *arg);
	void *arg;
};

/**
 * struct kv_series - the samples of one series, of a point or on its own
 * @hist: the samples of all its blocks
 * @spec: the spec of its last run, with the values in effect
 * @samples: number of samples in @hist
 * @warmup: iterations that were discarded
 * @yields: how often the thread yielded the CPU while samples were taken
 * @elapsed_ns: how long samples were taken
 * @verb: how long each verb of the setup took, see kv_pair_verbs()
 */
struct kv_series {
	struct kv_hist hist;
	struct kv_run_spec spec;
	uint64_t samples;
	uint64_t warmup;
	uint64_t yields;
	uint64_t elapsed_ns;
	struct kv_times verb[KV_VERBS];
};

int kv_block_measure(const struct kv_site *site, struct kv_pair *p, const struct kv_workload *work,
		     const struct kv_amount *amount, const struct kv_watch *watch,
		     struct kv_run_result *result, struct kv_fault *f);

void kv_series_reset(struct kv_series *s);
void kv_series_add(struct kv_series *s, const struct kv_run_result *r);
void kv_series_merge(struct kv_series *s, const struct kv_series *from);
int kv_series_measure_null(struct kv_series *s, const struct kv_site *site,
			   const struct kv_workload *work, struct kv_fault *f);

/* verify.c */
int kv_verify_pair(struct kv_pair *p, struct kv_fault *f);

#endif
