// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "hist.h"

/**
 * kv_hist_reset() - clear all samples
 * @h: the histogram; others may read it meanwhile
 */
void kv_hist_reset(struct kv_hist *h)
{
	unsigned int i;

	kv_env_set(&h->sum, 0);
	for (i = 0; i < KV_HIST_BINS; i++) {
		kv_env_set(&h->bin[i].count, 0);
		kv_env_set(&h->bin[i].low, ~0U);
		kv_env_set(&h->bin[i].high, 0);
	}
}

/**
 * kv_hist_low() - the smallest value of a bin
 * @i: bin, 0 .. KV_HIST_BINS - 1
 *
 * Return: the value. The bin ends before the next one's smallest value.
 */
__u64 kv_hist_low(unsigned int i)
{
	unsigned int s = i >> KV_HIST_SHIFT;

	if (s)
		s--;
	return (__u64)(i - (s << KV_HIST_SHIFT)) << s;
}

/* The value of a bin that has this lower half; @unknown where a bin has several such values. */
static __u64 widen(unsigned int i, __u32 half, __u64 unknown)
{
	__u64 low = kv_hist_low(i);

	return low < KV_HIST_EXACT ? (low & ~0xffffffffULL) | half : unknown;
}

/**
 * kv_hist_bin_min() - the smallest sample in a bin
 * @h: the histogram
 * @i: bin, not empty
 *
 * Return: ticks; exact below KV_HIST_EXACT, from there on the smallest value of the bin.
 */
__u64 kv_hist_bin_min(const struct kv_hist *h, unsigned int i)
{
	return widen(i, kv_env_get(&h->bin[i].low), kv_hist_low(i));
}

/**
 * kv_hist_bin_max() - the largest sample in a bin
 * @h: the histogram
 * @i: bin, not empty
 *
 * Return: ticks; exact below KV_HIST_EXACT, from there on the largest value of the bin.
 */
__u64 kv_hist_bin_max(const struct kv_hist *h, unsigned int i)
{
	return widen(i, kv_env_get(&h->bin[i].high),
		     i + 1 < KV_HIST_BINS ? kv_hist_low(i + 1) - 1 : ~0ULL);
}

/**
 * kv_hist_min() - the smallest sample
 * @h: the histogram; others may write it meanwhile
 *
 * Return: as kv_hist_bin_min(); ~0 if there is no sample.
 */
__u64 kv_hist_min(const struct kv_hist *h)
{
	unsigned int i;

	for (i = 0; i < KV_HIST_BINS; i++)
		if (kv_env_get(&h->bin[i].count))
			return kv_hist_bin_min(h, i);
	return ~0ULL;
}

/**
 * kv_hist_max() - the largest sample
 * @h: the histogram; others may write it meanwhile
 *
 * Return: as kv_hist_bin_max(); 0 if there is no sample.
 */
__u64 kv_hist_max(const struct kv_hist *h)
{
	unsigned int i;

	for (i = KV_HIST_BINS; i--;)
		if (kv_env_get(&h->bin[i].count))
			return kv_hist_bin_max(h, i);
	return 0;
}
