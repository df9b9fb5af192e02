// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "hist.h"
#include "loop_env.h"

/**
 * kv_hist_reset() - forget all samples
 * @h: the histogram
 */
void kv_hist_reset(struct kv_hist *h)
{
	memset(h, 0, sizeof(*h));
	h->min = ~0ULL;
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
