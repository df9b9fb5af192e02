// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <json-c/printbuf.h>
#include <sys/param.h>
#include "measure/hosts.h"
#include "measure/result.h"
#include "out/out.h"
#include "out/table.h"
#include "out/unit.h"
#include "sys/clock.h"

static const struct {
	const char *key;
	double q;
} quantiles[] = {
	{ "p50_ns", 0.5 },
	{ "p90_ns", 0.9 },
	{ "p99_ns", 0.99 },
	{ "p99_9_ns", 0.999 },
};

/* The factor from a sample's ticks to a printed figure's nanoseconds. */
static double scale(const struct kv_workload *w)
{
	return kv_clock_ns_per_tick() / kv_workload_kinds[w->kind].divisor;
}

/**
 * kv_result_create() - begin a document
 * @schema: its kind
 * @spec: the request; the document owns it from now on
 * @environment: the environment; likewise
 *
 * Return: the document, owned by the caller. "complete" is false
 * until the caller has completed it.
 */
struct json_object *kv_result_create(const struct kv_schema *schema, struct json_object *spec,
				     struct json_object *environment)
{
	struct json_object *doc = kv_out_document(schema);

	kv_out_put_bool(doc, "complete", false);
	kv_out_put(doc, "spec", spec);
	kv_out_put(doc, "environment", environment);
	return doc;
}

/**
 * kv_result_work() - describe the work that was measured
 *
 * Return: an object, owned by the caller, to which results are added.
 */
struct json_object *kv_result_work(const struct kv_workload *w)
{
	struct json_object *obj = json_object_new_object();

	if (w->kind != KV_KIND_NULL) {
		kv_out_put_string(obj, "op", kv_enum_name(kv_enum_op, w->op));
		kv_out_put_count(obj, "size_bytes", w->size);
		kv_out_put_string(obj, "qp_type", kv_enum_name(kv_enum_bw_type, w->type));
		kv_out_put_string(obj, "connect", kv_enum_name(kv_enum_connect, w->connect));
	}
	if (w->kind != KV_KIND_NULL && kv_workload_flags(w)) {
		kv_out_put_bool(obj, "inline", kv_workload_flags(w) & KVERBS_WR_INLINE);
		kv_out_put_bool(obj, "fence", w->fence);
		kv_out_put_bool(obj, "solicited", w->solicited);
	}
	if (w->kind != KV_KIND_NULL && w->sges > 1)
		kv_out_put_count(obj, "sges", w->sges);
	if (w->kind != KV_KIND_NULL && w->recv_sges > 1)
		kv_out_put_count(obj, "recv_sges", w->recv_sges);
	kv_out_put_string(obj, "loop", kv_enum_name(kv_enum_kind, w->kind));
	if (w->kind == KV_KIND_STREAM) {
		kv_out_put_count(obj, "threads", w->threads);
		kv_out_put_count(obj, "qps", w->qps);
		kv_out_put_bool(obj, "both_ways", w->both_ways);
		kv_out_put_bool(obj, "reversed", w->reversed);
		kv_out_put_count(obj, "depth", w->depth);
		if (kv_workload_served(w))
			kv_out_put_count(obj, "rx_depth", kv_workload_rx_depth(w));
		if (w->credits)
			kv_out_put_bool(obj, "credits", true);
		kv_out_put_count(obj, "list", w->list);
		kv_out_put_count(obj, "signal", w->signal);
		if (w->rate)
			kv_out_put(obj, "offered_per_second", kv_out_real(kv_workload_offered(w), 1));
	}
	kv_out_put_string(obj, "estimand", kv_workload_kind(w)->estimand);
	kv_out_put_string(obj, "sample", kv_workload_kind(w)->sample);
	kv_out_put_count(obj, "sample_divisor", kv_workload_kinds[w->kind].divisor);
	return obj;
}

static const char *completion(const struct kv_workload *w, bool kernel)
{
	static const char *const text[] = {
		[KVERBS_CQ_POLLED] = "polled by the run's thread",
		[KVERBS_CQ_EVENT] = "polled by the run's thread, which the CQ's completion handler wakes",
		[KVERBS_CQ_SOFTIRQ] = "handled in a softirq",
		[KVERBS_CQ_WORKQUEUE] = "handled in a workqueue",
		[KVERBS_CQ_UNBOUND_WORKQUEUE] = "handled in an unbound workqueue",
	};

	if (!kernel && w->completion == KVERBS_CQ_EVENT)
		return "polled by the run's thread, which a completion channel wakes";
	return text[w->completion];
}

/* @spec: spec of a run of the series, with the values in effect */
static void put_contexts(struct json_object *obj, const struct kv_workload *w,
			 enum kv_space_id space, const struct kv_run_spec *spec)
{
	bool kernel = space == KV_SPACE_KERNEL;

	char moderated[64] = "", text[192];

	if (w->kind != KV_KIND_NULL) {
		if (kv_cq_moderates(&w->moderation))
			snprintf(moderated, sizeof(moderated), ", an event for %u completions or after %u us",
				 w->moderation.count, w->moderation.period);
		snprintf(text, sizeof(text), "%s%s", completion(w, kernel), moderated);
		if (spec->loop != KVERBS_LOOP_NULL)
			kv_out_put_string(obj, "post", kv_enum_name(kv_enum_post, spec->post_context));
		kv_out_put_string(obj, "completion", text);
		kv_out_put_string(obj, "completion_context", kv_enum_name(kv_enum_cq_context, w->completion));
		kv_out_put_count(obj, "comp_vector", w->comp_vector);
		if (kv_cq_moderates(&w->moderation)) {
			kv_out_put_count(obj, "moderation_count", w->moderation.count);
			kv_out_put_count(obj, "moderation_period_us", w->moderation.period);
		}
		if (!kernel)
			kv_out_put_string(obj, "api", kv_enum_name(kv_enum_api, w->api));
		kv_out_put_string(obj, "lkey", kernel ? kv_enum_name(kv_enum_lkey, w->lkey) : "mr");
	}
	/* Reversed, the initiator is such a thread. */
	kv_out_put(obj, "cpu", w->cpu[0] < 0 ? NULL : json_object_new_int(w->cpu[0]));
	/* A thread on another host is bound only if --cpus names its CPU. */
	if (w->kind == KV_KIND_PINGPONG && w->cpu[1] >= 0)
		kv_out_put_count(obj, "responder_cpu", (uint64_t)w->cpu[1]);
	if (spec->loop != KVERBS_LOOP_NULL && w->completion == KVERBS_CQ_POLLED)
		kv_out_put_count(obj, "spins", (uint64_t)spec->spins);
}

static void put_figures(struct json_object *obj, const struct kv_hist *h,
			uint64_t samples, double f)
{
	kv_out_put_ns(obj, "min_ns", samples ? (double)kv_hist_min(h) * f : NAN);
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
		bool ok = kv_stats_supports(samples, quantiles[i].q);

		kv_out_put_ns(obj, quantiles[i].key,
		       ok ? kv_stats_quantile(h, quantiles[i].q) * f : NAN);
	}
	kv_out_put_ns(obj, "max_ns", samples ? (double)kv_hist_max(h) * f : NAN);
	kv_out_put_ns(obj, "mean_ns", kv_stats_mean(h) * f);
	kv_out_put_ns(obj, "stddev_ns", kv_stats_stddev(h) * f);
}

static unsigned long long get(struct json_object *bin, size_t i)
{
	return json_object_get_uint64(json_object_array_get_idx(bin, i));
}

/* There are thousands of bins: each takes one line, in an indented document too. */
static int write_bin(struct json_object *bin, struct printbuf *pb, int level, int flags)
{
	return sprintbuf(pb, "[%llu, %llu, %llu]", get(bin, 0), get(bin, 1), get(bin, 2));
}

static void put_hist(struct json_object *obj, const struct kv_hist *h, uint64_t samples)
{
	struct json_object *bins = json_object_new_array();
	unsigned int mode = kv_stats_mode(h);

	if (samples) {
		kv_out_put_count(obj, "min_ticks", kv_hist_min(h));
		kv_out_put_count(obj, "max_ticks", kv_hist_max(h));
		kv_out_put_count(obj, "mode_min_ticks", kv_hist_bin_min(h, mode));
		kv_out_put_count(obj, "mode_max_ticks", kv_hist_bin_max(h, mode));
		kv_out_put_count(obj, "mode_samples", h->bin[mode].count);
	}
	kv_out_put_count(obj, "sum_ticks", h->sum);
	/* A bin's smallest and largest sample and its sample count, as in struct kverbs_bin. */
	for (unsigned int i = 0; i < KV_HIST_BINS; i++) {
		struct json_object *bin;

		if (!h->bin[i].count)
			continue;
		bin = json_object_new_array_ext(3);
		json_object_array_add(bin, json_object_new_uint64(kv_hist_bin_min(h, i)));
		json_object_array_add(bin, json_object_new_uint64(kv_hist_bin_max(h, i)));
		json_object_array_add(bin, json_object_new_uint64(h->bin[i].count));
		json_object_set_serializer(bin, write_bin, NULL, NULL);
		json_object_array_add(bins, bin);
	}
	kv_out_put(obj, "histogram", bins);
}

static int write_step(struct json_object *pair, struct printbuf *pb, int level, int flags)
{
	return sprintbuf(pb, "[%.1f, %.6f]",
			 json_object_get_double(json_object_array_get_idx(pair, 0)),
			 json_object_get_double(json_object_array_get_idx(pair, 1)));
}

/* For plots. */
static void put_cumulative(struct json_object *obj, const struct kv_hist *h, uint64_t samples,
			   double f)
{
	struct json_object *steps = json_object_new_array();
	struct kv_step step = { 0 };

	while (kv_stats_step(h, samples, &step)) {
		struct json_object *pair = json_object_new_array_ext(2);

		json_object_array_add(pair, json_object_new_double((double)step.ticks * f));
		json_object_array_add(pair, json_object_new_double((double)step.samples /
								   (double)samples));
		json_object_set_serializer(pair, write_step, NULL, NULL);
		json_object_array_add(steps, pair);
	}
	kv_out_put(obj, "cumulative", steps);
}

/**
 * kv_result_hist() - describe samples
 * @obj: gets the figures and the histogram
 * @ns_per_tick: nanoseconds per tick of the samples
 */
void kv_result_hist(struct json_object *obj, const struct kv_hist *h, double ns_per_tick)
{
	uint64_t samples = kv_stats_count(h);

	put_figures(obj, h, samples, ns_per_tick);
	put_hist(obj, h, samples);
	put_cumulative(obj, h, samples, ns_per_tick);
}

static void put_verbs(struct json_object *obj, const struct kv_series *series)
{
	struct json_object *verbs = json_object_new_object(), *stages = json_object_new_object();

	for (unsigned int v = 0; v < KV_VERBS; v++) {
		/* A verb that was not called took no time. */
		if (series->verb[v].verb_ns)
			kv_out_put_count(verbs, kv_verb_name(v), series->verb[v].verb_ns);
		kv_out_put_stages(stages, kv_verb_name(v), series->verb[v].stage_ns);
	}
	kv_out_put(obj, "verbs_ns", verbs);
	kv_out_put(obj, "stages_ns", stages);
}

/**
 * kv_result_put_limits() - describe the limits and timeouts of a connection
 * @spec: the object that they are added to
 */
void kv_result_put_limits(struct json_object *spec, const struct kv_workload *w)
{
	kv_out_put_count(spec, "timeout_ns", w->timeout_ns);
	if (w->mtu)
		kv_out_put_count(spec, "mtu_bytes", w->mtu);
	kv_out_put_count(spec, "ack_timeout", w->ack_timeout);
	kv_out_put_count(spec, "retry_cnt", w->retry_cnt);
}

static void put_threads(struct json_object *obj, const struct kv_workload *w,
			const struct kv_series *series)
{
	struct json_object *requests = json_object_new_array(), *cpus = json_object_new_array();
	uint64_t least = UINT64_MAX, most = 0;

	/*
	 * Both ways: those of the initiator, and then those of the responder, whose CPUs are not
	 * listed.
	 */
	for (uint32_t i = 0; i < w->threads << w->both_ways; i++) {
		json_object_array_add(requests,
				      json_object_new_uint64(series->worker[i] * w->signal));
		if (i < w->threads && w->cpu[i] >= 0)
			json_object_array_add(cpus, json_object_new_int(w->cpu[i]));
		least = MIN(least, series->worker[i]);
		most = MAX(most, series->worker[i]);
	}
	kv_out_put(obj, "thread_cpus", cpus);
	kv_out_put(obj, "thread_requests", requests);
	kv_out_put(obj, "fairness", kv_out_real((double)least / (double)most, 4));
}

static void put_stream(struct json_object *obj, const struct kv_workload *w,
		       const struct kv_series *series)
{
	uint64_t requests = kv_series_requests(series, w);
	double rate = 1e9 * (double)requests / (double)series->elapsed_ns;

	kv_out_put_count(obj, "requests", requests);
	if (kv_workload_served(w))
		kv_out_put_count(obj, "lost_requests", series->lost);
	if (w->rate)
		kv_out_put(obj, "offered_per_second", kv_out_real(kv_workload_offered(w), 1));
	if (!requests)
		return;
	kv_out_put(obj, "requests_per_second", kv_out_real(rate, 1));
	kv_out_put(obj, "bytes_per_second", kv_out_real(rate * w->size, 1));
	kv_out_put_ns(obj, "request_ns", 1e9 / rate);
	put_threads(obj, w, series);
	if (w->hosts > 1)
		kv_hosts_put_shares(obj, w, series);
	if (series->aside.begun_ns)
		kv_out_put_count(obj, "host_begin_ns", series->aside.begun_ns);
	if (series->most)
		kv_out_put(obj, "qp_fairness", kv_out_real((double)series->least / (double)series->most, 4));
}

/**
 * kv_result_series() - describe the samples of one space
 *
 * Return: an object, owned by the caller.
 */
struct json_object *kv_result_series(const struct kv_workload *w, enum kv_space_id space,
				   const struct kv_series *series)
{
	struct json_object *obj = json_object_new_object();

	kv_out_put_string(obj, "space", kv_enum_name(kv_enum_space, space));
	put_contexts(obj, w, space, &series->spec);
	kv_out_put_count(obj, "samples", series->samples);
	kv_out_put_count(obj, "warmup_discarded", series->warmup);
	kv_out_put_count(obj, "yields", series->yields);
	kv_out_put_count(obj, "elapsed_ns", series->elapsed_ns);
	if (series->elapsed_ns)
		kv_out_put(obj, "samples_per_second",
			   kv_out_real(1e9 * (double)series->samples / (double)series->elapsed_ns,
				       1));
	if (w->kind == KV_KIND_STREAM)
		put_stream(obj, w, series);
	kv_result_hist(obj, &series->hist, scale(w));
	if (w->kind == KV_KIND_NULL)
		return obj;
	kv_out_put_ns(obj, "cpu_ns", kv_stats_cpu(&series->aside.load));
	put_verbs(obj, series);
	return obj;
}

/* Lists medians. @factor: nanoseconds of a unit. Returns an array, owned by the caller. */
struct json_object *kv_result_medians(const double *median, unsigned int n, double factor)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int i = 0; i < n; i++)
		json_object_array_add(list, kv_out_real(median[i] * factor, KV_OUT_NS_DECIMALS));
	return list;
}

static void put_series(struct json_object *obj, const struct kv_point *p)
{
	const struct kv_contrast *c = p->contrast;
	char key[32];

	for (unsigned int s = 0; s < c->n; s++) {
		struct kv_workload work = kv_point_work(p, s);
		struct json_object *series;

		series = kv_result_series(&work, c->series[s].client, &p->series[s]);
		snprintf(key, sizeof(key), "round_%s", kv_workload_kind(&p->work)->key);
		kv_out_put(series, key,
			   kv_result_medians(p->median[s], p->rounds, scale(&p->work)));
		kv_out_put_count(series, "resent", p->resent[s]);
		if (p->setup[s].rounds)
			kv_out_put(series, "setup", kv_setup_describe(&p->setup[s]));
		kv_out_put(obj, c->series[s].name, series);
	}
}

static void format_doubt(const struct kv_finding *f, char *text, size_t size)
{
	const struct kv_judgement *j = &f->judgement;
	double unit = kv_unit_of(f->scale);
	unsigned int series;

	switch (j->doubt) {
	case KV_DOUBT_FEW:
		/* For one, without the s of the plural. */
		snprintf(text, size, "%u %.*s, and an interval takes %u (%s)", f->n,
			 (int)strlen(f->repeated) - (f->n == 1), f->repeated, KV_STATS_MIN_ROUNDS,
			 f->more);
		break;
	case KV_DOUBT_WIDE:
		/* Two digits; of 100 on no exponent. */
		snprintf(text, size, j->within < 0.995 ? "they may differ by %.2g %% (more %s or --duration)" :
							 "they may differ by %.0f %% (more %s or --duration)",
			 100 * j->within, f->more);
		break;
	case KV_DOUBT_STEAL:
		snprintf(text, size, "the host has taken %.0f %% of the CPU time", 100 * f->steal);
		break;
	case KV_DOUBT_RESENT:
		series = f->resent[1] > f->resent[0];
		snprintf(text, size, "%s had %llu packets that were late or sent again, %s hardly any",
			 f->name[series], (unsigned long long)f->resent[series], f->name[!series]);
		break;
	case KV_DOUBT_TURNED:
		snprintf(text, size, "the first third of the %s says %.3g %s, the last %.3g",
			 f->repeated, j->first * unit, kv_unit_name(), j->last * unit);
		break;
	case KV_DOUBT_MODES:
		snprintf(text, size, "%s has two modes, %.5g %s in %u %s and %.5g in %u",
			 f->name[j->series], j->modes.median[0] * unit, kv_unit_name(),
			 j->modes.rounds[0], f->repeated, j->modes.median[1] * unit,
			 j->modes.rounds[1]);
		break;
	case KV_DOUBT_NONE:
		snprintf(text, size, "?");
		break;
	}
}

/* "verdict" is a sentence; "faster" is null if the verdict is not decided. */
static void put_verdict(struct json_object *obj, const struct kv_finding *f)
{
	const struct kv_interval *i = &f->diff;
	const char *faster = (const char *[]){
		[KV_VERDICT_A_LESS] = f->who[0],
		[KV_VERDICT_B_LESS] = f->who[1],
		[KV_VERDICT_EQUAL] = "neither",
		[KV_VERDICT_UNDECIDED] = NULL,
	}[f->judgement.verdict];
	double unit = kv_unit_of(f->scale);
	double low = fmin(fabs(i->low), fabs(i->high)) * unit;
	double high = fmax(fabs(i->low), fabs(i->high)) * unit;
	int decimals = kv_us_difference_decimals(i->value * f->scale);
	char text[160], doubt[128];

	if (!faster) {
		format_doubt(f, doubt, sizeof(doubt));
		snprintf(text, sizeof(text), "not decided: %s", doubt);
	} else if (f->judgement.verdict == KV_VERDICT_EQUAL) {
		snprintf(text, sizeof(text), "equal within \xc2\xb1 %.2g %%", 100 * f->judgement.within);
	} else {
		snprintf(text, sizeof(text), "%s%s%s faster by %.*f %s (%.*f .. %.*f)", faster,
			 *f->changed ? " " : "", f->changed, decimals, fabs(i->value * unit),
			 kv_unit_name(), decimals, low, decimals, high);
	}
	kv_out_put_string(obj, "verdict", text);
	kv_out_put_string(obj, "faster", faster);
}

static void judge(struct kv_finding *f)
{
	struct kv_rounds rounds = {
		.a = f->median[0],
		.b = f->median[1],
		.rounds = f->n,
		.steal = f->steal,
	};

	for (unsigned int s = 0; s < 2; s++)
		rounds.resent[s] = f->samples[s] ? (double)f->resent[s] / (double)f->samples[s] : 0;
	f->diff = kv_stats_shift(rounds.a, rounds.b, rounds.rounds);
	f->judgement = kv_stats_judge(&rounds, &f->diff);
}

/* The difference and its intervals; to be called before the other functions of a finding. */
static struct json_object *describe_finding(struct kv_finding *f)
{
	struct json_object *diff = json_object_new_object();
	const struct kv_interval *i = &f->diff;

	judge(f);
	kv_out_put_ns(diff, "value", i->value * f->scale);
	kv_out_put(diff, "percent",
		   kv_out_real(100 * i->value / kv_stats_median(f->median[1], f->n), 2));
	kv_out_put_ns(diff, "low", i->valid ? i->low * f->scale : NAN);
	kv_out_put_ns(diff, "high", i->valid ? i->high * f->scale : NAN);
	kv_out_put(diff, "confidence", kv_out_real(0.95, 2));
	kv_out_put_ns(diff, "low_90", i->near_low * f->scale);
	kv_out_put_ns(diff, "high_90", i->near_high * f->scale);
	kv_out_put(diff, "equal_within_percent", kv_out_real(100 * f->judgement.within, 3));
	kv_out_put_count(diff, f->repeated, f->n);
	return diff;
}

/**
 * kv_finding_put() - describe the only difference of a comparison, with its verdict beside it
 * @obj: gets the difference and the verdict
 */
void kv_finding_put(struct json_object *obj, struct kv_finding *f)
{
	kv_out_put(obj, "difference_ns", describe_finding(f));
	put_verdict(obj, f);
}

/* The name of a faster series in a verdict: of quadrants, the space of the changed end. */
static const char *find_who(const struct kv_contrast *c, unsigned int difference,
			    unsigned int series)
{
	bool server = !strcmp(c->difference[difference].changed, "server");

	if (c->n == 2 || kv_contrast_has_contexts(c))
		return c->series[series].name;
	return kv_enum_name(kv_enum_space,
			    server ? c->series[series].server : c->series[series].client);
}

static void find(const struct kv_point *p, unsigned int i, struct kv_finding *to)
{
	const struct kv_difference *of = &p->contrast->difference[i];
	const unsigned int series[2] = { of->a, of->b };

	*to = (struct kv_finding){
		.changed = of->changed,
		.repeated = "rounds",
		.more = "--rounds",
		.n = p->rounds,
		.scale = scale(&p->work),
		.steal = p->steal,
	};
	for (unsigned int k = 0; k < 2; k++) {
		to->name[k] = p->contrast->series[series[k]].name;
		to->who[k] = find_who(p->contrast, i, series[k]);
		to->median[k] = p->median[series[k]];
		to->samples[k] = p->series[series[k]].samples;
		to->resent[k] = p->resent[series[k]];
	}
}

/* Each difference changes one end; its verdict is inside it. */
static struct json_object *describe_differences(const struct kv_point *p)
{
	const struct kv_contrast *c = p->contrast;
	struct json_object *list = json_object_new_array();

	for (unsigned int i = 0; i < c->differences; i++) {
		struct kv_finding finding;
		struct json_object *diff;

		find(p, i, &finding);
		diff = describe_finding(&finding);
		kv_out_put_string(diff, "changed", c->difference[i].changed);
		kv_out_put_string(diff, "of", c->series[c->difference[i].a].name);
		kv_out_put_string(diff, "minus", c->series[c->difference[i].b].name);
		put_verdict(diff, &finding);
		json_object_array_add(list, diff);
	}
	return list;
}

/**
 * kv_result_point() - describe a point of a comparison
 *
 * Return: an object, owned by the caller.
 */
struct json_object *kv_result_point(const struct kv_point *p)
{
	struct json_object *obj = kv_result_work(&p->work), *several;
	struct kv_finding finding;

	kv_out_put_bool(obj, "verified", p->verified);
	kv_out_put_count(obj, "rounds", p->rounds);
	kv_out_put(obj, "steal", kv_out_real(p->steal, 4));
	kv_out_put_count(obj, "block_ns", p->block_ns);
	if (!p->rounds)
		return obj;
	if (!p->contrast->differences) {
		put_series(obj, p);
		return obj;
	}
	if (p->contrast->n == 2 && !kv_contrast_has_contexts(p->contrast)) {
		/* Both ends change: there is one difference, with its verdict beside it. */
		put_series(obj, p);
		find(p, 0, &finding);
		kv_finding_put(obj, &finding);
		return obj;
	}
	several = json_object_new_object();
	put_series(several, p);
	kv_out_put(obj, p->contrast->name, several);
	kv_out_put(obj, "differences_ns", describe_differences(p));
	return obj;
}
