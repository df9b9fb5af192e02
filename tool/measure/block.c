// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>
#include "cli/interrupt.h"
#include "measure/block.h"
#include "rules/request.h"
#include "remote/channel.h"
#include "sys/clock.h"
#include "sys/now.h"
#include "sys/cpu.h"

/* The longest timeout that a run can have. */
#define SERVER_TIMEOUT_NS 3600000000000ULL

/* The intervals at which a run is polled, with a watch and without one. */
#define WATCH_MS 250
#define LOOK_MS 1000
/* The interval of NOPs to a server. */
#define KEEP_MS 250
/* The interval of checks that all answers are complete; most often the first check succeeds. */
#define ANSWER_MS 10
/* How long a datagram can be on its way on a busy host. */
#define LATE_MS 100

#define NSEC_PER_MSEC 1000000

/* Enough samples for a p99.9; the time limit is for a guest that emulates its counter. */
#define NULL_SAMPLES 20000
#define NULL_TIME_NS 200000000
#define NULL_WARMUP 1000

/* A run may exceed its own deadlines by this much: threads start, and events take time. */
#define GRACE_NS 5000000000ULL

static uint32_t post_of(const struct kv_site *site, const struct kv_workload *work)
{
	if (site->id != KV_SPACE_KERNEL || work->post == KV_POST_BY_DEVICE)
		return kv_site_post_context(site);
	return work->post;
}

/* Both spaces of this host get the same default; another host chooses one for its own CPUs. */
static int32_t spins_of(const struct kv_site *site, const struct kv_workload *work)
{
	return work->spins >= 0 || site->host ? work->spins : kv_placement_spins();
}

/* Adds one end of the pair, with the objects that the loop and the operation need. */
static void add_end(struct kv_run_spec *spec, const struct kv_pair *p, unsigned int end)
{
	struct kv_run_end *to = &spec->end[spec->ends++];

	kv_pair_fill(p, end, to);
	if (!kv_run_has_target(spec->loop)) {
		to->target_buf = 0;
		to->target_mr = 0;
	}
	if (!kv_run_sends(spec->loop)) {
		to->local_buf = 0;
		to->local_mr = 0;
		to->ah = 0;
		to->remote_qpn = 0;
		to->remote_qkey = 0;
	}
	to->has_remote = kv_run_sends(spec->loop) && kv_op_among(spec->op, KV_OPS_REMOTE);
}

/*
 * An end of each pair. The workers of the initiator have a CPU each, which their first end names.
 */
static void add_threads(struct kv_run_spec *spec, const struct kv_pair *p,
			const struct kv_workload *work, unsigned int end)
{
	for (uint32_t i = 0; i < kv_workload_pairs(work); i++) {
		add_end(spec, &p[i], end);
		if (end || work->threads == 1 || i % work->qps)
			continue;
		spec->end[i].has_cpu = true;
		spec->end[i].cpu = (uint32_t)work->cpu[i / work->qps];
	}
	if (work->qps > 1)
		spec->workers = work->threads;
}

/* The fields that all loops need. */
static void fill_common(struct kv_run_spec *spec, const struct kv_workload *work,
			const struct kv_amount *amount)
{
	spec->loop = kv_workload_kinds[work->kind].loop;
	spec->iters = amount->iters;
	spec->time_ns = amount->time_ns;
	spec->warmup = amount->warmup;
	/* Of several threads each has the CPU of its end. */
	spec->cpu = work->threads > 1 ? -1 : work->cpu[0];
	spec->spins = -1;
	spec->in_wait = true;
}

static void fill_spec(struct kv_run_spec *spec, const struct kv_site *site, const struct kv_pair *p,
		      const struct kv_workload *work, const struct kv_amount *amount)
{
	memset(spec, 0, sizeof(*spec));
	fill_common(spec, work, amount);
	if (work->kind == KV_KIND_NULL) {
		snprintf(spec->dev, sizeof(spec->dev), "%s", site->dev.name);
		return;
	}
	spec->op = work->op;
	spec->size = work->size;
	spec->compare_add = work->compare_add;
	spec->swap = work->swap;
	spec->timeout_ns = work->timeout_ns;
	spec->flags = kv_workload_flags(work);
	spec->sges = work->sges;
	if (kv_run_recvs(spec->loop, work->op, 1))
		spec->recv_sges = work->recv_sges;
	spec->post_context = post_of(site, work);
	if (work->completion == KVERBS_CQ_POLLED)
		spec->spins = spins_of(site, work);
	if (work->kind == KV_KIND_STREAM) {
		spec->depth = work->depth;
		spec->list = work->list;
		spec->signal = work->signal;
		spec->interval_ns = kv_workload_interval_ns(work);
	}
	if (kv_workload_pairs(work) > 1) {
		add_threads(spec, p, work, 0);
		return;
	}
	for (uint32_t i = 0; i < kv_run_ends(spec->loop); i++)
		add_end(spec, p, i);
}

/* A run of the responder, beside that of the initiator. */
static void fill_responder(struct kv_run_spec *spec, uint32_t loop,
			   const struct kv_run_spec *client, const struct kv_pair *p,
			   const struct kv_workload *work)
{
	*spec = *client;
	spec->loop = loop;
	memset(spec->end, 0, sizeof(spec->end));
	spec->ends = 0;
	add_threads(spec, p, work, 1);
	spec->spins = spins_of(p->end[1].site, work);
	spec->post_context = post_of(p->end[1].site, work);
	/* With several threads, all CPUs of the workload are the initiator's. */
	spec->cpu = work->threads > 1 ? -1 : work->cpu[1];
	/* The tool waits for the other run. */
	spec->in_wait = false;
}

/* The same from the responder to the initiator. */
static void fill_back(struct kv_run_spec *back, const struct kv_run_spec *client,
		      const struct kv_pair *p, const struct kv_workload *work)
{
	fill_responder(back, client->loop, client, p, work);
}

static void fill_server(struct kv_run_spec *server, const struct kv_run_spec *client,
		      const struct kv_pair *p, const struct kv_workload *work)
{
	bool stream = work->kind == KV_KIND_STREAM;

	fill_responder(server, stream ? KVERBS_LOOP_STREAM_SERVER : KVERBS_LOOP_PINGPONG_SERVER,
		       client, p, work);
	if (stream) {
		server->post_context = KVERBS_POST_PROCESS;
		server->depth = kv_workload_rx_depth(work);
		server->list = 0;
		server->signal = 0;
		server->interval_ns = 0;
		server->flags = 0;
		server->sges = 0;
		server->recv_sges = work->recv_sges;
	}
	/* The server's run has no limit: the client's run, warm-up included, decides its length. */
	server->warmup = 0;
	server->time_ns = 0;
	server->iters = UINT64_MAX;
	/* The tool cancels the server's run after the client's; until then it may be idle. */
	server->timeout_ns = SERVER_TIMEOUT_NS;
}

/* One run that was started. */
struct run {
	struct kv_backend *b;
	const char *dev;
	uint64_t timeout_ns;
	uint32_t id;
	struct kv_load *load; /* see kv_block_measure() */
	struct kv_cpu_time end; /* the CPUs' time when the run had ended, if there is a @load */
};

static int refuse(const struct run *run, int error, const char *what, struct kv_fault *f)
{
	return error ? kv_fault_backend(f, run->b, error, "cannot %s on %s", what, run->dev) : 0;
}

static int start(struct run *run, const struct kv_run_spec *spec, struct kv_fault *f)
{
	struct kv_id id = { 0 };
	int ret = kv_op_run_start(run->b, &(struct kv_run_start){ *spec }, &id, NULL);

	run->id = id.id;
	return refuse(run, ret, "start a run", f);
}

static int cancel(struct run *run, struct kv_fault *f)
{
	return refuse(run, kv_op_run_cancel(run->b, &(struct kv_id){ run->id }, NULL, NULL),
		      "cancel the run", f);
}

static int fetch_worker(struct run *run, uint32_t worker, struct kv_run_result *result,
			struct kv_fault *f)
{
	return refuse(run,
		      kv_op_run_get(run->b, &(struct kv_run_which){ run->id, worker }, result,
				    NULL),
		      "fetch the result of the run", f);
}

/* The histogram has the samples of all workers. */
static int fetch(struct run *run, struct kv_run_result *result, struct kv_fault *f)
{
	static struct kv_run_result more;
	int ret = fetch_worker(run, 0, result, f);

	for (uint32_t i = 1; !ret && i < result->workers; i++) {
		ret = fetch_worker(run, i, &more, f);
		if (!ret)
			kv_stats_merge(&result->hist, &more.hist);
	}
	return ret;
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

/* A worker that failed, rather than one that ended because another failed; else the first one. */
static const struct kv_worker_result *worker_of(const struct kv_run_result *r)
{
	for (uint32_t i = 0; i < r->workers; i++)
		if (r->worker[i].error && r->worker[i].error != -ECANCELED)
			return &r->worker[i];
	return &r->worker[0];
}

/* Iterations of @n workers, including the warm-up. */
static uint64_t done_by_some(const struct kv_run_result *r, uint32_t first, uint32_t n)
{
	uint64_t done = 0;

	for (uint32_t i = first; i < first + n && i < r->workers; i++)
		done += r->worker[i].samples + r->worker[i].warmup;
	return done;
}

static uint64_t done_by(const struct kv_run_result *r)
{
	return done_by_some(r, 0, r->workers);
}

/* The progress of a run when it was last polled. */
struct pulse {
	uint64_t done;
	uint64_t at_ns;
};

static int check_pulse(struct run *run, struct pulse *pulse,
		       const struct kv_watch *watch, struct kv_fault *f)
{
	/* Static, because the result's histogram is too large for the stack. */
	static struct kv_run_result r;
	uint64_t now = kv_now_ns();
	int ret;

	ret = refuse(run, peek(run, &r), "look at the run", f);
	if (ret)
		return ret;
	if (watch && watch->fn)
		watch->fn(&r, watch->arg);
	if (done_by(&r) != pulse->done) {
		pulse->done = done_by(&r);
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

/* How a result is fetched depends on the space, and so does what that costs: it is not counted. */
static int wait_result(struct run *run, const struct kv_watch *watch, struct kv_run_result *result,
		       struct kv_fault *f)
{
	int ret = wait_end(run, watch, f);

	if (run->load)
		kv_cpu_time_read(&run->end);
	return ret ?: fetch(run, result, f);
}

/*
 * Waits until all answers are complete. The client has received them, but over a bad link the last
 * ACK may come after a cancelled run stops waiting: then the QP could not be used for another run.
 * Over UC and UD a message may be lost: none that comes later than @ms after another is counted.
 */
static void await_answers(struct run *run, uint64_t n, uint64_t ms)
{
	static struct kv_run_result r;
	uint64_t end_ns = kv_now_ns() + ms * NSEC_PER_MSEC, done = 0;

	while (!peek(run, &r) && done_by(&r) < n && kv_now_ns() < end_ns &&
	       wait_ms(run, ANSWER_MS) == -EAGAIN) {
		if (done_by(&r) != done)
			end_ns = kv_now_ns() + ms * NSEC_PER_MSEC;
		done = done_by(&r);
	}
}

/* A cancelled loop finishes the answer that it has begun: see the loop's wait.c. */
static int end_server(struct run *run, struct kv_run_result *result, struct kv_fault *f)
{
	return cancel(run, f) ?: wait_end(run, NULL, f) ?: fetch(run, result, f);
}

/* If both ends have a fault, a completion's status is reported rather than a missed deadline. */
static int judge(struct run *run, const struct kv_worker_result *client,
		 struct run *server, const struct kv_worker_result *answer, struct kv_fault *f)
{
	if (answer && answer->error && answer->error != -ECANCELED &&
	    (!client->error || (answer->wc_status && !client->wc_status)))
		return kv_fault_run(f, server->b, server->dev, server->timeout_ns, answer);
	if (!client->error)
		return 0;
	if (client->error == -ECANCELED && kv_interrupt_seen())
		return kv_fault_set(f, -ECANCELED, "interrupted");
	return kv_fault_run(f, run->b, run->dev, run->timeout_ns, client);
}

/* A stream's sample is a group of requests. */
static uint64_t requests_of(const struct kv_workload *work, uint64_t samples)
{
	return work->kind == KV_KIND_STREAM ? samples * work->signal : samples;
}

/* The runs of the responders, one on each host. */
struct responders {
	const struct kv_pair *p;
	uint32_t each; /* pairs of a host */
	uint32_t threads; /* the initiator's for a host */
	uint32_t hosts; /* of the work */
	uint32_t n; /* runs that were started */
	struct run run[KV_HOSTS_MAX];
};

/* Of several hosts, names the one that the fault is about. */
static int blame_host(const struct responders *r, uint32_t host, int error, struct kv_fault *f)
{
	if (error && error != -ECANCELED && r->hosts > 1)
		kv_fault_prefix(f, "to %.128s: ", r->p[host * r->each].end[1].site->host);
	return error;
}

/* The host of the worker that failed; 0 if none has. */
static uint32_t host_of_worker(const struct responders *r, const struct kv_run_result *result)
{
	return (uint32_t)(worker_of(result) - result->worker) / r->threads;
}

static int start_responder(struct responders *r, const struct kv_run_spec *spec, struct kv_fault *f)
{
	const struct kv_site *site = r->p[r->n * r->each].end[1].site;
	struct run *run = &r->run[r->n];

	run->b = site->b;
	run->dev = site->dev.name;
	return blame_host(r, r->n, start(run, spec, f), f);
}

/*
 * Starts the responders' runs, with specs of @fill, and then the initiator's: all, or none. @answer
 * is overwritten.
 */
static int start_all(struct responders *r, const struct kv_pair *p, const struct kv_workload *work,
		     void (*fill)(struct kv_run_spec *spec, const struct kv_run_spec *client,
				  const struct kv_pair *p, const struct kv_workload *work),
		     struct run *run, const struct kv_run_spec *spec, struct kv_run_result *answer,
		     struct kv_fault *f)
{
	const struct kv_workload part = kv_workload_of_host(work);
	struct kv_run_spec other;
	struct kv_fault second;
	int ret = 0;

	memset(r, 0, sizeof(*r));
	r->p = p;
	r->each = kv_workload_pairs(&part);
	r->threads = part.threads;
	r->hosts = work->hosts;
	while (!ret && r->n < r->hosts) {
		fill(&other, spec, &p[r->n * r->each], &part);
		r->run[r->n].timeout_ns = run->timeout_ns;
		ret = start_responder(r, &other, f);
		r->n += !ret;
	}
	if (!ret)
		ret = start(run, spec, f);
	while (ret && r->n--) {
		end_server(&r->run[r->n], answer, &second);
		delete(&r->run[r->n]);
	}
	return ret;
}

/* A responder's share of what was sent has arrived, or will not arrive any more. */
static void await_all(struct responders *r, const struct kv_run_result *result,
		      const struct kv_workload *work, uint64_t ms)
{
	for (uint32_t i = 0; i < r->n; i++)
		await_answers(&r->run[i],
			      requests_of(work, done_by_some(result, i * r->threads, r->threads)),
			      ms);
}

static int measure_served(struct run *run, struct kv_pair *p, const struct kv_workload *work,
			  const struct kv_run_spec *spec, const struct kv_watch *watch,
			  struct kv_run_result *result, struct kv_fault *f)
{
	static struct kv_run_result answer;
	struct responders servers;
	struct kv_fault second;
	uint64_t sent;
	int ret, err;

	ret = start_all(&servers, p, work, fill_server, run, spec, &answer, f);
	if (ret)
		return ret;
	ret = wait_result(run, watch, result, f);
	if (!ret && !worker_of(result)->error)
		await_all(&servers, result, work,
			  work->type == KVERBS_QPT_RC ? run->timeout_ns / NSEC_PER_MSEC : LATE_MS);
	/*
	 * The host of a worker that failed comes first: the others' workers ended because of that
	 * one.
	 */
	for (uint32_t i = 0, host = host_of_worker(&servers, result); i < servers.n;
	     i++, host = (host + 1) % servers.n) {
		struct run *server = &servers.run[host];

		err = end_server(server, &answer, &second);
		sent = requests_of(work,
				   done_by_some(result, host * servers.threads, servers.threads));
		if (!err && sent > done_by(&answer))
			result->lost += sent - done_by(&answer);
		/*
		 * A bad status of the client's requests is reported rather than the loss of the
		 * host.
		 */
		if (!ret && err && !worker_of(result)->wc_status) {
			*f = second;
			ret = blame_host(&servers, host, err, f);
		} else if (!ret) {
			ret = judge(run, worker_of(result), server, err ? NULL : worker_of(&answer),
				    f);
			blame_host(&servers, host, ret, f);
		}
		delete(server);
	}
	delete(run);
	return ret;
}

/* The samples of both directions are those of one run. */
static void add_back(struct kv_run_result *result, const struct kv_run_result *back)
{
	kv_stats_merge(&result->hist, &back->hist);
	for (uint32_t i = 0; i < back->workers && result->workers < KV_RUN_WORKERS_MAX; i++)
		result->worker[result->workers++] = back->worker[i];
}

/*
 * Both directions begin within the time that a run takes to start, and each takes samples for the
 * same time.
 */
static int measure_both_ways(struct run *run, struct kv_pair *p, const struct kv_workload *work,
			     const struct kv_run_spec *spec, const struct kv_watch *watch,
			     struct kv_run_result *result, struct kv_fault *f)
{
	static struct kv_run_result answer;
	struct responders backs;
	struct kv_fault second;
	int ret, err;

	ret = start_all(&backs, p, work, fill_back, run, spec, &answer, f);
	if (ret)
		return ret;
	ret = wait_result(run, watch, result, f);
	for (uint32_t i = 0, host = host_of_worker(&backs, result); i < backs.n;
	     i++, host = (host + 1) % backs.n) {
		struct run *back = &backs.run[host];

		err = !ret && !worker_of(result)->error ?
			      wait_result(back, NULL, &answer, &second) :
			      end_server(back, &answer, &second);
		if (run->load)
			kv_cpu_time_read(&run->end);
		if (!ret && err) {
			*f = second;
			ret = blame_host(&backs, host, err, f);
		} else if (!ret) {
			ret = judge(run, worker_of(result), back, worker_of(&answer), f);
			blame_host(&backs, host, ret, f);
			add_back(result, &answer);
		}
		delete(back);
	}
	delete(run);
	return ret;
}

static int measure_alone(struct run *run, const struct kv_pair *p, const struct kv_workload *work,
			 const struct kv_run_spec *spec, const struct kv_watch *watch,
			 struct kv_run_result *result, struct kv_fault *f)
{
	const struct kv_workload part = kv_workload_of_host(work);
	const struct responders none = {
		.p = p,
		.each = kv_workload_pairs(&part),
		.threads = part.threads,
		.hosts = work->hosts,
	};
	int ret = start(run, spec, f);

	if (ret)
		return ret;
	ret = wait_result(run, watch, result, f);
	if (!ret)
		ret = judge(run, worker_of(result), NULL, NULL, f);
	blame_host(&none, host_of_worker(&none, result), ret, f);
	delete(run);
	return ret;
}

/* How many operations a sample stands for. */
static uint64_t operations_of(const struct kv_workload *work)
{
	return work->kind == KV_KIND_STREAM ? work->signal : kv_workload_kinds[work->kind].divisor;
}

/**
 * kv_block_measure() - measure one block
 * @site: where to measure; if there are endpoints, the initiator's site
 * @p: the endpoints, made for this work: kv_workload_pairs(); NULL for KV_KIND_NULL
 * @work: the operation and its size
 * @amount: how many samples to take, or for how long
 * @watch: the callback for progress, or NULL
 * @result: receives the result; if -ECANCELED or a run's error is returned, it has
 *	the samples taken so far
 * @load: what the CPUs did is added to it; NULL: nobody wants to know
 * @f: receives the reason of a failure
 *
 * Return: 0; -ECANCELED if a signal asks the tool to end; or another negative
 * errno. After an error, the endpoints take no more requests.
 */
int kv_block_measure(const struct kv_site *site, struct kv_pair *p,
		     const struct kv_workload *work, const struct kv_amount *amount,
		     const struct kv_watch *watch, struct kv_run_result *result,
		     struct kv_load *load, struct kv_fault *f)
{
	struct run run = {
		.b = site->b,
		.dev = site->dev.name,
		.timeout_ns = work->timeout_ns,
		.load = load,
	};
	struct kv_cpu_time begin;
	struct kv_run_spec spec;
	int ret;

	memset(result, 0, sizeof(*result));
	kv_hist_reset(&result->hist);
	if (kv_interrupt_seen())
		return kv_fault_set(f, -ECANCELED, "interrupted");
	fill_spec(&spec, site, p, work, amount);
	if (load)
		kv_cpu_time_read(&begin);
	if (work->both_ways)
		ret = measure_both_ways(&run, p, work, &spec, watch, result, f);
	else if (kv_workload_served(work))
		ret = measure_served(&run, p, work, &spec, watch, result, f);
	else
		ret = measure_alone(&run, p, work, &spec, watch, result, f);
	for (uint32_t i = 0; ret && p && i < kv_workload_pairs(work); i++)
		p[i].broken = true;
	if (load && done_by(result))
		kv_stats_load(load, &begin, &run.end, done_by(result) * operations_of(work));
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
	s->load.busy_ns += from->load.busy_ns;
	s->load.blocks += from->load.blocks;
	s->load.operations += from->load.operations;
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
	return requests_of(work, s->samples);
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
	null.rate = 0;
	kv_series_reset(s);
	ret = kv_block_measure(site, NULL, &null, &amount, NULL, &result, NULL, f);
	if (!ret)
		kv_series_add(s, &result);
	return ret;
}
