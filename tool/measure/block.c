// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cli/interrupt.h"
#include "loop/loop.h"
#include "measure/block.h"
#include "remote/channel.h"
#include "sys/now.h"
#include "sys/placement.h"

/* The longest that there is. */
#define PONG_TIMEOUT_NS 3600000000000ULL

/* How often somebody watches, and how often nobody does. */
#define WATCH_MS 250
#define LOOK_MS 1000
/* How often a server hears of us. */
#define KEEP_MS 250
/* Between two looks whether all answers are complete: most often they are at the first. */
#define ANSWER_MS 10

/* What a run may take beyond its own deadlines: threads start, events travel. */
#define GRACE_NS 5000000000ULL

static uint32_t loop_of(enum kv_kind kind)
{
	switch (kind) {
	case KV_KIND_COMPLETION:
		return KVERBS_LOOP_POST_TO_COMPLETION;
	case KV_KIND_PINGPONG:
		return KVERBS_LOOP_PING;
	case KV_KIND_RELAY:
		return KVERBS_LOOP_RELAY;
	case KV_KIND_NULL:
		break;
	}
	return KVERBS_LOOP_NULL;
}

static uint32_t post_of(const struct kv_site *site, const struct kv_work *work)
{
	return site->id == KV_SPACE_KERNEL ? work->post : KVERBS_POST_PROCESS;
}

/* Both spaces of this host get the same default; another host knows its own CPUs. */
static int32_t spins_of(const struct kv_site *site, const struct kv_work *work)
{
	return work->spins >= 0 || site->host ? work->spins : kv_placement_spins();
}

static void fill_spec(struct kv_run_spec *spec, const struct kv_site *site,
		      const struct kv_pair *p, const struct kv_work *work,
		      const struct kv_amount *amount)
{
	memset(spec, 0, sizeof(*spec));
	spec->loop = loop_of(work->kind);
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
		      const struct kv_pair *p, const struct kv_work *work)
{
	*pong = *ping;
	pong->loop = KVERBS_LOOP_PONG;
	pong->post = post_of(p->end[1].site, work);
	pong->spins = spins_of(p->end[1].site, work);
	kv_pair_fill(p, 1, &pong->end);
	pong->cpu = work->cpu[1];
	/* Nobody waits for it. */
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

static int start(struct run *run, const struct kv_run_spec *spec, struct kv_fault *f)
{
	struct kv_id id = { 0 };
	int ret = kv_op_run_start(run->b, spec, &id, NULL);

	run->id = id.id;
	if (ret)
		return kv_fault_backend(f, run->b, ret, "cannot start a run on %s", run->dev);
	return 0;
}

static int cancel(struct run *run, struct kv_fault *f)
{
	int ret = kv_op_run_cancel(run->b, &(struct kv_id){ run->id }, NULL, NULL);

	if (ret)
		return kv_fault_backend(f, run->b, ret, "cannot cancel the run on %s", run->dev);
	return 0;
}

/* What a wait remembers of a run, to see whether it still goes on. */
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

	ret = kv_op_run_peek(run->b, &(struct kv_id){ run->id }, &r, NULL);
	if (ret)
		return kv_fault_backend(f, run->b, ret, "cannot look at the run on %s", run->dev);
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

/* Wait until a run has ended; make it end if somebody wants that. */
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
		ret = kv_op_run_wait(run->b, &(struct kv_wait){ run->id, step_ms }, NULL, NULL);
		if (!ret)
			return 0;
		if (ret == -EINTR)
			continue;
		if (ret != -EAGAIN)
			return kv_fault_backend(f, run->b, ret, "cannot wait for the run on %s",
						run->dev);
		ret = check_pulse(run, &pulse, watch, f);
		if (ret)
			return ret;
	}
}

static int fetch(struct run *run, struct kv_run_result *result, struct kv_fault *f)
{
	int ret = kv_op_run_get(run->b, &(struct kv_id){ run->id }, result, NULL);

	if (ret)
		return kv_fault_backend(f, run->b, ret, "cannot fetch the result of the run on %s",
					run->dev);
	return 0;
}

/*
 * Until all answers are complete. The other end has them, but over a bad link the ACK of the last
 * may take longer than who is cancelled waits for it, and its QP would not be fit for another run.
 */
static void await_answers(struct run *run, uint64_t n)
{
	static struct kv_run_result r;
	uint64_t end_ns = kv_now_ns() + run->timeout_ns;

	while (!kv_op_run_peek(run->b, &(struct kv_id){ run->id }, &r, NULL) &&
	       r.samples + r.warmed < n && kv_now_ns() < end_ns &&
	       kv_op_run_wait(run->b, &(struct kv_wait){ run->id, ANSWER_MS }, NULL,
			       NULL) == -EAGAIN)
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

/* Both ends may tell why: a completion's status says more than a deadline. */
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

static int measure_pingpong(struct run *run, struct kv_pair *p, const struct kv_work *work,
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
	/* A host that is gone can't tell; what our requests completed with says more. */
	if (!ret && err && !result->wc_status) {
		*f = second;
		ret = err;
	} else if (!ret) {
		ret = judge(run, result, &pong, err ? NULL : &answer, f);
	}
	kv_op_run_del(run->b, &(struct kv_id){ run->id }, NULL, NULL);
out_del_pong:
	kv_op_run_del(pong.b, &(struct kv_id){ pong.id }, NULL, NULL);
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
	kv_op_run_del(run->b, &(struct kv_id){ run->id }, NULL, NULL);
	return ret;
}

/**
 * kv_block_measure() - measure one block
 * @site: where; of endpoints the initiator's
 * @p: the endpoints, made for this work; NULL for KV_KIND_NULL
 * @work: what
 * @amount: how much of it
 * @watch: who wants to see it go on, or NULL
 * @result: receives what was measured, also when -ECANCELED or a run's error
 *	is returned; then with the samples taken until then
 * @f: receives why not
 *
 * Return: 0; -ECANCELED if somebody wants the tool to end; or another negative
 * errno. After an error, the endpoints take no more requests.
 */
int kv_block_measure(const struct kv_site *site, struct kv_pair *p,
		     const struct kv_work *work, const struct kv_amount *amount,
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
