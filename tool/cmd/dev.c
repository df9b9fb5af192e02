// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/cmd.h"
#include "out/out.h"
#include "out/devices.h"

static struct dev_args {
	bool json;
	const char *name;
} dev_args;

static const struct kv_option rows[] = {
	{ "json", NULL, "print JSON", KV_OPTION_FLAG, .at = offsetof(struct dev_args, json) },
	{ .name = NULL },
};

/* Nothing to show is a failure; its reason depends on the spaces that could be asked. */
static int explain_nothing(struct kv_devices *view, const char *name, struct kv_fault *f)
{
	/* A space that could be asked has no device; the other one's fault is the reason. */
	for (unsigned int s = 0; s < KV_SPACES; s++) {
		if (!view[s].open)
			kv_fault_print(&view[s].fault);
	}
	if (!view[0].open && !view[1].open)
		return kv_fault_set(f, -EOPNOTSUPP, "neither space can be looked at");
	if (name)
		return kv_fault_set(f, -ENODEV,
				    "there is no RDMA device '%s'; 'kverbs dev show' lists those that there are",
				    name);
	return kv_fault_set(f, -EOPNOTSUPP,
			    "there is no RDMA device; 'rdma link add rxe0 type rxe netdev NETDEV' makes a software one");
}

static int show(struct kv_devices *view, struct kv_fault *f)
{
	struct kv_out out = { .fd = -1, .to_stdout = true };
	struct json_object *doc;
	int ret;

	for (unsigned int s = 0; s < KV_SPACES; s++)
		kv_devices_take(&view[s], s, dev_args.name);
	if (!view[0].n && !view[1].n)
		return explain_nothing(view, dev_args.name, f);
	doc = kv_devices_describe(view);
	ret = dev_args.json ? kv_out_commit(&out, doc, f) : kv_devices_print(doc, f);
	json_object_put(doc);
	return ret;
}

static int check(int n, char **word, struct kv_fault *f)
{
	if (!n || strcmp(word[0], "show"))
		return kv_fault_usage(f, "'kverbs dev' takes 'show'; see 'kverbs dev --help'");
	if (n > 2)
		return kv_fault_usage(f, "'%s' is one device too many; 'kverbs dev show' takes one or none",
				      word[2]);
	dev_args.name = word[1];
	return 0;
}

static int run(struct kv_fault *f)
{
	struct kv_devices *view = calloc(KV_SPACES, sizeof(*view));
	int ret;

	if (!view)
		return kv_fault_set(f, -ENOMEM, "no memory");
	ret = show(view, f);
	free(view);
	return ret;
}

const struct kv_cmd kv_cmd_dev = {
	.rows = rows,
	.usage = "usage: kverbs dev show [DEV] [--json]\n"
		"\n"
		"Shows RDMA devices, or one of them, as the kernel and as user space see them.\n",
	.more = "",
	.args = &dev_args,
	.json = &dev_args.json,
	.check = check,
	.run = run,
};
