// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include <sys/param.h>
#include "cli/interrupt.h"
#include "measure/runs.h"
#include "sys/cpu.h"
#include "sys/now.h"

/* How long a datagram can be on its way on a busy host. */
#define LATE_MS 100

#define NSEC_PER_MSEC 1000000

/* The runs of a block, and their sources. */
struct runs {
	const struct kv_site *site; /* of the initiator, if there are no pairs */
	const struct kv_pair *p;
	const struct kv_workload *work;
	const struct kv_amount *amount;
	struct kv_workload part; /* of a host */
	uint32_t each; /* pairs of a host */
	/* Runs that were started. The initiator has one; reversed, each host has one. */
	uint32_t initiators;
	uint32_t responders; /* one for each host, or none */
	struct kv_running initiator[KV_HOSTS_MAX];
	struct kv_running responder[KV_HOSTS_MAX];
	struct kv_aside *aside; /* see kv_runs_measure() */
	uint64_t begun_ns; /* from the first request for an initiator's run to the last answer */
	struct kv_cpu_time end; /* the CPUs' time when the runs had ended, if there is an @aside */
};

/* Fills the spec of a responder's run beside the initiator's run of these pairs. */
typedef void (*fill_fn)(struct kv_run_spec *spec, const struct kv_run_spec *client,
			const struct kv_pair *p, const struct kv_workload *work);

/* Results that are added to another one; their histogram is too large for the stack. */
static struct kv_run_result more;

/* Of several hosts, names the one that the fault is about. */
static int blame_host(const struct runs *r, uint32_t host, int error, struct kv_fault *f)
{
	const struct kv_pair *p = &r->p[host * r->each];

	if (error && error != -ECANCELED && r->work->hosts > 1)
		kv_workload_blame(r->work, p->end[!r->work->reversed].site->host, f);
	return error;
}

/* Names the host of an initiator's run, if it is not one run for all hosts. */
static int blame_initiator(const struct runs *r, uint32_t host, int error, struct kv_fault *f)
{
	return r->work->reversed ? blame_host(r, host, error, f) : error;
}

/* The host of the worker that failed; 0 if none has. */
static uint32_t host_of_worker(const struct runs *r, const struct kv_run_result *result)
{
	return (uint32_t)(kv_running_worker(result) - result->worker) / r->part.threads;
}

/* The initiator's run on a host, or that for all of them. */
static struct kv_running *initiator_of(struct runs *r, uint32_t host)
{
	return &r->initiator[r->work->reversed ? host : 0];
}

static const struct kv_site *site_of(const struct runs *r, uint32_t host)
{
	return r->p ? r->p[host * r->each].end[0].site : r->site;
}

static void fill_initiator(const struct runs *r, uint32_t host, struct kv_run_spec *spec)
{
	kv_spec_fill(spec, site_of(r, host), &r->p[host * r->each],
		     r->work->reversed ? &r->part : r->work, r->amount);
}

static int start(struct kv_running *run, const struct kv_site *site, const struct runs *r,
		 const struct kv_run_spec *spec, struct kv_fault *f)
{
	run->site = site;
	run->timeout_ns = r->work->timeout_ns;
	return kv_running_ask(run, spec, f);
}

static int start_responders(struct runs *r, fill_fn fill, struct kv_fault *f)
{
	struct kv_run_spec client, spec;
	int ret = 0;

	for (uint32_t host = 0; host < r->work->hosts && !ret; host++) {
		struct kv_running *run = &r->responder[host];
		const struct kv_pair *p = &r->p[host * r->each];

		fill_initiator(r, r->work->reversed ? host : 0, &client);
		fill(&spec, &client, p, &r->part);
		ret = blame_host(r, host,
				 start(run, p->end[1].site, r, &spec, f) ?:
				 kv_running_take(run, f), f);
		r->responders += !ret;
	}
	return ret;
}

/* Asks for all before it waits for an answer, so that they begin together. */
static int start_initiators(struct runs *r, struct kv_fault *f)
{
	const uint32_t n = r->work->reversed ? r->work->hosts : 1;
	uint64_t begin = kv_now_ns();
	struct kv_run_spec spec;
	struct kv_fault second;
	int ret = 0, err;

	for (uint32_t i = 0; i < n && !ret; i++) {
		fill_initiator(r, i, &spec);
		ret = blame_initiator(r, i, start(&r->initiator[i], site_of(r, i), r, &spec, f), f);
		r->initiators += !ret;
	}
	for (uint32_t i = 0; i < r->initiators; i++) {
		err = kv_running_take(&r->initiator[i], &second);
		if (err && !ret) {
			*f = second;
			ret = blame_initiator(r, i, err, f);
		}
	}
	r->begun_ns = kv_now_ns() - begin;
	return ret;
}

static void end_all(struct kv_running *run, uint32_t n)
{
	struct kv_fault f;

	while (n--) {
		/* It has not started. */
		if (!run[n].id)
			continue;
		kv_running_end(&run[n], &more, &f);
		kv_running_delete(&run[n]);
	}
}

/* Starts the responders' runs, with specs of @fill, and then the initiator's: all, or none. */
static int start_all(struct runs *r, fill_fn fill, struct kv_fault *f)
{
	int ret = fill ? start_responders(r, fill, f) : 0;

	ret = ret ?: start_initiators(r, f);
	if (!ret)
		return 0;
	end_all(r->initiator, r->initiators);
	end_all(r->responder, r->responders);
	return ret;
}

/* The samples of several runs are those of one; the next worker is number @first. */
static void add(struct kv_run_result *result, const struct kv_run_result *from, uint32_t first)
{
	const uint32_t n = MIN(from->workers, KV_RUN_WORKERS_MAX - first);

	kv_stats_merge(&result->hist, &from->hist);
	memcpy(&result->worker[first], from->worker, n * sizeof(from->worker[0]));
	result->workers = first + n;
}

/* Waits for the initiator's runs, and reads their results. */
static int collect(struct runs *r, const struct kv_watch *watch, struct kv_run_result *result,
		   struct kv_fault *f)
{
	struct kv_fault second;
	uint32_t failed = 0;
	int ret = kv_running_wait(r->initiator, r->initiators, watch, &failed, f), err;

	blame_initiator(r, failed, ret, f);
	if (r->aside)
		kv_cpu_time_read(&r->end);
	for (uint32_t i = 0; i < r->initiators; i++) {
		struct kv_run_result *to = i ? &more : result;

		if (ret && i == failed)
			continue;
		err = ret ? kv_running_end(&r->initiator[i], to, &second) :
			    kv_running_fetch(&r->initiator[i], to, &second);
		if (err && !ret) {
			*f = second;
			failed = i;
			ret = blame_initiator(r, i, err, f);
		}
		if (!err && i)
			add(result, &more, i * r->part.threads);
	}
	return ret;
}

/* If both ends have a fault, a completion's status is reported rather than a missed deadline. */
static int judge(const struct kv_running *run, const struct kv_worker_result *client,
		 const struct kv_running *server, const struct kv_worker_result *answer,
		 struct kv_fault *f)
{
	if (answer && answer->error && answer->error != -ECANCELED &&
	    (!client->error || (answer->wc_status && !client->wc_status)))
		return kv_fault_run(f, server->site->b, server->site->dev.name, server->timeout_ns,
				    answer);
	if (!client->error)
		return 0;
	if (client->error == -ECANCELED && kv_interrupt_seen())
		return kv_fault_set(f, -ECANCELED, "interrupted");
	return kv_fault_run(f, run->site->b, run->site->dev.name, run->timeout_ns, client);
}

/* A stream's sample is a group of requests. */
static uint64_t sent_to(const struct runs *r, const struct kv_run_result *result, uint32_t host)
{
	return kv_workload_requests(r->work,
				    kv_running_done(result, host * r->part.threads,
						    r->part.threads));
}

/* A responder's share of what was sent has arrived, or will not arrive any more. */
static void await_all(struct runs *r, const struct kv_run_result *result)
{
	const uint64_t ms = r->work->type == KVERBS_QPT_RC ?
			    r->work->timeout_ns / NSEC_PER_MSEC : LATE_MS;

	for (uint32_t i = 0; i < r->responders; i++)
		kv_running_await(&r->responder[i], sent_to(r, result, i), ms);
}

static int measure_one_way(struct runs *r, const struct kv_watch *watch,
			   struct kv_run_result *result, struct kv_fault *f)
{
	int ret = collect(r, watch, result, f), err;
	static struct kv_run_result answer;
	struct kv_fault second;
	uint64_t got, sent;
	uint32_t host;

	if (!ret && !kv_running_worker(result)->error)
		await_all(r, result);
	/*
	 * The host of a worker that failed comes first: the others' workers ended because of that
	 * one.
	 */
	host = host_of_worker(r, result);
	if (!ret && !r->responders)
		ret = blame_host(r, host, judge(initiator_of(r, host), kv_running_worker(result),
						 NULL, NULL, f), f);
	for (uint32_t i = 0; i < r->responders; i++, host = (host + 1) % r->responders) {
		struct kv_running *server = &r->responder[host];

		err = kv_running_end(server, &answer, &second);
		got = kv_running_done(&answer, 0, answer.workers);
		sent = sent_to(r, result, host);
		if (!err && sent > got)
			result->lost += sent - got;
		/*
		 * A bad status of the client's requests is reported rather than the loss of the
		 * host.
		 */
		if (!ret && err && !kv_running_worker(result)->wc_status) {
			*f = second;
			ret = blame_host(r, host, err, f);
		} else if (!ret) {
			ret = judge(initiator_of(r, host), kv_running_worker(result), server,
				    err ? NULL : kv_running_worker(&answer), f);
			blame_host(r, host, ret, f);
		}
		kv_running_delete(server);
	}
	return ret;
}

/*
 * Both directions begin within the time that a run takes to start, and each takes samples for the
 * same time.
 */
static int measure_both_ways(struct runs *r, const struct kv_watch *watch,
			     struct kv_run_result *result, struct kv_fault *f)
{
	int ret = collect(r, watch, result, f), err;
	static struct kv_run_result answer;
	struct kv_fault second;

	for (uint32_t i = 0, host = host_of_worker(r, result); i < r->responders;
	     i++, host = (host + 1) % r->responders) {
		struct kv_running *back = &r->responder[host];

		if (!ret && !kv_running_worker(result)->error)
			err = kv_running_wait(back, 1, NULL, NULL, &second) ?:
			      kv_running_fetch(back, &answer, &second);
		else
			err = kv_running_end(back, &answer, &second);
		if (r->aside)
			kv_cpu_time_read(&r->end);
		if (!ret && err) {
			*f = second;
			ret = blame_host(r, host, err, f);
		} else if (!ret) {
			ret = judge(&r->initiator[0], kv_running_worker(result), back,
				    kv_running_worker(&answer), f);
			blame_host(r, host, ret, f);
			add(result, &answer, result->workers);
		}
		kv_running_delete(back);
	}
	return ret;
}

/* How many operations a sample stands for. */
static uint64_t operations_of(const struct kv_workload *work)
{
	return work->kind == KV_KIND_STREAM ? work->signal : kv_workload_kinds[work->kind].divisor;
}

static void tell_aside(const struct runs *r, const struct kv_cpu_time *begin,
		       const struct kv_run_result *result)
{
	const uint64_t done = kv_running_done(result, 0, result->workers);

	if (r->initiators > 1)
		r->aside->begun_ns = MAX(r->aside->begun_ns, r->begun_ns);
	if (done)
		kv_stats_load(&r->aside->load, begin, &r->end, done * operations_of(r->work));
}

/**
 * kv_runs_measure() - start the runs of a block, and wait for their end
 * @site: the initiator's if there are no pairs
 * @p: the pairs of the work, or NULL for KV_KIND_NULL
 * @work: the operation and its size
 * @amount: how many samples to take, or for how long
 * @watch: the callback for progress, or NULL
 * @result: receives the results of all runs, as if they were one
 * @aside: receives further figures, added to those that it has; or NULL
 * @f: receives the reason of a failure
 *
 * Return: 0 or a negative errno.
 */
int kv_runs_measure(const struct kv_site *site, const struct kv_pair *p,
		    const struct kv_workload *work, const struct kv_amount *amount,
		    const struct kv_watch *watch, struct kv_run_result *result,
		    struct kv_aside *aside, struct kv_fault *f)
{
	const struct kv_workload part = kv_workload_of_host(work);
	struct runs r = {
		.site = site,
		.p = p,
		.work = work,
		.amount = amount,
		.part = part,
		.each = kv_workload_pairs(&part),
		.aside = aside,
	};
	struct kv_cpu_time begin;
	int ret;

	if (aside)
		kv_cpu_time_read(&begin);
	ret = start_all(&r, work->both_ways ? kv_spec_fill_back :
			     kv_workload_served(work) ? kv_spec_fill_server : NULL, f);
	if (ret)
		return ret;
	ret = work->both_ways ? measure_both_ways(&r, watch, result, f) :
				measure_one_way(&r, watch, result, f);
	for (uint32_t i = 0; i < r.initiators; i++)
		kv_running_delete(&r.initiator[i]);
	if (aside)
		tell_aside(&r, &begin, result);
	return ret;
}
