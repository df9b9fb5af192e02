// SPDX-License-Identifier: MIT
/* Runs one command for objects, from the shell. The objects it makes outlive the process. */
#include <stdio.h>
#include <string.h>
#include "batch/session.h"
#include "cmd/cmd.h"
#include "object/options.h"
#include "object/text.h"
#include "out/out.h"

static void tell_event(struct json_object *event, void *out)
{
	const struct kv_out *o = out;

	kv_out_write(out, event);
	if (!o->to_stdout)
		kv_text_line(stdout, NULL, event);
	fflush(stdout);
}

static int check_space(const struct kv_object_options *o, struct kv_fault *f)
{
	if (!(o->spaces & (1U << KV_SPACE_USER)))
		return 0;
	if (o->spaces & (1U << KV_SPACE_KERNEL))
		return kv_fault_usage(f, "--space both is for 'kverbs batch'");
	return kv_fault_usage(f, "objects of libibverbs live in the process: use them in 'kverbs batch'");
}

static int run(const struct kv_object_options *o, struct kv_out *out, struct kv_fault *f)
{
	static struct kv_session s;
	struct kv_capture capture = { 0 };
	bool monitor = !strcmp(o->word[0], kv_noun_monitor.name);
	struct kv_fault why = { 0 };
	struct json_object *doc;
	int err = 0, ret = kv_session_open(&s, KV_SPACE_KERNEL, o->dev, false, o->trace, f);

	if (monitor && !o->pretty)
		out->flags = JSON_C_TO_STRING_PLAIN;
	s.json = o->json;
	s.details = o->details;
	s.live = tell_event;
	s.live_arg = out;
	if (!ret)
		ret = kv_session_capture(&s, &capture, o->pcap, f);
	if (!ret) {
		ret = kv_session_run(&s, 0, o->word, o->n, &doc, f);
	} else {
		doc = kv_session_refusal(KV_SPACE_KERNEL, o->word, o->n);
		kv_out_put_fault(doc, f);
	}
	if (!out->to_stdout)
		kv_text_print(stdout, doc);
	/* The events until a fault are a result. */
	if (ret && !monitor)
		kv_out_commit_fault(out, doc, f);
	else
		err = kv_out_commit(out, monitor && !ret ? NULL : doc, &why);
	if (err && ret)
		kv_fault_print(&why);
	else if (err)
		*f = why;
	json_object_put(doc);
	kv_session_close(&s);
	kv_capture_end(&capture);
	return ret ? ret : err;
}

/**
 * kv_cmd_refuse() - refuse a command line that names no command; as JSON, too, if it asks for that
 * @argc: number of words in @argv
 * @argv: the words that were typed, without the tool's name
 *
 * Return: enum kv_exit
 */
int kv_cmd_refuse(int argc, char **argv, struct kv_fault *why)
{
	struct kv_object_options o;
	struct kv_fault ignored;

	kv_object_options_take(&o, argc, argv, &ignored);
	kv_out_refuse(o.json, kv_session_refusal(KV_SPACE_KERNEL, o.word, o.n), why);
	kv_object_options_free(&o);
	kv_fault_print(why);
	return why->exit;
}

/**
 * kv_cmd_object() - run a command for objects
 * @argc: number of words in @argv
 * @argv: argv[0] is an option, or the command's first word
 *
 * Return: enum kv_exit
 */
int kv_cmd_object(int argc, char **argv)
{
	struct kv_fault fault = { 0 };
	struct kv_object_options o;
	struct kv_out out = { .file.fd = -1 };
	int ret = kv_object_options_take(&o, argc, argv, &fault);

	if (!ret && o.help)
		ret = kv_help_print(o.word, o.n, &fault);
	else if (!ret)
		ret = kv_session_check(o.word, o.n, &fault) ?: check_space(&o, &fault);
	if (ret)
		kv_out_refuse(o.json, kv_session_refusal(KV_SPACE_KERNEL, o.word, o.n), &fault);
	else if (!o.help)
		ret = kv_out_open(&out, "--json", o.json, &fault) ?: run(&o, &out, &fault);
	kv_out_close(&out);
	kv_object_options_free(&o);
	if (!ret)
		return KV_EXIT_DONE;
	/* Print the output so far before the fault. */
	fflush(stdout);
	kv_fault_print(&fault);
	return fault.exit;
}
