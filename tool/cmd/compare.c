// SPDX-License-Identifier: MIT
#include <stdio.h>
#include "cmd/cmd.h"
#include "cmd/sweep.h"
#include "measure/figure.h"
#include "measure/report.h"
#include "measure/result.h"
#include "out/out.h"

static const struct kv_schema schema = { "kverbs.compare", KV_RESULT_VERSION };

/* All that one invocation needs. */
static struct compare {
	struct kv_sweep_cmd sweep;
	bool quadrants;
	bool has_self;
	enum kv_space_id self;
	struct kv_list completions;
	struct kv_contrast contexts;
} compare;

static const struct kv_foreign spaces[] = {
	{ "space", .here = "compare measures both spaces; --self SPACE compares one with itself" },
	{ "client", .here = "compare measures both spaces; --quadrants has a client and a server in each" },
	{ "server", .here = "compare measures both spaces; --quadrants has a client and a server in each" },
	{ .word = NULL },
};

#define S struct compare

static const struct kv_option rows[] = {
	{ "quadrants", NULL, "client and server each in either space: K-K, K-U, U-K, U-U (client-server; K kernel, U user), and the effect of changing one of them",
	  KV_OPTION_FLAG, .at = offsetof(S, quadrants) },
	{ "self", "SPACE", "both series in the same space, kernel or user: every difference that is found then is false",
	  KV_OPTION_ENUM, .at = offsetof(S, self), .has = offsetof(S, has_self),
	  .names = kv_enum_space },
	{ "completion", "CONTEXT,...", "how the client's completions are noticed: polled (the default), event (-e; the thread sleeps, and polls when the CQ's event wakes it), or, in the kernel, softirq, workqueue or unbound-workqueue (where the RDMA core handles them). Several, or all: each is a series, and is compared with the first one in its space",
	  KV_OPTION_OWN, .at = offsetof(S, completions), .parse = kv_parse_completions,
	  .flag = 'e', .flagged = "event" },
	KV_OPTION_CQ_ROWS(S, sweep.common),
	KV_OPTION_OPS_ROW(S, sweep.m.ops, "ops", "op", "all but atomic-write and -imm"),
	KV_OPTION_SIZES_ROW(S, sweep.m.sizes, "sizes", "size", "8,64,4k,64k"),
	KV_OPTION_SWEEP_ROWS(S, sweep.m.plan, "series"),
	KV_OPTION_LOOP_ROW(S, sweep.common, "completion: from before the post until its completion was polled (default for all but send); one-thread: one thread drives both ends of a ping-pong (default for send); pingpong: between two threads (default for send with --quadrants or a HOST, where one-thread is not possible).\none-thread and pingpong take send and write; half of the round trip is printed for them"),
	KV_OPTION_ROWS(S, sweep.common),
	KV_OPTION_PERFTEST_ROW(),
	KV_OPTION_FOREIGN_ROW("other commands", spaces),
	KV_OPTION_HOST_ROWS(S, sweep.common),
	{ .name = NULL },
};

#undef S

static void set_default_lists(struct compare *c)
{
	static const struct kv_list all = {
		.n = 5,
		.value = { KVERBS_OP_SEND, KVERBS_OP_WRITE, KVERBS_OP_READ,
			   KVERBS_OP_FETCH_ADD, KVERBS_OP_CMP_SWP },
	};
	static const struct kv_list sizes = {
		.n = 4,
		.value = { 8, 64, 4096, 65536 },
	};
	struct kv_fault ignored;

	if (!c->sweep.m.sizes.n && !c->sweep.m.sizes.all)
		c->sweep.m.sizes = sizes;
	if (c->sweep.m.ops.n)
		return;
	/* By default, all operations that --loop can measure. */
	for (unsigned int i = 0; i < all.n; i++) {
		if (c->sweep.common.has_loop &&
		    kv_workload_check_kind(c->sweep.common.loop, all.value[i], &ignored))
			continue;
		c->sweep.m.ops.value[c->sweep.m.ops.n++] = all.value[i];
	}
}

static int check_loop(struct compare *c, struct kv_fault *f)
{
	const struct kv_options *o = &c->sweep.common;
	int ret = 0;

	if (o->has_loop && o->loop == KV_KIND_NULL)
		return kv_fault_usage(f, "--loop null has no operation to compare; its cost stands under every table");
	if (o->has_loop && o->loop == KV_KIND_ONE_THREAD && !kv_sweep_has_one_thread(&c->sweep.m))
		return kv_fault_usage(f, "--loop one-thread has one thread for both ends, so it does not go with %s; --loop pingpong has two",
				      c->sweep.m.host ? "a HOST" : "--quadrants");
	/* Ping-pongs poll. */
	if (c->completions.n && !o->has_loop) {
		c->sweep.common.has_loop = true;
		c->sweep.common.loop = KV_KIND_COMPLETION;
	}
	set_default_lists(c);
	for (unsigned int i = 0; i < c->sweep.m.ops.n && o->has_loop && !ret; i++)
		ret = kv_workload_check_kind(o->loop, c->sweep.m.ops.value[i], f);
	return ret;
}

/* Several contexts are the series of the comparison; one is that of both spaces. */
static int check_completions(struct compare *c, struct kv_fault *f)
{
	const struct kv_list *list = &c->completions;
	struct kv_options *o = &c->sweep.common;
	bool user = !c->has_self || c->self == KV_SPACE_USER;
	int ret = 0;

	for (unsigned int i = 0; i < list->n && !ret; i++)
		ret = kv_workload_check_completion(o->has_loop ? o->loop : KV_KIND_COMPLETION,
						   list->value[i], user && list->n == 1, f);
	if (ret)
		return ret;
	if (list->n == 1)
		o->work.completion = list->value[0];
	if (list->n < 2)
		return 0;
	if (c->quadrants || c->has_self)
		return kv_fault_usage(f, "several contexts of --completion are the series, so --%s does not go with them",
				      c->quadrants ? "quadrants" : "self");
	if (o->report.stats)
		return kv_fault_usage(f, "--stats has no table of several contexts: their means are in the document of --json");
	if (o->work.spins >= 0)
		return kv_fault_usage(f, "--spins goes with --completion polled only");
	kv_contrast_set_contexts(&c->contexts, list);
	c->sweep.m.contrast = &c->contexts;
	return 0;
}

static void init(void)
{
	kv_sweep_cmd_init(&compare.sweep);
}

static int check(int n, char **word, struct kv_fault *f)
{
	struct compare *c = &compare;
	struct kv_options *o = &c->sweep.common;
	struct kv_sweep *m = &c->sweep.m;
	int ret = kv_options_take_host(o, "compare", n, word, f);

	if (ret)
		return ret;
	if (c->quadrants && o->report.stats)
		return kv_fault_usage(f, "--stats has no table of quadrants: their means are in the document of --json");
	if (c->quadrants && c->has_self)
		return kv_fault_usage(f, "--self has one space, and --quadrants has both");
	ret = check_completions(c, f);
	if (ret)
		return ret;
	if (c->quadrants)
		m->contrast = &kv_contrast_quadrants;
	else if (c->has_self)
		m->contrast = &kv_contrast_self[c->self];
	m->host = o->peer.host;
	ret = check_loop(c, f) ?: kv_sweep_cmd_settle(&c->sweep, f) ?:
	      kv_workload_check_api(o->work.api, !c->has_self || c->self == KV_SPACE_USER, f);
	m->has_kind = o->has_loop;
	m->kind = o->loop;
	return ret;
}

static struct json_object *create_doc(struct json_object *environment)
{
	return kv_result_create(&schema, kv_sweep_spec(&compare.sweep.m), environment);
}

static int run(struct kv_fault *f)
{
	return kv_sweep_cmd_run(&compare.sweep, create_doc, f);
}

static bool has_result(int error)
{
	return compare.sweep.m.measured;
}

static struct json_object *describe(bool result, int error)
{
	return compare.sweep.doc ? compare.sweep.doc : create_doc(NULL);
}

static int print(struct json_object *doc, struct kv_fault *f)
{
	int ret = kv_report_compare(doc, &compare.sweep.common.report, f);

	if (!ret && compare.sweep.common.json)
		printf("All of it, with the histograms: %s\n", compare.sweep.common.json);
	return ret;
}

static void close_sites(void)
{
	kv_sweep_cmd_close(&compare.sweep);
}

const struct kv_cmd kv_cmd_compare = {
	.rows = rows,
	.usage = "usage: kverbs compare [OPTION...] [HOST]\n"
		"\n"
		"Measures operations in both spaces, in rounds with fresh connections, and says\n"
		"which space is faster, by how much, and how sure that is. With a HOST, where\n"
		"'kverbs serve' runs or ssh starts it (ssh:[USER@]HOST), the servers are there,\n"
		"each in the space that its series asks for.\n",
	.more = "A percentile that needs more samples than there are is shown as -.\n"
		"Ctrl-C ends the measurement, prints the rows that there are until then, and the\n"
		"exit status is 130. A second Ctrl-C kills.\n",
	.args = &compare,
	.init = init,
	.check = check,
	.run = run,
	.json = &compare.sweep.common.json,
	.schema = &schema,
	.has_result = has_result,
	.describe = describe,
	.print = print,
	.csv = &compare.sweep.common.csv,
	.plot = &compare.sweep.common.plot,
	.draw = kv_figure_sweep,
	.figures = "/points",
	.close = close_sites,
};
