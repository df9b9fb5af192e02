// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include "cli/guess.h"
#include "cmd/cmd.h"
#include "object/describe.h"
#include "object/noun.h"
#include "out/csv.h"
#include "out/plot.h"

const struct kv_cmd_entry kv_cmd_list[] = {
	{ NULL, NULL, "measure:" },
	{ "compare", &kv_cmd_compare, "operations in both spaces, and the difference" },
	{ "bw", &kv_cmd_bw, "bandwidth and message rate, with many requests outstanding" },
	{ "scale", &kv_cmd_scale, "the cost of a QP, and the speed of many QPs" },
	{ "merge", &kv_cmd_merge, "comparisons of several boots as one" },
	{ "lat", &kv_cmd_lat, "one operation in one space" },
	{ "plot", &kv_cmd_plot, "the figures of a document that one of these has written" },
	{ "serve", &kv_cmd_serve, "the other end, for these commands on other hosts" },
	{ NULL, NULL, "files, to and from a host with 'kverbs serve --files DIR':" },
	{ "put", &kv_cmd_put, "send a file; it gets its name when its hash is right" },
	{ "get", &kv_cmd_get, "fetch a file" },
	{ NULL, NULL, "with programs of other projects:" },
	{ "pingpong", &kv_cmd_pingpong, "messages to and fro with ibv_rc_pingpong and the like" },
	{ "conn-rate", &kv_cmd_conn_rate, "connections per second and the cost of each step, as cmtime" },
	{ "ping", &kv_cmd_ping, "pings by the RDMA CM, with rping, rdma_client, ucmatose and others" },
	{ NULL, NULL, "look:" },
	{ "doctor", &kv_cmd_doctor, "everything missing on this machine, with the command that mends it" },
	{ "dev", &kv_cmd_dev, "RDMA devices, as kernel and user space see them" },
	{ "monitor", NULL, "events as they come" },
	{ NULL, NULL, "objects by hand, in the kernel, where they stay until they are flushed:" },
#define OBJECT(TYPE, type, list, ...) { #type, NULL, list },
#include "model/objects.def"
#undef OBJECT
	{ "post", NULL, "a work request: send, write, read, fetch-add, cmp-swp, recv" },
	{ "poll", NULL, "completions" },
	{ "flush", NULL, "destroy all these objects" },
	{ NULL, NULL, "objects by hand, many commands over one connection, in either space:" },
	{ "batch", &kv_cmd_batch, "commands from a file, or typed; --space both shows times" },
	{ NULL, NULL, "for the system:" },
	{ "man", &kv_cmd_man, "the manual page of a command, for man" },
	{ "completion", &kv_cmd_completion, "a script with which bash or zsh completes its words" },
	{ NULL, NULL, NULL },
};

const struct kv_option kv_cmd_no_rows[] = {
	{ .name = NULL },
};

/**
 * kv_cmd_find() - look for a command
 * @name: its word, perhaps cut short
 *
 * Return: its entry; or NULL, also for a command that there is in a batch only.
 */
const struct kv_cmd_entry *kv_cmd_find(const char *name)
{
	struct kv_match match = { 0 };

	for (const struct kv_cmd_entry *e = kv_cmd_list; e->help; e++) {
		if (e->name && kv_match(&match, name, e->name, e))
			break;
	}
	return match.row;
}

#define COUNTERS "'rdma statistic show' has the counters of devices; results of measurements have those of lost packets"
#define RESOURCES "'kverbs pd', 'kverbs qp' and so on show kverbs' objects, 'rdma resource show' those of all programs"
#define DEVICES "'kverbs dev show' shows the devices and their ports"

/* Words of rdma(8), and programs of perftest and rdma-core. */
static const struct kv_foreign others[] = {
	{ "link", .here = DEVICES "; 'rdma link' makes and deletes them" },
	{ "device", .here = DEVICES },
	{ "ibv-devices", .here = DEVICES },
	{ "ibv-devinfo", .here = DEVICES },
	{ "resource", .here = RESOURCES },
	{ "res", .here = RESOURCES },
	{ "statistic", .here = COUNTERS },
	{ "stat", .here = COUNTERS },
	{ "cm", .here = "'kverbs conn' makes connections by the RDMA CM" },
	{ "cm-id", .here = "'kverbs conn' makes connections by the RDMA CM" },
	{ "system", .here = "'rdma system' has it; kverbs uses the devices of its network namespace" },
	{ "ib-write-lat", .here = "'kverbs lat --op write' is like it" },
	{ "ib-read-lat", .here = "'kverbs lat --op read' is like it" },
	{ "ib-send-lat", .here = "'kverbs lat --op send' is like it" },
	{ "ib-atomic-lat", .here = "'kverbs lat --op fetch-add' is like it" },
	{ "ib-write-bw", .here = "'kverbs bw --op write' is like it" },
	{ "ib-read-bw", .here = "'kverbs bw --op read' is like it" },
	{ "ib-send-bw", .here = "'kverbs bw --op send' is like it" },
	{ "ib-atomic-bw", .here = "'kverbs bw --op fetch-add' is like it" },
	{ "version", .here = "'kverbs --version' tells it" },
	{ "rping", .here = "'kverbs ping' is like it" },
	{ .word = NULL },
};

/**
 * kv_cmd_is_shell() - is a word a command of the shell, which a batch does not have?
 * @name: the word, or its beginning
 */
bool kv_cmd_is_shell(const char *name)
{
	const struct kv_cmd_entry *e = kv_cmd_find(name);

	return e && e->cmd;
}

/**
 * kv_cmd_find_noun() - look for a noun
 * @name: its word, perhaps cut short, which kv_cmd_find() does not find
 * @f: receives the reason why there is none
 *
 * Return: the noun, or NULL.
 */
const struct kv_noun *kv_cmd_find_noun(const char *name, struct kv_fault *f)
{
	const struct kv_foreign *other = kv_foreign_find(others, name, strlen(name));
	const struct kv_noun *noun = kv_noun_find(name);
	char behind[128];
	struct kv_guess g;

	kv_guess_begin(&g, "", name, strlen(name));
	for (const struct kv_cmd_entry *e = kv_cmd_list; e->help; e++) {
		if (e->name)
			kv_guess_add(&g, e->name);
	}
	if (!g.n && noun)
		return noun;
	kv_guess_add(&g, "help");
	if (g.n > 1)
		kv_fault_usage(f, "'%s' may be %s; see 'kverbs --help'", name, g.several);
	else if (other)
		kv_fault_usage(f, "there is no command '%s': %s", name, other->here);
	else if (kv_command_list(name, behind, sizeof(behind)))
		kv_fault_usage(f, "there is no command '%s', but there is %s; see 'kverbs --help'", name, behind);
	else if (g.nearest)
		kv_fault_usage(f, "there is no command '%s', but there is '%s'; see 'kverbs --help'", name, g.nearest);
	else
		kv_fault_usage(f, "there is no command '%s'; see 'kverbs --help'", name);
	return NULL;
}

static int print(const struct kv_cmd *cmd, struct json_object *doc, struct kv_fault *f)
{
	int ret;

	if (!cmd->csv || !*cmd->csv)
		return cmd->print(doc, f);
	ret = kv_csv_print(kv_out_get(doc, cmd->figures));
	return ret ? kv_fault_set(f, ret, "cannot print the figures") : 0;
}

/* Writes the document before the text: if the document can't be written, there is no text. */
static int report(const struct kv_cmd *cmd, struct kv_out *out, struct kv_plot *plot, int error,
		  struct kv_fault *f)
{
	struct json_object *doc = cmd->describe(true, error);
	struct kv_fault why = *f;
	int ret;

	if (error)
		kv_out_put_fault(doc, f);
	ret = kv_out_commit(out, doc, &why);
	if (!ret && !out->to_stdout)
		ret = print(cmd, doc, &why);
	if (!ret && plot->script) {
		cmd->draw(doc, plot->script);
		ret = kv_plot_commit(plot, &why);
	}
	json_object_put(doc);
	if (!ret && cmd->unreported && !error)
		ret = kv_stdout_flush(&why);
	if (ret && cmd->unreported) {
		if (!error)
			cmd->unreported(&why);
		kv_fault_print(&why);
		return 0;
	}
	if (ret)
		*f = why;
	return ret;
}

/* Reports a fault if nothing was measured. */
static void report_fault(const struct kv_cmd *cmd, struct kv_out *out, int error,
			 const struct kv_fault *f)
{
	struct json_object *doc = cmd->describe(false, error);

	kv_out_commit_fault(out, doc, f);
	json_object_put(doc);
}

/* Runs a command whose result is a document. */
static int run_and_report(const struct kv_cmd *cmd, struct kv_fault *f)
{
	struct kv_out out;
	struct kv_plot plot;
	int err = 0, ret = kv_out_open(&out, "--json", *cmd->json, f);

	if (ret)
		return ret;
	ret = kv_plot_open(&plot, cmd->plot ? *cmd->plot : NULL, f) ?: cmd->run(f);
	if (ret)
		kv_fault_print(f);
	if (ret && !(cmd->has_result && cmd->has_result(ret)))
		report_fault(cmd, &out, ret, f);
	else
		err = report(cmd, &out, &plot, ret, f);
	if (cmd->close)
		cmd->close();
	kv_plot_close(&plot);
	kv_out_close(&out);
	return err ? err : ret;
}

/* Reports a command line that is not understood. */
static void report_refusal(const struct kv_cmd *cmd, const struct kv_fault *f)
{
	struct json_object *doc = kv_out_document(cmd->schema);

	kv_out_put_bool(doc, "complete", false);
	kv_out_refuse(*cmd->json, doc, f);
}

static int check(const struct kv_cmd *cmd, int n, char **word, struct kv_fault *f)
{
	int ret = cmd->check ? cmd->check(n, word, f) : 0;

	if (!ret && cmd->plot && *cmd->plot)
		ret = kv_plot_check(*cmd->plot, f);
	if (ret || !cmd->csv || !*cmd->csv || !*cmd->json || strcmp(*cmd->json, "-"))
		return ret;
	return kv_fault_usage(f, "--csv and --json both print to standard output; write --json=FILE for JSON beside --csv");
}

/**
 * kv_cmd_run() - run a command
 * @argc: number of words in @argv
 * @argv: the command's name, and the words that were typed after it
 *
 * Return: an enum kv_exit.
 */
int kv_cmd_run(const struct kv_cmd *cmd, int argc, char **argv)
{
	struct kv_fault f = { 0 };
	int n = argc - 1, ret;

	if (cmd->init)
		cmd->init();
	ret = kv_option_read(argv[0], &n, argv + 1, cmd->rows, cmd->args, false, &f);
	if (!ret) {
		kv_option_print_help(cmd->rows, cmd->usage, cmd->more);
		return KV_EXIT_DONE;
	}
	if (ret > 0)
		ret = check(cmd, n, argv + 1, &f);
	if (ret && cmd->json)
		report_refusal(cmd, &f);
	if (!ret)
		ret = cmd->describe ? run_and_report(cmd, &f) : cmd->run(&f);
	if (!ret)
		return KV_EXIT_DONE;
	/* Print the output so far before the fault. */
	fflush(stdout);
	kv_fault_print(&f);
	return f.exit;
}
