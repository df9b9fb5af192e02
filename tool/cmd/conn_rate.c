// SPDX-License-Identifier: MIT
/* How many connections of the RDMA CM a second, and what each step of one costs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cli/option.h"
#include "cmd/cmd.h"
#include "measure/result.h"
#include "out/capsule.h"
#include "out/out.h"
#include "ping/link.h"
#include "rate/rate.h"

#define PORT_MAX 65535
#define COUNT_MAX 1000000000
#define PARALLEL_MAX 1024
#define TIMEOUT_NS 10000000000ULL

/* As in cmtime. */
#define PORT "7471"
#define COUNT 100

struct command {
	struct kv_options common;
	struct kv_rate rate;
	struct kv_space space;
	uint32_t space_id;
	bool has_space;
	bool server;
	const char *host;
	const char *port;
	struct kv_out out;
	struct kv_fault fault;
};

#define S struct command

static const struct kv_option rows[] = {
	{ "space", "SPACE", "kernel or user: where the verbs are called", KV_OPTION_WORD,
	  .at = offsetof(S, space_id), .has = offsetof(S, has_space), .words = kv_word_space },
	{ "server", NULL, NULL, KV_OPTION_FLAG, .at = offsetof(S, server) },
	{ "count", "N", "connections; default: 100, of a server: until Ctrl-C", KV_OPTION_U64,
	  .at = offsetof(S, rate.count), .min = 1, .max = COUNT_MAX },
	{ "parallel", "N", "so many at a time, each step for all of them before the next, up to 1024; default: 1, one after the other",
	  KV_OPTION_U32, .at = offsetof(S, rate.parallel), .min = 1, .max = PARALLEL_MAX },
	{ "disconnect", NULL, "of a server: end all connections when there are --count of them; else the client does. ucmatose's client waits for that",
	  KV_OPTION_FLAG, .at = offsetof(S, rate.disconnect) },
	{ "port", "PORT", "of the RDMA CM; default: " PORT, KV_OPTION_PORT, .at = offsetof(S, port) },
	KV_OPTION_DEV_ROW(S, common),
	KV_OPTION_TIMEOUT_ROW(S, common, "how long the peer may take for each step; default: 10s"),
	KV_OPTION_JSON_ROW(S, common, "write the result, with all histograms; - is stdout"),
	{ .name = NULL },
};

#undef S

static const struct kv_option_help help = {
	.usage =
		"usage: kverbs conn-rate ADDR --space kernel|user [OPTION...]\n"
		"       kverbs conn-rate --server [ADDR] --space kernel|user [OPTION...]\n"
		"\n"
		"Makes connections by way of the RDMA CM, and ends them; prints how many a second,\n"
		"and what each step costs. The other side is 'kverbs conn-rate', cmtime, or\n"
		"ucmatose -C 0. ADDR is a name or an address of an RDMA device's network\n"
		"interface, IPv4 or IPv6; a server without one listens at all of them, on iWARP\n"
		"at all of IPv4's.\n",
	.more =
		"A percentile that needs more samples than there are is shown as -.\n"
		"Ctrl-C ends it, prints what was measured until then, and the exit status is 1.\n",
};

/* What the options say together. */
static int check_options(struct command *c, int argc, char **argv)
{
	struct kv_rate *r = &c->rate;

	if (argc - optind > 1)
		return kv_fault_usage(&c->fault, "'%s' is one address too many; 'kverbs conn-rate' takes one",
				      argv[optind + 1]);
	c->host = argv[optind];
	if (!c->server && !c->host)
		return kv_fault_usage(&c->fault, "the server's address is missing; or give --server");
	if (!c->has_space)
		return kv_fault_usage(&c->fault, "--space is missing; it takes kernel or user");
	if (c->server && r->parallel)
		return kv_fault_usage(&c->fault, "--parallel is for the client: the server takes what comes");
	if (r->disconnect && !c->server)
		return kv_fault_usage(&c->fault, "--disconnect is for --server: a client always does");
	if (r->disconnect && !r->count)
		return kv_fault_usage(&c->fault, "--disconnect needs --count: when all of them are there, they are ended");
	if (!c->server && !r->count)
		r->count = COUNT;
	if (!r->parallel)
		r->parallel = 1;
	if (r->parallel > r->count && !c->server)
		r->parallel = (uint32_t)r->count;
	r->timeout_ns = c->common.timeout_ns;
	return 0;
}

/* 1: go on. 0: nothing more to do. -EINVAL: see the fault. */
static int read_options(struct command *c, int argc, char **argv)
{
	int ret;

	kv_option_init(&c->common);
	c->common.timeout_ns = TIMEOUT_NS;
	c->port = PORT;
	ret = kv_option_read(argc, argv, rows, &help, c, &c->fault);
	if (ret <= 0)
		return ret;
	ret = check_options(c, argc, argv);
	return ret ? ret : 1;
}

static struct json_object *describe_spec(const struct command *c)
{
	struct json_object *spec = json_object_new_object();
	char addr[KV_SOCKADDR_TEXT];

	kv_sockaddr_format(addr, &c->rate.addr);
	kv_out_put_string(spec, "space", kv_word_name(kv_word_space, c->space_id));
	kv_out_put_string(spec, "role", c->server ? "passive" : "active");
	/* One that could not be looked up has no address. */
	kv_out_put_string(spec, "address", *addr ? addr : c->host);
	if (c->rate.count)
		kv_out_put_count(spec, "count", c->rate.count);
	if (!c->server)
		kv_out_put_count(spec, "parallel", c->rate.parallel);
	kv_out_put_count(spec, "timeout_ns", c->rate.timeout_ns);
	return spec;
}

static struct json_object *describe(struct command *c, int ret)
{
	struct json_object *capsule = kv_capsule_create(&c->space, 1), *doc;

	/* Whether the other end is on this host is for the routes to know. */
	kv_out_put_string(capsule, "path", "as routed");
	doc = kv_result_create("kverbs.conn-rate", describe_spec(c), capsule);
	kv_out_put(doc, "result", kv_rate_describe(&c->rate));
	kv_out_put_bool(doc, "complete", !ret);
	if (ret)
		kv_out_put_fault(doc, &c->fault);
	return doc;
}

/* The document first: text that reads well must not hide that it is not there. */
static int tell(struct command *c, int result)
{
	struct json_object *doc = describe(c, result);
	int ret;

	ret = kv_out_commit(&c->out, doc, &c->fault);
	if (!ret && !c->out.to_stdout)
		ret = kv_rate_report(doc, &c->fault);
	json_object_put(doc);
	return ret;
}

/* Nothing was measured. */
static void tell_fault(struct command *c)
{
	struct json_object *doc = kv_result_create("kverbs.conn-rate", describe_spec(c), NULL);

	kv_out_commit_fault(&c->out, doc, &c->fault);
	json_object_put(doc);
}

static int measure(struct command *c)
{
	struct kv_space *s = &c->space;
	int ret;

	ret = kv_space_open(s, c->space_id, c->common.dev, -1, &c->fault);
	if (!ret)
		ret = kv_link_look_up(&s->dev, c->host, c->port, &c->rate.addr, &c->fault);
	if (ret)
		return ret;
	c->rate.end.space = s;
	ret = c->server ? kv_rate_passive(&c->rate, &c->fault) :
			  kv_rate_active(&c->rate, &c->fault);
	return kv_dev_blame(s->b, s->dev.name, ret, &c->fault);
}

static int run(struct command *c, int argc, char **argv)
{
	int ret, status = KV_EXIT_DONE;

	ret = read_options(c, argc, argv);
	if (!ret)
		return KV_EXIT_DONE;
	if (ret > 0)
		ret = kv_out_open(&c->out, c->common.json, &c->fault);
	if (ret) {
		kv_fault_print(&c->fault);
		return c->fault.exit;
	}
	ret = measure(c);
	if (ret) {
		status = c->fault.exit;
		kv_fault_print(&c->fault);
	}
	/* Connections that were interrupted still have their costs. */
	if (ret && !(ret == -EINTR && c->rate.done)) {
		tell_fault(c);
	} else if (tell(c, ret)) {
		status = c->fault.exit;
		kv_fault_print(&c->fault);
	}
	kv_space_close(&c->space);
	kv_out_close(&c->out);
	return status;
}

static int run_command(int argc, char **argv)
{
	/* Too large for a stack. */
	static struct command c;

	return run(&c, argc, argv);
}

const struct kv_cmd kv_cmd_conn_rate = { run_command, rows, &help };
