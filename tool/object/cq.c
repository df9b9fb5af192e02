// SPDX-License-Identifier: MIT
#include "object/object.h"
#include "object/text.h"

struct add_args {
	struct kv_given given;
	struct kv_cq_init init;
	const char *name;
};

#define AT(field) offsetof(struct add_args, field)

static const struct kv_key add_key[] = {
	KV_KEY_DEV(AT(init.dev)),
	{ "cqe", KV_KEY_U32, AT(init.cqe), .must = true,
	  .help = "how many completions it has to hold" },
	{ "comp-vector", KV_KEY_U32, AT(init.comp_vector),
	  .help = "which of the device's completion vectors; default: 0" },
	{ "context", KV_KEY_WORD, AT(init.context),
	  .words = kv_word_cq_context,
	  .help = "how completions are noticed; default: polled. event: 'poll ... wait' can sleep until one comes. The others are the kernel's: it handles them there and keeps them for 'poll'." },
	KV_KEY_NAME(AT(name)),
	{ .name = NULL },
};

static int make(struct kv_session *s, const void *args,
		union kv_object *object, struct kv_fault *f)
{
	const struct add_args *a = args;
	struct kv_cq_init init = a->init;
	uint64_t ns;
	int ret;

	init.persistent = !s->batch;
	ret = kv_object_dev(s, &init.dev, f);
	if (ret)
		return ret;
	ret = kv_op_cq_new(s->b, &init, &object->cq, &ns);
	return ret ? kv_session_refuse(s, ret, f) : 0;
}

KV_OBJECT_ADD(add, KV_CQ, struct add_args, make)

KV_OBJECT_FUNCTIONS(KV_CQ)

static const struct kv_command commands[] = {
	{ "add", "creates a completion queue", .key = add_key,
	  .size = sizeof(struct add_args), .fn = add,
	  .print = kv_text_object },
	KV_OBJECT_COMMANDS(KV_CQ, "shows one or all",
			   "destroys one that no QP uses"),
	{ .name = NULL },
};

const struct kv_noun kv_noun_cq = {
	"cq", "completion queue: where completions arrive", false, commands,
};
