// SPDX-License-Identifier: MIT
#include <errno.h>
#include <math.h>
#include "cli/interrupt.h"
#include "measure/running.h"
#include "measure/stats.h"
#include "remote/channel.h"
#include "remote/connect.h"
#include "sys/clock.h"
#include "sys/now.h"

/* The intervals at which a run is polled, with a watch and without one. */
#define WATCH_MS 250
#define LOOK_MS 1000
/* The interval of NOPs to a server. */
#define KEEP_MS 250
/* The interval of checks that all answers are complete; most often the first check succeeds. */
#define ANSWER_MS 10

#define NSEC_PER_MSEC 1000000

/* A run may exceed its own deadlines by this much: threads start, and events take time. */
#define GRACE_NS 5000000000ULL

static int refuse(const struct kv_running *run, int error, const char *what, struct kv_fault *f)
{
	return error ? kv_fault_backend(f, run->site->b, error, "cannot %s on %s", what,
					run->site->dev.name) : 0;
}

/**
 * kv_running_ask() - have a run start; on another host it starts while the caller goes on
 * @run: its site and its timeout are set; no other call to the site until kv_running_take()
 *
 * Return: 0 or a negative errno; then there is no run, and nothing to take.
 */
int kv_running_ask(struct kv_running *run, const struct kv_run_spec *spec, struct kv_fault *f)
{
	const struct kv_run_start start = { *spec };
	struct kv_id id = { 0 };
	int ret;

	if (run->site->host)
		return refuse(run, kv_remote_ask(run->site->b, KV_CALL_RUN_START, &start),
			      "start a run", f);
	ret = kv_op_run_start(run->site->b, &start, &id, NULL);
	run->id = id.id;
	return refuse(run, ret, "start a run", f);
}

/**
 * kv_running_take() - wait until a run has started
 *
 * Return: 0 or a negative errno; then there is no run.
 */
int kv_running_take(struct kv_running *run, struct kv_fault *f)
{
	struct kv_id id = { 0 };
	int ret;

	if (!run->site->host)
		return 0;
	ret = kv_remote_take(run->site->b, KV_CALL_RUN_START, &id);
	run->id = id.id;
	return refuse(run, ret, "start a run", f);
}

static int cancel(struct kv_running *run, struct kv_fault *f)
{
	return refuse(run, kv_op_run_cancel(run->site->b, &(struct kv_id){ run->id }, NULL, NULL),
		      "cancel the run", f);
}

static int fetch_worker(struct kv_running *run, uint32_t worker, struct kv_run_result *result,
			struct kv_fault *f)
{
	return refuse(run,
		      kv_op_run_get(run->site->b, &(struct kv_run_which){ run->id, worker }, result,
				    NULL),
		      "fetch the result of the run", f);
}

/* All ticks of a result become ticks of this host's counter. */
static void rescale(const struct kv_running *run, struct kv_run_result *result)
{
	double factor;

	if (!run->site->counter_hz)
		return;
	factor = 1e9 / (double)run->site->counter_hz / kv_clock_ns_per_tick();
	kv_stats_rescale(&result->hist, factor);
	for (uint32_t i = 0; i < result->workers; i++)
		result->worker[i].elapsed_ticks =
			(uint64_t)llround((double)result->worker[i].elapsed_ticks * factor);
}

/**
 * kv_running_fetch() - read the result of a run
 * @result: receives it; the histogram has the samples of all workers
 */
int kv_running_fetch(struct kv_running *run, struct kv_run_result *result, struct kv_fault *f)
{
	static struct kv_run_result more;
	int ret = fetch_worker(run, 0, result, f);

	for (uint32_t i = 1; !ret && i < result->workers; i++) {
		ret = fetch_worker(run, i, &more, f);
		if (!ret)
			kv_stats_merge(&result->hist, &more.hist);
	}
	if (!ret)
		rescale(run, result);
	return ret;
}

static int wait_ms(struct kv_running *run, int ms)
{
	return kv_op_run_wait(run->site->b, &(struct kv_wait){ run->id, ms }, NULL, NULL);
}

static int peek(struct kv_running *run, struct kv_run_result *result)
{
	return kv_op_run_peek(run->site->b, &(struct kv_id){ run->id }, result, NULL);
}

/** kv_running_delete() - forget a run, which has ended */
void kv_running_delete(struct kv_running *run)
{
	kv_op_run_del(run->site->b, &(struct kv_id){ run->id }, NULL, NULL);
}

/**
 * kv_running_worker() - the worker that a result's fault is about
 *
 * Return: a worker that failed, rather than one that ended because another failed; else the first.
 */
const struct kv_worker_result *kv_running_worker(const struct kv_run_result *r)
{
	for (uint32_t i = 0; i < r->workers; i++)
		if (r->worker[i].error && r->worker[i].error != -ECANCELED)
			return &r->worker[i];
	return &r->worker[0];
}

/** kv_running_done() - iterations of @n workers from the @first on, including the warm-up */
uint64_t kv_running_done(const struct kv_run_result *r, uint32_t first, uint32_t n)
{
	uint64_t done = 0;

	for (uint32_t i = first; i < first + n && i < r->workers; i++)
		done += r->worker[i].samples + r->worker[i].warmup;
	return done;
}

static uint64_t done_by(const struct kv_run_result *r)
{
	return kv_running_done(r, 0, r->workers);
}

/* The progress of a run when it was last polled. */
struct pulse {
	bool ended;
	uint64_t done;
	uint64_t at_ns;
};

/* Static, because its histogram is too large for the stack. */
static struct kv_run_result seen;

static int check_pulse(struct kv_running *run, struct pulse *pulse, const struct kv_watch *watch,
		       struct kv_fault *f)
{
	uint64_t now = kv_now_ns();
	int ret;

	ret = refuse(run, peek(run, &seen), "look at the run", f);
	if (ret)
		return ret;
	if (watch && watch->fn)
		watch->fn(&seen, watch->arg);
	if (done_by(&seen) != pulse->done) {
		pulse->done = done_by(&seen);
		pulse->at_ns = now;
	}
	if (now - pulse->at_ns > run->timeout_ns + GRACE_NS)
		return kv_fault_set(f, -ETIMEDOUT,
				    "%s space: the run on %s stands still for %.0f s and does not end",
				    run->site->b->ops->space, run->site->dev.name,
				    (double)(now - pulse->at_ns) / 1e9);
	return 0;
}

/* Waits for a run for @ms; receives its end in @pulse. */
static int look_at(struct kv_running *run, struct pulse *pulse, int ms,
		   const struct kv_watch *watch, struct kv_fault *f)
{
	int ret = wait_ms(run, ms);

	pulse->ended = !ret;
	if (!ret || ret == -EINTR)
		return 0;
	if (ret != -EAGAIN)
		return refuse(run, ret, "wait for the run", f);
	return check_pulse(run, pulse, watch, f);
}

static bool has_failed(struct kv_running *run)
{
	return !peek(run, &seen) && kv_running_worker(&seen)->error;
}

/**
 * kv_running_wait() - wait until all runs have ended; a signal, or one that fails, ends the others
 * @run: the runs
 * @n: how many, KV_HOSTS_MAX at most
 * @watch: the callback for progress, or NULL
 * @failed: receives the run that an error is about; the others may go on then; NULL: there is one
 *
 * Return: 0, also if runs have failed, which their results tell; or a negative errno.
 */
int kv_running_wait(struct kv_running *run, uint32_t n, const struct kv_watch *watch,
		    uint32_t *failed, struct kv_fault *f)
{
	struct pulse pulse[KV_HOSTS_MAX] = { { .ended = false } };
	int step_ms = watch && watch->fn ? WATCH_MS : LOOK_MS, ret;
	bool over = false, cancelled = false;
	uint32_t i, left = n;

	for (i = 0; i < n; i++) {
		pulse[i].done = ~0ULL;
		pulse[i].at_ns = kv_now_ns();
	}
	while (left) {
		if (kv_channel_keep_all() && step_ms > KEEP_MS)
			step_ms = KEEP_MS;
		over |= kv_interrupt_seen();
		for (i = 0; over && !cancelled && i < n; i++) {
			ret = pulse[i].ended ? 0 : cancel(&run[i], f);
			if (ret)
				goto out;
		}
		cancelled = over;
		for (i = 0; i < n; i++) {
			if (pulse[i].ended)
				continue;
			ret = look_at(&run[i], &pulse[i], step_ms / (int)left, watch, f);
			if (ret)
				goto out;
			left -= pulse[i].ended;
			over |= left && pulse[i].ended && has_failed(&run[i]);
		}
	}
	return 0;

out:
	if (failed)
		*failed = i;
	return ret;
}

/**
 * kv_running_await() - wait until a responder's run has got all that was sent
 * @n: iterations, the warm-up's among them
 * @ms: the time after the latest of them in which one may still come
 *
 * The client has received all answers, but over a bad link the last ACK may come after a cancelled
 * run stops waiting: then the QP could not be used for another run. Over UC and UD a message may be
 * lost: none that comes later than @ms after another is counted.
 */
void kv_running_await(struct kv_running *run, uint64_t n, uint64_t ms)
{
	uint64_t end_ns = kv_now_ns() + ms * NSEC_PER_MSEC, done = 0;

	while (!peek(run, &seen) && done_by(&seen) < n && kv_now_ns() < end_ns &&
	       wait_ms(run, ANSWER_MS) == -EAGAIN) {
		if (done_by(&seen) != done)
			end_ns = kv_now_ns() + ms * NSEC_PER_MSEC;
		done = done_by(&seen);
	}
}

/**
 * kv_running_end() - cancel a run, and read its result
 *
 * A cancelled loop finishes the answer that it has begun: see the loop's wait.c.
 */
int kv_running_end(struct kv_running *run, struct kv_run_result *result, struct kv_fault *f)
{
	return cancel(run, f) ?: kv_running_wait(run, 1, NULL, NULL, f) ?:
	       kv_running_fetch(run, result, f);
}
