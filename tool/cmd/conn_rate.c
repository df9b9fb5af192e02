// SPDX-License-Identifier: MIT
/* The rate of RDMA CM connections per second, and the cost of each step of a connection. */
#include <errno.h>
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "measure/figure.h"
#include "measure/result.h"
#include "out/environment.h"
#include "out/out.h"
#include "ping/link.h"
#include "rate/rate.h"

static const struct kv_schema schema = { "kverbs.conn-rate", KV_RESULT_VERSION };

#define COUNT_MAX 1000000000
#define PARALLEL_MAX 1024

/* The port of rdma-core's cmtime. */
#define PORT "7471"
#define COUNT 100

static struct command {
	struct kv_options common;
	struct kv_rate rate;
	struct kv_site site;
	const char *host;
	const char *port;
} command;

#define S struct command

static const struct kv_option rows[] = {
	KV_OPTION_SIDE_ROWS(S, common),
	KV_OPTION_ITERS_ROW(S, rate.count, COUNT_MAX, "connections; default: 100, of a server: until Ctrl-C"),
	{ "parallel", "N", "connections at a time, up to 1024: each step is done for all of them before the next step; default: 1",
	  KV_OPTION_U32, .at = offsetof(S, rate.parallel), .min = 1, .max = PARALLEL_MAX },
	{ "disconnect", NULL, "server: end all connections when there are --iters of them; without it the client ends them. ucmatose's client needs this",
	  KV_OPTION_FLAG, .at = offsetof(S, rate.disconnect) },
	{ "port", "PORT", "of the RDMA CM; default: " PORT, KV_OPTION_PORT, .at = offsetof(S, port),
	  .letter = 'p' },
	KV_OPTION_DEV_ROW(S, common),
	KV_OPTION_TIMEOUT_ROW(S, common, "how long the peer may take for each step; default: 10s"),
	KV_OPTION_JSON_ROW(S, common.json),
	KV_OPTION_CSV_ROW(S, common.csv),
	KV_OPTION_PLOT_ROW(S, common.plot),
	KV_OPTION_LABEL_ROW(S, common),
	{ .name = NULL },
};

#undef S

static void init(void)
{
	command.common = (struct kv_options)KV_OPTIONS_DEFAULT;
	command.port = PORT;
}

static int check(int n, char **word, struct kv_fault *f)
{
	struct command *c = &command;
	struct kv_rate *r = &c->rate;
	int ret;

	if (n > 1)
		return kv_fault_usage(f, "'%s' is one address too many; 'kverbs conn-rate' takes one",
				      word[1]);
	c->host = word[0];
	ret = kv_options_choose_side(&c->common, c->host, f);
	if (ret)
		return ret;
	if (c->common.has_end[1] && r->parallel)
		return kv_fault_usage(f, "--parallel is for the client: the server accepts as many as come");
	if (r->disconnect && !c->common.has_end[1])
		return kv_fault_usage(f, "--disconnect is for --server: a client always disconnects");
	if (r->disconnect && !r->count)
		return kv_fault_usage(f, "--disconnect needs --iters: the server ends the connections when it has that many");
	if (!c->common.has_end[1] && !r->count)
		r->count = COUNT;
	if (!r->parallel)
		r->parallel = 1;
	if (r->parallel > r->count && !c->common.has_end[1])
		r->parallel = (uint32_t)r->count;
	r->timeout_ns = c->common.work.timeout_ns;
	return 0;
}

static struct json_object *describe_spec(const struct command *c)
{
	struct json_object *spec = json_object_new_object();
	char addr[KV_SOCKADDR_TEXT];

	kv_sockaddr_format(addr, &c->rate.addr);
	kv_out_put_string(spec, "space", kv_enum_name(kv_enum_space, c->common.both));
	kv_out_put_string(spec, "role", c->common.has_end[1] ? "passive" : "active");
	/* If the host could not be looked up, its name is in place of the address. */
	kv_out_put_string(spec, "address", *addr ? addr : c->host);
	if (c->rate.count)
		kv_out_put_count(spec, "count", c->rate.count);
	if (!c->common.has_end[1])
		kv_out_put_count(spec, "parallel", c->rate.parallel);
	kv_out_put_count(spec, "timeout_ns", c->rate.timeout_ns);
	return spec;
}

static struct json_object *describe(bool result, int error)
{
	struct json_object *doc, *environment = NULL;

	if (result)
		environment = kv_environment_create(&command.site, 1, command.common.label);
	/* The routes decide whether the other end is on this host or another. */
	if (result)
		kv_out_put_string(environment, "path", "as routed");
	doc = kv_result_create(&schema, describe_spec(&command), environment);
	if (result)
		kv_out_put(doc, "result", kv_rate_describe(&command.rate));
	kv_out_put_bool(doc, "complete", !error);
	return doc;
}

static int run(struct kv_fault *f)
{
	struct command *c = &command;
	struct kv_site *s = &c->site;
	int ret = kv_site_open(s, c->common.both, c->common.dev, KV_PORT_ANY, -1, f) ?:
		  kv_link_look_up(&s->dev, c->host, c->port, &c->rate.addr, f);

	if (ret)
		return ret;
	c->rate.end.site = s;
	ret = c->common.has_end[1] ? kv_rate_passive(&c->rate, f) : kv_rate_active(&c->rate, f);
	return kv_dev_blame(s->b, s->dev.name, ret, f);
}

/* After an interrupt, the costs of the connections so far are the result. */
static bool has_result(int error)
{
	return error == -EINTR && command.rate.done;
}

static void close_site(void)
{
	kv_site_close(&command.site);
}

const struct kv_cmd kv_cmd_conn_rate = {
	.rows = rows,
	.usage = "usage: kverbs conn-rate --client kernel|user ADDR [OPTION...]\n"
		"       kverbs conn-rate --server kernel|user [ADDR] [OPTION...]\n"
		"\n"
		"Makes and ends connections through the RDMA CM; prints their number per second\n"
		"and the cost of each step. The other side is 'kverbs conn-rate', cmtime, or\n"
		"ucmatose -C 0. ADDR is a name or an address of an RDMA device's network\n"
		"interface, IPv4 or IPv6; a server without one listens at all of them, on iWARP\n"
		"at all of IPv4's.\n",
	.more = "A percentile that needs more samples than there are is shown as -.\n"
		"Ctrl-C ends the command and prints the results until then (exit status 130).\n",
	.args = &command,
	.init = init,
	.check = check,
	.run = run,
	.json = &command.common.json,
	.schema = &schema,
	.has_result = has_result,
	.describe = describe,
	.print = kv_rate_report,
	.csv = &command.common.csv,
	.plot = &command.common.plot,
	.draw = kv_figure_conn_rate,
	.figures = "/result/steps",
	.close = close_site,
};
