// SPDX-License-Identifier: MIT
#include <errno.h>
#include "cmd/cmd.h"
#include "object/noun.h"
#include "out/devices.h"

static struct dev_args {
	const char *json;
	bool pretty;
	bool details;
	const char *name;
	struct kv_devices view[KV_SPACES];
} dev_args;

static const struct kv_option rows[] = {
	KV_OPTION_JSON_ROW(struct dev_args, json),
	{ "pretty", NULL, "as in iproute2; the JSON is indented with and without it", KV_OPTION_FLAG,
	  .at = offsetof(struct dev_args, pretty), .letter = 'p' },
	{ "details", NULL, "as in iproute2; all that is known is shown anyway", KV_OPTION_FLAG,
	  .at = offsetof(struct dev_args, details), .letter = 'd' },
	{ .name = NULL },
};

/* No device to show is a failure; its reason depends on the spaces that could be opened. */
static int explain_nothing(struct kv_devices *view, const char *name, struct kv_fault *f)
{
	/* An open space has no device; a space that is not open has the reason in its fault. */
	for (unsigned int s = 0; s < KV_SPACES; s++) {
		if (!view[s].open)
			kv_fault_print(&view[s].fault);
	}
	if (!view[0].open && !view[1].open)
		return kv_fault_set(f, -EOPNOTSUPP, "neither kernel nor user space can list RDMA devices");
	if (name)
		return kv_devices_refuse(view, name, f);
	return kv_fault_set(f, -EOPNOTSUPP,
			    "there is no RDMA device; 'rdma link add rxe0 type rxe netdev NETDEV' makes a software one");
}

static int check(int n, char **word, struct kv_fault *f)
{
	if (!n)
		return 0;
	if (!kv_command_find(&kv_noun_dev, word[0]))
		return kv_fault_usage(f, "'%s' is not known; it is 'kverbs dev show [DEV]'", word[0]);
	if (n > 2)
		return kv_fault_usage(f, "'%s' is one device too many; 'kverbs dev show' takes one or none",
				      word[2]);
	return kv_dev_word(word[1], &dev_args.name, f);
}

static int run(struct kv_fault *f)
{
	struct kv_devices *view = dev_args.view;

	for (unsigned int s = 0; s < KV_SPACES; s++)
		kv_devices_take(&view[s], s, dev_args.name);
	return view[0].n || view[1].n ? 0 : explain_nothing(view, dev_args.name, f);
}

static struct json_object *describe(bool result, int error)
{
	struct json_object *doc = result ? kv_devices_describe(dev_args.view) :
					   kv_out_document(&kv_devices_schema);

	kv_out_put_bool(doc, "complete", result);
	return doc;
}

const struct kv_cmd kv_cmd_dev = {
	.rows = rows,
	.usage = "usage: kverbs dev [show [DEV]] [OPTION...]\n"
		"\n"
		"Shows RDMA devices, or one of them, as the kernel and as user space see them.\n",
	.more = "",
	.args = &dev_args,
	.json = &dev_args.json,
	.schema = &kv_devices_schema,
	.check = check,
	.run = run,
	.describe = describe,
	.print = kv_devices_print,
};
