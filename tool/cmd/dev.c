// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/option.h"
#include "cmd/cmd.h"
#include "out/out.h"
#include "out/view.h"

struct dev_args {
	bool json;
};

static const struct kv_option rows[] = {
	{ "json", NULL, "print JSON", KV_OPTION_FLAG, .at = offsetof(struct dev_args, json) },
	{ .name = NULL },
};

static const struct kv_option_help help = {
	.usage =
		"usage: kverbs dev show [DEV] [--json]\n"
		"\n"
		"Shows RDMA devices, or one of them, as the kernel and as user space see them.\n",
	.more =
		"",
};

/* Nothing to show is a failure; which one depends on who could see. */
static int explain_nothing(const struct kv_view *view, const char *name,
			   struct kv_fault *f)
{
	/* One space that could look says what there is; the other, why not. */
	for (unsigned int s = 0; s < KV_SPACES; s++) {
		if (!view[s].open)
			kv_fault_print(&view[s].fault);
	}
	if (!view[0].open && !view[1].open)
		return kv_fault_set(f, -EOPNOTSUPP,
				    "neither space can be looked at");
	if (name)
		return kv_fault_set(f, -ENODEV,
				    "there is no RDMA device '%s'; 'kverbs dev show' lists those that there are",
				    name);
	return kv_fault_set(f, -EOPNOTSUPP,
			    "there is no RDMA device; 'rdma link add rxe0 type rxe netdev NETDEV' makes a software one");
}

static int show(struct kv_view *view, const char *name, bool json,
		struct kv_fault *f)
{
	struct kv_out out = { .fd = -1, .to_stdout = true };
	struct json_object *doc;
	int ret;

	for (unsigned int s = 0; s < KV_SPACES; s++)
		kv_view_take(&view[s], s, name);
	if (!view[0].n && !view[1].n)
		return explain_nothing(view, name, f);
	doc = kv_view_describe(view);
	ret = json ? kv_out_commit(&out, doc, f) : kv_view_print(doc, f);
	json_object_put(doc);
	return ret;
}

static int run_command(int argc, char **argv)
{
	struct kv_fault fault = { 0 };
	struct kv_view *view;
	struct dev_args args = { .json = false };
	int ret;

	ret = kv_option_read(argc, argv, rows, &help, &args, &fault);
	if (!ret)
		return KV_EXIT_DONE;
	if (ret > 0 && (optind == argc || strcmp(argv[optind], "show")))
		ret = kv_fault_usage(&fault, "'kverbs dev' takes 'show'; see 'kverbs dev --help'");
	if (ret > 0 && argc - optind > 2)
		ret = kv_fault_usage(&fault, "'%s' is one device too many; 'kverbs dev show' takes one or none",
				     argv[optind + 2]);
	if (ret < 0)
		goto out_fault;
	view = calloc(KV_SPACES, sizeof(*view));
	if (!view) {
		ret = kv_fault_set(&fault, -ENOMEM, "no memory");
		goto out_fault;
	}
	ret = show(view, argv[optind + 1], args.json, &fault);
	free(view);
	if (ret)
		goto out_fault;
	return KV_EXIT_DONE;

out_fault:
	return kv_cmd_fail(&fault, args.json);
}

const struct kv_cmd kv_cmd_dev = { run_command, rows, &help };
