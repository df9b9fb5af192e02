// SPDX-License-Identifier: MIT
/* One side of ibv_rc_pingpong and its kin, from either space. */
#include <stdio.h>
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "out/out.h"
#include "out/unit.h"
#include "pingpong/pingpong.h"

#define ITERS_MAX 1000000000
#define DEPTH_MAX 16384

/* The defaults of ibv_rc_pingpong, ibv_ud_pingpong and ibv_srq_pingpong. */
#define PORT "18515"
#define SIZE 4096
#define SIZE_UD 1024
#define QPS_SRQ 16
#define MTU 1024
#define ITERS 1000
#define DEPTH 500

static const struct kv_enum words_type[] = {
	{ "rc", KV_PINGPONG_RC },
	{ "uc", KV_PINGPONG_UC },
	{ "ud", KV_PINGPONG_UD },
	{ "srq", KV_PINGPONG_SRQ },
	{ NULL, 0 },
};

static const struct kv_schema schema = { "kverbs.pingpong", 1 };

static struct command {
	struct kv_options common;
	struct kv_pingpong pingpong;
	const char *port;
	const char *host;
} command;

static const struct kv_foreign peers[] = {
	{ "gid-idx", 'g', "here it is --gid-index (-x)" },
	{ .word = NULL },
};

#define S struct command

static const struct kv_option rows[] = {
	KV_OPTION_SPACE_ROW(S, common, "", NULL),
	{ "type", "TYPE", "rc, uc, ud, or srq: several RC QPs with one SRQ; default: rc",
	  KV_OPTION_ENUM, .at = offsetof(S, pingpong.type), .names = words_type },
	KV_OPTION_DEV_ROW(S, common),
	KV_OPTION_IB_PORT_ROW(S, common),
	KV_OPTION_GID_ROW(S, common),
	{ "port", "PORT", "TCP port over which both sides exchange addresses; default: " PORT, KV_OPTION_PORT,
	  .at = offsetof(S, port), .letter = 'p' },
	{ "size", "BYTES", "of a message; default: 4096, of ud 1024", KV_OPTION_SIZE,
	  .at = offsetof(S, pingpong.size), .letter = 's' },
	{ "mtu", "BYTES", "path MTU, as the peer's -m; default: 1024", KV_OPTION_MTU,
	  .at = offsetof(S, pingpong.mtu), .letter = 'm' },
	KV_OPTION_ITERS_ROW(S, pingpong.iters, ITERS_MAX, "messages each way, of all QPs together, as the peer's -n; default: 1000"),
	{ "qps", "N", "QPs of --type srq, 1 to 256, as the peer's -q; default: 16", KV_OPTION_U32,
	  .at = offsetof(S, pingpong.qps), .min = 1, .max = KV_PINGPONG_LIST,
	  .letter = 'q' },
	{ "rx-depth", "N", "receives posted at once; default: 500", KV_OPTION_U32,
	  .at = offsetof(S, pingpong.depth), .min = 2, .max = DEPTH_MAX,
	  .letter = 'r' },
	{ "events", NULL, "sleep until a completion comes, in place of polling",
	  KV_OPTION_FLAG, .at = offsetof(S, pingpong.events), .letter = 'e' },
	KV_OPTION_TIMEOUT_ROW(S, common, "how long the peer may take for an answer; default: 10s. A server waits for its client until Ctrl-C"),
	KV_OPTION_JSON_ROW(S, common.json),
	KV_OPTION_FOREIGN_ROW("ibv_rc_pingpong", peers),
	{ .name = NULL },
};

#undef S

static void init(void)
{
	struct command *c = &command;

	c->common = (struct kv_options)KV_OPTIONS_DEFAULT;
	c->port = PORT;
	c->pingpong.mtu = MTU;
	c->pingpong.iters = ITERS;
	c->pingpong.depth = DEPTH;
}

static int check(int n, char **word, struct kv_fault *f)
{
	struct command *c = &command;
	struct kv_pingpong *p = &c->pingpong;
	int ret;

	if (n > 1)
		return kv_fault_usage(f, "'%s' is one host too many; 'kverbs pingpong' takes one or none",
				      word[1]);
	c->host = word[0];
	ret = kv_options_need_space(&c->common, f);
	if (ret)
		return ret;
	if (p->qps && p->type != KV_PINGPONG_SRQ)
		return kv_fault_usage(f, "--qps is for --type srq; %s has one QP",
				      kv_enum_name(words_type, p->type));
	if (!p->qps)
		p->qps = p->type == KV_PINGPONG_SRQ ? QPS_SRQ : 1;
	if (p->depth < p->qps)
		return kv_fault_usage(f, "--rx-depth %u is too small for %u QPs: each needs a receive",
				      p->depth, p->qps);
	if (!p->size)
		p->size = p->type == KV_PINGPONG_UD ? SIZE_UD : SIZE;
	p->space = c->common.both;
	p->dev = c->common.dev;
	p->ib_port = c->common.ib_port;
	p->gid = c->common.gid;
	p->timeout_ns = c->common.work.timeout_ns;
	return 0;
}

static int print(struct json_object *doc, struct kv_fault *f)
{
	const struct kv_pingpong *p = &command.pingpong;
	double seconds = (double)p->elapsed_ns / 1e9;
	double bytes = (double)p->size * (double)p->iters * 2;

	printf("%s messages of %u bytes each way in %.2f s: %.2f us there and back, %.2f Mbit/s\n",
	       KV_COUNT(p->iters), p->size, seconds,
	       seconds * 1e6 / (double)p->iters, bytes * 8 / seconds / 1e6);
	return 0;
}

static struct json_object *describe(bool result, int error)
{
	const struct kv_pingpong *p = &command.pingpong;
	struct json_object *doc = kv_out_document(&schema);

	kv_out_put_bool(doc, "complete", result);
	kv_out_put_string(doc, "command", "pingpong");
	kv_out_put_string(doc, "space", kv_enum_name(kv_enum_space, p->space));
	kv_out_put_string(doc, "role", command.host ? "client" : "server");
	kv_out_put_string(doc, "type", kv_enum_name(words_type, p->type));
	if (!result)
		return doc;
	kv_out_put_count(doc, "qps", p->qps);
	kv_out_put_count(doc, "size_bytes", p->size);
	kv_out_put_count(doc, "sent", p->sent);
	kv_out_put_count(doc, "received", p->received);
	kv_out_put_count(doc, "elapsed_ns", p->elapsed_ns);
	return doc;
}

static int run(struct kv_fault *f)
{
	return kv_pingpong_run(&command.pingpong, command.host, command.port, f);
}

const struct kv_cmd kv_cmd_pingpong = {
	.rows = rows,
	.usage = "usage: kverbs pingpong --space kernel|user [OPTION...]         the server\n"
		"       kverbs pingpong HOST --space kernel|user [OPTION...]    the client\n"
		"\n"
		"Exchanges messages with a peer, which is ibv_rc_pingpong, ibv_uc_pingpong,\n"
		"ibv_ud_pingpong, ibv_srq_pingpong or 'kverbs pingpong'. Both sides have to be\n"
		"given the same type, size, MTU and numbers; ibv_*_pingpong needs a GID's index\n"
		"(-g), too.\n",
	.more = "The time is that of the tool's own loop, with a system call for each verb in the\n"
		"kernel: 'kverbs lat' measures the cost of verbs.\n",
	.args = &command,
	.init = init,
	.json = &command.common.json,
	.schema = &schema,
	.check = check,
	.run = run,
	.describe = describe,
	.print = print,
};
