// SPDX-License-Identifier: MIT
#include "object/object.h"
#include "object/text.h"

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

static int make(struct kv_session *s, const void *args,
		union kv_object *object, struct kv_fault *f)
{
	const struct add_args *a = args;
	struct kv_pd_init init = { .dev = a->dev, .persistent = !s->batch };
	uint64_t ns;
	int ret;

	ret = kv_object_dev(s, &init.dev, f);
	if (ret)
		return ret;
	ret = kv_op_pd_new(s->b, &init, &object->pd, &ns);
	return ret ? kv_session_refuse(s, ret, f) : 0;
}

KV_OBJECT_ADD(add, KV_PD, struct add_args, make)

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
