// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include "measure/point.h"
#include "measure/retries.h"
#include "sys/memory.h"
#include "sys/now.h"
#include "sys/cpu.h"

/* The probe measures the time of an iteration, for this fraction (1/60) of the point's time. */
#define PROBE_SHARE 60
#define PROBE_WARMUP 4

/* The warm-up is this fraction (1/25) of a block, but KV_POINT_WARM_MIN samples at least. */
#define WARM_SHARE 25
#define WARM_MAX 1000

#define BLOCK_MIN_NS 5000000ULL

/* More than KV_STATS_SAMPLES, because the rate is only an estimate. */
#define SAMPLES_AIMED 1100

/* A point that is being measured. */
struct job {
	struct kv_point *c;
	const struct kv_plan *plan;
	const struct kv_ends *ends;
	unsigned int n;
	struct kv_pair pair[KV_SERIES_MAX][KV_RUN_ENDS_MAX]; /* kv_workload_pairs() of them */
	struct kv_amount amount[KV_SERIES_MAX];
	struct kv_run_result result;
	/* The samples and resent packets of the current round. */
	struct kv_series round[KV_SERIES_MAX];
	uint64_t resent[KV_SERIES_MAX];
	uint64_t seed;
	/* The time of one iteration of the probe, and the time of its run without the samples. */
	uint64_t period_ns[KV_SERIES_MAX];
	uint64_t overhead_ns[KV_SERIES_MAX];
	/* The time to connect all series once. */
	uint64_t connect_ns;
	struct kv_progress *progress;
	unsigned int expected; /* rounds: see kv_stats_rounds() */
	struct kv_fault *f;
};

static uint64_t largest(const struct job *j, const uint64_t *of)
{
	uint64_t v = of[0];

	for (unsigned int s = 1; s < j->n; s++)
		v = MAX(v, of[s]);
	return v;
}

/*
 * Adds the quadrant and another host's name to a fault, whose text names one end only. @host: NULL:
 * it has the name
 */
static int blame(struct job *j, unsigned int s, const char *host, int error)
{
	bool several = j->c->contrast->differences > 1;

	if (!error || error == -ECANCELED)
		return error;
	if (host)
		kv_workload_blame(&j->c->work, host, j->f);
	if (several)
		kv_fault_prefix(j->f, "%s%s", j->c->contrast->series[s].name, j->ends[s].there[0]->host ? " " : ": ");
	return error;
}

/**
 * kv_point_work() - the work of one of a point's series
 * @c: the point
 * @series: the series
 *
 * Return: the point's work, with the series' own context of completions if it has one.
 */
struct kv_workload kv_point_work(const struct kv_point *c, unsigned int series)
{
	struct kv_workload work = c->work;

	if (kv_contrast_has_contexts(c->contrast))
		work.completion = c->contrast->series[series].completion;
	return work;
}

static int measure(struct job *j, unsigned int s, struct kv_aside *aside)
{
	struct kv_pair *p = j->pair[s];

	return blame(j, s, p->work.hosts > 1 ? NULL : j->ends[s].there[0]->host,
		     kv_block_measure(p->end[0].site, p, &p->work, &j->amount[s], NULL, &j->result,
				      aside, j->f));
}

/* The whole probe counts as warm-up, because the first packets of a connection are slow. */
static int probe(struct job *j, unsigned int s)
{
	const struct kv_worker_result *r = &j->result.worker[0];
	uint64_t begin, spent;
	int ret;

	j->amount[s].time_ns = MAX(j->plan->time_ns / PROBE_SHARE, BLOCK_MIN_NS);
	j->amount[s].warmup = PROBE_WARMUP;
	begin = kv_now_ns();
	ret = measure(j, s, NULL);
	spent = kv_now_ns() - begin;
	for (uint32_t i = 0; i < j->result.workers; i++)
		j->c->series[s].warmup += r[i].warmup + r[i].samples;
	if (ret)
		return ret;
	if (!r->samples)
		return kv_fault_set(j->f, -ENODATA, "%s space: a run on %s ended without a sample",
				    j->pair[s]->end[0].site->b->ops->space,
				    j->pair[s]->end[0].site->dev.name);
	j->period_ns[s] = MAX(r->elapsed_ns / r->samples, 1);
	j->overhead_ns[s] = spent > r->elapsed_ns ? spent - r->elapsed_ns : 0;
	return 0;
}

/* The blocks fill the point's time; they are longer if the p99 needs it. */
static void choose_amounts(struct job *j)
{
	uint64_t blocks = (uint64_t)KV_CONTRAST_BLOCKS * j->plan->rounds;
	uint64_t connect = j->connect_ns * j->plan->rounds;
	uint64_t time = j->plan->time_ns > connect ? j->plan->time_ns - connect : 0;
	uint64_t share = time / (j->n * blocks);
	uint64_t spent = largest(j, j->overhead_ns) + share / WARM_SHARE;
	uint64_t need = largest(j, j->period_ns) * (SAMPLES_AIMED / blocks + 1);
	uint64_t most = KV_STATS_STRETCH * j->plan->time_ns / (j->n * blocks);
	uint64_t block = share > spent ? share - spent : 0;

	block = MAX(MIN(MAX(block, need), most), BLOCK_MIN_NS);
	j->c->block_ns = block;
	for (unsigned int s = 0; s < j->n; s++) {
		j->amount[s].time_ns = block;
		j->amount[s].warmup = MAX(MIN(block / WARM_SHARE / j->period_ns[s], WARM_MAX),
					  KV_POINT_WARM_MIN);
	}
}

static int make_room(struct job *j)
{
	struct kv_point *c = j->c;
	unsigned int room = c->room ? c->room + c->room / 2 + 1 : j->plan->rounds;

	if (c->rounds < c->room)
		return 0;
	for (unsigned int s = 0; s < j->n; s++) {
		double *more = reallocarray(c->median[s], room, sizeof(*more));

		if (!more)
			return kv_fault_set(j->f, -ENOMEM, "no memory for %u rounds", room);
		c->median[s] = more;
	}
	c->room = room;
	return 0;
}

static void disconnect_side(struct job *j, unsigned int s, uint32_t pairs)
{
	while (pairs--)
		kv_pair_destroy(&j->pair[s][pairs]);
}

/*
 * The last @n pairs of those that are made; those of an SRQ have one target, so they are verified
 * one by one.
 */
static int verify(struct job *j, unsigned int s, const struct kv_site *there, uint32_t n,
		  uint32_t made)
{
	return blame(j, s, there->host, kv_verify_pairs(&j->pair[s][made - n], n, j->f));
}

static int connect_pair(struct job *j, unsigned int s, uint32_t number,
			const struct kv_workload *work, const struct kv_site *there)
{
	const struct kv_site *here = j->ends[s].here;
	struct kv_pair *p = &j->pair[s][number];

	if ((work->srq || work->one_cq) && number % work->qps)
		return kv_pair_join(p, p - number % work->qps, j->f);
	return kv_pair_create(p, work->reversed ? there : here, work->reversed ? here : there, work,
			      j->f);
}

static int connect_side(struct job *j, unsigned int s)
{
	struct kv_workload work = kv_point_work(j->c, s);
	const uint32_t each = kv_workload_pairs(&work) / work.hosts;
	struct kv_setup *setup = &j->c->setup[s];
	uint32_t made = 0;
	int ret = j->plan->setup ? kv_setup_begin(setup, j->f) : 0;

	while (!ret && made < kv_workload_pairs(&j->c->work)) {
		const struct kv_site *there = j->ends[s].there[made / each];
		uint64_t begin = kv_now_ns();

		ret = blame(j, s, there->host, connect_pair(j, s, made, &work, there));
		if (ret)
			break;
		made++;
		setup->wall_ns += kv_now_ns() - begin;
		if (j->plan->verify && (work.srq || made % work.qps == 0))
			ret = verify(j, s, there, work.srq ? 1 : work.qps, made);
	}
	if (ret) {
		disconnect_side(j, s, made);
		return ret;
	}
	if (j->plan->setup)
		kv_setup_end(setup, j->pair[s], made);
	if (!j->c->rounds)
		kv_pair_verbs(j->pair[s], j->c->series[s].verb);
	j->c->verified = j->plan->verify;
	return 0;
}

/* Packets that the devices of all ends have lost or sent again so far. */
static uint64_t count_retries(const struct job *j, unsigned int s)
{
	uint64_t n = kv_retries_count(j->ends[s].here, j->ends[s].there[0]);

	for (uint32_t host = 1; host < j->c->work.hosts; host++)
		n += kv_retries_count(NULL, j->ends[s].there[host]);
	return n;
}

static int measure_block(struct job *j, unsigned int s)
{
	uint64_t before = count_retries(j, s), after;
	int ret = measure(j, s, &j->round[s].aside);

	if (ret)
		return ret;
	kv_series_add(&j->round[s], &j->result);
	after = count_retries(j, s);
	/* If a device's counters could not be read, nothing is added. */
	j->resent[s] += after > before ? after - before : 0;
	return 0;
}

/* Measures two blocks of each series. The samples of an incomplete round are dropped. */
static int measure_blocks(struct job *j, const unsigned int *order)
{
	const unsigned int blocks = KV_CONTRAST_BLOCKS * j->n;
	struct kv_point *c = j->c;
	int ret = 0;

	for (unsigned int s = 0; s < j->n; s++) {
		kv_series_reset(&j->round[s]);
		j->resent[s] = 0;
	}
	for (unsigned int i = 0; i < blocks && !ret; i++) {
		ret = measure_block(j, kv_contrast_turn(c->contrast, order, i));
		kv_progress_draw(j->progress, (c->rounds + (i + 1.0) / blocks) / j->expected);
	}
	if (ret)
		return ret;
	for (unsigned int s = 0; s < j->n; s++) {
		c->median[s][c->rounds] = kv_series_figure(&j->round[s], &c->work);
		kv_series_merge(&c->series[s], &j->round[s]);
		c->resent[s] += j->resent[s];
	}
	c->rounds++;
	return 0;
}

/* A round makes its own connections and destroys them before it returns. */
static int measure_round(struct job *j)
{
	unsigned int order[KV_SERIES_MAX], made = 0;
	uint64_t begin;
	int ret;

	kv_stats_shuffle(&j->seed, order, j->n);
	/* The last round's objects do not make those of this one cheaper. */
	if (j->plan->setup)
		kv_memory_shrink();
	begin = kv_now_ns();
	ret = make_room(j);
	while (!ret && made < j->n) {
		ret = connect_side(j, order[made]);
		made += !ret;
	}
	j->connect_ns = kv_now_ns() - begin;
	/* The time of an iteration is probed once, in the first round. */
	for (unsigned int s = 0; s < j->n && !ret && !j->c->block_ns; s++)
		ret = probe(j, s);
	if (!ret && !j->c->block_ns)
		choose_amounts(j);
	if (!ret)
		ret = measure_blocks(j, order);
	while (made--)
		disconnect_side(j, order[made], kv_workload_pairs(&j->c->work));
	return ret;
}

static uint64_t fewest_samples(const struct job *j)
{
	uint64_t n = j->c->series[0].samples;

	for (unsigned int s = 1; s < j->n; s++)
		n = MIN(n, j->c->series[s].samples);
	return n;
}

static int measure_rounds(struct job *j)
{
	struct kv_point *c = j->c;
	uint64_t begin = kv_now_ns();
	int ret = 0;

	j->expected = j->plan->rounds;
	while (!ret && c->rounds < j->expected) {
		kv_progress_round(j->progress, c->rounds + 1, j->expected);
		ret = measure_round(j);
		j->expected = kv_stats_rounds(j->plan->rounds, j->plan->time_ns, c->rounds,
					      fewest_samples(j), kv_now_ns() - begin);
	}
	return ret;
}

/**
 * kv_point_measure() - measure one operation at one size on all series
 * @c: receives the measurement, also when an error is returned;
 *	kv_point_free() frees it
 * @contrast: the series, and which of them are compared
 * @ends: the ends of each series
 * @work: the operation and its size
 * @plan: how long to measure
 * @progress: the progress line, drawn between blocks
 * @f: receives the reason of a failure
 *
 * Each round connects all series in a shuffled order, measures two blocks of each series (see
 * kv_contrast_turn()), and ends the connections.
 *
 * Return: 0; -ECANCELED if a signal asks the tool to end; or another negative
 * errno.
 */
int kv_point_measure(struct kv_point *c, const struct kv_contrast *contrast,
		    const struct kv_ends *ends, const struct kv_workload *work,
		    const struct kv_plan *plan, struct kv_progress *progress, struct kv_fault *f)
{
	struct kv_cpu_time before, after;
	struct job *j;
	int ret;

	memset(c, 0, sizeof(*c));
	c->contrast = contrast;
	c->work = *work;
	kv_workload_adapt(&c->work, work->reversed ? &ends[0].there[0]->dev : &ends[0].here->dev);
	for (unsigned int s = 0; s < contrast->n; s++)
		kv_series_reset(&c->series[s]);
	j = calloc(1, sizeof(*j));
	if (!j)
		return kv_fault_set(f, -ENOMEM, "no memory for a point");
	j->c = c;
	j->plan = plan;
	j->ends = ends;
	j->n = contrast->n;
	j->seed = plan->seed;
	j->progress = progress;
	j->f = f;
	kv_cpu_time_read(&before);
	ret = measure_rounds(j);
	kv_cpu_time_read(&after);
	c->steal = kv_stats_steal(&before, &after);
	free(j);
	return ret;
}

/**
 * kv_point_free() - free the memory of a point
 * @c: the point
 */
void kv_point_free(struct kv_point *c)
{
	for (unsigned int s = 0; s < KV_SERIES_MAX; s++) {
		free(c->median[s]);
		c->median[s] = NULL;
		kv_setup_free(&c->setup[s]);
	}
	c->rounds = 0;
	c->room = 0;
}
