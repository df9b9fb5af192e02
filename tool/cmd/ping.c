// SPDX-License-Identifier: MIT
/* One side of rping, of rdma_client and rdma_server, or of ucmatose, from either space. */
#include <stdio.h>
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "out/out.h"
#include "out/unit.h"
#include "ping/ping.h"

#define COUNT_MAX 1000000000
/* The maximum of messages on a connection: as many receives are posted at once. */
#define MESSAGES_MAX 4096
#define CONNECTIONS_MAX 1024
#define SIZE_MAX_BYTES 65536

/* The size in rping; its server takes any size. */
#define RPING_SIZE 64

static const struct kv_enum words_protocol[] = {
	{ "rping", KV_PING_RPING },
	{ "rdma_client", KV_PING_RDMA_CLIENT },
	{ "ucmatose", KV_PING_UCMATOSE },
	{ NULL, 0 },
};

/* The defaults of each program. */
static const struct {
	const char *port;
	uint64_t count;
	uint32_t size;
} defaults[KV_PING_PROTOCOLS] = {
	[KV_PING_RPING] = { "7174", 0, RPING_SIZE },
	[KV_PING_RDMA_CLIENT] = { "7471", 1, 16 },
	[KV_PING_UCMATOSE] = { "7471", 10, 100 },
};

static const struct kv_schema schema = { "kverbs.ping", 1 };

static struct command {
	struct kv_options common;
	struct kv_ping ping;
} command = { .common = KV_OPTIONS_DEFAULT };

static const struct kv_foreign peers[] = {
	{ "client", 'c', "here it is --client SPACE, which is the default" },
	{ "address", 'a', "ADDR stands by itself, as in 'kverbs ping --client kernel 192.0.2.1'" },
	{ .word = NULL },
};

#define S struct command

static const struct kv_option rows[] = {
	KV_OPTION_SIDE_ROWS(S, common),
	{ "protocol", "WHOSE", "rping: the server READs each ping and WRITEs it back; default\n"
	  "rdma_client: one message of 16 bytes each way, the client's first, as rdma_client and rdma_server do\n"
	  "ucmatose: messages each way, the server's first",
	  KV_OPTION_ENUM, .at = offsetof(S, ping.protocol), .names = words_protocol },
	KV_OPTION_ITERS_ROW(S, ping.count, COUNT_MAX, "pings; default: until Ctrl-C. A server takes as many as the client sends, and fails if these are not N.\n"
			    "ucmatose: messages each way, its -C; default: 10"),
	{ "size", "BYTES", "of a ping, 1 to 64k, default: 64; of a server: the most it takes, default: 64k. ucmatose: of a message, its -S; default: 100",
	  KV_OPTION_SIZE, .at = offsetof(S, ping.size), .letter = 's' },
	{ "validate", NULL, "rping: compare all bytes, on both sides", KV_OPTION_FLAG,
	  .at = offsetof(S, ping.validate) },
	{ "invalidate", NULL, "rping: krping's server_inv: the server's go-ahead invalidates the client's key; not with --client user",
	  KV_OPTION_FLAG, .at = offsetof(S, ping.invalidate) },
	{ "verbose", NULL, "print the bytes of each ping, and the address on which a server listens", KV_OPTION_FLAG,
	  .at = offsetof(S, ping.verbose) },
	{ "connections", "N", "ucmatose: number of connections, its -c; default: 1", KV_OPTION_U32,
	  .at = offsetof(S, ping.connections), .min = 1, .max = CONNECTIONS_MAX },
	{ "port", "PORT", "of the RDMA CM; default: 7174, with another --protocol than rping 7471", KV_OPTION_PORT,
	  .at = offsetof(S, ping.port), .letter = 'p' },
	KV_OPTION_DEV_ROW(S, common),
	KV_OPTION_TIMEOUT_ROW(S, common, "how long the peer may take for each step; default: 10s. A server waits for its client until Ctrl-C"),
	KV_OPTION_JSON_ROW(S, common.json),
	KV_OPTION_FOREIGN_ROW("rping", peers),
	{ .name = NULL },
};

#undef S

/* Refuses options that do not go with the protocol. */
static int check_protocol(const struct kv_ping *p, struct kv_fault *f)
{
	const char *name = kv_enum_name(words_protocol, p->protocol);

	if (p->protocol != KV_PING_RPING && p->validate)
		return kv_fault_usage(f, "--validate is for --protocol rping; the bytes that %s sends have no meaning",
				      name);
	if (p->protocol != KV_PING_RPING && p->invalidate)
		return kv_fault_usage(f, "--invalidate is for --protocol rping; %s sends no keys", name);
	if (p->protocol != KV_PING_UCMATOSE && p->connections)
		return kv_fault_usage(f, "--connections is for --protocol ucmatose; %s has one",
				      name);
	if (p->protocol == KV_PING_RDMA_CLIENT && (p->count || p->size))
		return kv_fault_usage(f, "--%s does not go with --protocol rdma_client, which has one message of 16 bytes each way",
				      p->count ? "iters" : "size");
	if (p->protocol == KV_PING_UCMATOSE && p->count > MESSAGES_MAX)
		return kv_fault_usage(f, "--iters %llu is too much for ucmatose, whose messages are all received at once: at most %u",
				      (unsigned long long)p->count, MESSAGES_MAX);
	if (p->size > SIZE_MAX_BYTES)
		return kv_fault_usage(f, "--size %u is too much; the most is 64k", p->size);
	return 0;
}

static void take_defaults(struct command *c)
{
	struct kv_ping *p = &c->ping;

	if (!p->port)
		p->port = defaults[p->protocol].port;
	if (!p->count)
		p->count = defaults[p->protocol].count;
	if (!p->size)
		p->size = p->server && p->protocol == KV_PING_RPING ?
			  SIZE_MAX_BYTES : defaults[p->protocol].size;
	if (!p->connections)
		p->connections = 1;
	p->space = c->common.both;
	p->dev = c->common.dev;
	p->timeout_ns = c->common.work.timeout_ns;
}

static int check(int n, char **word, struct kv_fault *f)
{
	struct command *c = &command;
	struct kv_ping *p = &c->ping;
	int ret;

	if (n > 1)
		return kv_fault_usage(f, "'%s' is one address too many; 'kverbs ping' takes one",
				      word[1]);
	p->host = word[0];
	ret = kv_options_choose_side(&c->common, p->host, f);
	p->server = c->common.has_end[1];
	if (!ret)
		ret = check_protocol(p, f);
	if (ret)
		return ret;
	take_defaults(c);
	if (p->invalidate && !p->server && p->space == KV_SPACE_USER)
		return kv_fault_usage(f, "--invalidate does not go with --client user: a peer can't invalidate a key of ibv_reg_mr(); take --client kernel");
	return 0;
}

static const char *unit(const struct kv_ping *p)
{
	if (p->protocol == KV_PING_RPING)
		return p->done == 1 ? "ping" : "pings";
	return p->done == 1 ? "message each way" : "messages each way";
}

static int print(struct json_object *doc, struct kv_fault *f)
{
	const struct kv_ping *p = &command.ping;

	printf("%s %s of %u bytes", KV_COUNT(p->done), unit(p), p->bytes);
	if (p->connections > 1)
		printf(" over each of %u connections", p->connections);
	printf(" with %s in %.2f s%s%s\n", p->peer, (double)p->elapsed_ns / 1e9,
	       p->validate ? ", all bytes as they should be" : "",
	       p->invalidate ? ", each key invalidated by the server" : "");
	return 0;
}

static struct json_object *describe(bool result, int error)
{
	const struct kv_ping *p = &command.ping;
	struct json_object *doc = kv_out_document(&schema);

	kv_out_put_bool(doc, "complete", result);
	kv_out_put_string(doc, "command", "ping");
	kv_out_put_string(doc, "protocol", kv_enum_name(words_protocol, p->protocol));
	kv_out_put_string(doc, "space", kv_enum_name(kv_enum_space, p->space));
	kv_out_put_string(doc, "role", p->server ? "server" : "client");
	if (!result)
		return doc;
	kv_out_put_string(doc, "peer", p->peer);
	kv_out_put_count(doc, "connections", p->connections);
	kv_out_put_count(doc, "done", p->done);
	kv_out_put_count(doc, "size_bytes", p->bytes);
	kv_out_put_bool(doc, "validated", p->validate);
	kv_out_put_bool(doc, "invalidated", p->invalidate);
	kv_out_put_count(doc, "elapsed_ns", p->elapsed_ns);
	return doc;
}

static int run(struct kv_fault *f)
{
	return kv_ping_run(&command.ping, f);
}

const struct kv_cmd kv_cmd_ping = {
	.rows = rows,
	.usage = "usage: kverbs ping --server kernel|user [ADDR] [OPTION...]\n"
		"       kverbs ping --client kernel|user ADDR [OPTION...]\n"
		"\n"
		"Connects by way of the RDMA CM and moves bytes to and fro with a peer that is\n"
		"rping, rdma_client, rdma_server, ucmatose or 'kverbs ping'. ADDR is a name or an\n"
		"address of an RDMA device's network interface, IPv4 or IPv6; a server without\n"
		"one listens at all of them, on iWARP at all of IPv4's.\n",
	.more = "The time is that of the tool's own loop, with a system call for each verb in\n"
		"the kernel: 'kverbs lat' measures the cost of verbs.\n",
	.args = &command,
	.json = &command.common.json,
	.schema = &schema,
	.check = check,
	.run = run,
	.describe = describe,
	.print = print,
};
