/* SPDX-License-Identifier: MIT */
#ifndef KV_STATS_H
#define KV_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "loop/hist.h"

/*
 * All arithmetic on samples, for both spaces. Samples are in ticks of the
 * counter here; who prints multiplies by nanoseconds per tick.
 */

/* Fewer pairs of blocks than this give no interval. */
#define KV_STATS_MIN_PAIRS 6

/*
 * What one connection has and another of the same kind has not (where its buffers
 * and its objects lie) lasts for all blocks, so that the interval does not know of
 * it. Two connections of one space, compared with each other, were seen to differ
 * by 0.2 to 2.3 % of the median.
 */
#define KV_STATS_FLOOR 0.025

/**
 * struct kv_interval - an estimate with its interval, in ticks
 * @value: estimate from all samples; NAN if there is none
 * @low: lower end; @value if not @valid
 * @high: upper end; @value if not @valid
 * @valid: false if there is no interval: fewer than KV_STATS_MIN_PAIRS pairs, an
 *	empty block, or no memory
 * @median: the larger one of the two medians whose difference it is; NAN if there
 *	is no @value
 */
struct kv_interval {
	double value;
	double low;
	double high;
	bool valid;
	double median;
};

/* What a difference a - b says of a and b, see kv_stats_judge(). */
enum kv_verdict {
	KV_VERDICT_UNKNOWN,
	KV_VERDICT_NEITHER,
	KV_VERDICT_A_LESS,
	KV_VERDICT_B_LESS,
};

/* Two sides that are compared: the difference is that of @a and @b, a - b. */
struct kv_contrast {
	unsigned int a;
	unsigned int b;
};

uint64_t kv_stats_count(const struct kv_hist *h);
void kv_stats_merge(struct kv_hist *into, const struct kv_hist *from);
double kv_stats_mean(const struct kv_hist *h);
bool kv_stats_supports(uint64_t count, double q);
double kv_stats_quantile(const struct kv_hist *h, double q);
double kv_stats_median(uint64_t *value, size_t n);
enum kv_verdict kv_stats_judge(const struct kv_interval *diff);

struct kv_interval kv_stats_median_diff(const struct kv_hist *const *a,
					const struct kv_hist *const *b,
					unsigned int pairs);
void kv_stats_compare(const struct kv_hist *const *block, unsigned int rounds,
		      const struct kv_contrast *contrast, unsigned int n,
		      struct kv_interval *diff);

#endif
