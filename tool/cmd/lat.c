// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cli/option.h"
#include "cli/progress.h"
#include "cmd/cmd.h"
#include "measure/report.h"
#include "measure/result.h"
#include "measure/retries.h"
#include "measure/verify.h"
#include "out/capsule.h"
#include "out/out.h"
#include "out/table.h"
#include "remote/open.h"
#include "sys/now.h"

#define ITERS_MAX 1000000000000ULL
/* What a p99.9 needs; and how long one is made to wait for it. */
#define ITERS_DEFAULT 10000
#define TIME_DEFAULT_NS 10000000000ULL
#define TIME_MIN_NS 1000000ULL
#define TIME_MAX_NS 86400000000000ULL
#define WARMUP_DEFAULT 100
#define SIZE_DEFAULT 64
#define ATOMIC_SIZE 8

/* All that one invocation needs. */
struct lat {
	struct kv_options common;
	bool has_op, has_size, has_space, has_end[2];
	uint32_t op;
	uint32_t size;
	/* enum kv_space_id of both ends, or of the client and of the server. */
	uint32_t both;
	uint32_t end[2];
	struct kv_amount amount;

	struct kv_work work;
	/* By enum kv_space_id; only those are open that an end is in. */
	struct kv_space space[KV_SPACES];
	/* Where the server is, if that is another host. */
	struct kv_space peer;
	struct kv_pair pair;
	struct kv_side null;
	struct kv_side side;
	struct kv_retries retries;
	struct kv_run_result result;
	bool verified;
	struct kv_out out;
	struct kv_progress progress;
	uint64_t begin_ns;
	struct json_object *doc;
	struct kv_fault fault;
};

#define S struct lat

static const struct kv_option rows[] = {
	{ "op", "OP", "send, write, read, fetch-add or cmp-swp", KV_OPTION_WORD,
	  .at = offsetof(S, op), .has = offsetof(S, has_op), .words = kv_word_op },
	{ "space", "SPACE", "kernel or user: where the verbs are called, at both ends",
	  KV_OPTION_WORD, .at = offsetof(S, both), .has = offsetof(S, has_space),
	  .words = kv_word_space },
	{ "client", "SPACE", "where the end is that begins, and that measures",
	  KV_OPTION_WORD, .at = offsetof(S, end[0]), .has = offsetof(S, has_end[0]),
	  .words = kv_word_space },
	{ "server", "SPACE", "where the other end is, which has the target",
	  KV_OPTION_WORD, .at = offsetof(S, end[1]), .has = offsetof(S, has_end[1]),
	  .words = kv_word_space },
	{ "size", "BYTES", "as in 64 or 4k (KiB) or 1m (MiB); default: 64, and 8 for fetch-add and cmp-swp, which have no other size",
	  KV_OPTION_SIZE, .at = offsetof(S, size), .has = offsetof(S, has_size) },
	{ "iters", "N", "samples to take", KV_OPTION_U64, .at = offsetof(S, amount.iters),
	  .min = 1, .max = ITERS_MAX },
	{ "time", "TIME", "how long to take samples, as in 2, 0.5s or 200ms; with --iters: what comes first; default: 10000 samples, but no longer than 10s",
	  KV_OPTION_TIME, .at = offsetof(S, amount.time_ns), .min = TIME_MIN_NS, .max = TIME_MAX_NS },
	{ "warmup", "N", "iterations before the first sample; default: 100", KV_OPTION_U64,
	  .at = offsetof(S, amount.warmup), .max = ITERS_MAX },
	KV_OPTION_LOOP_ROW(S, common, "completion: from before the post until its completion was polled (default for all but send); relay: one thread drives both ends of a ping-pong (default for send, if both are in one space of one host); pingpong: between two threads (default for send otherwise); null: no verbs at all.\nrelay and pingpong take send and write; what is printed for them is half of the round trip"),
	KV_OPTION_ROWS(S, common),
	{ .help = "with a HOST:" },
	KV_OPTION_HOST_ROWS(S, common),
	{ .name = NULL },
};

#undef S

static const struct kv_option_help help = {
	.usage =
		"usage: kverbs lat --op OP --space SPACE [OPTION...] [HOST]\n"
		"       kverbs lat --op OP --client SPACE --server SPACE [OPTION...] [HOST]\n"
		"\n"
		"Measures the latency of one operation, over a loopback connection, or with the\n"
		"server on HOST, where 'kverbs serve' runs: a name or an address, HOST:PORT or\n"
		"[HOST]:PORT.\n",
	.more =
		"A percentile that needs more samples than there are is shown as -.\n"
		"Ctrl-C ends the run, prints what was measured until then, and the exit status\n"
		"is 1. A second Ctrl-C kills.\n",
};

static int choose_ends(struct lat *l)
{
	if (l->has_space && (l->has_end[0] || l->has_end[1]))
		return kv_fault_usage(&l->fault, "--space is where both ends are; give it alone, or --client and --server");
	if (!l->has_space && !l->has_end[0] && !l->has_end[1])
		return kv_fault_usage(&l->fault, "--space is missing; it takes kernel or user");
	if (!l->has_space && !(l->has_end[0] && l->has_end[1]))
		return kv_fault_usage(&l->fault, "--%s is missing; it takes kernel or user, and goes with --%s",
				      l->has_end[0] ? "server" : "client",
				      l->has_end[0] ? "client" : "server");
	if (l->has_space)
		l->end[0] = l->end[1] = l->both;
	return 0;
}

static const char *host_of(const struct lat *l)
{
	return l->common.peer.host;
}

static bool is_mixed(const struct lat *l)
{
	return l->end[0] != l->end[1];
}

/* Loops that one thread drives need both ends in one space of one host. */
static int check_loop(struct lat *l)
{
	struct kv_options *o = &l->common;
	bool apart = is_mixed(l) || host_of(l);

	if (!o->has_loop)
		o->loop = kv_work_default_kind(l->op);
	if (!apart)
		return 0;
	if (o->loop == KV_KIND_NULL)
		return kv_fault_usage(&l->fault, "--loop null has no other end; it takes --space%s",
				      host_of(l) ? ", and no HOST" : "");
	if (o->loop == KV_KIND_RELAY && o->has_loop)
		return kv_fault_usage(&l->fault, "--loop relay has one thread for both ends, which must be %s; --loop pingpong has two",
				      host_of(l) ? "on one host" : "in one space");
	if (o->loop == KV_KIND_RELAY)
		o->loop = KV_KIND_PINGPONG;
	return 0;
}

/* What the options say together. */
static int check_options(struct lat *l)
{
	struct kv_options *o = &l->common;
	bool null = o->has_loop && o->loop == KV_KIND_NULL;
	int ret;

	ret = choose_ends(l);
	if (ret)
		return ret;
	if (!l->has_op && !null)
		return kv_fault_usage(&l->fault, "--op is missing; it takes send, write, read, fetch-add or cmp-swp");
	ret = check_loop(l);
	if (ret)
		return ret;
	if (!l->has_size)
		l->size = kv_work_is_atomic(l->op) ? ATOMIC_SIZE : SIZE_DEFAULT;
	if (kv_work_is_atomic(l->op) && l->size != ATOMIC_SIZE)
		return kv_fault_usage(&l->fault, "--size %u does not go with %s, which has 8 bytes",
				      l->size, kv_word_name(kv_word_op, l->op));
	if (l->end[0] == KV_SPACE_USER && !is_mixed(l) &&
	    (o->has_post || o->has_lkey))
		return kv_fault_usage(&l->fault, "--%s is for --space kernel; user space has no choice there",
				      o->has_post ? "post" : "lkey");
	if (!l->amount.iters && !l->amount.time_ns) {
		l->amount.iters = ITERS_DEFAULT;
		l->amount.time_ns = TIME_DEFAULT_NS;
	}
	if (!null) {
		ret = kv_work_check_kind(o->loop, l->op, &l->fault);
		if (ret)
			return ret;
	}
	kv_work_set(&l->work, o->loop, l->op, l->size);
	l->work.post = o->post;
	l->work.lkey = o->lkey;
	l->work.spins = o->spins;
	l->work.timeout_ns = o->timeout_ns;
	l->work.mtu = o->mtu;
	l->work.ack_timeout = o->ack_timeout;
	l->work.retry_cnt = o->retry_cnt;
	l->work.connect = o->connect;
	ret = kv_option_check_connect(o, &l->fault);
	return ret ? ret : kv_option_choose_cpus(o, l->work.cpu, &l->fault);
}

/* 1: go on. 0: nothing more to do. -EINVAL: see the fault. */
static int read_options(struct lat *l, int argc, char **argv)
{
	int ret;

	kv_option_init(&l->common);
	l->amount.warmup = WARMUP_DEFAULT;
	ret = kv_option_read(argc, argv, rows, &help, l, &l->fault);
	if (ret <= 0)
		return ret;
	ret = kv_option_take_host(&l->common, argc, argv, &l->fault);
	if (!ret)
		ret = check_options(l);
	return ret ? ret : 1;
}

static struct json_object *describe_spec(const struct lat *l)
{
	struct json_object *spec = json_object_new_object();

	if (l->amount.iters)
		kv_out_put_count(spec, "iters", l->amount.iters);
	if (l->amount.time_ns)
		kv_out_put_count(spec, "time_ns", l->amount.time_ns);
	kv_out_put_count(spec, "warmup", l->amount.warmup);
	kv_result_put_limits(spec, &l->work);
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
		by_count = (double)r->samples / (double)l->amount.iters;
	if (l->amount.time_ns)
		by_time = (double)(kv_now_ns() - l->begin_ns) /
			  (double)l->amount.time_ns;
	kv_progress_draw(&l->progress, by_count > by_time ? by_count : by_time);
}

/* A run that ended early still has its samples, and they are shown. */
static int measure(struct lat *l, struct kv_pair *pair)
{
	struct kv_watch watch = { .fn = show_progress, .arg = l };
	char label[32], size[16];
	int ret;

	kv_size_format(size, sizeof(size), l->size);
	snprintf(label, sizeof(label), "%s %s",
		 pair ? kv_word_name(kv_word_op, l->op) : "null loop",
		 pair ? size : "");
	kv_progress_start(&l->progress, 1);
	kv_progress_step(&l->progress, label);
	l->begin_ns = kv_now_ns();
	ret = kv_block_measure(&l->space[l->end[0]], pair, &l->work, &l->amount,
			       l->progress.on ? &watch : NULL, &l->result,
			       &l->fault);
	kv_progress_erase(&l->progress);
	kv_side_add(&l->side, &l->result);
	return ret;
}

static int measure_pair(struct lat *l)
{
	const struct kv_space *client = &l->space[l->end[0]];
	const struct kv_space *server = host_of(l) ? &l->peer :
						     &l->space[l->end[1]];
	int ret;

	ret = kv_work_check_dev(&l->work, &client->dev, client->b->ops->space,
				&l->fault);
	if (!ret)
		ret = kv_work_check_dev(&l->work, &server->dev,
					server->b->ops->space, &l->fault);
	kv_work_adapt(&l->work, &client->dev);
	if (!ret)
		ret = kv_pair_create(&l->pair, client, server, &l->work,
				     &l->fault);
	if (ret)
		return ret;
	kv_pair_verbs(&l->pair, l->side.verb_ns);
	kv_retries_start(&l->retries, client, server);
	if (l->common.verify) {
		ret = kv_verify_pair(&l->pair, &l->fault);
		l->verified = !ret;
	}
	if (!ret)
		ret = measure(l, &l->pair);
	kv_retries_stop(&l->retries);
	kv_pair_destroy(&l->pair);
	return ret;
}

static int measure_all(struct lat *l)
{
	int ret;

	kv_side_reset(&l->side);
	if (l->work.kind == KV_KIND_NULL)
		return measure(l, NULL);
	ret = kv_side_measure_null(&l->null, &l->space[l->end[0]], &l->work,
				   &l->fault);
	return ret ? ret : measure_pair(l);
}

static struct json_object *describe_environment(const struct lat *l)
{
	struct json_object *capsule;

	if (is_mixed(l) && !host_of(l))
		return kv_capsule_create(l->space, KV_SPACES);
	capsule = kv_capsule_create(&l->space[l->end[0]], 1);
	if (host_of(l))
		kv_capsule_add_peer(capsule, &l->peer, 1);
	return capsule;
}

static struct json_object *describe_cell(const struct lat *l)
{
	struct json_object *cell = kv_result_work(&l->work);

	kv_out_put_string(cell, "space", kv_word_name(kv_word_space, l->end[0]));
	kv_out_put_string(cell, "server_space", kv_word_name(kv_word_space, l->end[1]));
	return cell;
}

static void describe(struct lat *l, int ret)
{
	struct json_object *cell = describe_cell(l);
	struct json_object *null = json_object_new_object();
	const char *space = kv_word_name(kv_word_space, l->end[0]);
	struct kv_work null_work = l->work;

	l->doc = kv_result_create("kverbs.lat", describe_spec(l),
				  describe_environment(l));
	if (l->work.kind != KV_KIND_NULL) {
		kv_work_set(&null_work, KV_KIND_NULL, 0, 0);
		kv_out_put(null, space,
			   kv_result_side(&null_work, l->end[0], &l->null));
		kv_out_put(l->doc, "null_loop", null);
		kv_out_put(l->doc, "counters", kv_retries_describe(&l->retries));
	} else {
		json_object_put(null);
	}
	kv_out_put_bool(cell, "verified", l->verified);
	kv_out_put(cell, "result",
		   kv_result_side(&l->work, l->end[0], &l->side));
	kv_out_put(l->doc, "cell", cell);
	kv_out_put_bool(l->doc, "complete", !ret);
	if (ret)
		kv_out_put_fault(l->doc, &l->fault);
}

/* Nothing was measured. */
static void tell_fault(struct lat *l)
{
	l->doc = kv_result_create("kverbs.lat", describe_spec(l), NULL);
	kv_out_put(l->doc, "cell", describe_cell(l));
	kv_out_commit_fault(&l->out, l->doc, &l->fault);
	json_object_put(l->doc);
}

/* The document first: text that reads well must not hide that it is not there. */
static int tell(struct lat *l)
{
	int ret;

	ret = kv_out_commit(&l->out, l->doc, &l->fault);
	if (!ret && !l->out.to_stdout)
		ret = kv_report_lat(l->doc, &l->fault);
	return ret;
}

static int open_spaces(struct lat *l)
{
	unsigned int here = host_of(l) ? 1 : 2;
	int ret = 0;

	for (unsigned int i = 0; i < here && !ret; i++) {
		uint32_t id = l->end[i];

		if (!l->space[id].b)
			ret = kv_space_open(&l->space[id], id, l->common.dev,
					    l->common.gid, &l->fault);
	}
	if (!ret && host_of(l))
		ret = kv_space_open_peer(&l->peer, l->end[1], &l->common.peer,
					 &l->fault);
	return ret;
}

static void close_spaces(struct lat *l)
{
	kv_space_close(&l->peer);
	for (unsigned int id = 0; id < KV_SPACES; id++)
		kv_space_close(&l->space[id]);
}

static int run(struct lat *l, int argc, char **argv)
{
	enum kv_exit status;
	int ret;

	ret = read_options(l, argc, argv);
	if (!ret)
		return KV_EXIT_DONE;
	if (ret < 0)
		goto out_fault;
	ret = kv_out_open(&l->out, l->common.json, &l->fault);
	if (ret)
		goto out_fault;
	ret = open_spaces(l);
	if (ret)
		goto out_close;
	ret = measure_all(l);
	status = ret ? l->fault.exit : KV_EXIT_DONE;
	if (ret)
		kv_fault_print(&l->fault);
	if (!ret || (ret == -ECANCELED && l->side.samples)) {
		describe(l, ret);
		if (tell(l)) {
			kv_fault_print(&l->fault);
			status = l->fault.exit;
		}
		json_object_put(l->doc);
	} else {
		tell_fault(l);
	}
	close_spaces(l);
	kv_out_close(&l->out);
	return status;

out_close:
	tell_fault(l);
	close_spaces(l);
	kv_out_close(&l->out);
out_fault:
	kv_fault_print(&l->fault);
	return l->fault.exit;
}

static int run_command(int argc, char **argv)
{
	/* Too large for a stack. */
	static struct lat l;

	return run(&l, argc, argv);
}

const struct kv_cmd kv_cmd_lat = { run_command, rows, &help };
