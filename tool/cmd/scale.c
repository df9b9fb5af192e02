// SPDX-License-Identifier: MIT
#include "cmd/cmd.h"
#include "cmd/sweep.h"
#include "measure/cluster.h"
#include "measure/figure.h"
#include "measure/report.h"
#include "measure/result.h"
#include "out/out.h"
#include "rules/run.h"

static const struct kv_schema schema = { "kverbs.scale", KV_RESULT_VERSION };

#define DEPTH_DEFAULT 16
#define SIZE_DEFAULT 4096
#define QPS_DEFAULT_MAX 1024

/* All that one invocation needs. */
static struct scale {
	struct kv_sweep_cmd sweep;
	uint32_t size;
	struct kv_cluster cluster;
} scale;

#define S struct scale

static const struct kv_option rows[] = {
	KV_OPTION_OPS_ROW(S, sweep.m.ops, "op", "ops", "write"),
	{ "size", "BYTES", "as in 64 or 4k; default: 4k. fetch-add, cmp-swp and atomic-write always have 8 bytes",
	  KV_OPTION_SIZE, .at = offsetof(S, size), .letter = 's' },
	KV_OPTION_SPACE_ROW(S, sweep.common, "; default: both, in turn, and their difference", kv_sweep_both),
	{ "qps", "N,...", "connections of each thread, as in 1,4,16, or 1-16, which doubles; default: 1-1024, as far as a run and the devices take them",
	  KV_OPTION_OWN, .at = offsetof(S, sweep.m.qps), .parse = kv_parse_qps, .letter = 'q' },
	{ "depth", "N", "requests outstanding at most, of each connection; default: 16", KV_OPTION_U32,
	  .at = offsetof(S, sweep.common.work.depth), .min = 1, .max = KV_RUN_DEPTH_MAX,
	  .letter = 't' },
	{ "threads", "N", "threads that begin together, each with connections of its own; --cpus lists their CPUs, which they get in turn; default: 1",
	  KV_OPTION_U32, .at = offsetof(S, sweep.common.work.threads), .min = 1,
	  .max = KV_RUN_WORKERS_MAX },
	KV_OPTION_SHARED_ROWS(S, sweep.common),
	{ "all-to-all", "NODES[xPROCESSES]", "also compute the cost, for each node, of QPs between all processes of different nodes, as in 64 or 64x48",
	  KV_OPTION_OWN, .at = offsetof(S, cluster), .parse = kv_cluster_parse },
	KV_OPTION_SWEEP_ROWS(S, sweep.m.plan, "spaces"),
	KV_OPTION_ROWS(S, sweep.common),
	KV_OPTION_PERFTEST_ROW(),
	KV_OPTION_HOST_ROWS(S, sweep.common),
	{ .name = NULL },
};

#undef S

static void init(void)
{
	static const struct kv_list ops = { .n = 1, .value = { KVERBS_OP_WRITE } };
	struct kv_sweep_cmd *c = &scale.sweep;

	kv_sweep_cmd_init(c);
	c->common.work.depth = DEPTH_DEFAULT;
	c->common.work.list = 1;
	c->common.work.signal = 1;
	c->m.ops = ops;
	c->m.has_kind = true;
	c->m.kind = KV_KIND_STREAM;
	c->m.plan.setup = true;
	scale.size = SIZE_DEFAULT;
}

static int check_qps(const struct kv_sweep_cmd *c, struct kv_fault *f)
{
	int ret = 0;

	for (unsigned int i = 0; i < c->m.qps.n && !ret; i++)
		ret = kv_sweep_cmd_check_pairs(c, c->m.qps.value[i], f);
	return ret;
}

static int check(int n, char **word, struct kv_fault *f)
{
	struct kv_sweep_cmd *c = &scale.sweep;
	struct kv_options *o = &c->common;
	bool asked = c->m.qps.n;
	int ret = kv_options_take_host(o, "scale", n, word, f) ?: check_qps(c, f) ?: kv_sweep_cmd_check_shared(c, f);

	if (ret)
		return ret;
	if (o->report.stats)
		return kv_fault_usage(f, "--stats has no table of QPs: their means are in the document of --json");
	for (uint32_t qps = 1; !asked && qps <= QPS_DEFAULT_MAX; qps *= 2)
		c->m.qps.value[c->m.qps.n++] = qps;
	c->m.sizes = (struct kv_list){ .n = 1, .value = { scale.size } };
	return kv_sweep_cmd_settle(c, f) ?:
	       kv_workload_check_api(o->work.api, c->m.spaces & 1U << KV_SPACE_USER, f);
}

static struct json_object *create_doc(struct json_object *environment)
{
	const struct kv_sweep *m = &scale.sweep.m;
	struct json_object *spec = kv_sweep_spec(m), *counts = json_object_new_array();

	for (unsigned int i = 0; i < m->qps.n; i++)
		json_object_array_add(counts, json_object_new_uint64(m->qps.value[i]));
	kv_out_put(spec, "qps_counts", counts);
	kv_out_put_count(spec, "threads", m->work.threads);
	kv_sweep_cmd_put_shared(&scale.sweep, spec);
	kv_out_put_count(spec, "depth", m->work.depth);
	kv_out_put_count(spec, "list", m->work.list);
	kv_out_put_count(spec, "signal", m->work.signal);
	return kv_result_create(&schema, spec, environment);
}

static int run(struct kv_fault *f)
{
	struct kv_sweep_cmd *c = &scale.sweep;
	int ret = kv_sweep_cmd_run(c, create_doc, f);

	if (scale.cluster.nodes && c->m.measured)
		kv_out_put(c->doc, "all_to_all", kv_cluster_describe(&scale.cluster, c->doc));
	return ret;
}

static bool has_result(int error)
{
	return scale.sweep.m.measured;
}

static struct json_object *describe(bool result, int error)
{
	return scale.sweep.doc ? scale.sweep.doc : create_doc(NULL);
}

static int print(struct json_object *doc, struct kv_fault *f)
{
	return kv_report_compare(doc, &scale.sweep.common.report, f);
}

static void close_sites(void)
{
	kv_sweep_cmd_close(&scale.sweep);
}

const struct kv_cmd kv_cmd_scale = {
	.rows = rows,
	.usage = "usage: kverbs scale [OPTION...] [HOST]\n"
		"\n"
		"Measures the time and memory to set up a QP, and the rates of 1, 2, 4 and more\n"
		"QPs, in both spaces in turn, in rounds with fresh connections. With a HOST,\n"
		"where 'kverbs serve' runs or ssh starts it (ssh:[USER@]HOST), the servers are\n"
		"there.\n",
	.more = "A percentile that needs more samples than there are is shown as -, like the\n"
		"memory of a QP where it is not known within 10 %.\n"
		"Ctrl-C ends the measurement, prints the rows that there are until then, and the\n"
		"exit status is 130. A second Ctrl-C kills.\n",
	.args = &scale,
	.init = init,
	.check = check,
	.run = run,
	.json = &scale.sweep.common.json,
	.schema = &schema,
	.has_result = has_result,
	.describe = describe,
	.print = print,
	.csv = &scale.sweep.common.csv,
	.plot = &scale.sweep.common.plot,
	.draw = kv_figure_scale,
	.figures = "/points",
	.close = close_sites,
};
