// SPDX-License-Identifier: MIT
#include <stdio.h>
#include "cmd/cmd.h"
#include "cmd/sweep.h"
#include "measure/figure.h"
#include "measure/report.h"
#include "measure/result.h"
#include "out/out.h"
#include "rules/run.h"

#define DEPTH_DEFAULT 128

/* All that one invocation needs. */
static struct kv_sweep_cmd bw;

#define S struct kv_sweep_cmd

static const struct kv_option rows[] = {
	{ "op", "OP,...", "of write, read, fetch-add and cmp-swp; default: write", KV_OPTION_OWN,
	  .at = offsetof(S, m.ops), .parse = kv_parse_ops },
	{ "size", "BYTES,...", "as in 8,64,4k; default: 64,4k,64k. fetch-add and cmp-swp always have 8 bytes, whatever stands here",
	  KV_OPTION_OWN, .at = offsetof(S, m.sizes), .parse = kv_parse_sizes, .letter = 's' },
	KV_OPTION_SPACE_ROW(S, common, "; default: both, in turn, and their difference"),
	{ "depth", "N", "requests outstanding at most; default: 128", KV_OPTION_U32,
	  .at = offsetof(S, common.work.depth), .min = 1, .max = KV_RUN_DEPTH_MAX, .letter = 't' },
	{ "list", "N", "requests that are posted at a time; default: 1",
	  KV_OPTION_U32, .at = offsetof(S, common.work.list), .min = 1, .max = KV_RUN_LIST_MAX,
	  .letter = 'l' },
	{ "signal", "N", "one of so many requests is signaled, and completes; a multiple of --list; default: as --list",
	  KV_OPTION_U32, .at = offsetof(S, common.work.signal), .min = 1, .max = KV_RUN_DEPTH_MAX, .letter = 'Q' },
	KV_OPTION_COMPLETION_ROW(S, common),
	{ "threads", "N", "threads that begin together, each with a connection of its own; --cpus lists their CPUs, which they get in turn; default: 1",
	  KV_OPTION_U32, .at = offsetof(S, common.work.threads), .min = 1, .max = KV_RUN_WORKERS_MAX },
	KV_OPTION_SWEEP_ROWS(S, m.plan, "spaces"),
	KV_OPTION_ROWS(S, common),
	KV_OPTION_HOST_ROWS(S, common),
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

	for (unsigned int i = 0; i < b->m.ops.n; i++) {
		if (!kv_op_fits_loop(b->m.ops.value[i], KVERBS_LOOP_STREAM))
			return kv_fault_usage(f, "--op %s: bw takes operations that need no receive: write, read, fetch-add and cmp-swp",
					      kv_enum_name(kv_enum_op, b->m.ops.value[i]));
	}
	if (w->signal % w->list)
		return kv_fault_usage(f, "--signal %u is no multiple of --list %u", w->signal, w->list);
	if (w->depth % w->signal)
		return kv_fault_usage(f, "--depth %u is no multiple of --signal %u (by default that of --list)",
				      w->depth, w->signal);
	return 0;
}

static int check(int n, char **word, struct kv_fault *f)
{
	struct kv_options *o = &bw.common;
	int ret;

	o->work.signal = o->work.signal ?: o->work.list;
	ret = kv_options_take_host(o, "bw", n, word, f) ?: check_stream(&bw, f) ?:
		  kv_sweep_cmd_settle(&bw, f);

	if (o->has_both) {
		bw.m.contrast = &kv_contrast_alone[o->both];
		bw.m.spaces = 1U << o->both;
	}
	bw.m.host = o->peer.host;
	return ret ?: kv_workload_check_completion(KV_KIND_STREAM, o->work.completion,
						   bw.m.spaces & 1U << KV_SPACE_USER, f);
}

static struct json_object *create_doc(struct json_object *environment)
{
	struct json_object *spec = kv_sweep_spec(&bw.m);

	kv_out_put_count(spec, "threads", bw.m.work.threads);
	kv_out_put_count(spec, "depth", bw.m.work.depth);
	kv_out_put_count(spec, "list", bw.m.work.list);
	kv_out_put_count(spec, "signal", bw.m.work.signal);
	return kv_result_create("kverbs.bw", spec, environment);
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
	.usage = "usage: kverbs bw [OPTION...] [HOST]\n"
		"\n"
		"Keeps many requests outstanding, and measures bytes and requests per second, of\n"
		"both spaces in turn, in rounds with fresh connections. With a HOST, where\n"
		"'kverbs serve' runs or ssh starts it (ssh:[USER@]HOST), the servers are there.\n",
	.more = "A percentile that needs more samples than there are is shown as -.\n"
		"Ctrl-C ends the measurement, prints the rows that there are until then, and the\n"
		"exit status is 130. A second Ctrl-C kills.\n",
	.args = &bw,
	.init = init,
	.check = check,
	.run = run,
	.json = &bw.common.json,
	.has_result = has_result,
	.describe = describe,
	.print = print,
	.csv = &bw.common.csv,
	.plot = &bw.common.plot,
	.draw = kv_figure_sweep,
	.figures = "/cells",
	.close = close_sites,
};
