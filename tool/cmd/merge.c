// SPDX-License-Identifier: MIT
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "measure/figure.h"
#include "measure/merge.h"
#include "measure/result.h"

static struct merge {
	struct kv_merge m;
	const char *json;
	bool csv;
	const char *plot;
	char **path;
	unsigned int n;
} merge;

static const struct kv_option rows[] = {
	KV_OPTION_JSON_ROW(struct merge, json),
	KV_OPTION_CSV_ROW(struct merge, csv),
	KV_OPTION_PLOT_ROW(struct merge, plot),
	{ .name = NULL },
};

static int check(int n, char **word, struct kv_fault *f)
{
	if (!n)
		return kv_fault_usage(f, "name the documents to merge: 'kverbs compare --json=FILE' writes them");
	merge.path = word;
	merge.n = (unsigned int)n;
	return 0;
}

static int run(struct kv_fault *f)
{
	return kv_merge_read(&merge.m, merge.path, merge.n, f);
}

static struct json_object *describe(bool result, int error)
{
	return result ? kv_merge_describe(&merge.m) :
			kv_result_create(&kv_merge_schema, NULL, NULL);
}

static void close_docs(void)
{
	kv_merge_free(&merge.m);
}

const struct kv_cmd kv_cmd_merge = {
	.rows = rows,
	.usage = "usage: kverbs merge [OPTION...] FILE...\n"
		"\n"
		"Merges documents that 'kverbs compare --json=FILE' has written, each after\n"
		"another boot, into one comparison. Its interval covers the differences between\n"
		"boots; with fewer than 6 documents there is none. The documents must agree in\n"
		"their options, kernel, kverbs, CPU and device.\n",
	.more = "",
	.args = &merge,
	.check = check,
	.run = run,
	.json = &merge.json,
	.schema = &kv_merge_schema,
	.describe = describe,
	.print = kv_merge_print,
	.csv = &merge.csv,
	.figures = "/points",
	.plot = &merge.plot,
	.draw = kv_figure_sweep,
	.close = close_docs,
};
