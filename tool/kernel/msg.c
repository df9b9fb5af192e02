// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include <netlink/msg.h>
#include "kernel/msg.h"
#include "sys/device.h"

/* No verb makes a buffer, so the contract has no such attribute. */
enum { KVERBS_A_BUF_VERB_NS };

/* The attributes of the types that have commands of several verbs. */
static const int stages[KV_TYPES] = {
	[KV_MR] = KVERBS_A_MR_STAGE,
	[KV_QP] = KVERBS_A_QP_STAGE,
	[KV_CONN] = KVERBS_A_CONN_STAGE,
};

const struct kv_nl_noun kv_nl_objects[KV_TYPES] = {
#define OBJECT(TYPE, type, ...)								\
	[KV_##TYPE] = {									\
		.shape = &kv_shape_##type,						\
		.id = KVERBS_A_##TYPE##_ID,						\
		.verb_ns = KVERBS_A_##TYPE##_VERB_NS,					\
		.cmd_get = KVERBS_CMD_##TYPE##_GET,					\
	},
#include "model/objects.def"
};

static const struct kv_member run_members[] = {
	{ .name = "run", .type = KV_MEMBER_U32, .attr = KVERBS_A_RUN_ID },
};

static const struct kv_shape run = KV_SHAPE(struct kv_id, run_members);
static const struct kv_nl_noun module = { .shape = NULL };
static const struct kv_nl_noun wr = { .verb_ns = KVERBS_A_POST_VERB_NS };

const struct kv_nl_noun kv_nl_run = {
	.shape = &run,
	.id = KVERBS_A_RUN_ID,
};

/* The nouns of operations that are not about an object. */
static const struct kv_nl_noun *const others[KV_OPS] = {
	[KV_OP_INFO_GET] = &module,
	[KV_OP_FLUSH] = &module,
	[KV_OP_WR_POST] = &wr,
	[KV_OP_RUN_START] = &kv_nl_run,
	[KV_OP_RUN_CANCEL] = &kv_nl_run,
	[KV_OP_RUN_DEL] = &kv_nl_run,
};

/* Connect and accept share a struct: each command leaves out the attribute of the other. */
static const int without[KV_OPS] = {
	[KV_OP_CONN_CONNECT] = KVERBS_A_CONN_ACK_TIMEOUT,
	[KV_OP_CONN_ACCEPT] = KVERBS_A_CONN_RETRY_CNT,
};

/* The destination of an answer; NULL: the caller does not want it. */
struct answer {
	const struct kv_shape *shape;
	int verb_ns;
	int stage;
	void *out;
	struct kv_backend *b;
};

static int take_stage(struct nlattr *nest, uint64_t *stage_ns)
{
	struct kv_stage stage = { 0 };
	int ret = kv_nl_take(&kv_shape_stage, nla_data(nest), nla_len(nest), &stage);

	if (!ret && stage.kind <= KVERBS_STAGE_MAX)
		stage_ns[stage.kind] = stage.ns;
	return ret;
}

static int take_times(struct nlattr *attrs, int len, const struct answer *to)
{
	struct nlattr *attr;
	int left, ret = 0;

	if (to->verb_ns)
		ret = kv_nl_take_u64(attrs, len, to->verb_ns, &to->b->times.verb_ns);
	nla_for_each_attr(attr, attrs, len, left)
		if (!ret && to->stage && nla_type(attr) == to->stage)
			ret = take_stage(attr, to->b->times.stage_ns);
	return ret;
}

static int on_answer(struct nlattr *attrs, int len, void *arg)
{
	struct answer *to = arg;
	int ret = 0;

	if (to->out) {
		memset(to->out, 0, to->shape->size);
		ret = kv_nl_take(to->shape, attrs, len, to->out);
	}
	return ret ? ret : take_times(attrs, len, to);
}

static enum kv_type type_of(enum kv_op op)
{
	if (op >= KV_OP_PD_NEW && op < KV_OP_PD_NEW + KV_TYPES)
		return (enum kv_type)(op - KV_OP_PD_NEW);
	return kv_op_rows[op].about;
}

/**
 * kv_nl_command() - ask the module for an operation that is one command
 * @in: the operation's input
 * @out: receives the operation's output; NULL: the caller does not want it
 *
 * Return: 0, or a negative errno with a text in nl->base.err.
 */
int kv_nl_command(struct kv_nl *nl, enum kv_op op, const void *in, void *out)
{
	const enum kv_type type = type_of(op);
	const struct kv_nl_noun *noun = type != KV_NO_TYPE ? &kv_nl_objects[type] : others[op];
	const struct kv_op_row *row = &kv_op_rows[op];
	const struct kv_shape *const names[] = { row->in, noun->shape, NULL };
	/* An id alone has the attribute of the noun's id. */
	const struct kv_shape *shape = row->out == &kv_shape_id ? noun->shape : row->out;
	struct answer to = {
		.shape = shape,
		.verb_ns = noun->verb_ns,
		.stage = type != KV_NO_TYPE ? stages[type] : 0,
		.out = shape->size ? out : NULL,
		.b = &nl->base,
	};
	struct nl_msg *msg = kv_nl_msg(nl, kv_op_commands[op], 0);
	const struct kv_member *large;

	if (row->in->members && row->in->member[0].refers == KV_REFERS_ABOUT)
		kv_nl_put_u32(msg, noun->id, ((const struct kv_id *)in)->id);
	large = kv_nl_put(msg, row->in, in, without[op]);
	if (large) {
		nlmsg_free(msg);
		nl->base.refused = large;
		return kv_backend_fail(&nl->base, -EMSGSIZE, KV_NL_TOO_LARGE, large->name);
	}
	return kv_nl_request(nl, msg, names, on_answer, &to);
}

/* A list while it is read; one of the two functions is set. */
struct each {
	const struct kv_nl_noun *noun;
	int (*fn)(const union kv_object *object, void *arg);
	int (*dev_fn)(const struct kv_dev *dev, void *arg);
	void *arg;
	int stopped;
};

static int on_each(struct nlattr *attrs, int len, void *arg)
{
	struct each *each = arg;
	union {
		union kv_object object;
		struct kv_dev dev;
	} to;
	int ret;

	if (each->stopped)
		return 0;
	memset(&to, 0, each->noun->shape->size);
	ret = kv_nl_take(each->noun->shape, attrs, len, &to);
	if (ret)
		return ret;
	if (each->dev_fn) {
		kv_netdev_note(&to.dev);
		each->stopped = each->dev_fn(&to.dev, each->arg);
	} else {
		each->stopped = each->fn(&to.object, each->arg);
	}
	return 0;
}

static int list(struct kv_backend *b, struct each *each)
{
	const struct kv_shape *const names[] = { each->noun->shape, NULL };
	struct kv_nl *nl = (struct kv_nl *)b;

	return kv_nl_request(nl, kv_nl_msg(nl, each->noun->cmd_get, NLM_F_DUMP), names, on_each,
			     each) ?:
	       each->stopped;
}

/**
 * kv_nl_each() - all objects of a type; kv_backend_ops.each
 * @type: the type
 * @fn: called for each object; ends the list when it returns non-zero
 *
 * Return: 0, the value with which @fn ended it, or a negative errno with a text in @b->err.
 */
int kv_nl_each(struct kv_backend *b, enum kv_type type,
	       int (*fn)(const union kv_object *object, void *arg), void *arg)
{
	return list(b, &(struct each){ .noun = &kv_nl_objects[type], .fn = fn, .arg = arg });
}

/**
 * kv_nl_dev_each() - all devices; kv_backend_ops.dev_each
 * @fn: called for each device; ends the list when it returns non-zero
 *
 * Return: as kv_nl_each().
 */
int kv_nl_dev_each(struct kv_backend *b, int (*fn)(const struct kv_dev *dev, void *arg), void *arg)
{
	static const struct kv_nl_noun devices = {
		.shape = &kv_shape_dev,
		.cmd_get = KVERBS_CMD_DEV_GET,
	};

	return list(b, &(struct each){ .noun = &devices, .dev_fn = fn, .arg = arg });
}

int kv_nl_dev_get(struct kv_nl *nl, const struct kv_dev_name *in, struct kv_dev *out)
{
	static const struct kv_shape *const names[] = { &kv_shape_dev, NULL };
	struct nl_msg *msg = kv_nl_msg(nl, KVERBS_CMD_DEV_GET, 0);
	struct answer to = { .shape = &kv_shape_dev, .out = out };
	int ret;

	if (msg)
		nla_put_string(msg, KVERBS_A_DEV_NAME, in->dev);
	ret = kv_nl_request(nl, msg, names, on_answer, &to);
	if (!ret)
		kv_netdev_note(out);
	return ret;
}

int kv_nl_counters(struct kv_nl *nl, const struct kv_dev_port *in, struct kv_counters *out)
{
	return kv_counters_read(&nl->base, in, out);
}
