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
 * struct kv_watch - who wants to see how a block goes on
 * @fn: called some times a second with what the run has, all but its bins
 * @arg: for @fn
 */
struct kv_watch {
	void (*fn)(const struct kv_run_result *r, void *arg);
	void *arg;
};

int kv_block_measure(const struct kv_site *site, struct kv_pair *p,
		     const struct kv_work *work, const struct kv_amount *amount,
		     const struct kv_watch *watch, struct kv_run_result *result,
		     struct kv_fault *f);

#endif
