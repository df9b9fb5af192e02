// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/option.h"
#include "cmd/cmd.h"
#include "model/space.h"
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

enum {
	OPTION_BIND = KV_OPTION_OWN,
	OPTION_NO_TOKEN,
	OPTION_CLIENTS,
	OPTION_OBJECTS,
	OPTION_BYTES,
	OPTION_TIME,
	OPTION_IDLE,
	OPTION_SPACE,
	OPTION_FILES,
	OPTION_FILES_READ_ONLY,
	OPTION_FILE_BYTES,
};

static const struct option rows[] = {
	{ "help", no_argument, NULL, KV_OPTION_HELP },
	{ "bind", required_argument, NULL, OPTION_BIND },
	{ "port", required_argument, NULL, KV_OPTION_PORT },
	{ "token", required_argument, NULL, KV_OPTION_TOKEN },
	{ "no-token", no_argument, NULL, OPTION_NO_TOKEN },
	{ "clients", required_argument, NULL, OPTION_CLIENTS },
	{ "objects", required_argument, NULL, OPTION_OBJECTS },
	{ "bytes", required_argument, NULL, OPTION_BYTES },
	{ "time", required_argument, NULL, OPTION_TIME },
	{ "idle", required_argument, NULL, OPTION_IDLE },
	{ "space", required_argument, NULL, OPTION_SPACE },
	{ "files", required_argument, NULL, OPTION_FILES },
	{ "files-read-only", no_argument, NULL, OPTION_FILES_READ_ONLY },
	{ "file-bytes", required_argument, NULL, OPTION_FILE_BYTES },
	{ NULL, 0, NULL, 0 },
};

static const struct kv_word spaces[] = {
	{ "kernel", 1U << KV_SPACE_KERNEL },
	{ "user", 1U << KV_SPACE_USER },
	{ "both", 1U << KV_SPACE_KERNEL | 1U << KV_SPACE_USER },
	{ NULL, 0 },
};

static void print_help(void)
{
	printf("usage: kverbs serve [OPTION...]\n"
	       "\n"
	       "Serves the other end to commands that are given this host, such as 'kverbs lat\n"
	       "HOST', each in the space that it asks for. Prints a line when it listens, and\n"
	       "one for each client that comes and goes. Ctrl-C or SIGTERM ends it.\n"
	       "\n"
	       "  --bind ADDRESS     where to listen; default: all addresses, IPv4 and IPv6,\n"
	       "                     with --token or --no-token; else this host's loopback\n"
	       "  --port N           TCP port; default: %s\n"
	       "  --token FILE       serve only clients that have the same secret; only its\n"
	       "                     owner may use the file, who is root or runs this\n"
	       "  --no-token         serve whoever reaches the port\n"
	       "  --space SPACE      kernel, user or both; default: both\n"
	       "  --clients N        at the same time; default: %d\n"
	       "\n"
	       "What one client may have:\n"
	       "  --objects N        objects; default: %d\n"
	       "  --bytes BYTES      buffers and queues together, as in 64m; default: 256m\n"
	       "  --time TIME        for a run, as in 10 or 0.5s; default: 3600s\n"
	       "  --idle TIME        without a word; default: 60s\n"
	       "\n"
	       "For 'kverbs put' and 'kverbs get':\n"
	       "  --files DIR        a folder, whose files they may fetch and put; what is\n"
	       "                     below it, hidden, or a symbolic link is not there for them\n"
	       "  --files-read-only  they may not put any\n"
	       "  --file-bytes BYTES  the longest file that may be put; default: 4g\n",
	       KV_PEER_PORT, CLIENTS_DEFAULT, OBJECTS_DEFAULT);
}

/* All that one invocation needs. */
struct serve_cmd {
	struct kv_serve serve;
	struct kv_serve_files files;
	const char *files_dir;
	bool has_file_option;
	const char *token_file;
	uint32_t spaces;
	struct kv_fault fault;
};

static int take_option(void *arg, int id)
{
	struct serve_cmd *c = arg;
	struct kv_limits *limits = &c->serve.limits;
	struct kv_why why;
	uint64_t v;
	int ret = 0;

	switch (id) {
	case OPTION_BIND:
		c->serve.bind = optarg;
		break;
	case KV_OPTION_PORT:
		c->serve.port = optarg;
		ret = kv_parse_count(optarg, 1, 65535, &v, &why);
		break;
	case KV_OPTION_TOKEN:
		c->token_file = optarg;
		break;
	case OPTION_NO_TOKEN:
		c->serve.no_token = true;
		break;
	case OPTION_CLIENTS:
		ret = kv_parse_count(optarg, 1, KV_SERVE_CLIENTS_MAX, &v, &why);
		if (!ret)
			c->serve.clients = (uint32_t)v;
		break;
	case OPTION_OBJECTS:
		ret = kv_parse_count(optarg, 1, OBJECTS_MAX, &v, &why);
		if (!ret)
			limits->objects = (uint32_t)v;
		break;
	case OPTION_BYTES:
		ret = kv_parse_bytes(optarg, BYTES_MAX, &limits->bytes, &why);
		break;
	case OPTION_TIME:
		ret = kv_parse_time(optarg, TIME_MIN_NS, TIME_MAX_NS,
				    &limits->time_ns, &why);
		break;
	case OPTION_IDLE:
		ret = kv_parse_time(optarg, IDLE_MIN_NS, IDLE_MAX_NS,
				    &limits->idle_ns, &why);
		break;
	case OPTION_SPACE:
		ret = kv_parse_word(optarg, spaces, &c->spaces, &why);
		break;
	case OPTION_FILES:
		c->files_dir = optarg;
		break;
	case OPTION_FILES_READ_ONLY:
		c->files.read_only = true;
		c->has_file_option = true;
		break;
	case OPTION_FILE_BYTES:
		ret = kv_parse_bytes(optarg, INT64_MAX, &c->files.bytes, &why);
		c->has_file_option = true;
		break;
	}
	return ret ? kv_option_refuse(rows, id, &why, &c->fault) : 0;
}

/* 1: go on. 0: nothing more to do. -EINVAL: see the fault. */
static int read_options(struct serve_cmd *c, int argc, char **argv)
{
	int ret;

	c->serve.port = KV_PEER_PORT;
	c->serve.clients = CLIENTS_DEFAULT;
	c->files.bytes = KV_SERVE_FILE_BYTES;
	c->serve.limits = (struct kv_limits){
		.objects = OBJECTS_DEFAULT,
		.bytes = BYTES_DEFAULT,
		.time_ns = TIME_DEFAULT_NS,
		.idle_ns = IDLE_DEFAULT_NS,
	};
	ret = kv_option_read(argc, argv, rows, print_help, take_option, c, &c->fault);
	if (ret <= 0)
		return ret;
	if (optind < argc)
		return kv_fault_usage(&c->fault, "'%s' is unexpected; 'kverbs %s' takes options only, see 'kverbs %s --help'",
				      argv[optind], argv[0], argv[0]);
	if (c->token_file && c->serve.no_token)
		return kv_fault_usage(&c->fault, "--token and --no-token exclude each other");
	return 1;
}

static int open_files(struct serve_cmd *c)
{
	if (!c->files_dir && c->has_file_option)
		return kv_fault_usage(&c->fault, "--files-read-only and --file-bytes go with --files DIR");
	if (!c->files_dir)
		return 0;
	c->files.dir = open(c->files_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c->files.dir < 0)
		return kv_fault_set(&c->fault, -errno, "--files %s: %s", c->files_dir,
				    strerror(errno));
	c->serve.files = &c->files;
	return 0;
}

/* A device may come later: it is served then. */
static void tell_no_dev(struct kv_backend *b)
{
	struct kv_fault why = { 0 };
	struct kv_dev dev;

	if (kv_dev_choose(b, NULL, &dev, &why) == -EOPNOTSUPP)
		printf("%s; clients are refused until there is one\n", why.text);
}

/* A space that was not asked for by name may be missing, but not both. */
static int check_spaces(struct serve_cmd *c)
{
	struct kv_backend *b;
	int ret = 0, any = 0;

	for (uint32_t id = 0; id < KV_SPACES; id++) {
		if (c->spaces && !(c->spaces & 1U << id))
			continue;
		ret = kv_space_open_backend(id, &b, &c->fault);
		if (ret && c->spaces)
			return ret;
		if (ret) {
			printf("not served: %s\n", c->fault.text);
			continue;
		}
		tell_no_dev(b);
		b->ops->close(b);
		c->serve.space[id] = true;
		any = 1;
	}
	return any ? 0 : ret;
}

static int run(struct serve_cmd *c, int argc, char **argv)
{
	int ret;

	ret = read_options(c, argc, argv);
	if (!ret)
		return KV_EXIT_DONE;
	if (ret > 0)
		ret = c->token_file ? kv_token_read(&c->serve.token, c->token_file,
						    &c->fault) : 0;
	if (!ret)
		ret = kv_serve_allow_descriptors(c->serve.clients, &c->fault);
	if (!ret)
		ret = open_files(c);
	if (!ret)
		ret = check_spaces(c);
	if (!ret)
		ret = kv_serve_listen(&c->serve, &c->fault);
	if (!ret)
		ret = kv_serve_run(&c->serve, &c->fault);
	kv_serve_unlisten(&c->serve);
	if (c->serve.files)
		close(c->files.dir);
	if (!ret)
		return KV_EXIT_DONE;
	kv_fault_print(&c->fault);
	return c->fault.exit;
}

/**
 * kv_cmd_serve() - serve the other end to other hosts
 * @argc: of the command
 * @argv: argv[0] is the command's name
 *
 * Return: enum kv_exit
 */
int kv_cmd_serve(int argc, char **argv)
{
	struct serve_cmd c = { 0 };

	return run(&c, argc, argv);
}
