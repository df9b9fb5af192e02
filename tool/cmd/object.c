// SPDX-License-Identifier: MIT
/* Runs one command for objects, from the shell. The objects it makes outlive the process. */
#include <stdio.h>
#include <string.h>
#include "batch/session.h"
#include "cmd/cmd.h"
#include "object/describe.h"
#include "object/options.h"
#include "object/text.h"
#include "out/out.h"

static void tell_event(struct json_object *event, void *arg)
{
	const struct kv_object_options *o = arg;

	if (o->json) {
		kv_out_print(event, JSON_C_TO_STRING_PLAIN);
	} else {
		kv_text_line(stdout, NULL, event);
		fflush(stdout);
	}
}

static int check_space(const struct kv_object_options *o, struct kv_fault *f)
{
	if (!(o->spaces & (1U << KV_SPACE_USER)))
		return 0;
	if (o->spaces & (1U << KV_SPACE_KERNEL))
		return kv_fault_usage(f, "--space both is for 'kverbs batch'");
	return kv_fault_usage(f, "objects of libibverbs live in the process: use them in 'kverbs batch'");
}

/* @told: becomes true if a document was printed. */
static int run(struct kv_object_options *o, bool *told, struct kv_fault *f)
{
	static struct kv_session s;
	bool monitor = !strcmp(o->word[0], kv_noun_monitor.name);
	struct json_object *doc;
	int ret = kv_session_open(&s, KV_SPACE_KERNEL, o->dev, false, o->trace, f);

	if (ret)
		return ret;
	s.json = o->json;
	s.live = tell_event;
	s.live_arg = o;
	ret = kv_session_run(&s, 0, o->word, o->n, &doc, f);
	if (!o->json)
		kv_text_print(stdout, doc);
	else if (!monitor || ret)
		kv_out_print(doc, monitor ? JSON_C_TO_STRING_PLAIN : JSON_C_TO_STRING_PRETTY);
	*told = true;
	json_object_put(doc);
	kv_session_close(&s);
	return ret;
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
	bool told = false;
	int ret = kv_object_options_take(&o, argc, argv, &fault);

	if (!ret && o.help) {
		ret = kv_help_print(o.word, o.n, &fault);
	} else if (!ret) {
		ret = kv_session_check(o.word, o.n, &fault);
		if (!ret)
			ret = check_space(&o, &fault);
		if (!ret)
			ret = run(&o, &told, &fault);
	}
	if (ret && o.json && !told)
		kv_describe_refusal(&fault);
	kv_object_options_free(&o);
	if (!ret)
		return KV_EXIT_DONE;
	/* Print the output so far before the fault. */
	fflush(stdout);
	kv_fault_print(&fault);
	return fault.exit;
}
