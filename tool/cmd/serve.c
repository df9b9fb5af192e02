// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cmd/cmd.h"
#include "model/site.h"
#include "remote/peer.h"
#include "serve/serve.h"

#define CLIENTS_DEFAULT 16
#define OBJECTS_DEFAULT 1024
#define OBJECTS_MAX 65536
#define BYTES_DEFAULT (256ULL << 20)
#define BYTES_MAX (1ULL << 40)
#define TIME_DEFAULT_NS 3600000000000ULL
#define TIME_MIN_NS 1000000ULL
#define TIME_MAX_NS 604800000000000ULL
#define IDLE_DEFAULT_NS 60000000000ULL
#define IDLE_MIN_NS 1000000000ULL
#define IDLE_MAX_NS 86400000000000ULL

/* All that one invocation needs. */
static struct serve_cmd {
	struct kv_serve serve;
	struct kv_serve_files files;
	const char *files_dir;
	bool has_file_option;
	const char *token_file;
	const char *listen_option;
	bool stdio;
	uint32_t spaces;
} serve = {
	.serve = {
		.port = KV_PEER_PORT,
		.clients = CLIENTS_DEFAULT,
		.limits = {
			.objects = OBJECTS_DEFAULT,
			.bytes = BYTES_DEFAULT,
			.time_ns = TIME_DEFAULT_NS,
			.idle_ns = IDLE_DEFAULT_NS,
		},
	},
	.files.bytes = KV_SERVE_FILE_BYTES,
};

#define S struct serve_cmd

static const struct kv_option rows[] = {
	{ "stdio", NULL, "serve one client over standard input and output; a client's ssh:HOST starts kverbs with this option",
	  KV_OPTION_FLAG, .at = offsetof(S, stdio) },
	{ "bind", "ADDRESS", "address to listen on; default: with --token or --no-token all IPv4 and IPv6 addresses, else the loopback address",
	  KV_OPTION_TEXT, .at = offsetof(S, serve.bind), .note = offsetof(S, listen_option) },
	{ "port", "N", "TCP port; default: " KV_PEER_PORT, KV_OPTION_PORT,
	  .at = offsetof(S, serve.port), .note = offsetof(S, listen_option),
	  .letter = 'p' },
	{ "token", "FILE", "serve only clients that have the secret in FILE; FILE must belong to root or to the user who runs this, with no rights for others",
	  KV_OPTION_TEXT, .at = offsetof(S, token_file), .note = offsetof(S, listen_option) },
	{ "no-token", NULL, "serve every client that reaches the port", KV_OPTION_FLAG,
	  .at = offsetof(S, serve.no_token), .note = offsetof(S, listen_option) },
	{ "space", "SPACE", "kernel, user or both; default: both", KV_OPTION_ENUM,
	  .at = offsetof(S, spaces), .names = kv_enum_spaces },
	{ "clients", "N", "at the same time; default: " KV_OPTION_NUMBER(CLIENTS_DEFAULT), KV_OPTION_U32,
	  .at = offsetof(S, serve.clients), .note = offsetof(S, listen_option), .min = 1,
	  .max = KV_SERVE_CLIENTS_MAX },
	{ .help = "Limits of one client:" },
	{ "objects", "N", "objects; default: " KV_OPTION_NUMBER(OBJECTS_DEFAULT), KV_OPTION_U32,
	  .at = offsetof(S, serve.limits.objects), .min = 1, .max = OBJECTS_MAX },
	{ "bytes", "BYTES", "buffers and queues together, as in 64m; default: 256m",
	  KV_OPTION_BYTES, .at = offsetof(S, serve.limits.bytes), .max = BYTES_MAX },
	{ "time", "TIME", "time of a run, as in 10 or 0.5s; default: 3600s", KV_OPTION_TIME,
	  .at = offsetof(S, serve.limits.time_ns), .min = TIME_MIN_NS, .max = TIME_MAX_NS },
	{ "idle", "TIME", "time without a command, after which the client is dropped; default: 60s", KV_OPTION_TIME,
	  .at = offsetof(S, serve.limits.idle_ns), .min = IDLE_MIN_NS, .max = IDLE_MAX_NS },
	{ .help = "For 'kverbs put' and 'kverbs get':" },
	{ "files", "DIR", "folder whose files clients may fetch, and into which they may put files; clients can't see subfolders, hidden files and symbolic links",
	  KV_OPTION_TEXT, .at = offsetof(S, files_dir) },
	{ "files-read-only", NULL, "clients may fetch files and not put them", KV_OPTION_FLAG,
	  .at = offsetof(S, files.read_only), .has = offsetof(S, has_file_option) },
	{ "file-bytes", "BYTES", "size of the largest file that may be put; default: 4g",
	  KV_OPTION_BYTES, .at = offsetof(S, files.bytes), .has = offsetof(S, has_file_option),
	  .max = INT64_MAX },
	{ .name = NULL },
};

#undef S

static int check(int n, char **word, struct kv_fault *f)
{
	struct serve_cmd *c = &serve;

	if (n)
		return kv_fault_usage(f, "'%s' is unexpected; 'kverbs serve' takes options only, see 'kverbs serve --help'",
				      word[0]);
	if (c->stdio && c->listen_option)
		return kv_fault_usage(f, "--%s does not go with --stdio, which serves the one client that has started it",
				      c->listen_option);
	if (c->token_file && c->serve.no_token)
		return kv_fault_usage(f, "--token and --no-token exclude each other");
	return 0;
}

static int open_files(struct serve_cmd *c, struct kv_fault *f)
{
	if (!c->files_dir && c->has_file_option)
		return kv_fault_usage(f, "--files-read-only and --file-bytes go with --files DIR");
	if (!c->files_dir)
		return 0;
	c->files.dir = open(c->files_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c->files.dir < 0)
		return kv_fault_set(f, -errno, "--files %s: %s", c->files_dir, strerror(errno));
	c->serve.files = &c->files;
	return 0;
}

/* Says that there is no device; one that comes later is served. */
static void tell_no_dev(struct kv_backend *b)
{
	struct kv_fault why = { 0 };
	struct kv_dev dev;

	if (kv_dev_choose(b, NULL, &dev, &why) == -EOPNOTSUPP)
		printf("%s; clients are refused until there is one\n", why.text);
}

/* A space that no option names may be missing, but not both spaces. */
static int check_spaces(struct serve_cmd *c, struct kv_fault *f)
{
	struct kv_backend *b;
	int ret = 0, any = 0;

	for (uint32_t id = 0; id < KV_SPACES; id++) {
		if (c->spaces && !(c->spaces & 1U << id))
			continue;
		ret = kv_site_open_backend(id, &b, f);
		if (ret && c->spaces)
			return ret;
		if (ret) {
			printf("not served: %s\n", f->text);
			continue;
		}
		tell_no_dev(b);
		b->ops->close(b);
		c->serve.space[id] = true;
		any = 1;
	}
	return any ? 0 : ret;
}

static int listen_and_serve(struct serve_cmd *c, struct kv_fault *f)
{
	int ret = (c->token_file ? kv_token_read(&c->serve.token, c->token_file, f) : 0) ?:
		  kv_serve_allow_descriptors(c->serve.clients, f) ?:
		  check_spaces(c, f) ?:
		  kv_serve_listen(&c->serve, f) ?:
		  kv_serve_run(&c->serve, f);

	kv_serve_unlisten(&c->serve);
	return ret;
}

/* A missing space is no fault here: a client that requests the space gets an error. */
static int serve_stdio(struct serve_cmd *c, struct kv_fault *f)
{
	for (uint32_t id = 0; id < KV_SPACES; id++)
		c->serve.space[id] = !c->spaces || c->spaces & 1U << id;
	return kv_serve_stdio(&c->serve, f);
}

static int run(struct kv_fault *f)
{
	struct serve_cmd *c = &serve;
	int ret = open_files(c, f) ?: (c->stdio ? serve_stdio(c, f) : listen_and_serve(c, f));

	if (c->serve.files)
		close(c->files.dir);
	return ret;
}

const struct kv_cmd kv_cmd_serve = {
	.rows = rows,
	.usage = "usage: kverbs serve [OPTION...]\n"
		"\n"
		"Serves as the other end for commands on other hosts, such as 'kverbs lat HOST',\n"
		"in the space that the command asks for. Prints a line when it listens, and a\n"
		"line for each client that comes or goes. Ctrl-C or SIGTERM ends it.\n",
	.more = "With ssh:HOST in place of HOST, clients have ssh start 'kverbs serve --stdio'\n"
		"there.\n"
		"KVERBS_SSH is another ssh command with its options, KVERBS_SSH_SERVER another\n"
		"command on the other host.\n",
	.args = &serve,
	.check = check,
	.run = run,
};
