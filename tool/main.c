// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <kverbs.h>
#include "cli/fault.h"
#include "cli/interrupt.h"
#include "cmd/cmd.h"
#include "model/site.h"
#include "object/noun.h"
#include "object/options.h"
#include "out/out.h"

static void print_help(FILE *file)
{
	fprintf(file,
		"kverbs makes and uses RDMA objects from the kernel and from user space, and\n"
		"measures what it costs.\n"
		"\n"
		"usage: kverbs COMMAND [OPTION...]\n"
		"       kverbs OBJECT COMMAND [ID] [KEY VALUE]... [OPTION...]\n"
		"       kverbs help COMMAND\n"
		"       kverbs --version\n");
	for (const struct kv_cmd_entry *e = kv_cmd_list; e->help; e++) {
		if (!e->name)
			fprintf(file, "\n%s\n", e->help);
		else
			fprintf(file, "  %-10s %s\n", e->name, e->help);
	}
	fprintf(file, "\n"
		"options of commands for objects, anywhere in the line:\n"
		"  -j, --json[=FILE]  print JSON in place of text; with =FILE print text, and\n"
		"                     write JSON to FILE\n"
		"  -p, --pretty       indent the JSON of batch and monitor, otherwise a line for\n"
		"                     each document\n"
		"  -d, --details      'show' also lists the objects that use the one shown\n"
		"  --trace            print each verb on standard error: arguments, result, time\n"
		"  --pcap FILE        have tcpdump write the packets of the device to FILE\n"
		"  --dev DEV          name of the RDMA device; default: the only device\n"
		"  --                 the words behind it are no options\n"
		"\n"
		"Kernel space needs the module kverbs and CAP_NET_ADMIN.\n"
		"\n"
		"exit status:\n"
		"  0   done\n"
		"  1   failed\n"
		"  2   the command line, or a line of a batch, is wrong\n"
		"  77  not supported here: no RDMA device, module not loaded, or the device\n"
		"      can't do this\n"
		"  130 cut short by Ctrl-C, after printing what was measured until then\n");
}

/* Prints the versions of the tool, of the module if it can be asked, and of libibverbs. */
static void print_version(void)
{
	struct kv_fault why = { 0 };
	struct kv_backend *b;
	struct kv_info info;

	printf("kverbs %s\n", KVERBS_VERSION);
	for (uint32_t id = 0; id < KV_SPACES; id++) {
		if (kv_site_open_backend(id, &b, &why)) {
			printf("%s\n", why.text);
			continue;
		}
		if (!kv_op_info_get(b, NULL, &info, NULL))
			printf("%s %s, counter %s at %.6f MHz\n",
			       id == KV_SPACE_KERNEL ? "module" : "libibverbs", info.version,
			       info.counter, (double)info.counter_hz / 1e6);
		b->ops->close(b);
	}
}

/* The first word that is neither an option nor an option's value. */
static int find_name(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] != '-' || !argv[i][1])
			return i;
		if (kv_object_option_has_value(argv[i]))
			i++;
	}
	return 0;
}

static int run_named(int argc, char **argv, int at)
{
	char *name = argv[at];
	const struct kv_cmd_entry *entry = kv_cmd_find(name);
	struct kv_fault f = { 0 };

	/* Messages have the whole word. */
	if (entry)
		name = argv[at] = (char *)entry->name;
	/* With more words behind the command, help may be one of those that it takes. */
	if (argc == at + 2 && !strcmp(argv[at + 1], "help") &&
	    ((entry && entry->cmd) || kv_help_wanted(&argv[at], 2)))
		argv[at + 1] = "--help";
	if (entry && entry->cmd) {
		/* Options before the command's name are moved after it. */
		memmove(&argv[2], &argv[1], (size_t)(at - 1) * sizeof(argv[0]));
		argv[1] = name;
		return kv_cmd_run(entry->cmd, argc - 1, argv + 1);
	}
	if (entry || kv_cmd_find_noun(name, &f))
		return kv_cmd_object(argc - 1, argv + 1);
	return kv_cmd_refuse(argc - 1, argv + 1, &f);
}

static int run_command(int argc, char **argv)
{
	int at = find_name(argc, argv);
	const char *first = argc > 1 ? argv[1] : NULL;
	struct kv_fault f = { 0 };

	if (at && strcmp(argv[at], "help"))
		return run_named(argc, argv, at);
	if (at && argc > at + 1 && strcmp(argv[at + 1], "help")) {
		/* "--help" behind the command, in place of "help" before it. */
		memmove(&argv[at], &argv[at + 1], (size_t)(argc - at - 1) * sizeof(argv[0]));
		argv[argc - 1] = "--help";
		return run_named(argc, argv, at);
	}
	if (at || (first && (!strcmp(first, "--help") || !strcmp(first, "-h")))) {
		print_help(stdout);
		return KV_EXIT_DONE;
	}
	if (first && (!strcmp(first, "--version") || !strcmp(first, "-V"))) {
		print_version();
		return KV_EXIT_DONE;
	}
	if (first) {
		kv_fault_usage(&f, "'%s' is no option that goes without a command; see 'kverbs --help'", first);
		return kv_cmd_refuse(argc - 1, argv + 1, &f);
	}
	fprintf(stderr, "kverbs: a command is missing\n\n");
	print_help(stderr);
	return KV_EXIT_USAGE;
}

/*
 * A new descriptor is the lowest free one: if 0, 1 or 2 were closed, a batch would read from the
 * netlink socket, or results would be written to it. /dev/null fills the free ones, opened with
 * the wrong access mode: so a read from 0 and a write to 1 or 2 fail.
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

/*
 * Results with their histograms are static, 25 MB of them. The kernel uses huge pages for memory of
 * that size: the first byte that a short command writes to it would clear 2 MB, which is
 * 40 per cent of the command's instructions.
 */
static void use_small_pages(void)
{
	extern char __bss_start[], _end[];
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = (uintptr_t)__bss_start & ~(page - 1);

	/* An error means that the kernel has no huge pages. */
	madvise((void *)start, (uintptr_t)_end - start, MADV_NOHUGEPAGE);
}

int main(int argc, char **argv)
{
	int ret;

	if (open_missing() || kv_stdout_open())
		return KV_EXIT_FAILED;
	use_small_pages();
	ret = kv_interrupt_init();
	if (ret) {
		fprintf(stderr, "kverbs: cannot handle signals: %s\n", strerror(-ret));
		return KV_EXIT_FAILED;
	}
	return kv_stdout_close(kv_interrupt_status(run_command(argc, argv)));
}
