// SPDX-License-Identifier: MIT
#include "object/object.h"
#include "object/text.h"
#include "out/out.h"

struct add_args {
	struct kv_given given;
	struct kv_srq_init init;
	const char *name;
};

#define AT(field) offsetof(struct add_args, field)

static const struct add_args add_init = { .init.max_sge = 1 };

static const struct kv_key add_key[] = {
	{ "pd", KV_KEY_ID, AT(init.pd), .type = KV_PD, .must = true,
	  .help = "its protection domain" },
	{ "max-wr", KV_KEY_U32, AT(init.max_wr), .must = true,
	  .help = "receives that can be posted at once" },
	{ "max-sge", KV_KEY_U32, AT(init.max_sge),
	  .help = "pieces that a receive can have; default: 1" },
	{ "limit", KV_KEY_U32, AT(init.limit),
	  .help = "an event comes once when fewer receives are left; default: 0, never" },
	KV_KEY_NAME(AT(name)),
	{ .name = NULL },
};

static int make(struct kv_session *s, const void *args,
		union kv_object *object, struct kv_fault *f)
{
	const struct add_args *a = args;
	struct kv_srq_init init = a->init;
	uint64_t ns;
	int ret;

	init.persistent = !s->batch;
	ret = kv_op_srq_new(s->b, &init, &object->srq, &ns);
	return ret ? kv_session_refuse(s, ret, f) : 0;
}

KV_OBJECT_ADD(add, KV_SRQ, struct add_args, make)

struct modify_args {
	struct kv_given given;
	struct kv_srq_attr attr;
};

#define HAS_LIMIT (1U << 0)
#define HAS_MAX_WR (1U << 1)

static const struct kv_key modify_key[] = {
	{ "limit", KV_KEY_U32, offsetof(struct modify_args, attr.limit),
	  HAS_LIMIT,
	  .help = "an event comes once when fewer receives are left; 0: never" },
	{ "max-wr", KV_KEY_U32, offsetof(struct modify_args, attr.max_wr),
	  HAS_MAX_WR, .help = "receives that can be posted at once" },
	{ .name = NULL },
};

static int modify(struct kv_session *s, const void *args,
		  struct json_object *result, struct kv_fault *f)
{
	const struct modify_args *a = args;
	struct kv_srq_attr attr = a->attr;
	union kv_object object;
	int ret;

	attr.has_limit = a->given.bits & HAS_LIMIT;
	attr.has_max_wr = a->given.bits & HAS_MAX_WR;
	if (!a->given.bits)
		return kv_fault_usage(f, "there is nothing to change: 'limit' or 'max-wr' is missing");
	attr.id = a->given.id;
	ret = kv_op_srq_modify(s->b, &attr, &object.srq, NULL);
	if (ret)
		return kv_session_refuse(s, ret, f);
	kv_object_whole(s, KV_SRQ, &object, result);
	return 0;
}

KV_OBJECT_FUNCTIONS(KV_SRQ)

static const struct kv_command commands[] = {
	{ "add", "creates a shared receive queue", .key = add_key,
	  .size = sizeof(struct add_args), .init = &add_init, .fn = add,
	  .print = kv_text_object },
	{ "modify", "changes its limit or its size", .id = KV_ID_MUST,
	  .type = KV_SRQ, .key = modify_key,
	  .size = sizeof(struct modify_args), .fn = modify,
	  .print = kv_text_object },
	KV_OBJECT_COMMANDS(KV_SRQ, "shows one or all",
			   "destroys one that no QP uses"),
	{ .name = NULL },
};

const struct kv_noun kv_noun_srq = {
	"srq", "shared receive queue: receives for several QPs", false,
	commands,
};
