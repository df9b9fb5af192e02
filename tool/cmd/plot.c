// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/cmd.h"
#include "out/plot.h"

static struct plot {
	const char *path; /* of the document */
	const char *image;
} args;

static int check(int n, char **word, struct kv_fault *f)
{
	if (n != 2)
		return kv_fault_usage(f, "name a document, which --json=FILE has written, and an image: 'kverbs plot FILE.json FILE.svg'");
	args.path = word[0];
	args.image = word[1];
	return kv_plot_check(args.image, f);
}

/* The command that has written a document, if it has figures. */
static const struct kv_cmd *find_writer(struct json_object *doc)
{
	for (const struct kv_cmd_entry *e = kv_cmd_list; e->help; e++)
		if (e->cmd && e->cmd->draw && !strcmp(e->cmd->schema->name, kv_out_get_string(doc, "/schema")) &&
		    kv_out_get_count(doc, "/schema_version") == e->cmd->schema->version)
			return e->cmd;
	return NULL;
}

/* A damaged document may have something else in place of the lists that figures are made of. */
static int check_lists(struct json_object *doc, struct kv_fault *f)
{
	static const struct {
		const char *path;
		bool figures;
	} lists[] = {
		{ "/points", true }, { "/point/result/histogram", true }, { "/result/steps", true },
		{ "/spec/series", false }, { "/spec/ops", false }, { "/knees", false },
	};
	bool any = false;

	for (unsigned int i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct json_object *list = kv_out_get(doc, lists[i].path);

		if (list && !json_object_is_type(list, json_type_array))
			return kv_fault_set(f, -EINVAL, "%s is damaged: %s is no list", args.path, lists[i].path + 1);
		any |= list && lists[i].figures && json_object_array_length(list);
	}
	if (kv_out_get(doc, "/points") && !kv_out_get(doc, "/spec/series"))
		return kv_fault_set(f, -EINVAL, "%s is damaged: it has no spec/series", args.path);
	return any ? 0 : kv_fault_set(f, -EINVAL, "%s has no figures: its measurement has failed", args.path);
}

static int run(struct kv_fault *f)
{
	struct json_object *doc = NULL;
	const struct kv_cmd *writer;
	struct kv_plot plot;
	int ret = kv_out_read(args.path, &doc, f);

	if (ret)
		return ret;
	writer = find_writer(doc);
	ret = writer ? check_lists(doc, f) :
		       kv_fault_set(f, -EINVAL, "%s is no document of this version of kverbs that has figures: lat, compare, merge, bw, scale and conn-rate write them",
				    args.path);
	/* The unit of a guest that counts instructions goes with its figures. */
	if (!ret && !strcmp(kv_out_get_string(doc, "/environment/counts"), "instructions"))
		setenv("KVERBS_COUNTS", "instructions", true);
	ret = ret ?: kv_plot_open(&plot, args.image, f);
	if (!ret) {
		writer->draw(doc, plot.script);
		ret = kv_plot_commit(&plot, f);
		kv_plot_close(&plot);
	}
	json_object_put(doc);
	return ret;
}

const struct kv_cmd kv_cmd_plot = {
	.rows = kv_cmd_no_rows,
	.usage = "usage: kverbs plot FILE IMAGE\n"
		"\n"
		"Has gnuplot draw the figures of a document that --json=FILE has written, as\n"
		"--plot does after a measurement. The name of IMAGE ends in .svg or .png. Neither\n"
		"an RDMA device nor privileges are needed: the document may come from another\n"
		"machine.\n",
	.more = "",
	.args = &args,
	.check = check,
	.run = run,
};
