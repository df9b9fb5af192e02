// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include <sys/param.h>
#include "cli/interrupt.h"
#include "measure/block.h"
#include "sys/clock.h"

/* Enough samples for a p99.9; the time limit is for a guest that emulates its counter. */
#define NULL_SAMPLES 20000
#define NULL_TIME_NS 200000000
#define NULL_WARMUP 1000

/**
 * kv_block_measure() - measure one block
 * @site: where to measure; if there are endpoints, the initiator's site
 * @p: the endpoints, made for this work: kv_workload_pairs(); NULL for KV_KIND_NULL
 * @work: the operation and its size
 * @amount: how many samples to take, or for how long
 * @watch: the callback for progress, or NULL
 * @result: receives the result; if -ECANCELED or a run's error is returned, it has
 *	the samples taken so far
 * @aside: what is told beside the result is added to it; NULL: nobody wants to know
 * @f: receives the reason of a failure
 *
 * Return: 0; -ECANCELED if a signal asks the tool to end; or another negative
 * errno. After an error, the endpoints take no more requests.
 */
int kv_block_measure(const struct kv_site *site, struct kv_pair *p,
		     const struct kv_workload *work, const struct kv_amount *amount,
		     const struct kv_watch *watch, struct kv_run_result *result,
		     struct kv_aside *aside, struct kv_fault *f)
{
	int ret = 0;

	memset(result, 0, sizeof(*result));
	kv_hist_reset(&result->hist);
	if (kv_interrupt_seen())
		return kv_fault_set(f, -ECANCELED, "interrupted");
	for (uint32_t i = 0; !ret && p && i < kv_workload_pairs(work); i++)
		ret = kv_pair_look_up_key(&p[i], f);
	ret = ret ?: kv_runs_measure(site, p, work, amount, watch, result, aside, f);
	for (uint32_t i = 0; ret && p && i < kv_workload_pairs(work); i++)
		p[i].broken = true;
	return ret;
}

/**
 * kv_series_reset() - make a series empty
 * @s: the series
 */
void kv_series_reset(struct kv_series *s)
{
	memset(s, 0, sizeof(*s));
	kv_hist_reset(&s->hist);
}

/* Each worker of a paced stream has a schedule of its own, which begins with its first sample. */
static uint64_t from_ticks(uint64_t ticks)
{
	return (uint64_t)((double)ticks * kv_clock_ns_per_tick());
}

/**
 * kv_series_add() - count the samples of a block
 * @s: the series
 * @r: the block's result
 */
void kv_series_add(struct kv_series *s, const struct kv_run_result *r)
{
	uint64_t longest = 0, least = UINT64_MAX, most = 0;

	kv_stats_merge(&s->hist, &r->hist);
	s->spec = r->spec;
	for (uint32_t i = 0; i < r->workers; i++) {
		const struct kv_worker_result *w = &r->worker[i];

		s->samples += w->samples;
		s->warmup += w->warmup;
		s->yields += w->yields;
		s->worker[i] += w->samples;
		longest = MAX(longest,
			      r->spec.interval_ns ? from_ticks(w->elapsed_ticks) : w->elapsed_ns);
		least = MIN(least, w->least);
		most = MAX(most, w->most);
	}
	s->least += least;
	s->most += most;
	/* The workers begin together, and the last one ends the run. */
	s->elapsed_ns += longest;
	s->lost += r->lost;
}

/**
 * kv_series_merge() - add the samples of one series to another
 * @s: the series that gets them
 * @from: the series that has them
 */
void kv_series_merge(struct kv_series *s, const struct kv_series *from)
{
	kv_stats_merge(&s->hist, &from->hist);
	s->spec = from->spec;
	s->samples += from->samples;
	s->warmup += from->warmup;
	s->yields += from->yields;
	s->elapsed_ns += from->elapsed_ns;
	s->lost += from->lost;
	s->least += from->least;
	s->most += from->most;
	s->aside.load.busy_ns += from->aside.load.busy_ns;
	s->aside.load.blocks += from->aside.load.blocks;
	s->aside.load.operations += from->aside.load.operations;
	s->aside.begun_ns = MAX(s->aside.begun_ns, from->aside.begun_ns);
	for (uint32_t i = 0; i < KV_RUN_WORKERS_MAX; i++)
		s->worker[i] += from->worker[i];
}

/**
 * kv_series_requests() - how many requests do its samples stand for?
 * @s: the series
 * @work: what was measured
 *
 * Return: of a stream, all requests of its groups; else one a sample.
 */
uint64_t kv_series_requests(const struct kv_series *s, const struct kv_workload *work)
{
	return kv_workload_requests(work, s->samples);
}

/**
 * kv_series_figure() - the figure by which series are compared
 * @s: the series; it has samples
 * @work: what was measured
 *
 * Return: ticks: of a stream without a rate the time per request, else the median.
 */
double kv_series_figure(const struct kv_series *s, const struct kv_workload *work)
{
	if (work->kind != KV_KIND_STREAM || work->rate)
		return kv_stats_quantile(&s->hist, 0.5);
	return (double)s->elapsed_ns / kv_clock_ns_per_tick() / (double)kv_series_requests(s, work);
}

/**
 * kv_series_measure_null() - measure the cost of the loops themselves
 * @s: receives the samples
 * @site: where to measure
 * @work: names the CPU; its other fields don't matter
 * @f: receives the reason of a failure
 *
 * Return: 0; -ECANCELED if a signal asks the tool to end; or another negative
 * errno.
 */
int kv_series_measure_null(struct kv_series *s, const struct kv_site *site,
			 const struct kv_workload *work, struct kv_fault *f)
{
	static const struct kv_amount amount = {
		.iters = NULL_SAMPLES,
		.time_ns = NULL_TIME_NS,
		.warmup = NULL_WARMUP,
	};
	static struct kv_run_result result;
	struct kv_workload null = *work;
	int ret;

	kv_workload_set(&null, KV_KIND_NULL, 0, 0);
	null.threads = 1;
	null.hosts = 1;
	null.qps = 1;
	null.both_ways = false;
	null.reversed = false;
	null.rate = 0;
	kv_series_reset(s);
	ret = kv_block_measure(site, NULL, &null, &amount, NULL, &result, NULL, f);
	if (!ret)
		kv_series_add(s, &result);
	return ret;
}
