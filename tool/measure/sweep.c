// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include "measure/sweep.h"
#include "measure/result.h"
#include "out/out.h"
#include "out/table.h"

#define ATOMIC_SIZE 8

static unsigned int count_sizes(const struct kv_sweep *m, uint32_t op)
{
	return kv_op_is_atomic(op) ? 1 : m->sizes.n;
}

static const struct kv_site *server_site(const struct kv_sweep *m, enum kv_space_id id)
{
	return m->host ? &m->peer[id] : &m->site[id];
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

static void set_work(struct kv_sweep *m, unsigned int op, unsigned int size)
{
	uint32_t what = m->ops.value[op];

	kv_workload_set(&m->work, choose_kind(m, what), what,
		    kv_op_is_atomic(what) ? ATOMIC_SIZE :
					      m->sizes.value[size]);
}

static int check_work(const struct kv_sweep *m, struct kv_fault *f)
{
	int ret = 0;

	for (unsigned int i = 0; i < KV_SPACES && !ret; i++) {
		const struct kv_site *server = server_site(m, i);

		if (!(m->spaces & 1U << i))
			continue;

		ret = kv_workload_check_site(&m->work, &m->site[i], f);
		if (!ret && server != &m->site[i])
			ret = kv_workload_check_site(&m->work, server, f);
	}
	return ret;
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

			set_work(m, i, k);
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
					  kv_enum_name(kv_enum_cq_context, c->series[s].completion));
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
	kv_out_put_count(spec, "time_ns", m->plan.time_ns);
	kv_out_put_count(spec, "rounds", m->plan.rounds);
	kv_out_put_count(spec, "blocks_per_round", KV_CONTRAST_BLOCKS);
	kv_out_put_count(spec, "seed", m->plan.seed);
	kv_out_put_string(spec, "design", m->contrast->name);
	kv_out_put(spec, "sides", describe_series(m->contrast));
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

		ret = kv_series_measure_null(series, &m->site[s], &work, &m->fault);
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

	kv_out_put_string(row, "verdict", "the device can't do this");
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

static int measure_point(struct kv_sweep *m, struct json_object *cells)
{
	struct kv_point *point = &m->point;
	struct kv_ends ends[KV_SERIES_MAX];
	struct kv_fault fault;
	int ret;

	if (check_work(m, &fault)) {
		json_object_array_add(cells, describe_refused(m, &fault));
		if (!m->fault.error)
			m->fault = fault;
		return 0;
	}
	m->tried++;
	for (unsigned int s = 0; s < m->contrast->n; s++) {
		ends[s].client = &m->site[m->contrast->series[s].client];
		ends[s].server = server_site(m, m->contrast->series[s].server);
	}
	ret = kv_point_measure(point, m->contrast, ends, &m->work, &m->plan, &m->progress, &fault);
	m->measured += point->rounds > 0;
	if (point->rounds || (ret && ret != -ECANCELED))
		json_object_array_add(cells, describe_point(m, ret, &fault));
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
	char label[48], size[24];

	kv_size_format(size, sizeof(size), m->work.size);
	snprintf(label, sizeof(label), "%s %s", kv_enum_name(kv_enum_op, m->work.op), size);
	kv_progress_step(&m->progress, label);
}

/* A failed point does not end the sweep, unless a signal came or the device is gone. */
static int measure_points(struct kv_sweep *m, struct json_object *cells)
{
	unsigned int steps = 0;
	int first = 0;

	for (unsigned int i = 0; i < m->ops.n; i++)
		steps += count_sizes(m, m->ops.value[i]);
	kv_progress_start(&m->progress, steps);
	for (unsigned int i = 0; i < m->ops.n; i++) {
		for (unsigned int k = 0; k < count_sizes(m, m->ops.value[i]); k++) {
			int ret;

			set_work(m, i, k);
			show_step(m);
			ret = measure_point(m, cells);
			kv_progress_finish_step(&m->progress);
			first = first ? first : ret;
			if (ret == -ECANCELED || ret == -ENODEV)
				goto out_erase;
		}
	}
out_erase:
	kv_progress_erase(&m->progress);
	return first;
}

/**
 * kv_sweep_measure() - measure all points
 * @m: the sweep; receives the number of points tried and measured, and the first fault
 * @doc: receives "null_loop", "cells" and "counters"
 *
 * Faults are printed on stderr as they come.
 *
 * Return: 0; -ECANCELED if a signal asks the tool to end; or another negative
 * errno, that of the first point that failed.
 */
int kv_sweep_measure(struct kv_sweep *m, struct json_object *doc)
{
	enum kv_space_id first = m->contrast->series[0].client;
	struct json_object *cells = json_object_new_array();
	int ret;

	kv_out_put(doc, "cells", cells);
	ret = measure_null(m, doc);
	if (ret)
		return ret;
	kv_retries_start(&m->retries, &m->site[first], server_site(m, first));
	ret = measure_points(m, cells);
	kv_retries_stop(&m->retries);
	kv_out_put(doc, "counters", kv_retries_describe(&m->retries));
	return ret;
}
