// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "hist.h"

/**
 * kv_hist_reset() - forget all samples
 * @h: the histogram; others may read it meanwhile
 */
void kv_hist_reset(struct kv_hist *h)
{
	unsigned int i;

	kv_env_set(&h->sum, 0);
	kv_env_set(&h->min, ~0ULL);
	kv_env_set(&h->max, 0);
	for (i = 0; i < KV_HIST_BINS; i++)
		kv_env_set(&h->bin[i], 0);
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
