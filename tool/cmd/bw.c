// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <sys/param.h>
#include "cmd/cmd.h"
#include "cmd/sweep.h"
#include "measure/figure.h"
#include "measure/knee_rates.h"
#include "measure/report.h"
#include "measure/result.h"
#include "out/out.h"
#include "rules/run.h"

static const struct kv_schema schema = { "kverbs.bw", KV_RESULT_VERSION };

#define DEPTH_DEFAULT 128

/* All that one invocation needs. */
static struct kv_sweep_cmd bw;

#define S struct kv_sweep_cmd

static const struct kv_option rows[] = {
	KV_OPTION_OPS_ROW(S, m.ops, "op", "ops", "write"),
	KV_OPTION_SIZES_ROW(S, m.sizes, "size", "sizes", "64,4k,64k"),
	KV_OPTION_SPACE_ROW(S, common, "; default: both, in turn, and their difference", kv_sweep_both),
	{ "depth", "N", "requests outstanding at most; default: 128, or fewer, so that all connections together have at most 16 MiB outstanding, but one group of --signal at least", KV_OPTION_U32,
	  .at = offsetof(S, common.work.depth), .has = offsetof(S, has_depth), .min = 1,
	  .max = KV_RUN_DEPTH_MAX, .letter = 't' },
	{ "rx-depth", "N", "receives that the responder keeps posted on a QP or an SRQ, for send, send-imm and write-imm; default: four times --depth (with --srq: multiplied by --qps), but at least 512 for each thread",
	  KV_OPTION_U32, .at = offsetof(S, common.work.rx_depth), .min = 1,
	  .max = KV_RUN_DEPTH_MAX, .letter = 'r' },
	{ "list", "N", "requests that are posted at a time; default: 1",
	  KV_OPTION_U32, .at = offsetof(S, common.work.list), .min = 1, .max = KV_RUN_LIST_MAX,
	  .letter = 'l' },
	{ "signal", "N", "one of N requests is signaled, and completes; N is a multiple of --list; default: as --list",
	  KV_OPTION_U32, .at = offsetof(S, common.work.signal), .min = 1, .max = KV_RUN_DEPTH_MAX,
	  .letter = 'Q' },
	KV_OPTION_COMPLETION_ROWS(S, common),
	{ "threads", "N", "threads that begin together, each with connections of its own; with several HOSTs, N for each HOST; --cpus lists the threads' CPUs, which they get in turn; default: 1",
	  KV_OPTION_U32, .at = offsetof(S, common.work.threads), .min = 1,
	  .max = KV_RUN_WORKERS_MAX },
	{ "qps", "N", "connections of each thread, each with --depth requests; default: 1",
	  KV_OPTION_U32, .at = offsetof(S, common.work.qps), .min = 1, .max = KV_RUN_ENDS_MAX,
	  .letter = 'q' },
	{ "both-ways", NULL, "the responder runs the same stream to the initiator at the same time, and the figures are sums of both; write, read and atomics",
	  KV_OPTION_FLAG, .at = offsetof(S, common.work.both_ways), .letter = 'b' },
	{ "reversed", NULL, "each HOST initiates, and this host is the responder: with several HOSTs, write and send are an incast. --cpus then has the CPUs of each HOST's threads, and for one HOST with one thread also the responder's CPU",
	  KV_OPTION_FLAG, .at = offsetof(S, common.work.reversed),
	  .note = offsetof(S, common.peer_option), .alias = "reverse" },
	KV_OPTION_SHARED_ROWS(S, common),
	KV_OPTION_SWEEP_ROWS(S, m.plan, "spaces"),
	KV_OPTION_ROWS(S, common),
	KV_OPTION_PERFTEST_ROW(),
	KV_OPTION_HOST_ROWS(S, common),
	{ "rate", "N,...", "open loop: requests of each thread that are due in a second, on a fixed schedule, as in 1k,20k; the QPs of a thread get them in turn; latency counts from the time when a request is due. 50% is half of the rate that the slower space reaches without --rate. The knee is the highest rate up to which " KV_KNEE_RATES_RULE,
	  KV_OPTION_OWN, .at = offsetof(S, m.rates), .parse = kv_parse_rates },
	{ .name = NULL },
};

#undef S

static void init(void)
{
	static const struct kv_list sizes = { .n = 3, .value = { 64, 4096, 65536 } };
	static const struct kv_list ops = { .n = 1, .value = { KVERBS_OP_WRITE } };

	kv_sweep_cmd_init(&bw);
	bw.common.work.depth = DEPTH_DEFAULT;
	bw.common.work.list = 1;
	bw.m.ops = ops;
	bw.m.sizes = sizes;
	bw.m.has_kind = true;
	bw.m.kind = KV_KIND_STREAM;
}

static int check_stream(const struct kv_sweep_cmd *b, struct kv_fault *f)
{
	const struct kv_workload *w = &b->common.work;

	if (w->signal % w->list)
		return kv_fault_usage(f, "--signal %u is no multiple of --list %u", w->signal, w->list);
	if (w->depth % w->signal)
		return kv_fault_usage(f, "--depth %u is no multiple of --signal %u (by default that of --list)",
				      w->depth, w->signal);
	if (w->threads > KV_RUN_WORKERS_MAX)
		return kv_fault_usage(f, "%u HOSTs with --threads %u for each are %u threads: at most %u",
				      w->hosts, w->threads / w->hosts, w->threads,
				      KV_RUN_WORKERS_MAX);
	if (w->hosts > 1 && kv_workload_pairs(w) > KV_RUN_ENDS_MAX)
		return kv_fault_usage(f, "%u HOSTs with --threads %u and --qps %u for each are %u connections: at most %u",
				      w->hosts, w->threads / w->hosts, w->qps, kv_workload_pairs(w),
				      KV_RUN_ENDS_MAX);
	if (kv_sweep_cmd_check_pairs(b, w->qps, f))
		return f->error;
	if (b->common.peer.host && kv_workload_pairs(w) / w->hosts > KV_HOST_PAIRS_MAX)
		return kv_fault_usage(f, "--threads %u with --qps %u are %u connections: at most %u to another host",
				      w->threads / w->hosts, w->qps,
				      kv_workload_pairs(w) / w->hosts, KV_HOST_PAIRS_MAX);
	if (w->both_ways && w->reversed)
		return kv_fault_usage(f, "--both-ways does not go with --reversed: choose both directions, or the reversed one");
	if (w->both_ways && w->completion != KVERBS_CQ_POLLED)
		return kv_fault_usage(f, "--both-ways goes with --completion polled only");
	if (w->both_ways && 2 * w->threads > KV_RUN_WORKERS_MAX)
		return kv_fault_usage(f, "--threads %u with --both-ways are %u threads: at most %u",
				      w->threads, 2 * w->threads, KV_RUN_WORKERS_MAX);
	if (kv_sweep_cmd_check_shared(b, f))
		return f->error;
	for (unsigned int i = 0; i < b->m.ops.n; i++)
		if (kv_workload_check_kind(KV_KIND_STREAM, b->m.ops.value[i], f))
			return f->error;
	for (unsigned int i = 0; i < b->m.ops.n; i++)
		if (w->both_ways && kv_op_among(b->m.ops.value[i], KV_OPS_RECEIVED))
			return kv_fault_usage(f, "--both-ways does not go with %s: a thread of its own posts its receives anew",
					      kv_enum_name(kv_enum_op, b->m.ops.value[i]));
	if (w->qps > 1 && w->completion != KVERBS_CQ_POLLED)
		return kv_fault_usage(f, "--qps %u goes with --completion polled only: a thread polls all its QPs",
				      w->qps);
	return 0;
}

static int check_rates(const struct kv_sweep_cmd *b, struct kv_fault *f)
{
	const struct kv_workload *w = &b->common.work;

	if (!b->m.rates.n)
		return 0;
	if (w->both_ways)
		return kv_fault_usage(f, "--rate does not go with --both-ways: the load is of one direction");
	if (w->completion != KVERBS_CQ_POLLED)
		return kv_fault_usage(f, "--rate goes with --completion polled only: between two requests that are due the thread polls");
	for (unsigned int i = 0; i < b->m.rates.n; i++)
		if (b->m.rates.value[i] < w->signal)
			return kv_fault_usage(f, "--rate %u is less than --signal %u: a group is due once a second or more often",
					      b->m.rates.value[i], w->signal);
	return 0;
}

/* The lowest rates take a block of a few groups beyond its time: this long is worth a line. */
#define SLOW_NS 10000000000ULL

/* Says how long a point takes whose groups are due so seldom that --duration does not decide. */
static void tell_slow_rates(const struct kv_sweep_cmd *b)
{
	struct kv_workload w = b->common.work;
	/* The warm-up, the first group, which begins the schedule, and the next one. */
	uint64_t groups = KV_CONTRAST_BLOCKS * (KV_POINT_WARM_MIN + 2) *
			  MIN(b->m.plan.rounds, KV_STATS_MIN_ROUNDS) *
			  (uint64_t)__builtin_popcount(b->m.spaces);

	for (unsigned int i = 0; i < b->m.rates.n; i++) {
		uint64_t interval_ns, spent_ns;

		if (b->m.rates.value[i] & KV_PARSE_PERCENT)
			continue;
		w.rate = b->m.rates.value[i];
		interval_ns = kv_workload_interval_ns(&w);
		spent_ns = groups * interval_ns;
		if (spent_ns > SLOW_NS && spent_ns > KV_STATS_STRETCH * b->m.plan.time_ns)
			fprintf(stderr, "kverbs: at --rate %u a point takes %.0f s or more: a group is due every %.2g s\n",
				w.rate, (double)spent_ns / 1e9, (double)interval_ns / 1e9);
	}
}

/* The HOSTs behind the first. Each has --threads threads of its own. */
static int take_further_hosts(int n, char **word, struct kv_fault *f)
{
	struct kv_options *o = &bw.common;
	int ret = 0;

	if (n > KV_HOSTS_MAX)
		return kv_fault_usage(f, "%d HOSTs: at most %d", n, KV_HOSTS_MAX);
	for (int i = 1; i < n && !ret; i++) {
		bw.further[i - 1] = o->peer;
		ret = kv_options_parse_host(o, &bw.further[i - 1], word[i], f);
		o->work.hosts++;
	}
	o->work.threads *= o->work.hosts;
	return ret;
}

static int check(int n, char **word, struct kv_fault *f)
{
	struct kv_options *o = &bw.common;
	int ret;

	o->work.signal = o->work.signal ?: o->work.list;
	ret = take_further_hosts(n, word, f) ?:
	      kv_options_take_host(o, "bw", MIN(n, 1), word, f) ?: check_stream(&bw, f) ?: check_rates(&bw, f) ?:
		  kv_sweep_cmd_settle(&bw, f);

	bw.m.depth_max = bw.has_depth ? 0 : o->work.depth;
	if (!ret)
		tell_slow_rates(&bw);
	return ret ?: kv_workload_check_api(o->work.api, bw.m.spaces & 1U << KV_SPACE_USER, f) ?:
		      kv_workload_check_completion(KV_KIND_STREAM, o->work.completion,
						   bw.m.spaces & 1U << KV_SPACE_USER, f);
}

static void put_hosts(struct json_object *spec)
{
	struct json_object *list = json_object_new_array();

	json_object_array_add(list, json_object_new_string(bw.common.peer.host));
	for (uint32_t i = 1; i < bw.m.work.hosts; i++)
		json_object_array_add(list, json_object_new_string(bw.further[i - 1].host));
	kv_out_put(spec, "hosts", list);
}

static struct json_object *create_doc(struct json_object *environment)
{
	struct json_object *spec = kv_sweep_spec(&bw.m);

	if (bw.m.work.hosts > 1)
		put_hosts(spec);
	kv_out_put_count(spec, "threads", bw.m.work.threads);
	kv_out_put_count(spec, "qps", bw.m.work.qps);
	kv_out_put_bool(spec, "both_ways", bw.m.work.both_ways);
	kv_out_put_bool(spec, "reversed", bw.m.work.reversed);
	kv_sweep_cmd_put_shared(&bw, spec);
	kv_out_put_count(spec, "depth", bw.common.work.depth);
	kv_out_put_count(spec, "list", bw.m.work.list);
	kv_out_put_count(spec, "signal", bw.m.work.signal);
	if (bw.m.rates.n)
		kv_knee_rates_put(spec, &bw.m.rates);
	return kv_result_create(&schema, spec, environment);
}

static int run(struct kv_fault *f)
{
	return kv_sweep_cmd_run(&bw, create_doc, f);
}

static bool has_result(int error)
{
	return bw.m.measured;
}

static struct json_object *describe(bool result, int error)
{
	return bw.doc ? bw.doc : create_doc(NULL);
}

static int print(struct json_object *doc, struct kv_fault *f)
{
	return kv_report_compare(doc, &bw.common.report, f);
}

static void close_sites(void)
{
	kv_sweep_cmd_close(&bw);
}

const struct kv_cmd kv_cmd_bw = {
	.rows = rows,
	.usage = "usage: kverbs bw [OPTION...] [HOST...]\n"
		"\n"
		"Keeps many requests outstanding, and measures bytes and requests per second, of\n"
		"both spaces in turn, in rounds with fresh connections. With a HOST, where\n"
		"'kverbs serve' runs or ssh starts it (ssh:[USER@]HOST), the servers are there.\n"
		"With several, threads for each of them begin together: send and write fan out,\n"
		"read brings the bytes of all to this host. With --reversed the HOSTs initiate.\n",
	.more = "A percentile that needs more samples than there are is shown as -.\n"
		"Ctrl-C ends the measurement, prints the rows that there are until then, and the\n"
		"exit status is 130. A second Ctrl-C kills.\n",
	.args = &bw,
	.init = init,
	.check = check,
	.run = run,
	.json = &bw.common.json,
	.schema = &schema,
	.has_result = has_result,
	.describe = describe,
	.print = print,
	.csv = &bw.common.csv,
	.plot = &bw.common.plot,
	.draw = kv_figure_sweep,
	.figures = "/points",
	.close = close_sites,
};
