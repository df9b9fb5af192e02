// SPDX-License-Identifier: MIT
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>
#include "measure/knee_rates.h"
#include "measure/knee_sizes.h"
#include "measure/sweep.h"
#include "measure/result.h"
#include "out/out.h"
#include "out/table.h"
#include "out/unit.h"
#include "sys/memory.h"

#define ATOMIC_SIZE 8

static unsigned int count_sizes(const struct kv_sweep *m, uint32_t op)
{
	return kv_op_among(op, KV_OPS_8_BYTES) ? 1 : m->sizes.n;
}

static const struct kv_site *server_site(const struct kv_sweep *m, enum kv_space_id id,
					 uint32_t host)
{
	return m->host ? &m->peer[host][id] : &m->site[id];
}

/**
 * kv_sweep_has_one_thread() - can one thread drive both ends of every connection?
 * @m: the sweep; its contrast and its host are set
 *
 * Return: true if both ends of each series are in one space of one host.
 */
bool kv_sweep_has_one_thread(const struct kv_sweep *m)
{
	for (unsigned int s = 0; s < m->contrast->n; s++) {
		if (m->contrast->series[s].client != m->contrast->series[s].server)
			return false;
	}
	return !m->host;
}

/* All series are measured with the same kind of loop, so that they can be compared. */
static enum kv_kind choose_kind(const struct kv_sweep *m, uint32_t op)
{
	enum kv_kind kind = m->has_kind ? m->kind : kv_workload_default_kind(op);

	return kind == KV_KIND_ONE_THREAD && !kv_sweep_has_one_thread(m) ? KV_KIND_PINGPONG : kind;
}

static unsigned int count_qps(const struct kv_sweep *m)
{
	return m->qps.n ? m->qps.n : 1;
}

static void set_work(struct kv_sweep *m, unsigned int op, unsigned int qps, unsigned int size)
{
	uint32_t what = m->ops.value[op];

	if (m->qps.n)
		m->work.qps = m->qps.value[qps];
	kv_workload_set(&m->work, choose_kind(m, what), what,
		    kv_op_among(what, KV_OPS_8_BYTES) ? ATOMIC_SIZE :
					      m->sizes.value[size]);
	if (m->depth_max)
		m->work.depth = kv_workload_fit_depth(&m->work, m->depth_max);
}

static int check_work(const struct kv_sweep *m, struct kv_fault *f)
{
	int ret = 0;

	for (unsigned int i = 0; i < KV_SPACES && !ret; i++) {
		if (!(m->spaces & 1U << i))
			continue;

		ret = kv_workload_check_site(&m->work, &m->site[i], f) ?:
		      kv_workload_check_initiator(&m->work, &m->site[i], f);
		for (uint32_t host = 0; !ret && m->host && host < m->work.hosts; host++) {
			ret = kv_workload_check_site(&m->work, server_site(m, i, host), f);
			if (ret && m->work.hosts > 1)
				kv_workload_blame(&m->work, server_site(m, i, host)->host, f);
		}
	}
	return ret;
}

static void leave_out(struct kv_sweep *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void leave_out(struct kv_sweep *m, const char *fmt, ...)
{
	size_t n = strlen(m->left_out);
	va_list args;

	va_start(args, fmt);
	vsnprintf(m->left_out + n, sizeof(m->left_out) - n, fmt, args);
	va_end(args);
}

static uint64_t largest_of(const struct kv_sweep *m, const struct kv_site *s)
{
	uint64_t most = MIN(s->port->max_msg_bytes, s->dev.max_mr_bytes);

	return m->work.type == KVERBS_QPT_UD ? MIN(most, s->port->active_mtu) : most;
}

/* The largest message that all ends can send and receive; a message over UD is one packet. */
static uint64_t largest_message(const struct kv_sweep *m)
{
	uint64_t most = UINT32_MAX;

	for (unsigned int i = 0; i < KV_SPACES; i++) {
		if (!(m->spaces & 1U << i))
			continue;
		most = MIN(most, largest_of(m, &m->site[i]));
		for (uint32_t host = 0; host < m->work.hosts; host++)
			most = MIN(most, largest_of(m, server_site(m, i, host)));
	}
	return most;
}

/*
 * 1, 2, 4 and so on. A connection has four buffers, and those of all are to fit into a quarter of
 * the memory that is free.
 */
static void list_all_sizes(struct kv_sweep *m)
{
	uint64_t fits = kv_memory_available() / 16 / (kv_workload_pairs(&m->work) * m->contrast->n);
	uint64_t device = largest_message(m), most = MIN(device, MAX(fits, 1));

	for (uint64_t size = 1; size <= most; size *= 2)
		m->sizes.value[m->sizes.n++] = (uint32_t)size;
	if (most == device && m->sizes.n < KV_PARSE_LIST_MAX &&
	    m->sizes.value[m->sizes.n - 1] < device)
		m->sizes.value[m->sizes.n++] = (uint32_t)device;
	if (most < device)
		leave_out(m, "Sizes above %s bytes, up to the device's maximum of %s, are left out: the buffers of all connections would take more than a quarter of this host's memory. ",
			  KV_COUNT(m->sizes.value[m->sizes.n - 1]), KV_COUNT(device));
}

/*
 * Both ends of a connection are on one device, unless there is a host: one, because a sweep of QPs
 * has no further ones.
 */
static uint32_t qps_of_devices(const struct kv_sweep *m)
{
	uint32_t most = UINT32_MAX;

	for (unsigned int i = 0; i < KV_SPACES; i++) {
		if (m->spaces & 1U << i)
			most = MIN(most,
				   m->host ? MIN(m->site[i].dev.max_qp, m->peer[0][i].dev.max_qp) :
					     m->site[i].dev.max_qp / 2);
	}
	/* The series of a round are connected at the same time. */
	return most / m->contrast->n;
}

static void cut_qps(struct kv_sweep *m)
{
	uint32_t most = m->host ? KV_HOST_PAIRS_MAX : KV_RUN_ENDS_MAX;
	uint32_t run = most / m->work.threads, devices = qps_of_devices(m) / m->work.threads;
	uint32_t first = 0, last = 0;

	for (unsigned int i = 0; i < m->qps.n; i++) {
		if (m->qps.value[i] <= MIN(run, devices))
			continue;
		if (!first)
			first = m->qps.value[i];
		last = m->qps.value[i];
		memmove(&m->qps.value[i], &m->qps.value[i + 1],
			(m->qps.n - i - 1) * sizeof(m->qps.value[0]));
		m->qps.n--;
		i--;
	}
	if (first && first == last)
		leave_out(m, "%u QPs are left out: ", first);
	else if (first)
		leave_out(m, "%u to %u QPs are left out: ", first, last);
	if (first && devices < run)
		leave_out(m, "the devices have room for %u connections of each series. ", devices * m->work.threads);
	else if (first)
		leave_out(m, "a run has %u connections at most%s. ", most, m->host ? " to another host" : "");
}

/**
 * kv_sweep_settle() - complete the lists of sizes and QPs with what the devices take
 * @m: the sweep, its sites are open; receives what is left out
 *
 * Return: 0; or -ENOSPC if no number of QPs is left.
 */
int kv_sweep_settle(struct kv_sweep *m)
{
	bool several = m->qps.n;

	cut_qps(m);
	if (several && !m->qps.n)
		return kv_fault_set(&m->fault, -ENOSPC, "--qps: %s", m->left_out);
	if (several)
		m->work.qps = m->qps.value[m->qps.n - 1];
	if (m->sizes.all)
		list_all_sizes(m);
	return 0;
}

/**
 * kv_sweep_check() - find a size that the device can't do, before minutes are
 *	spent on other sizes
 * @m: the sweep; its fault names the size
 *
 * An operation that the device lacks does not prevent the other operations: the row
 * of that operation in the result has the reason.
 *
 * Return: 0 or -EINVAL.
 */
int kv_sweep_check(struct kv_sweep *m)
{
	for (unsigned int i = 0; i < m->ops.n; i++) {
		for (unsigned int k = 0; k < count_sizes(m, m->ops.value[i]); k++) {
			struct kv_fault fault;
			int ret;

			set_work(m, i, count_qps(m) - 1, k);
			ret = check_work(m, &fault);
			if (ret && ret != -EOPNOTSUPP) {
				m->fault = fault;
				return ret;
			}
		}
	}
	return 0;
}

static struct json_object *describe_series(const struct kv_contrast *c)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int s = 0; s < c->n; s++) {
		struct json_object *series = json_object_new_object();

		kv_out_put_string(series, "name", c->series[s].name);
		kv_out_put_string(series, "client_space",
				  kv_enum_name(kv_enum_space, c->series[s].client));
		kv_out_put_string(series, "server_space",
				  kv_enum_name(kv_enum_space, c->series[s].server));
		if (kv_contrast_has_contexts(c))
			kv_out_put_string(series, "completion_context",
					  kv_enum_name(kv_enum_cq_context,
						       c->series[s].completion));
		json_object_array_add(list, series);
	}
	return list;
}

/**
 * kv_sweep_spec() - describe the request
 * @m: the sweep
 *
 * Return: an object, owned by the caller.
 */
struct json_object *kv_sweep_spec(const struct kv_sweep *m)
{
	struct json_object *spec = json_object_new_object();
	struct json_object *ops = json_object_new_array();
	struct json_object *sizes = json_object_new_array();

	for (unsigned int i = 0; i < m->ops.n; i++)
		json_object_array_add(ops, json_object_new_string(kv_enum_name(
						   kv_enum_op, m->ops.value[i])));
	for (unsigned int i = 0; i < m->sizes.n; i++)
		json_object_array_add(sizes, json_object_new_uint64(m->sizes.value[i]));
	kv_out_put(spec, "ops", ops);
	kv_out_put(spec, "sizes_bytes", sizes);
	if (*m->left_out)
		kv_out_put_string(spec, "left_out", m->left_out);
	kv_out_put_count(spec, "time_ns", m->plan.time_ns);
	kv_out_put_count(spec, "rounds", m->plan.rounds);
	kv_out_put_count(spec, "blocks_per_round", KV_CONTRAST_BLOCKS);
	kv_out_put_count(spec, "seed", m->plan.seed);
	kv_out_put_string(spec, "contrast", m->contrast->name);
	kv_out_put(spec, "series", describe_series(m->contrast));
	kv_out_put_string(spec, "interval", "Wilcoxon's signed ranks over rounds of fresh connections");
	kv_result_put_limits(spec, &m->work);
	kv_out_put_bool(spec, "verify", m->plan.verify);
	return spec;
}

static int measure_null(struct kv_sweep *m, struct json_object *doc)
{
	struct json_object *null = json_object_new_object();
	struct kv_workload work = m->work;
	int ret = 0;

	kv_workload_set(&work, KV_KIND_NULL, 0, 0);
	for (unsigned int s = 0; s < KV_SPACES && !ret; s++) {
		struct kv_series *series = &m->point.series[s];

		if (!(m->spaces & 1U << s))
			continue;

		ret = kv_series_measure_null(series, work.reversed ? &m->peer[0][s] : &m->site[s],
					     &work, &m->fault);
		if (!ret)
			kv_out_put(null, kv_enum_name(kv_enum_space, s),
				   kv_result_series(&work, s, series));
	}
	kv_out_put(doc, "null_loop", null);
	if (ret)
		kv_fault_print(&m->fault);
	return ret;
}

/* A row with the reason why it has no figures. */
static struct json_object *describe_refused(const struct kv_sweep *m, const struct kv_fault *f)
{
	struct json_object *row = kv_result_work(&m->work);

	kv_out_put_string(row, "verdict", "not supported");
	kv_out_put_fault(row, f);
	return row;
}

static struct json_object *describe_point(const struct kv_sweep *m, int ret,
					 const struct kv_fault *f)
{
	struct json_object *row = kv_result_point(&m->point);

	if (ret && ret != -ECANCELED)
		kv_out_put_string(row, "verdict", "failed");
	if (ret)
		kv_out_put_fault(row, f);
	return row;
}

static double find_capacity(const struct kv_point *p)
{
	double least = INFINITY;

	for (unsigned int s = 0; s < p->contrast->n; s++) {
		const struct kv_series *series = &p->series[s];

		least = fmin(least, 1e9 * (double)kv_series_requests(series, &p->work) /
					    (double)series->elapsed_ns);
	}
	return least / p->work.threads;
}

static int measure_point(struct kv_sweep *m, struct json_object *points)
{
	struct kv_point *point = &m->point;
	struct kv_ends ends[KV_SERIES_MAX];
	struct kv_fault fault;
	int ret;

	if (check_work(m, &fault)) {
		json_object_array_add(points, describe_refused(m, &fault));
		if (!m->fault.error)
			m->fault = fault;
		return 0;
	}
	m->tried++;
	for (unsigned int s = 0; s < m->contrast->n; s++) {
		ends[s].here = &m->site[m->contrast->series[s].client];
		for (uint32_t host = 0; host < m->work.hosts; host++)
			ends[s].there[host] = server_site(m, m->contrast->series[s].server, host);
	}
	ret = kv_point_measure(point, m->contrast, ends, &m->work, &m->plan, &m->progress, &fault);
	m->measured += point->rounds > 0;
	if (point->rounds && !m->work.rate)
		m->capacity = find_capacity(point);
	if (point->rounds || (ret && ret != -ECANCELED))
		json_object_array_add(points, describe_point(m, ret, &fault));
	kv_point_free(point);
	if (!ret)
		return 0;
	kv_progress_erase(&m->progress);
	kv_fault_print(&fault);
	if (!m->failed++)
		m->fault = fault;
	return ret;
}

static void show_step(struct kv_sweep *m)
{
	char label[80], size[24], qps[20] = "", rate[24] = "";

	kv_size_format(size, sizeof(size), m->work.size);
	if (m->qps.n)
		snprintf(qps, sizeof(qps), " %u QPs", m->work.qps);
	if (m->work.rate)
		snprintf(rate, sizeof(rate), " at %u/s", m->work.rate);
	snprintf(label, sizeof(label), "%s %s%s%s", kv_enum_name(kv_enum_op, m->work.op), size, qps, rate);
	kv_progress_step(&m->progress, label);
}

static int measure_step(struct kv_sweep *m, struct json_object *points)
{
	int ret;

	show_step(m);
	ret = measure_point(m, points);
	kv_progress_finish_step(&m->progress);
	m->over = ret == -ECANCELED || ret == -ENODEV;
	return ret;
}

/* Has a rate of the sweep to be known before others? */
static bool has_shares(const struct kv_sweep *m)
{
	for (unsigned int i = 0; i < m->rates.n; i++)
		if (m->rates.value[i] & KV_PARSE_PERCENT)
			return true;
	return false;
}

/* How many points an operation has at one size. */
static unsigned int count_rates(const struct kv_sweep *m)
{
	return m->rates.n ? m->rates.n + has_shares(m) : 1;
}

/* The rate of a thread, as a loop can have it: an interval is a second at most. */
static uint32_t find_rate(const struct kv_sweep *m, uint32_t rate)
{
	if (rate & KV_PARSE_PERCENT)
		rate = (uint32_t)MIN(m->capacity * (rate & ~KV_PARSE_PERCENT) / 100,
				     KV_PARSE_RATE_MAX);
	return MAX(rate, m->work.signal);
}

/*
 * One operation at one size and number of QPs: without a rate, or at all rates. The shares among
 * these are of what is reached without.
 */
static int measure_rates(struct kv_sweep *m, struct json_object *points)
{
	int ret, first = 0;

	m->capacity = 0;
	m->work.rate = 0;
	if (!m->rates.n || has_shares(m))
		first = measure_step(m, points);
	for (unsigned int i = 0; i < m->rates.n && !m->over; i++) {
		if (m->rates.value[i] & KV_PARSE_PERCENT && !m->capacity)
			continue;
		m->work.rate = find_rate(m, m->rates.value[i]);
		ret = measure_step(m, points);
		first = first ? first : ret;
	}
	return first;
}

static int measure_sizes(struct kv_sweep *m, unsigned int op, unsigned int qps,
			 struct json_object *points)
{
	int first = 0;

	for (unsigned int k = 0; k < count_sizes(m, m->ops.value[op]) && !m->over; k++) {
		int ret;

		set_work(m, op, qps, k);
		ret = measure_rates(m, points);
		first = first ? first : ret;
	}
	return first;
}

/* A failed point does not end the sweep, unless a signal came or the device is gone. */
static int measure_points(struct kv_sweep *m, struct json_object *points)
{
	unsigned int steps = 0;
	int first = 0;

	for (unsigned int i = 0; i < m->ops.n; i++)
		steps += count_sizes(m, m->ops.value[i]) * count_qps(m) * count_rates(m);
	kv_progress_start(&m->progress, steps);
	for (unsigned int i = 0; i < m->ops.n && !m->over; i++) {
		for (unsigned int q = 0; q < count_qps(m) && !m->over; q++) {
			int ret = measure_sizes(m, i, q, points);

			first = first ? first : ret;
		}
	}
	kv_progress_erase(&m->progress);
	return first;
}

/**
 * kv_sweep_measure() - measure all points
 * @m: the sweep; receives the number of points tried and measured, and the first fault
 * @doc: receives "null_loop", "points" and "counters"
 *
 * Faults are printed on stderr as they come.
 *
 * Return: 0; -ECANCELED if a signal asks the tool to end; or another negative
 * errno, that of the first point that failed.
 */
int kv_sweep_measure(struct kv_sweep *m, struct json_object *doc)
{
	enum kv_space_id first = m->contrast->series[0].client;
	struct json_object *points = json_object_new_array(), *knees = NULL;
	int ret;

	kv_out_put(doc, "points", points);
	ret = measure_null(m, doc);
	if (ret)
		return ret;
	kv_retries_start(&m->retries, &m->site[first], server_site(m, first, 0));
	for (uint32_t host = 1; host < m->work.hosts; host++)
		kv_retries_add(&m->retries, server_site(m, first, host));
	ret = measure_points(m, points);
	kv_retries_stop(&m->retries);
	kv_out_put(doc, "counters", kv_retries_describe(&m->retries));
	if (m->rates.n)
		kv_knee_rates_mark(doc);
	else
		knees = kv_knee_sizes_describe(points, kv_out_get(doc, "/spec/series"));
	if (knees)
		kv_out_put(doc, "knees", knees);
	return ret;
}
