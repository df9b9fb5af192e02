// SPDX-License-Identifier: MIT
/* One side of ibv_rc_pingpong and its kin, from either space. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cli/option.h"
#include "cmd/cmd.h"
#include "object/describe.h"
#include "out/out.h"
#include "pingpong/pingpong.h"

enum {
	OPTION_SPACE = KV_OPTION_OWN,
	OPTION_TYPE,
	OPTION_PORT,
	OPTION_QPS,
	OPTION_SIZE,
	OPTION_MTU,
	OPTION_ITERS,
	OPTION_DEPTH,
	OPTION_EVENTS,
	OPTION_JSON,
};

static const struct option rows[] = {
	{ "help", no_argument, NULL, KV_OPTION_HELP },
	{ "dev", required_argument, NULL, KV_OPTION_DEV },
	{ "gid", required_argument, NULL, KV_OPTION_GID },
	{ "timeout", required_argument, NULL, KV_OPTION_TIMEOUT },
	{ "space", required_argument, NULL, OPTION_SPACE },
	{ "type", required_argument, NULL, OPTION_TYPE },
	{ "port", required_argument, NULL, OPTION_PORT },
	{ "qps", required_argument, NULL, OPTION_QPS },
	{ "size", required_argument, NULL, OPTION_SIZE },
	{ "mtu", required_argument, NULL, OPTION_MTU },
	{ "iters", required_argument, NULL, OPTION_ITERS },
	{ "rx-depth", required_argument, NULL, OPTION_DEPTH },
	{ "events", no_argument, NULL, OPTION_EVENTS },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ NULL, 0, NULL, 0 },
};

#define PORT_MAX 65535
#define ITERS_MAX 1000000000
#define DEPTH_MAX 16384
#define TIMEOUT_NS 10000000000ULL

/* As in ibv_rc_pingpong, in ibv_ud_pingpong, and in ibv_srq_pingpong. */
#define PORT "18515"
#define SIZE 4096
#define SIZE_UD 1024
#define QPS_SRQ 16
#define MTU 1024
#define ITERS 1000
#define DEPTH 500

static const struct kv_word words_type[] = {
	{ "rc", KV_PINGPONG_RC },
	{ "uc", KV_PINGPONG_UC },
	{ "ud", KV_PINGPONG_UD },
	{ "srq", KV_PINGPONG_SRQ },
	{ NULL, 0 },
};

struct command {
	struct kv_options common;
	struct kv_pingpong pingpong;
	const char *port;
	const char *host;
	bool has_space;
	bool json;
	struct kv_fault fault;
};

static void print_help(void)
{
	printf("usage: kverbs pingpong --space kernel|user [OPTION...]         the server\n"
	       "       kverbs pingpong HOST --space kernel|user [OPTION...]    the client\n"
	       "\n"
	       "Sends messages to and fro with a peer that is ibv_rc_pingpong, ibv_uc_pingpong,\n"
	       "ibv_ud_pingpong, ibv_srq_pingpong or 'kverbs pingpong'. Both sides have to be\n"
	       "given the same type, size, MTU and numbers.\n"
	       "\n"
	       "  --space SPACE      kernel or user: where the verbs are called\n"
	       "  --type TYPE        rc, uc, ud, or srq: several RC QPs with one SRQ; default: rc\n"
	       "  --dev DEV          device; default: the only one there is\n"
	       "  --gid INDEX        entry of the GID table; default: IPv4 RoCE v2, else IPv6\n"
	       "                     RoCE v2, else what there is; the peer needs its -g\n"
	       "  --port PORT        TCP, where the two find each other; default: " PORT "\n"
	       "  --size BYTES       of a message; default: 4096, of ud 1024\n"
	       "  --mtu BYTES        of the path, the peer's -m; default: 1024\n"
	       "  --iters N          messages each way, of all QPs together, the peer's -n;\n"
	       "                     default: 1000\n"
	       "  --qps N            of srq: QPs, 1 to 256, the peer's -q; default: 16\n"
	       "  --rx-depth N       receives posted at once; default: 500\n"
	       "  --events           sleep until there is a completion, in place of polling\n"
	       "  --timeout TIME     how long the peer may take for an answer; default: 10s.\n"
	       "                     A server waits for its client until Ctrl-C\n"
	       "  --json             print JSON\n"
	       "\n"
	       "The time is that of the tool's own loop, with a system call for each verb in the\n"
	       "kernel: 'kverbs lat' measures what verbs cost.\n");
}

static int take_option(void *arg, int id)
{
	struct command *c = arg;
	struct kv_pingpong *p = &c->pingpong;
	struct kv_why why;
	uint32_t space;
	uint64_t v = 0;
	int ret = 0;

	switch (id) {
	case OPTION_SPACE:
		ret = kv_parse_word(optarg, kv_word_space, &space, &why);
		if (!ret)
			p->space = space;
		c->has_space = true;
		break;
	case OPTION_TYPE:
		ret = kv_parse_word(optarg, words_type, &p->type, &why);
		break;
	case OPTION_PORT:
		ret = kv_parse_count(optarg, 1, PORT_MAX, &v, &why);
		c->port = optarg;
		break;
	case OPTION_QPS:
		ret = kv_parse_count(optarg, 1, KV_EXCHANGE_LIST, &v, &why);
		p->qps = (uint32_t)v;
		break;
	case OPTION_SIZE:
		ret = kv_parse_size(optarg, &p->size, &why);
		break;
	case OPTION_MTU:
		ret = kv_parse_mtu(optarg, &p->mtu, &why);
		break;
	case OPTION_ITERS:
		ret = kv_parse_count(optarg, 1, ITERS_MAX, &p->iters, &why);
		break;
	case OPTION_DEPTH:
		ret = kv_parse_count(optarg, 2, DEPTH_MAX, &v, &why);
		p->depth = (uint32_t)v;
		break;
	case OPTION_EVENTS:
		p->events = true;
		break;
	case OPTION_JSON:
		c->json = true;
		break;
	default:
		return kv_option_take(&c->common, id, &c->fault);
	}
	return ret ? kv_option_refuse(rows, id, &why, &c->fault) : 0;
}

/* What the options say together. */
static int check_options(struct command *c)
{
	struct kv_pingpong *p = &c->pingpong;

	if (!c->has_space)
		return kv_fault_usage(&c->fault, "--space is missing; it takes kernel or user");
	if (p->qps && p->type != KV_PINGPONG_SRQ)
		return kv_fault_usage(&c->fault, "--qps is for --type srq; %s has one QP",
				      kv_word_name(words_type, p->type));
	if (!p->qps)
		p->qps = p->type == KV_PINGPONG_SRQ ? QPS_SRQ : 1;
	if (p->depth < p->qps)
		return kv_fault_usage(&c->fault, "--rx-depth %u is too small for %u QPs: each needs a receive",
				      p->depth, p->qps);
	if (!p->size)
		p->size = p->type == KV_PINGPONG_UD ? SIZE_UD : SIZE;
	p->dev = c->common.dev;
	p->gid = c->common.gid;
	p->timeout_ns = c->common.timeout_ns;
	return 0;
}

/* 1: go on. 0: nothing more to do. -EINVAL: see the fault. */
static int read_options(struct command *c, int argc, char **argv)
{
	struct kv_pingpong *p = &c->pingpong;
	int ret;

	kv_option_init(&c->common);
	c->common.timeout_ns = TIMEOUT_NS;
	c->port = PORT;
	p->mtu = MTU;
	p->iters = ITERS;
	p->depth = DEPTH;
	ret = kv_option_read(argc, argv, rows, print_help, take_option, c, &c->fault);
	if (ret <= 0)
		return ret;
	if (argc - optind > 1)
		return kv_fault_usage(&c->fault, "'%s' is one host too many; 'kverbs pingpong' takes one or none",
				      argv[optind + 1]);
	c->host = argv[optind];
	ret = check_options(c);
	return ret ? ret : 1;
}

static void tell(const struct command *c)
{
	const struct kv_pingpong *p = &c->pingpong;
	double seconds = (double)p->elapsed_ns / 1e9;
	double bytes = (double)p->size * (double)p->iters * 2;
	struct json_object *doc;

	if (!c->json) {
		printf("%llu messages of %u bytes each way in %.2f s: %.2f us there and back, %.2f Mbit/s\n",
		       (unsigned long long)p->iters, p->size, seconds,
		       seconds * 1e6 / (double)p->iters,
		       bytes * 8 / seconds / 1e6);
		return;
	}
	doc = json_object_new_object();
	kv_out_put_string(doc, "command", "pingpong");
	kv_out_put_string(doc, "space", kv_word_name(kv_word_space, p->space));
	kv_out_put_string(doc, "role", c->host ? "client" : "server");
	kv_out_put_string(doc, "type", kv_word_name(words_type, p->type));
	kv_out_put_count(doc, "qps", p->qps);
	kv_out_put_count(doc, "size_bytes", p->size);
	kv_out_put_count(doc, "sent", p->sent);
	kv_out_put_count(doc, "received", p->received);
	kv_out_put_count(doc, "elapsed_ns", p->elapsed_ns);
	kv_out_print(doc, JSON_C_TO_STRING_PRETTY);
	json_object_put(doc);
}

/**
 * kv_cmd_pingpong() - messages to and fro with a peer that we did not write
 * @argc: of the command
 * @argv: argv[0] is the command's name
 *
 * Return: enum kv_exit
 */
int kv_cmd_pingpong(int argc, char **argv)
{
	static struct command c;
	int ret;

	ret = read_options(&c, argc, argv);
	if (!ret)
		return KV_EXIT_DONE;
	if (ret > 0)
		ret = kv_pingpong_run(&c.pingpong, c.host, c.port, &c.fault);
	if (!ret) {
		tell(&c);
		return KV_EXIT_DONE;
	}
	if (c.json)
		kv_describe_refusal(&c.fault);
	kv_fault_print(&c.fault);
	return c.fault.exit;
}
