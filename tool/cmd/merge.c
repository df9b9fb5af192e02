// SPDX-License-Identifier: MIT
#include <stdio.h>
#include "cli/option.h"
#include "cmd/cmd.h"
#include "measure/merge.h"
#include "measure/result.h"
#include "out/out.h"

/* What an invocation needs. */
struct merge {
	struct kv_merge m;
	struct kv_out out;
	const char *json;
};

static const struct kv_option rows[] = {
	{ "json", "FILE", "write everything there as JSON, too; -: to standard output, and no text", KV_OPTION_TEXT,
	  .at = offsetof(struct merge, json) },
	{ .name = NULL },
};

static const struct kv_option_help help = {
	.usage =
		"usage: kverbs merge [OPTION...] FILE...\n"
		"\n"
		"Merges documents of kverbs compare (--json), each of another boot, into one\n"
		"comparison: how much the spaces differ on another boot. With fewer than 6 of\n"
		"them there is no interval. They must be alike in all but the boot.\n",
	.more =
		"",
};

static int tell(struct merge *c, struct kv_fault *f)
{
	struct json_object *doc = kv_merge_describe(&c->m);
	int ret;

	ret = kv_out_commit(&c->out, doc, f);
	if (!ret && !c->out.to_stdout)
		ret = kv_merge_print(doc, f);
	json_object_put(doc);
	return ret;
}

/* There is nothing to tell of. */
static void tell_fault(struct merge *c, const struct kv_fault *f)
{
	struct json_object *doc = kv_result_create("kverbs.merge", NULL, NULL);

	kv_out_commit_fault(&c->out, doc, f);
	json_object_put(doc);
}

static int run_command(int argc, char **argv)
{
	struct merge c = { .json = NULL };
	struct kv_fault f;
	int ret;

	ret = kv_option_read(argc, argv, rows, &help, &c, &f);
	if (!ret)
		return KV_EXIT_DONE;
	if (ret > 0 && optind == argc)
		ret = kv_fault_usage(&f, "name the documents to merge: 'kverbs compare --json FILE' writes them");
	if (ret > 0)
		ret = kv_out_open(&c.out, c.json, &f);
	if (ret < 0)
		goto out_fault;
	ret = kv_merge_read(&c.m, argv + optind, (unsigned int)(argc - optind), &f);
	if (ret)
		tell_fault(&c, &f);
	else
		ret = tell(&c, &f);
	kv_merge_free(&c.m);
	kv_out_close(&c.out);
	if (!ret)
		return KV_EXIT_DONE;
out_fault:
	return kv_cmd_fail(&f, false);
}

const struct kv_cmd kv_cmd_merge = { run_command, rows, &help };
