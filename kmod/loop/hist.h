/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_HIST_H
#define _KV_HIST_H

#include <linux/types.h>
#include "loop_shared.h"

/*
 * Log-linear histogram: each octave has 2^KV_HIST_SHIFT bins, so a bin is at
 * most 1/128 = 0.8 % of the values in it wide, over all of 64 bits, in 58 KiB.
 */
#define KV_HIST_SHIFT 7
#define KV_HIST_BINS ((64 - KV_HIST_SHIFT + 1) << KV_HIST_SHIFT)

/**
 * struct kv_hist - counts of samples
 * @sum: of all samples; in ticks, 2^64 of them last for centuries
 * @min: smallest sample, exact; ~0 when there is none
 * @max: largest sample, exact; 0 when there is none
 * @bin: how many samples fell into each bin; their sum is the count
 *
 * One writer. Readers meanwhile may see a sample in one field and not yet in
 * the others.
 */
struct kv_hist {
	__u64 sum;
	__u64 min;
	__u64 max;
	__u64 bin[KV_HIST_BINS];
};

/**
 * kv_hist_index() - the bin that a value falls into
 * @v: any value
 *
 * Return: 0 .. KV_HIST_BINS - 1
 */
static inline unsigned long kv_hist_index(__u64 v)
{
	/* Below 2^(SHIFT + 1) each value has a bin: the same formula with s = 0. */
	unsigned long s = 63 - KV_HIST_SHIFT - __builtin_clzll(v | (1ULL << KV_HIST_SHIFT));

	return (s << KV_HIST_SHIFT) + (unsigned long)(v >> s);
}

/**
 * kv_hist_record() - count one sample
 * @h: the histogram; not locked, the caller is its only writer
 * @v: the sample
 */
static inline void kv_hist_record(struct kv_hist *h, __u64 v)
{
	kv_env_add(&h->bin[kv_hist_index(v)], 1);
	kv_env_add(&h->sum, v);
	/* New extremes are rare: a branch costs less than a store each time. */
	if (v < h->min)
		kv_env_set(&h->min, v);
	if (v > h->max)
		kv_env_set(&h->max, v);
}

void kv_hist_reset(struct kv_hist *h);
__u64 kv_hist_low(unsigned int i);

#endif
