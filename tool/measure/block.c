// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cli/interrupt.h"
#include "loop/loop.h"
#include "measure/block.h"
#include "measure/stats.h"
#include "remote/channel.h"
#include "sys/now.h"
#include "sys/cpu.h"

/* The longest that there is. */
#define PONG_TIMEOUT_NS 3600000000000ULL

/* The intervals of looks at a run, with a watch and without one. */
#define WATCH_MS 250
#define LOOK_MS 1000
/* How often a server hears of us. */
#define KEEP_MS 250
/* Between two looks whether all answers are complete: most often they are at the first. */
#define ANSWER_MS 10

/* Enough for a p99.9; the time is for a guest that emulates its counter. */
#define NULL_SAMPLES 20000
#define NULL_TIME_NS 200000000
#define NULL_WARMUP 1000

/* A run may take this much longer than its own deadlines: threads start, events travel. */
#define GRACE_NS 5000000000ULL

static const uint32_t loops[] = {
	[KV_KIND_COMPLETION] = KVERBS_LOOP_POST_TO_COMPLETION,
	[KV_KIND_PINGPONG] = KVERBS_LOOP_PING,
	[KV_KIND_RELAY] = KVERBS_LOOP_RELAY,
	[KV_KIND_NULL] = KVERBS_LOOP_NULL,
};

static uint32_t post_of(const struct kv_site *site, const struct kv_workload *work)
{
	return site->id == KV_SPACE_KERNEL ? work->post : KVERBS_POST_PROCESS;
}

/* Both spaces of this host get the same default; another host knows its own CPUs. */
static int32_t spins_of(const struct kv_site *site, const struct kv_workload *work)
{
	return work->spins >= 0 || site->host ? work->spins : kv_placement_spins();
}

static void fill_spec(struct kv_run_spec *spec, const struct kv_site *site,
		      const struct kv_pair *p, const struct kv_workload *work,
		      const struct kv_amount *amount)
{
	memset(spec, 0, sizeof(*spec));
	spec->loop = loops[work->kind];
	spec->op = work->op;
	spec->size = work->size;
	spec->compare_add = work->compare_add;
	spec->swap = work->swap;
	spec->iters = amount->iters;
	spec->time_ns = amount->time_ns;
	spec->warmup = amount->warmup;
	spec->timeout_ns = work->timeout_ns;
	spec->post = post_of(site, work);
	spec->cpu = work->cpu[0];
	spec->spins = spins_of(site, work);
	spec->in_wait = true;
	if (work->kind == KV_KIND_NULL)
		snprintf(spec->dev, sizeof(spec->dev), "%s", site->dev.name);
	else
		kv_pair_fill(p, 0, &spec->end);
	if (work->kind == KV_KIND_RELAY)
		kv_pair_fill(p, 1, &spec->peer);
}

static void fill_pong(struct kv_run_spec *pong, const struct kv_run_spec *ping,
		      const struct kv_pair *p, const struct kv_workload *work)
{
	*pong = *ping;
	pong->loop = KVERBS_LOOP_PONG;
	pong->post = post_of(p->end[1].site, work);
	pong->spins = spins_of(p->end[1].site, work);
	kv_pair_fill(p, 1, &pong->end);
	pong->cpu = work->cpu[1];
	/* The tool waits for the other run. */
	pong->in_wait = false;
	/* It goes on for as long as the other does, which warms up too. */
	pong->warmup = 0;
	pong->time_ns = 0;
	pong->iters = UINT64_MAX;
	/* It is cancelled when the other ends, and may wait idly until we get to that. */
	pong->timeout_ns = PONG_TIMEOUT_NS;
}

/* One run that was started. */
struct run {
	struct kv_backend *b;
	const char *dev;
	uint64_t timeout_ns;
	uint32_t id;
};

static int refuse(const struct run *run, int error, const char *what, struct kv_fault *f)
{
	return error ? kv_fault_backend(f, run->b, error, "cannot %s on %s", what, run->dev) : 0;
}

static int start(struct run *run, const struct kv_run_spec *spec, struct kv_fault *f)
{
	struct kv_id id = { 0 };
	int ret = kv_op_run_start(run->b, spec, &id, NULL);

	run->id = id.id;
	return refuse(run, ret, "start a run", f);
}

static int cancel(struct run *run, struct kv_fault *f)
{
	return refuse(run, kv_op_run_cancel(run->b, &(struct kv_id){ run->id }, NULL, NULL),
		      "cancel the run", f);
}

static int fetch(struct run *run, struct kv_run_result *result, struct kv_fault *f)
{
	return refuse(run, kv_op_run_get(run->b, &(struct kv_id){ run->id }, result, NULL),
		      "fetch the result of the run", f);
}

static int wait_ms(struct run *run, int ms)
{
	return kv_op_run_wait(run->b, &(struct kv_wait){ run->id, ms }, NULL, NULL);
}

static int peek(struct run *run, struct kv_run_result *result)
{
	return kv_op_run_peek(run->b, &(struct kv_id){ run->id }, result, NULL);
}

static void delete(struct run *run)
{
	kv_op_run_del(run->b, &(struct kv_id){ run->id }, NULL, NULL);
}

/* The progress of a run as a wait has last seen it. */
struct pulse {
	uint64_t done;
	uint64_t at_ns;
};

static int check_pulse(struct run *run, struct pulse *pulse,
		       const struct kv_watch *watch, struct kv_fault *f)
{
	/* Its histogram is too large for a stack that others use too. */
	static struct kv_run_result r;
	uint64_t now = kv_now_ns();
	int ret;

	ret = refuse(run, peek(run, &r), "look at the run", f);
	if (ret)
		return ret;
	if (watch && watch->fn)
		watch->fn(&r, watch->arg);
	if (r.samples + r.warmed != pulse->done) {
		pulse->done = r.samples + r.warmed;
		pulse->at_ns = now;
	}
	if (now - pulse->at_ns > run->timeout_ns + GRACE_NS)
		return kv_fault_set(f, -ETIMEDOUT,
				    "%s space: the run on %s stands still for %.0f s and does not end",
				    run->b->ops->space, run->dev,
				    (double)(now - pulse->at_ns) / 1e9);
	return 0;
}

/* Waits until a run has ended; cancels it at a signal. */
static int wait_end(struct run *run, const struct kv_watch *watch, struct kv_fault *f)
{
	struct pulse pulse = { .done = ~0ULL, .at_ns = kv_now_ns() };
	int step_ms = watch && watch->fn ? WATCH_MS : LOOK_MS;
	bool cancelled = false;
	int ret;

	for (;;) {
		if (kv_channel_keep_all() && step_ms > KEEP_MS)
			step_ms = KEEP_MS;
		if (kv_interrupt_seen() && !cancelled) {
			ret = cancel(run, f);
			if (ret)
				return ret;
			cancelled = true;
		}
		ret = wait_ms(run, step_ms);
		if (!ret)
			return 0;
		if (ret == -EINTR)
			continue;
		if (ret != -EAGAIN)
			return refuse(run, ret, "wait for the run", f);
		ret = check_pulse(run, &pulse, watch, f);
		if (ret)
			return ret;
	}
}

/*
 * Until all answers are complete. The other end has them, but over a bad link the ACK of the last
 * may take longer than a cancelled run waits for it, and its QP would not be fit for another run.
 */
static void await_answers(struct run *run, uint64_t n)
{
	static struct kv_run_result r;
	uint64_t end_ns = kv_now_ns() + run->timeout_ns;

	while (!peek(run, &r) && r.samples + r.warmed < n && kv_now_ns() < end_ns &&
	       wait_ms(run, ANSWER_MS) == -EAGAIN)
		;
}

/* A loop that is stopped finishes the answer that it is at: see wait.c there. */
static int end_pong(struct run *run, struct kv_run_result *result, struct kv_fault *f)
{
	int ret;

	ret = cancel(run, f);
	if (ret)
		return ret;
	ret = wait_end(run, NULL, f);
	if (ret)
		return ret;
	return fetch(run, result, f);
}

/* Both ends may have a fault: a completion's status says more than a deadline. */
static int judge(struct run *run, const struct kv_run_result *ping,
		 struct run *pong, const struct kv_run_result *answer, struct kv_fault *f)
{
	if (answer && answer->error && answer->error != -ECANCELED &&
	    (!ping->error || (answer->wc_status && !ping->wc_status)))
		return kv_fault_run(f, pong->b, pong->dev, pong->timeout_ns, answer);
	if (!ping->error)
		return 0;
	if (ping->error == -ECANCELED && kv_interrupt_seen())
		return kv_fault_set(f, -ECANCELED, "interrupted");
	return kv_fault_run(f, run->b, run->dev, run->timeout_ns, ping);
}

static int measure_pingpong(struct run *run, struct kv_pair *p, const struct kv_workload *work,
			    const struct kv_run_spec *spec, const struct kv_watch *watch,
			    struct kv_run_result *result, struct kv_fault *f)
{
	static struct kv_run_result answer;
	struct kv_run_spec pong_spec;
	struct run pong = {
		.b = p->end[1].site->b,
		.dev = p->end[1].site->dev.name,
		.timeout_ns = run->timeout_ns,
	};
	struct kv_fault second;
	int ret, err;

	fill_pong(&pong_spec, spec, p, work);
	ret = start(&pong, &pong_spec, f);
	if (ret)
		return ret;
	ret = start(run, spec, f);
	if (ret) {
		end_pong(&pong, &answer, &second);
		goto out_del_pong;
	}
	ret = wait_end(run, watch, f);
	if (!ret)
		ret = fetch(run, result, f);
	if (!ret && !result->error)
		await_answers(&pong, result->samples + result->warmed);
	err = end_pong(&pong, &answer, &second);
	/* The status of this end's requests says more than the fault of a lost host. */
	if (!ret && err && !result->wc_status) {
		*f = second;
		ret = err;
	} else if (!ret) {
		ret = judge(run, result, &pong, err ? NULL : &answer, f);
	}
	delete(run);
out_del_pong:
	delete(&pong);
	return ret;
}

static int measure_alone(struct run *run, const struct kv_run_spec *spec,
			 const struct kv_watch *watch,
			 struct kv_run_result *result, struct kv_fault *f)
{
	int ret;

	ret = start(run, spec, f);
	if (ret)
		return ret;
	ret = wait_end(run, watch, f);
	if (!ret)
		ret = fetch(run, result, f);
	if (!ret)
		ret = judge(run, result, NULL, NULL, f);
	delete(run);
	return ret;
}

/**
 * kv_block_measure() - measure one block
 * @site: where; of endpoints the initiator's
 * @p: the endpoints, made for this work; NULL for KV_KIND_NULL
 * @work: the operation and its size
 * @amount: how much of it
 * @watch: the callback for progress, or NULL
 * @result: receives what was measured, also when -ECANCELED or a run's error
 *	is returned; then with the samples taken until then
 * @f: receives why not
 *
 * Return: 0; -ECANCELED if somebody wants the tool to end; or another negative
 * errno. After an error, the endpoints take no more requests.
 */
int kv_block_measure(const struct kv_site *site, struct kv_pair *p,
		     const struct kv_workload *work, const struct kv_amount *amount,
		     const struct kv_watch *watch, struct kv_run_result *result, struct kv_fault *f)
{
	struct run run = {
		.b = site->b,
		.dev = site->dev.name,
		.timeout_ns = work->timeout_ns,
	};
	struct kv_run_spec spec;
	int ret;

	memset(result, 0, sizeof(*result));
	kv_hist_reset(&result->hist);
	if (kv_interrupt_seen())
		return kv_fault_set(f, -ECANCELED, "interrupted");
	fill_spec(&spec, site, p, work, amount);
	if (work->kind == KV_KIND_PINGPONG)
		ret = measure_pingpong(&run, p, work, &spec, watch, result, f);
	else
		ret = measure_alone(&run, &spec, watch, result, f);
	if (ret && p)
		p->broken = true;
	return ret;
}

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
 * kv_series_add() - count the samples of a block
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
 * kv_series_merge() - count the samples of one series as another's
 * @s: gets them
 * @from: has them
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
 * kv_series_measure_null() - measure the cost of the loops themselves
 * @s: receives it
 * @site: where
 * @work: on which CPU; its other fields don't matter
 * @f: receives why not
 *
 * Return: 0; -ECANCELED if somebody wants the tool to end; or another negative
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
	kv_series_reset(s);
	ret = kv_block_measure(site, NULL, &null, &amount, NULL, &result, f);
	if (!ret)
		kv_series_add(s, &result);
	return ret;
}
