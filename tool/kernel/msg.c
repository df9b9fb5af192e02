// SPDX-License-Identifier: MIT
#include <string.h>
#include "kernel/msg.h"

const struct kv_nl_noun kv_nl_objects[KV_TYPES] = {
#define OBJECT(TYPE, type, ...)								\
	[KV_##TYPE] = {									\
		.what = "kernel " #type,						\
		.shape = &kv_shape_##type,						\
		.size = sizeof(struct kv_##type),					\
		.id = KVERBS_A_##TYPE##_ID,						\
		.verb_ns = KVERBS_A_##TYPE##_VERB_NS,					\
		.cmd_get = KVERBS_CMD_##TYPE##_GET,					\
	},
#include "model/objects.def"
#undef OBJECT
};

static const struct kv_member run_members[] = {
	{ .name = "run", .type = KV_MEMBER_U32, .attr = KVERBS_A_RUN_ID },
};

static const struct kv_shape run = KV_SHAPE(struct kv_id, run_members);
static const struct kv_nl_noun module = { .what = "kernel module" };
static const struct kv_nl_noun wr = { .what = "kernel post", .verb_ns = KVERBS_A_WR_VERB_NS };

const struct kv_nl_noun kv_nl_run = {
	.what = "kernel run",
	.shape = &run,
	.id = KVERBS_A_RUN_ID,
};

/**
 * struct row - an operation that is one command
 * @noun: the kind of object that the command is about: has its id, and names it in errors
 * @cmd: enum kverbs_cmd
 * @in: what it takes
 * @out: what it gives
 */
struct row {
	const struct kv_nl_noun *noun;
	int cmd;
	const struct kv_shape *in;
	const struct kv_shape *out;
};

static const struct kv_nl_noun *const others[KV_OPS] = {
	[KV_OP_INFO_GET] = &module,
	[KV_OP_FLUSH] = &module,
	[KV_OP_WR_POST] = &wr,
	[KV_OP_RUN_START] = &kv_nl_run,
	[KV_OP_RUN_CANCEL] = &kv_nl_run,
	[KV_OP_RUN_DEL] = &kv_nl_run,
};

static const struct row rows[KV_OPS] = {
#define ROW(NAME, in_, out_, noun_)							\
	[KV_OP_##NAME] = {								\
		.noun = noun_, .cmd = KVERBS_CMD_##NAME, .in = &kv_shape_##in_,		\
		.out = &kv_shape_##out_,						\
	},
#define OP(NAME, name, in, out, about, ...)							\
	ROW(NAME, in, out, about == KV_NO_TYPE ? NULL : &kv_nl_objects[about])
#define NEW(NAME, name, in, out, about, ...) ROW(NAME, in, out, NULL)
#define OWN(...)
#include "model/ops.def"
};

/* Of a failure, where the noun's name is not enough. */
static const char *const whats[KV_OPS] = {
	[KV_OP_FLUSH] = "kernel flush",
	[KV_OP_MR_REG] = "kernel mr registration",
	[KV_OP_MR_INV] = "kernel mr invalidation",
	[KV_OP_MR_LOAD] = "kernel mr load",
	[KV_OP_MR_SAVE] = "kernel mr save",
	[KV_OP_CQ_POLL] = "kernel cq poll",
	[KV_OP_CQ_ARM] = "kernel cq arm",
};

/* One struct serves who asks and who is asked. */
static const int without[KV_OPS] = {
	[KV_OP_CONN_CONNECT] = KVERBS_A_CONN_ACK_TIMEOUT,
	[KV_OP_CONN_ACCEPT] = KVERBS_A_CONN_RETRY_CNT,
};

/* Where an answer goes; what is not wanted is NULL. */
struct answer {
	const struct kv_shape *shape;
	int verb_ns;
	void *out;
	uint64_t *ns;
};

static int on_answer(struct nlattr *attrs, int len, void *arg)
{
	struct answer *to = arg;
	int ret = 0;

	if (to->out) {
		memset(to->out, 0, to->shape->size);
		ret = kv_nl_take(to->shape, attrs, len, to->out);
	}
	if (!ret && to->verb_ns && to->ns)
		ret = kv_nl_take_u64(attrs, len, to->verb_ns, to->ns);
	return ret;
}

static const struct kv_nl_noun *noun_of(enum kv_op op)
{
	if (op >= KV_OP_PD_NEW && op < KV_OP_PD_NEW + KV_TYPES)
		return &kv_nl_objects[op - KV_OP_PD_NEW];
	return rows[op].noun ? rows[op].noun : others[op];
}

/**
 * kv_nl_command() - ask the module for an operation that is one command
 * @nl: the connection
 * @op: the operation
 * @in: what it takes
 * @out: receives what it gives; NULL: is of no interest
 * @ns: receives how long the verb took, if the answer says so; or NULL
 *
 * Return: 0, or a negative errno with a text in nl->base.err.
 */
int kv_nl_command(struct kv_nl *nl, enum kv_op op, const void *in, void *out, uint64_t *ns)
{
	const struct kv_nl_noun *noun = noun_of(op);
	const struct row *row = &rows[op];
	const struct kv_shape *const names[] = { row->in, noun->shape, NULL };
	/* An id alone is that of the noun. */
	const struct kv_shape *shape = row->out == &kv_shape_id ? noun->shape : row->out;
	struct answer to = { shape, noun->verb_ns, shape->size ? out : NULL, ns };
	struct nl_msg *msg = kv_nl_msg(nl, row->cmd, 0);

	if (row->in->members && row->in->member[0].refers == KV_REFERS_ABOUT)
		kv_nl_put_u32(msg, noun->id, ((const struct kv_id *)in)->id);
	kv_nl_put(msg, row->in, in, without[op]);
	return kv_nl_request(nl, msg, whats[op] ? whats[op] : noun->what, names, on_answer, &to);
}

struct each {
	const struct kv_nl_noun *noun;
	int (*fn)(const union kv_object *object, void *arg);
	void *arg;
	int stopped;
};

static int on_each(struct nlattr *attrs, int len, void *arg)
{
	union kv_object object;
	struct each *each = arg;
	int ret;

	if (each->stopped)
		return 0;
	memset(&object, 0, sizeof(object));
	ret = kv_nl_take(each->noun->shape, attrs, len, &object);
	if (!ret)
		each->stopped = each->fn(&object, each->arg);
	return ret;
}

/**
 * kv_nl_each() - all objects of a type
 * @nl: the connection
 * @type: the type
 * @fn: called for each; ends it when it returns non-zero
 * @arg: its last argument
 *
 * Return: 0, what @fn ended it with, or a negative errno with a text in nl->base.err.
 */
int kv_nl_each(struct kv_nl *nl, enum kv_type type,
	       int (*fn)(const union kv_object *object, void *arg), void *arg)
{
	const struct kv_nl_noun *noun = &kv_nl_objects[type];
	const struct kv_shape *const names[] = { noun->shape, NULL };
	struct each each = { .noun = noun, .fn = fn, .arg = arg };
	int ret;

	ret = kv_nl_request(nl, kv_nl_msg(nl, noun->cmd_get, NLM_F_DUMP), noun->what, names,
			    on_each, &each);
	return ret ? ret : each.stopped;
}
