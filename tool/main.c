// SPDX-License-Identifier: MIT
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <kverbs.h>
#include "cmd.h"
#include "fault.h"
#include "interrupt.h"

struct command {
	const char *name;
	int (*fn)(int argc, char **argv);
	const char *help;
};

static const struct command commands[] = {
	{ "dev", kv_cmd_dev, "show RDMA devices as kernel and user space see them" },
	{ "lat", kv_cmd_lat, "measure one operation in one space" },
	{ "compare", kv_cmd_compare,
	  "measure operations in both spaces, and the difference" },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *file)
{
	fprintf(file,
		"kverbs measures what RDMA operations cost from the kernel and from user space.\n"
		"\n"
		"usage: kverbs COMMAND [OPTION...]\n"
		"       kverbs COMMAND --help\n"
		"       kverbs --version\n"
		"\n"
		"commands:\n");
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(file, "  %-8s %s\n", commands[i].name, commands[i].help);
	fprintf(file,
		"\n"
		"Kernel space needs the module kverbs and CAP_NET_ADMIN.\n"
		"\n"
		"exit status:\n"
		"  0   done\n"
		"  1   failed, or ended by Ctrl-C after printing what was measured until then\n"
		"  2   the command line is wrong\n"
		"  77  not supported here: no RDMA device, module not loaded, or the device\n"
		"      can't do this\n");
}

static int run_command(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;

	if (!name) {
		fprintf(stderr, "kverbs: a command is missing\n\n");
		print_help(stderr);
		return KV_EXIT_USAGE;
	}
	if (!strcmp(name, "--help") || !strcmp(name, "-h") ||
	    !strcmp(name, "help")) {
		print_help(stdout);
		return KV_EXIT_DONE;
	}
	if (!strcmp(name, "--version")) {
		printf("kverbs %s\n", KVERBS_VERSION);
		return KV_EXIT_DONE;
	}
	for (size_t i = 0; i < COMMANDS; i++) {
		if (!strcmp(name, commands[i].name))
			return commands[i].fn(argc - 1, argv + 1);
	}
	fprintf(stderr, "kverbs: there is no %s '%s'; see 'kverbs --help'\n",
		*name == '-' ? "option" : "command", name);
	return KV_EXIT_USAGE;
}

/* Output that did not arrive is a failure, whatever the command thought. */
static int flush_stdout(int status)
{
	int failed = ferror(stdout);

	if (fflush(stdout))
		failed = 1;
	if (!failed)
		return status;
	fprintf(stderr, "kverbs: cannot write to standard output: %s\n",
		strerror(errno));
	return status ? status : KV_EXIT_FAILED;
}

int main(int argc, char **argv)
{
	int ret;

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
	return flush_stdout(run_command(argc, argv));
}
