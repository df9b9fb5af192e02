/* SPDX-License-Identifier: MIT */
#ifndef KV_STATS_H
#define KV_STATS_H

#include <stdbool.h>
#include <stdint.h>
#include "loop/hist.h"

/*
 * All arithmetic on samples, for both spaces. Samples are in ticks of the
 * counter here; who prints multiplies by nanoseconds per tick.
 */

uint64_t kv_stats_count(const struct kv_hist *h);
void kv_stats_merge(struct kv_hist *into, const struct kv_hist *from);
double kv_stats_mean(const struct kv_hist *h);

/*
 * Smallest number of samples that say something about a quantile: ten beyond it
 * (1000 for 0.99, 10 000 for 0.999), and symmetrically below 0.5.
 */
bool kv_stats_supports(uint64_t count, double q);

/* The quantile @q (0 .. 1), interpolated inside its bin, never outside min..max.
 * The histogram must not be empty. */
double kv_stats_quantile(const struct kv_hist *h, double q);

/**
 * struct kv_interval - an estimate with its interval
 * @value: estimate from all samples
 * @low: lower end
 * @high: upper end
 * @valid: false if there are too few blocks for an interval (fewer than 6 pairs)
 */
struct kv_interval {
	double value;
	double low;
	double high;
	bool valid;
};

/*
 * median(a) - median(b), each over all its blocks, with a 95 % interval: a
 * percentile bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap,
 * 1993, chapter 13) whose unit of resampling is the pair of neighbouring blocks
 * a[i], b[i], because blocks that were measured one after the other share the
 * state of the machine. The random numbers start from a fixed seed: the same
 * samples give the same interval.
 */
struct kv_interval kv_stats_median_diff(const struct kv_hist *const *a,
					const struct kv_hist *const *b,
					unsigned int pairs);

#endif
