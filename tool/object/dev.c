// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include "batch/session.h"
#include "cli/parse.h"
#include "object/noun.h"
#include "out/out.h"
#include "out/devices.h"

/**
 * kv_dev_word() - take the device of 'dev show', as --dev takes one
 * @word: the word, or NULL for all devices
 * @name: receives it
 */
int kv_dev_word(const char *word, const char **name, struct kv_fault *f)
{
	struct kv_why why;

	*name = NULL;
	return word && kv_parse_dev(word, name, &why) ?
	       kv_fault_usage(f, "the device '%s' %s", word, why.text) : 0;
}

/* Shows the devices as both spaces see them, in a session of either space. */
static int show(struct kv_session *s, char **word, size_t n,
		struct json_object *result, struct kv_fault *f)
{
	const char *name;
	struct json_object *doc;
	struct kv_devices *view;

	if (n > 1)
		return kv_fault_usage(f, "'%s' is one device too many; it takes one or none",
				      word[1]);
	if (kv_dev_word(n ? word[0] : NULL, &name, f))
		return f->error;
	view = calloc(KV_SPACES, sizeof(*view));
	if (!view)
		return kv_fault_no_memory(f);
	for (unsigned int i = 0; i < KV_SPACES; i++)
		kv_devices_take(&view[i], i, name);
	if (name && !view[0].n && !view[1].n) {
		kv_devices_refuse(view, name, f);
		free(view);
		return f->error;
	}
	doc = kv_devices_describe(view);
	free(view);
	json_object_object_foreach(doc, key, value)
		kv_out_put(result, key, json_object_get(value));
	json_object_put(doc);
	return 0;
}

static void print(FILE *out, const char *noun, struct json_object *result)
{
	struct kv_fault f;

	fflush(out);
	if (kv_devices_print(result, &f))
		kv_fault_print(&f);
}

static const struct kv_command commands[] = {
	{ "show", "shows RDMA devices as the kernel and user space see them",
	  .words = "[DEV]", .raw = show, .print = print },
	{ .name = NULL },
};

const struct kv_noun kv_noun_dev = {
	"dev", "RDMA device", false, commands,
};
