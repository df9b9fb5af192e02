/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_HIST_H
#define _KV_HIST_H

#include <linux/types.h>
#include "loop_shared.h"

/*
 * Log-linear histogram over all of 64 bits, in 880 KiB. Each octave has 2^KV_HIST_SHIFT bins,
 * so the width of a bin is at most 1/1024 = 0.1 % of the values in it.
 */
#define KV_HIST_SHIFT 10
#define KV_HIST_BINS ((64 - KV_HIST_SHIFT + 1) << KV_HIST_SHIFT)

/* From here on the extremes in a bin are not known, see struct kv_hist_bin. */
#define KV_HIST_EXACT (1ULL << (32 + KV_HIST_SHIFT + 1))

/**
 * struct kv_hist_bin - samples of nearly one value
 * @count: how many
 * @low: the lower half of the smallest one; ~0 if there is none
 * @high: the lower half of the largest one; 0 if there is none
 *
 * Below KV_HIST_EXACT (an hour of a counter at 2.4 GHz) the upper half is the same for all
 * values of a bin.
 */
struct kv_hist_bin {
	__u64 count;
	__u32 low;
	__u32 high;
};

/**
 * struct kv_hist - counts of samples
 * @bin: the bins
 * @sum: of all samples; in ticks, 2^64 of them last for centuries
 *
 * One writer. Readers meanwhile may see a sample in one field and not yet in
 * the others.
 */
struct kv_hist {
	struct kv_hist_bin bin[KV_HIST_BINS];
	__u64 sum;
};

/**
 * kv_hist_index() - the bin that a value falls into
 * @v: any value
 *
 * Return: 0 .. KV_HIST_BINS - 1
 */
static inline unsigned int kv_hist_index(__u64 v)
{
	/* Below 2^(SHIFT + 1) each value has a bin: the same formula with s = 0. */
	unsigned int top = 63U ^ (unsigned int)__builtin_clzll(v | (1ULL << KV_HIST_SHIFT));

	return (top << KV_HIST_SHIFT) + (unsigned int)(v >> (top - KV_HIST_SHIFT)) -
	       (KV_HIST_SHIFT << KV_HIST_SHIFT);
}

/**
 * kv_hist_record() - count one sample
 * @h: the histogram; not locked, the caller is its only writer
 * @v: the sample
 */
static inline void kv_hist_record(struct kv_hist *h, __u64 v)
{
	struct kv_hist_bin *bin = &h->bin[kv_hist_index(v)];
	__u32 low = (__u32)v;

	kv_env_add(&bin->count, 1);
	kv_env_add(&h->sum, v);
	/* New extremes are rare: a branch costs less than a store each time. */
	if (low < bin->low)
		kv_env_set(&bin->low, low);
	if (low > bin->high)
		kv_env_set(&bin->high, low);
}

void kv_hist_reset(struct kv_hist *h);
__u64 kv_hist_low(unsigned int i);
__u64 kv_hist_bin_min(const struct kv_hist *h, unsigned int i);
__u64 kv_hist_bin_max(const struct kv_hist *h, unsigned int i);
__u64 kv_hist_min(const struct kv_hist *h);
__u64 kv_hist_max(const struct kv_hist *h);

#endif
