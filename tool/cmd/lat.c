// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <sys/param.h>
#include "cli/progress.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "measure/figure.h"
#include "measure/report.h"
#include "measure/result.h"
#include "measure/retries.h"
#include "out/environment.h"
#include "out/out.h"
#include "out/table.h"
#include "remote/peer.h"
#include "sys/now.h"

static const struct kv_schema schema = { "kverbs.lat", KV_RESULT_VERSION };

#define ITERS_MAX 1000000000000ULL
/* The samples that a p99.9 needs, and the default limit of the time for them. */
#define ITERS_DEFAULT 10000
#define TIME_DEFAULT_NS 10000000000ULL
#define TIME_MIN_NS 1000000ULL
/* Iterations; fewer of large messages, of which a software device has one in seconds. */
#define WARMUP_DEFAULT 100
#define WARMUP_BYTES_MAX (64U << 20)
#define SIZE_DEFAULT 64
#define ATOMIC_SIZE 8

/* All that one invocation needs. */
static struct lat {
	struct kv_options common;
	bool has_op, has_size, has_warmup;
	uint32_t op;
	uint32_t size;
	struct kv_amount amount;

	/* By enum kv_space_id; only the spaces of the ends are open. */
	struct kv_site site[KV_SPACES];
	/* The site of a server on another host. */
	struct kv_site peer;
	struct kv_pair pair;
	struct kv_series null;
	struct kv_series series;
	struct kv_retries retries;
	struct kv_run_result result;
	bool verified;
	struct kv_progress progress;
	uint64_t begin_ns;
} lat;

static const struct kv_foreign both[] = {
	{ "both", .here = "'kverbs compare' measures both" },
	{ .word = NULL },
};

#define S struct lat

static const struct kv_option rows[] = {
	{ "op", "OP", "send, send-imm, write, write-imm, read, fetch-add, cmp-swp; from kernel space: send-inv, on iWARP read-inv, each of which registers an MR and has it invalidated; in user space with --api wr: atomic-write", KV_OPTION_ENUM,
	  .at = offsetof(S, op), .has = offsetof(S, has_op), .names = kv_enum_op,
	  .foreign = kv_foreign_ops },
	KV_OPTION_END_ROWS(S, common, both, "space of the end that begins and measures",
			   "space of the other end, which has the target"),
	{ "size", "BYTES", "as in 64 or 4k (KiB) or 1m (MiB); default: 64, and 8 for fetch-add, cmp-swp and atomic-write, which have no other size",
	  KV_OPTION_SIZE, .at = offsetof(S, size), .has = offsetof(S, has_size), .letter = 's' },
	KV_OPTION_ITERS_ROW(S, amount.iters, ITERS_MAX, "samples to take"),
	KV_OPTION_DURATION_ROW(S, amount.time_ns, TIME_MIN_NS, "how long to take samples, as in 2, 0.5s or 200ms; with --iters: until the first limit is reached; default: 10000 samples, but no longer than 10s"),
	{ "warmup", "N", "iterations before the first sample; default: 100, or fewer if these have more than 64 MiB together, but one at least", KV_OPTION_U64,
	  .at = offsetof(S, amount.warmup), .has = offsetof(S, has_warmup), .max = ITERS_MAX },
	KV_OPTION_LOOP_ROW(S, common, "completion: from before the post until its completion was polled (default for all but send); one-thread: one thread drives both ends of a ping-pong (default for send, if both are in one space of one host); pingpong: between two threads (default for send otherwise); null: no verbs at all.\none-thread and pingpong take send and write; half of the round trip is printed for them"),
	KV_OPTION_COMPLETION_ROWS(S, common),
	KV_OPTION_ROWS(S, common),
	KV_OPTION_PERFTEST_ROW(),
	{ .help = "with a HOST:" },
	KV_OPTION_HOST_ROWS(S, common),
	{ .name = NULL },
};

#undef S

static const char *host_of(const struct lat *l)
{
	return l->common.peer.host;
}

static bool is_mixed(const struct lat *l)
{
	return l->common.end[0] != l->common.end[1];
}

/* A loop with a single thread needs both ends in one space of one host. */
static int check_loop(struct lat *l, struct kv_fault *f)
{
	struct kv_options *o = &l->common;

	if (!o->has_loop)
		o->loop = kv_workload_default_kind(l->op);
	if (!is_mixed(l) && !host_of(l))
		return 0;
	if (o->loop == KV_KIND_NULL)
		return kv_fault_usage(f, "--loop null has no other end; it takes --space%s",
				      host_of(l) ? ", and no HOST" : "");
	if (o->loop == KV_KIND_ONE_THREAD && o->has_loop)
		return kv_fault_usage(f, "--loop one-thread has one thread for both ends, which must be %s; --loop pingpong has two",
				      host_of(l) ? "on one host" : "in one space");
	if (o->loop == KV_KIND_ONE_THREAD)
		o->loop = KV_KIND_PINGPONG;
	return 0;
}

static int need_op(const struct lat *l, struct kv_fault *f)
{
	char words[128];

	if (l->has_op || (l->common.has_loop && l->common.loop == KV_KIND_NULL))
		return 0;
	kv_enum_list(kv_enum_op, ", ", " or ", words, sizeof(words));
	return kv_fault_usage(f, "--op is missing; it takes %s", words);
}

static int check_op(struct lat *l, struct kv_fault *f)
{
	struct kv_options *o = &l->common;
	bool atomic = kv_op_among(l->op, KV_OPS_8_BYTES);
	int ret = check_loop(l, f);

	if (ret)
		return ret;
	if (!l->has_size)
		l->size = atomic ? ATOMIC_SIZE : SIZE_DEFAULT;
	if (atomic && l->size != ATOMIC_SIZE)
		return kv_fault_usage(f, "--size %u does not go with %s, which has 8 bytes",
				      l->size, kv_enum_name(kv_enum_op, l->op));
	if (o->end[0] == KV_SPACE_USER && !is_mixed(l) && (o->has_post || o->has_lkey))
		return kv_fault_usage(f, "--%s is for --space kernel; user space has no choice there",
				      o->has_post ? "post" : "lkey");
	if (kv_op_among(l->op, KV_OPS_INV) && o->work.completion != KVERBS_CQ_POLLED)
		return kv_fault_usage(f, "%s goes with --completion polled only: before each post the thread counts the key",
				      kv_enum_name(kv_enum_op, l->op));
	if (!(o->has_loop && o->loop == KV_KIND_NULL))
		ret = kv_workload_check_kind(o->loop, l->op, f);
	return ret;
}

static void init(void)
{
	lat.common = (struct kv_options)KV_OPTIONS_DEFAULT;
}

static int check(int n, char **word, struct kv_fault *f)
{
	struct lat *l = &lat;
	struct kv_options *o = &l->common;
	int ret = kv_options_take_host(o, "lat", n, word, f);

	struct kv_fault more;

	if (ret)
		return ret;
	ret = need_op(l, f);
	ret = kv_fault_join(f, ret, kv_options_choose_ends(o, ret ? &more : f), &more) ?:
	      check_op(l, f);
	if (ret)
		return ret;
	if (!l->amount.iters && !l->amount.time_ns) {
		l->amount.iters = ITERS_DEFAULT;
		l->amount.time_ns = TIME_DEFAULT_NS;
	}
	if (!l->has_warmup)
		l->amount.warmup = MIN(WARMUP_DEFAULT, MAX(WARMUP_BYTES_MAX / MAX(l->size, 1), 1));
	kv_workload_set(&o->work, o->loop, l->op, l->size);
	return kv_options_settle(o, f) ?:
	       kv_workload_check_api(o->work.api, o->end[0] == KV_SPACE_USER ||
				     o->end[1] == KV_SPACE_USER, f) ?:
	       kv_workload_check_completion(o->loop, o->work.completion,
					    o->end[0] == KV_SPACE_USER, f);
}

static struct json_object *describe_spec(const struct lat *l)
{
	struct json_object *spec = json_object_new_object();

	if (l->amount.iters)
		kv_out_put_count(spec, "iters", l->amount.iters);
	if (l->amount.time_ns)
		kv_out_put_count(spec, "time_ns", l->amount.time_ns);
	kv_out_put_count(spec, "warmup", l->amount.warmup);
	kv_result_put_limits(spec, &l->common.work);
	if (host_of(l))
		kv_out_put_string(spec, "host", host_of(l));
	kv_out_put_bool(spec, "verify", l->common.verify);
	return spec;
}

static void show_progress(const struct kv_run_result *r, void *arg)
{
	struct lat *l = arg;
	double by_count = 0, by_time = 0;

	if (l->amount.iters)
		by_count = (double)r->worker[0].samples / (double)l->amount.iters;
	if (l->amount.time_ns)
		by_time = (double)(kv_now_ns() - l->begin_ns) /
			  (double)l->amount.time_ns;
	kv_progress_draw(&l->progress, by_count > by_time ? by_count : by_time);
}

static int measure(struct lat *l, struct kv_pair *pair, struct kv_fault *f)
{
	struct kv_watch watch = { .fn = show_progress, .arg = l };
	char label[32], size[16];
	int ret;

	kv_size_format(size, sizeof(size), l->size);
	snprintf(label, sizeof(label), "%s %s",
		 pair ? kv_enum_name(kv_enum_op, l->op) : "null loop", pair ? size : "");
	kv_progress_start(&l->progress, 1);
	kv_progress_step(&l->progress, label);
	l->begin_ns = kv_now_ns();
	ret = kv_block_measure(&l->site[l->common.end[0]], pair, &l->common.work, &l->amount,
			       l->progress.on ? &watch : NULL, &l->result, &l->series.aside, f);
	kv_progress_erase(&l->progress);
	kv_series_add(&l->series, &l->result);
	return ret;
}

static int measure_pair(struct lat *l, struct kv_fault *f)
{
	const struct kv_site *client = &l->site[l->common.end[0]];
	const struct kv_site *server = host_of(l) ? &l->peer : &l->site[l->common.end[1]];
	int ret = kv_workload_check_site(&l->common.work, client, f) ?:
		  kv_workload_check_initiator(&l->common.work, client, f) ?:
		  kv_workload_check_site(&l->common.work, server, f);

	kv_workload_adapt(&l->common.work, &client->dev);
	if (!ret)
		ret = kv_pair_create(&l->pair, client, server, &l->common.work, f);
	if (ret)
		return ret;
	kv_pair_verbs(&l->pair, l->series.verb);
	kv_retries_start(&l->retries, client, server);
	if (l->common.verify) {
		ret = kv_verify_pairs(&l->pair, 1, f);
		l->verified = !ret;
	}
	if (!ret)
		ret = measure(l, &l->pair, f);
	kv_retries_stop(&l->retries);
	kv_pair_destroy(&l->pair);
	return ret;
}

static int measure_all(struct lat *l, struct kv_fault *f)
{
	int ret;

	kv_series_reset(&l->series);
	if (l->common.work.kind == KV_KIND_NULL)
		return measure(l, NULL, f);
	ret = kv_series_measure_null(&l->null, &l->site[l->common.end[0]], &l->common.work, f);
	return ret ? ret : measure_pair(l, f);
}

static struct json_object *describe_environment(const struct lat *l)
{
	struct json_object *environment;

	if (is_mixed(l) && !host_of(l))
		return kv_environment_create(l->site, KV_SPACES, l->common.label);
	environment = kv_environment_create(&l->site[l->common.end[0]], 1, l->common.label);
	if (host_of(l))
		kv_environment_add_peer(environment, &l->peer, 1);
	return environment;
}

static struct json_object *describe_point(const struct lat *l)
{
	struct json_object *point = kv_result_work(&l->common.work);

	kv_out_put_string(point, "space", kv_enum_name(kv_enum_space, l->common.end[0]));
	kv_out_put_string(point, "server_space", kv_enum_name(kv_enum_space, l->common.end[1]));
	return point;
}

static struct json_object *describe_null(const struct lat *l)
{
	enum kv_space_id space = l->common.end[0];
	struct json_object *null = json_object_new_object();
	struct kv_workload work = l->common.work;

	kv_workload_set(&work, KV_KIND_NULL, 0, 0);
	kv_out_put(null, kv_enum_name(kv_enum_space, space),
		   kv_result_series(&work, space, &l->null));
	return null;
}

static struct json_object *describe(bool result, int error)
{
	const struct lat *l = &lat;
	struct json_object *point = describe_point(l);
	struct json_object *doc = kv_result_create(&schema, describe_spec(l),
						   result ? describe_environment(l) : NULL);

	if (result && l->common.work.kind != KV_KIND_NULL) {
		kv_out_put(doc, "null_loop", describe_null(l));
		kv_out_put(doc, "counters", kv_retries_describe(&l->retries));
	}
	if (result) {
		kv_out_put_bool(point, "verified", l->verified);
		kv_out_put(point, "result", kv_result_series(&l->common.work, l->common.end[0], &l->series));
	}
	kv_out_put(doc, "point", point);
	kv_out_put_bool(doc, "complete", !error);
	return doc;
}

static int open_sites(struct lat *l, struct kv_fault *f)
{
	const struct kv_options *o = &l->common;
	unsigned int here = host_of(l) ? 1 : 2;
	int ret = 0;

	for (unsigned int i = 0; i < here && !ret; i++) {
		uint32_t id = o->end[i];

		if (!l->site[id].b)
			ret = kv_site_open(&l->site[id], id, o->dev, o->ib_port, o->gid, f);
	}
	if (!ret && host_of(l))
		ret = kv_site_open_peer(&l->peer, o->end[1], &o->peer, f);
	return ret;
}

static int run(struct kv_fault *f)
{
	int ret = open_sites(&lat, f);

	return ret ? ret : measure_all(&lat, f);
}

/* The samples of a run that ended early are shown. */
static bool has_result(int error)
{
	return error == -ECANCELED && lat.series.samples;
}

static void close_sites(void)
{
	kv_site_close(&lat.peer);
	for (unsigned int id = 0; id < KV_SPACES; id++)
		kv_site_close(&lat.site[id]);
}

static int print(struct json_object *doc, struct kv_fault *f)
{
	return kv_report_lat(doc, &lat.common.report, f);
}

const struct kv_cmd kv_cmd_lat = {
	.rows = rows,
	.usage = "usage: kverbs lat --op OP --space SPACE [OPTION...] [HOST]\n"
		"       kverbs lat --op OP --client SPACE --server SPACE [OPTION...] [HOST]\n"
		"\n"
		"Measures the latency of one operation, over a loopback connection, or with the\n"
		"server on HOST, where 'kverbs serve' runs: a name or an address, HOST:PORT or\n"
		"[HOST]:PORT. With ssh:[USER@]HOST ssh starts the server there.\n",
	.more = "A percentile that needs more samples than there are is shown as -.\n"
		"Ctrl-C ends the run, prints what was measured until then, and the exit status\n"
		"is 130. A second Ctrl-C kills.\n",
	.args = &lat,
	.init = init,
	.check = check,
	.run = run,
	.json = &lat.common.json,
	.schema = &schema,
	.has_result = has_result,
	.describe = describe,
	.print = print,
	.csv = &lat.common.csv,
	.plot = &lat.common.plot,
	.draw = kv_figure_lat,
	.figures = "/point",
	.close = close_sites,
};
