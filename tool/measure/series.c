// SPDX-License-Identifier: MIT
#include <string.h>
#include "measure/series.h"
#include "measure/stats.h"

/* Enough for a p99.9; the time is for a guest that emulates its counter. */
#define NULL_SAMPLES 20000
#define NULL_TIME_NS 200000000
#define NULL_WARMUP 1000

/**
 * kv_series_reset() - nothing measured yet
 * @s: the series
 */
void kv_series_reset(struct kv_series *s)
{
	memset(s, 0, sizeof(*s));
	kv_hist_reset(&s->hist);
}

/**
 * kv_series_add() - count what a block gave
 * @s: the series
 * @r: the block's result
 */
void kv_series_add(struct kv_series *s, const struct kv_run_result *r)
{
	kv_stats_merge(&s->hist, &r->hist);
	s->samples += r->samples;
	s->warmed += r->warmed;
	s->let_go += r->let_go;
	s->elapsed_ns += r->elapsed_ns;
}

/**
 * kv_series_merge() - count what one series gave as another's
 * @s: gets it
 * @from: has it
 */
void kv_series_merge(struct kv_series *s, const struct kv_series *from)
{
	kv_stats_merge(&s->hist, &from->hist);
	s->samples += from->samples;
	s->warmed += from->warmed;
	s->let_go += from->let_go;
	s->elapsed_ns += from->elapsed_ns;
}

/**
 * kv_series_measure_null() - measure what the loops themselves cost
 * @s: receives it
 * @site: where
 * @work: on which CPU; its other fields don't matter
 * @f: receives why not
 *
 * Return: 0; -ECANCELED if somebody wants the tool to end; or another negative
 * errno.
 */
int kv_series_measure_null(struct kv_series *s, const struct kv_site *site,
			 const struct kv_work *work, struct kv_fault *f)
{
	static const struct kv_amount amount = {
		.iters = NULL_SAMPLES,
		.time_ns = NULL_TIME_NS,
		.warmup = NULL_WARMUP,
	};
	static struct kv_run_result result;
	struct kv_work null = *work;
	int ret;

	kv_work_set(&null, KV_KIND_NULL, 0, 0);
	kv_series_reset(s);
	ret = kv_block_measure(site, NULL, &null, &amount, NULL, &result, f);
	if (!ret)
		kv_series_add(s, &result);
	return ret;
}
