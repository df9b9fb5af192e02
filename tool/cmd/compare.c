// SPDX-License-Identifier: MIT
#include <stdio.h>
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "measure/sweep.h"
#include "measure/report.h"
#include "measure/result.h"
#include "out/environment.h"
#include "out/out.h"
#include "remote/peer.h"

#define TIME_DEFAULT_NS 2300000000ULL
#define TIME_MIN_NS 10000000ULL
#define TIME_MAX_NS 86400000000000ULL
#define ROUNDS_MAX 1000
#define SEED_DEFAULT 1

/* All that one invocation needs. */
static struct compare {
	struct kv_options common;
	struct kv_sweep m;
	struct json_object *doc;
	bool quadrants;
	bool has_self;
	enum kv_space_id self;
} compare;

#define S struct compare

static const struct kv_option rows[] = {
	{ "quadrants", NULL, "client and server each in either space: K-K, K-U, U-K, U-U (client-server; K kernel, U user), and what changing one of them does",
	  KV_OPTION_FLAG, .at = offsetof(S, quadrants) },
	{ "self", "SPACE", "the same space on both sides, kernel or user: a difference that is found then is none",
	  KV_OPTION_ENUM, .at = offsetof(S, self), .has = offsetof(S, has_self),
	  .names = kv_enum_space },
	{ "ops", "OP,...", "of send, write, read, fetch-add and cmp-swp; default: all",
	  KV_OPTION_OWN, .at = offsetof(S, m.ops), .parse = kv_parse_ops },
	{ "sizes", "BYTES,...", "as in 8,64,4k; default: 8,64,4k,64k. fetch-add and cmp-swp always have 8 bytes, whatever stands here",
	  KV_OPTION_OWN, .at = offsetof(S, m.sizes), .parse = kv_parse_sizes },
	{ "time", "TIME", "for each operation and size, all sides together, as in 2 or 500ms; default: 2.3s. Up to three times as long if it takes that to get the 1000 samples of a p99",
	  KV_OPTION_TIME, .at = offsetof(S, m.plan.time_ns), .min = TIME_MIN_NS, .max = TIME_MAX_NS,
	  .letter = 'D' },
	{ "rounds", "N", "each with fresh connections of all sides; default: 12. With fewer than 6 there is no interval",
	  KV_OPTION_U32, .at = offsetof(S, m.plan.rounds), .min = 1, .max = ROUNDS_MAX },
	{ "seed", "N", "of the order of the sides in each round; default: 1", KV_OPTION_U64,
	  .at = offsetof(S, m.plan.seed), .max = UINT64_MAX },
	KV_OPTION_LOOP_ROW(S, common, "completion: from before the post until its completion was polled (default for all but send); one-thread: one thread drives both ends of a ping-pong (default for send); pingpong: between two threads (default for send with --quadrants or a HOST, which one-thread does not go with).\none-thread and pingpong take send and write; what is printed for them is half of the round trip"),
	KV_OPTION_ROWS(S, common),
	KV_OPTION_HOST_ROWS(S, common),
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

	if (!c->m.sizes.n)
		c->m.sizes = sizes;
	if (c->m.ops.n)
		return;
	/* By default, all operations that --loop can measure. */
	for (unsigned int i = 0; i < all.n; i++) {
		if (c->common.has_loop &&
		    kv_workload_check_kind(c->common.loop, all.value[i], &ignored))
			continue;
		c->m.ops.value[c->m.ops.n++] = all.value[i];
	}
}

static int check_loop(struct compare *c, struct kv_fault *f)
{
	const struct kv_options *o = &c->common;
	int ret = 0;

	if (o->has_loop && o->loop == KV_KIND_NULL)
		return kv_fault_usage(f, "--loop null has no operation to compare; its cost stands under every table");
	if (o->has_loop && o->loop == KV_KIND_ONE_THREAD && !kv_sweep_has_one_thread(&c->m))
		return kv_fault_usage(f, "--loop one-thread has one thread for both ends, so it does not go with %s; --loop pingpong has two",
				      c->m.host ? "a HOST" : "--quadrants");
	set_default_lists(c);
	for (unsigned int i = 0; i < c->m.ops.n && o->has_loop && !ret; i++)
		ret = kv_workload_check_kind(o->loop, c->m.ops.value[i], f);
	return ret;
}

static void init(void)
{
	struct compare *c = &compare;

	c->common = (struct kv_options)KV_OPTIONS_DEFAULT;
	c->m.plan.time_ns = TIME_DEFAULT_NS;
	c->m.plan.rounds = KV_POINT_ROUNDS;
	c->m.plan.seed = SEED_DEFAULT;
	c->m.contrast = &kv_contrast_spaces;
}

static int check(int n, char **word, struct kv_fault *f)
{
	struct compare *c = &compare;
	struct kv_options *o = &c->common;
	int ret = kv_options_take_host(o, "compare", n, word, f);

	if (ret)
		return ret;
	if (c->quadrants && o->report.stats)
		return kv_fault_usage(f, "--stats has no table of quadrants: their means are in the document of --json");
	if (c->quadrants && c->has_self)
		return kv_fault_usage(f, "--self has one space, and --quadrants has both");
	if (c->quadrants)
		c->m.contrast = &kv_contrast_quadrants;
	else if (c->has_self)
		c->m.contrast = &kv_contrast_self[c->self];
	c->m.host = o->peer.host;
	ret = check_loop(c, f);
	if (!ret)
		ret = kv_options_settle(o, f);
	c->m.has_kind = o->has_loop;
	c->m.kind = o->loop;
	c->m.plan.verify = o->verify;
	c->m.work = o->work;
	return ret;
}

/* All sites of a host use the same device. */
static int open_sites(struct compare *c, struct kv_fault *f)
{
	struct kv_options *o = &c->common;
	int ret = 0;

	for (unsigned int s = 0; s < KV_SPACES && !ret; s++) {
		ret = kv_site_open(&c->m.site[s], s, o->dev, o->ib_port, o->gid, f);
		o->dev = c->m.site[s].dev.name;
	}
	for (unsigned int s = 0; s < KV_SPACES && !ret && c->m.host; s++) {
		ret = kv_site_open_peer(&c->m.peer[s], s, &o->peer, f);
		o->peer.dev = c->m.peer[s].dev.name;
	}
	if (!ret)
		ret = kv_sweep_check(&c->m);
	if (ret && !f->error)
		*f = c->m.fault;
	return ret;
}

static struct json_object *describe_environment(const struct compare *c)
{
	struct json_object *environment = kv_environment_create(c->m.site, KV_SPACES, c->common.label);

	if (c->m.host)
		kv_environment_add_peer(environment, c->m.peer, KV_SPACES);
	return environment;
}

static struct json_object *create_doc(const struct compare *c, struct json_object *environment)
{
	return kv_result_create("kverbs.compare", kv_sweep_spec(&c->m), environment);
}

static int run(struct kv_fault *f)
{
	struct compare *c = &compare;
	int ret = open_sites(c, f);

	if (ret)
		return ret;
	c->doc = create_doc(c, describe_environment(c));
	ret = kv_sweep_measure(&c->m, c->doc);
	if (!ret && !c->m.tried)
		ret = c->m.fault.error;
	if (ret)
		*f = c->m.fault;
	kv_out_put_bool(c->doc, "complete", !ret);
	return ret;
}

static bool has_result(int error)
{
	return compare.m.measured;
}

static struct json_object *describe(bool result, int error)
{
	return compare.doc ? compare.doc : create_doc(&compare, NULL);
}

static int print(struct json_object *doc, struct kv_fault *f)
{
	int ret = kv_report_compare(doc, &compare.common.report, f);

	if (!ret && compare.common.json)
		printf("All of it, with the histograms: %s\n", compare.common.json);
	return ret;
}

static void close_sites(void)
{
	for (unsigned int s = 0; s < KV_SPACES; s++) {
		kv_site_close(&compare.m.peer[s]);
		kv_site_close(&compare.m.site[s]);
	}
}

const struct kv_cmd kv_cmd_compare = {
	.rows = rows,
	.usage = "usage: kverbs compare [OPTION...] [HOST]\n"
		"\n"
		"Measures operations in both spaces, in rounds with fresh connections, and says\n"
		"which space is faster, by how much, and how sure that is. With a HOST, where\n"
		"'kverbs serve' runs or ssh starts it (ssh:[USER@]HOST), the servers are there,\n"
		"each in the space that its side asks for.\n",
	.more = "A percentile that needs more samples than there are is shown as -.\n"
		"Ctrl-C ends the measurement, prints the rows that there are until then, and the\n"
		"exit status is 130. A second Ctrl-C kills.\n",
	.args = &compare,
	.init = init,
	.check = check,
	.run = run,
	.path = &compare.common.json,
	.has_result = has_result,
	.describe = describe,
	.print = print,
	.csv = &compare.common.csv,
	.figures = "/cells",
	.close = close_sites,
};
