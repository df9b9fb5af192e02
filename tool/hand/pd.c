// SPDX-License-Identifier: MIT
#include "hand/object.h"
#include "hand/text.h"

struct add_args {
	struct kv_given given;
	const char *dev;
	const char *name;
};

static const struct kv_key add_key[] = {
	KV_KEY_DEV(offsetof(struct add_args, dev)),
	KV_KEY_NAME(offsetof(struct add_args, name)),
	{ .name = NULL },
};

static int add(struct kv_session *s, const void *args,
	       struct json_object *result, struct kv_fault *f)
{
	const struct add_args *a = args;
	struct kv_pd_init init = { .dev = a->dev, .persistent = !s->batch };
	union kv_object object;
	uint64_t ns;
	int ret;

	ret = kv_object_check_name(s, a->name, f);
	if (ret)
		return ret;
	if (!init.dev) {
		ret = kv_session_dev(s, f);
		if (ret)
			return ret;
		init.dev = s->dev.name;
	}
	ret = s->b->ops->pd_new(s->b, &init, &object.pd, &ns);
	return kv_object_added(s, KV_PD, a->name, ret, &object, result, f);
}

KV_OBJECT_FUNCTIONS(KV_PD)

static const struct kv_command commands[] = {
	{ "add", "allocates a protection domain", .key = add_key,
	  .size = sizeof(struct add_args), .fn = add,
	  .print = kv_text_object },
	KV_OBJECT_COMMANDS(KV_PD, "shows one or all",
			   "deallocates one that nothing uses"),
	{ .name = NULL },
};

const struct kv_noun kv_noun_pd = {
	"pd", "protection domain: what belongs together", false, commands,
};
