// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include "cli/option.h"
#include "cmd/cmd.h"
#include "measure/matrix.h"
#include "measure/report.h"
#include "measure/result.h"
#include "out/capsule.h"
#include "out/out.h"
#include "remote/open.h"

#define TIME_DEFAULT_NS 2300000000ULL
#define TIME_MIN_NS 10000000ULL
#define TIME_MAX_NS 86400000000000ULL
#define ROUNDS_MAX 1000
#define SEED_DEFAULT 1

/* All that one invocation needs. */
struct compare {
	struct kv_options common;
	struct kv_matrix m;
	struct kv_out out;
	struct json_object *doc;
	bool quadrants;
	bool has_self;
	enum kv_space_id self;
};

static int parse_ops(const char *text, void *field, struct kv_why *why)
{
	return kv_parse_ops(text, field, why);
}

static int parse_sizes(const char *text, void *field, struct kv_why *why)
{
	return kv_parse_sizes(text, field, why);
}

#define S struct compare

static const struct kv_option rows[] = {
	{ "quadrants", NULL, "client and server each in either space: K-K, K-U, U-K, U-U (client-server; K kernel, U user), and what changing one of them does",
	  KV_OPTION_FLAG, .at = offsetof(S, quadrants) },
	{ "self", "SPACE", "the same space on both sides, kernel or user: a difference that is found then is none",
	  KV_OPTION_WORD, .at = offsetof(S, self), .has = offsetof(S, has_self),
	  .words = kv_word_space },
	{ "ops", "OP,...", "of send, write, read, fetch-add and cmp-swp; default: all",
	  KV_OPTION_OWN, .at = offsetof(S, m.ops), .parse = parse_ops },
	{ "sizes", "BYTES,...", "as in 8,64,4k; default: 8,64,4k,64k. fetch-add and cmp-swp always have 8 bytes, whatever stands here",
	  KV_OPTION_OWN, .at = offsetof(S, m.sizes), .parse = parse_sizes },
	{ "time", "TIME", "for each operation and size, all sides together, as in 2 or 500ms; default: 2.3s. Up to three times as long if it takes that to get the 1000 samples of a p99",
	  KV_OPTION_TIME, .at = offsetof(S, m.plan.time_ns), .min = TIME_MIN_NS, .max = TIME_MAX_NS },
	{ "rounds", "N", "each with fresh connections of all sides; default: 12. With fewer than 6 there is no interval",
	  KV_OPTION_U32, .at = offsetof(S, m.plan.rounds), .min = 1, .max = ROUNDS_MAX },
	{ "seed", "N", "of the order of the sides in each round; default: 1", KV_OPTION_U64,
	  .at = offsetof(S, m.plan.seed), .max = UINT64_MAX },
	KV_OPTION_LOOP_ROW(S, common, "completion: from before the post until its completion was polled (default for all but send); relay: one thread drives both ends of a ping-pong (default for send); pingpong: between two threads (default for send with --quadrants or a HOST, which relay does not go with).\nrelay and pingpong take send and write; what is printed for them is half of the round trip"),
	KV_OPTION_ROWS(S, common),
	KV_OPTION_HOST_ROWS(S, common),
	{ .name = NULL },
};

#undef S

static const struct kv_option_help help = {
	.usage =
		"usage: kverbs compare [OPTION...] [HOST]\n"
		"\n"
		"Measures operations in both spaces, in rounds with fresh connections, and says\n"
		"which space is faster, by how much, and how sure that is. With a HOST, where\n"
		"'kverbs serve' runs, the servers are there, each in the space that its side\n"
		"asks for.\n",
	.more =
		"A percentile that needs more samples than there are is shown as -.\n"
		"Ctrl-C ends the measurement, prints the rows that there are until then, and the\n"
		"exit status is 1. A second Ctrl-C kills.\n",
};

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
	/* All that --loop goes with. */
	for (unsigned int i = 0; i < all.n; i++) {
		if (c->common.has_loop &&
		    kv_work_check_kind(c->common.loop, all.value[i], &ignored))
			continue;
		c->m.ops.value[c->m.ops.n++] = all.value[i];
	}
}

/* What the options say together. */
static int check_options(struct compare *c)
{
	struct kv_options *o = &c->common;
	int ret;

	if (c->quadrants && c->has_self)
		return kv_fault_usage(&c->m.fault, "--self has one space, and --quadrants has both");
	if (c->quadrants)
		c->m.design = &kv_design_quadrants;
	else if (c->has_self)
		c->m.design = &kv_design_self[c->self];
	if (o->has_loop && o->loop == KV_KIND_NULL)
		return kv_fault_usage(&c->m.fault, "--loop null has no operation to compare; its cost stands under every table");
	c->m.host = o->peer.host;
	if (o->has_loop && o->loop == KV_KIND_RELAY && !kv_matrix_has_relay(&c->m))
		return kv_fault_usage(&c->m.fault, "--loop relay has one thread for both ends, so it does not go with %s; --loop pingpong has two",
				      c->m.host ? "a HOST" : "--quadrants");
	set_default_lists(c);
	for (unsigned int i = 0; i < c->m.ops.n && o->has_loop; i++) {
		ret = kv_work_check_kind(o->loop, c->m.ops.value[i], &c->m.fault);
		if (ret)
			return ret;
	}
	c->m.has_kind = o->has_loop;
	c->m.kind = o->loop;
	c->m.plan.verify = o->verify;
	c->m.work.post = o->post;
	c->m.work.lkey = o->lkey;
	c->m.work.spins = o->spins;
	c->m.work.mtu = o->mtu;
	c->m.work.ack_timeout = o->ack_timeout;
	c->m.work.retry_cnt = o->retry_cnt;
	c->m.work.timeout_ns = o->timeout_ns;
	c->m.work.connect = o->connect;
	ret = kv_option_check_connect(o, &c->m.fault);
	return ret ? ret : kv_option_choose_cpus(o, c->m.work.cpu, &c->m.fault);
}

/* 1: go on. 0: nothing more to do. -EINVAL: see the fault. */
static int read_options(struct compare *c, int argc, char **argv)
{
	int ret;

	kv_option_init(&c->common);
	c->m.plan.time_ns = TIME_DEFAULT_NS;
	c->m.plan.rounds = KV_CELL_ROUNDS;
	c->m.plan.seed = SEED_DEFAULT;
	c->m.design = &kv_design_spaces;
	ret = kv_option_read(argc, argv, rows, &help, c, &c->m.fault);
	if (ret <= 0)
		return ret;
	ret = kv_option_take_host(&c->common, argc, argv, &c->m.fault);
	if (!ret)
		ret = check_options(c);
	return ret ? ret : 1;
}

/* Both spaces of it, on the same device. */
static int open_peer(struct compare *c)
{
	struct kv_peer *peer = &c->common.peer;

	for (unsigned int s = 0; s < KV_SPACES; s++) {
		int ret = kv_space_open_peer(&c->m.peer[s], s, peer, &c->m.fault);

		if (ret)
			return ret;
		peer->dev = c->m.peer[s].dev.name;
	}
	return 0;
}

static int open_spaces(struct compare *c)
{
	const char *dev = c->common.dev;
	int ret = 0;

	for (unsigned int s = 0; s < KV_SPACES; s++) {
		ret = kv_space_open(&c->m.space[s], s, dev, c->common.gid,
				    &c->m.fault);
		if (ret)
			return ret;
		/* Both have to be on the same one. */
		dev = c->m.space[s].dev.name;
	}
	if (c->m.host)
		ret = open_peer(c);
	return ret ? ret : kv_matrix_check(&c->m);
}

/* The document first: text that reads well must not hide that it is not there. */
static int tell(struct compare *c, struct kv_fault *f)
{
	int ret;

	ret = kv_out_commit(&c->out, c->doc, f);
	if (ret || c->out.to_stdout)
		return ret;
	ret = kv_report_compare(c->doc, f);
	if (!ret && c->out.path)
		printf("All of it, with the histograms: %s\n", c->common.json);
	return ret;
}

static struct json_object *describe_environment(const struct compare *c)
{
	struct json_object *capsule = kv_capsule_create(c->m.space, KV_SPACES);

	if (c->m.host)
		kv_capsule_add_peer(capsule, c->m.peer, KV_SPACES);
	return capsule;
}

static enum kv_exit measure(struct compare *c)
{
	enum kv_exit status = KV_EXIT_DONE;
	struct kv_fault fault;
	int ret;

	c->doc = kv_result_create("kverbs.compare", kv_matrix_spec(&c->m),
				  describe_environment(c));
	ret = kv_matrix_measure(&c->m, c->doc);
	if (!ret && !c->m.tried) {
		kv_fault_print(&c->m.fault);
		ret = c->m.fault.error;
	}
	kv_out_put_bool(c->doc, "complete", !ret);
	if (ret) {
		status = c->m.fault.exit;
		kv_out_put_fault(c->doc, &c->m.fault);
	}
	if (!c->m.measured) {
		kv_out_commit_fault(&c->out, c->doc, &c->m.fault);
	} else if (tell(c, &fault)) {
		kv_fault_print(&fault);
		status = status ? status : fault.exit;
	}
	json_object_put(c->doc);
	return status;
}

/* Before anything is measured. */
static enum kv_exit refuse(struct compare *c)
{
	c->doc = kv_result_create("kverbs.compare", kv_matrix_spec(&c->m), NULL);
	kv_out_commit_fault(&c->out, c->doc, &c->m.fault);
	json_object_put(c->doc);
	kv_fault_print(&c->m.fault);
	return c->m.fault.exit;
}

static enum kv_exit run(struct compare *c, int argc, char **argv)
{
	enum kv_exit status;
	int ret;

	ret = read_options(c, argc, argv);
	if (!ret)
		return KV_EXIT_DONE;
	if (ret < 0)
		goto out_fault;
	ret = kv_out_open(&c->out, c->common.json, &c->m.fault);
	if (ret)
		goto out_fault;
	ret = open_spaces(c);
	if (ret)
		status = refuse(c);
	else
		status = measure(c);
	for (unsigned int s = 0; s < KV_SPACES; s++) {
		kv_space_close(&c->m.peer[s]);
		kv_space_close(&c->m.space[s]);
	}
	kv_out_close(&c->out);
	return status;
out_fault:
	kv_fault_print(&c->m.fault);
	return c->m.fault.exit;
}

static int run_command(int argc, char **argv)
{
	/* Too large for a stack. */
	static struct compare c;

	return run(&c, argc, argv);
}

const struct kv_cmd kv_cmd_compare = { run_command, rows, &help };
