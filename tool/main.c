// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <kverbs.h>
#include "cli/fault.h"
#include "cli/interrupt.h"
#include "cmd/cmd.h"
#include "model/space.h"
#include "object/hand.h"
#include "object/options.h"
#include "out/stdout.h"

/* A command and its line of help. Those without a function are about objects. */
struct command {
	const char *name;
	int (*fn)(int argc, char **argv);
	const char *help;
};

/* NULL in place of a name: a heading. */
static const struct command commands[] = {
	{ NULL, NULL, "measure:" },
	{ "compare", kv_cmd_compare,
	  "operations in both spaces, and the difference" },
	{ "merge", kv_cmd_merge, "comparisons of several boots as one" },
	{ "lat", kv_cmd_lat, "one operation in one space" },
	{ "serve", kv_cmd_serve, "the other end, for these commands on other hosts" },
	{ NULL, NULL, "files, to and from a host with 'kverbs serve --files DIR':" },
	{ "put", kv_cmd_put, "send a file; it is there when its hash is right" },
	{ "get", kv_cmd_get, "fetch one" },
	{ NULL, NULL, "with a peer that we did not write:" },
	{ "pingpong", kv_cmd_pingpong, "messages to and fro with ibv_rc_pingpong and its kin" },
	{ "conn-rate", kv_cmd_conn_rate, "connections per second and what each step costs, as cmtime" },
	{ "ping", kv_cmd_ping, "by the RDMA CM, with rping, rdma_client, ucmatose and their like" },
	{ NULL, NULL, "look:" },
	{ "dev", kv_cmd_dev, "RDMA devices, as kernel and user space see them" },
	{ "monitor", NULL, "events as they come" },
	{ NULL, NULL, "objects by hand, in the kernel, where they stay until they are flushed:" },
	{ "pd", NULL, "protection domains: add, show, del" },
	{ "cq", NULL, "completion queues: add, show, del" },
	{ "mr", NULL, "buffers and their registration: add, reg, inv, write, read, ..." },
	{ "srq", NULL, "shared receive queues: add, modify, show, del" },
	{ "ah", NULL, "address handles: add, show, del" },
	{ "qp", NULL, "queue pairs: add, modify, address, connect, show, del" },
	{ "conn", NULL, "connections of the RDMA CM: listen, take, connect, accept, ..." },
	{ "post", NULL, "a work request: send, write, read, fetch-add, cmp-swp, recv" },
	{ "poll", NULL, "completions" },
	{ "flush", NULL, "destroy all of them" },
	{ NULL, NULL, "objects by hand, many commands over one connection, in either space:" },
	{ "batch", kv_cmd_batch, "commands from a file, or typed; --space both shows times" },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *file)
{
	fprintf(file,
		"kverbs makes and uses RDMA objects from the kernel and from user space, and\n"
		"measures what it costs.\n"
		"\n"
		"usage: kverbs COMMAND [OPTION...]\n"
		"       kverbs OBJECT COMMAND [ID] [KEY VALUE]... [OPTION...]\n"
		"       kverbs COMMAND --help\n"
		"       kverbs --version\n");
	for (size_t i = 0; i < COMMANDS; i++) {
		if (!commands[i].name)
			fprintf(file, "\n%s\n", commands[i].help);
		else
			fprintf(file, "  %-9s %s\n", commands[i].name,
				commands[i].help);
	}
	fprintf(file,
		"\n"
		"options of commands for objects, anywhere in the line:\n"
		"  --json       print JSON\n"
		"  --trace      tell each verb on standard error: arguments, result, time\n"
		"  --dev DEV    device; default: the only one there is\n"
		"  --           what follows are no options\n"
		"\n"
		"Kernel space needs the module kverbs and CAP_NET_ADMIN.\n"
		"\n"
		"exit status:\n"
		"  0   done\n"
		"  1   failed, or ended by Ctrl-C after printing what was measured until then\n"
		"  2   the command line, or a line of a batch, is wrong\n"
		"  77  not supported here: no RDMA device, module not loaded, or the device\n"
		"      can't do this\n");
}

/* Of the tool, the module if it can be asked, and libibverbs. */
static void print_version(void)
{
	struct kv_fault why = { 0 };
	struct kv_backend *b;
	struct kv_info info;

	printf("kverbs %s\n", KVERBS_VERSION);
	for (uint32_t id = 0; id < KV_SPACES; id++) {
		if (kv_space_open_backend(id, &b, &why)) {
			printf("%s\n", why.text);
			continue;
		}
		if (!kv_op_info_get(b, NULL, &info, NULL))
			printf("%s %s\n", id == KV_SPACE_KERNEL ? "module" : "libibverbs",
			       info.version);
		b->ops->close(b);
	}
}

/* The first word that is neither an option nor an option's value. */
static int find_name(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] != '-' || !argv[i][1])
			return i;
		if (kv_hand_option_has_value(argv[i]))
			i++;
	}
	return 0;
}

static int run_named(int argc, char **argv, int at)
{
	char *name = argv[at];

	for (size_t i = 0; i < COMMANDS; i++) {
		if (!commands[i].name || strcmp(name, commands[i].name))
			continue;
		if (!commands[i].fn)
			return kv_cmd_hand(argc - 1, argv + 1);
		/* Options that stand before it go behind it. */
		memmove(&argv[2], &argv[1],
			(size_t)(at - 1) * sizeof(argv[0]));
		argv[1] = name;
		return commands[i].fn(argc - 1, argv + 1);
	}
	if (kv_noun_find(name))
		return kv_cmd_hand(argc - 1, argv + 1);
	fprintf(stderr, "kverbs: there is no command '%s'; see 'kverbs --help'\n",
		name);
	return KV_EXIT_USAGE;
}

static int run_command(int argc, char **argv)
{
	int at = find_name(argc, argv);
	const char *first = argc > 1 ? argv[1] : NULL;

	if (at && strcmp(argv[at], "help"))
		return run_named(argc, argv, at);
	if (at || (first && (!strcmp(first, "--help") || !strcmp(first, "-h")))) {
		print_help(stdout);
		return KV_EXIT_DONE;
	}
	if (first && (!strcmp(first, "--version") || !strcmp(first, "-V"))) {
		print_version();
		return KV_EXIT_DONE;
	}
	if (first) {
		fprintf(stderr, "kverbs: '%s' is no option that goes without a command; see 'kverbs --help'\n", first);
		return KV_EXIT_USAGE;
	}
	fprintf(stderr, "kverbs: a command is missing\n\n");
	print_help(stderr);
	return KV_EXIT_USAGE;
}

/*
 * The next descriptor that is opened is the lowest one that is free: with 0, 1 or 2 closed a
 * batch would read the netlink socket, or results would go into it. What takes their place can't be
 * used in the way that it is meant for, so that who reads or writes is told.
 */
static int open_missing(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int ret;

	if (open_missing() || kv_stdout_open())
		return KV_EXIT_FAILED;
	/* So that µ is one column wide; if it fails, table.c helps itself. Numbers
	 * stay those of the C locale.
	 */
	setlocale(LC_CTYPE, "C.UTF-8");
	ret = kv_interrupt_init();
	if (ret) {
		fprintf(stderr, "kverbs: cannot handle signals: %s\n",
			strerror(-ret));
		return KV_EXIT_FAILED;
	}
	return kv_stdout_close(run_command(argc, argv));
}
