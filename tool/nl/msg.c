// SPDX-License-Identifier: MIT
#include <string.h>
#include "nl/msg.h"

/* Where an answer goes; what is not wanted is NULL. */
struct answer {
	const struct kv_nl_op *op;
	void *out;
	uint64_t *ns;
};

static int on_answer(struct nlattr *attrs, int len, void *arg)
{
	struct answer *to = arg;
	int ret = 0;

	if (to->op->out && to->out) {
		memset(to->out, 0, to->op->size);
		ret = kv_nl_take(to->op->out, attrs, len, to->out);
	}
	if (!ret && to->op->noun->verb_ns && to->ns)
		ret = kv_nl_take_u64(attrs, len, to->op->noun->verb_ns, to->ns);
	return ret;
}

/**
 * kv_nl_call() - ask the module for an operation, as its row says
 * @nl: the connection
 * @op: the row
 * @in: what it takes
 * @out: receives what it gives; NULL: is of no interest
 * @ns: receives how long the verb took, if the answer says so; or NULL
 *
 * Return: 0, or a negative errno with a text in nl->base.err.
 */
int kv_nl_call(struct kv_nl *nl, const struct kv_nl_op *op, const void *in, void *out,
	       uint64_t *ns)
{
	struct answer to = { op, out, ns };
	struct nl_msg *msg;

	if (op->call)
		return op->call(nl, in, out, ns);
	msg = kv_nl_msg(nl, op->cmd, 0);
	if (op->by_id)
		kv_nl_put_u32(msg, op->noun->id, ((const struct kv_id *)in)->id);
	if (op->in)
		kv_nl_put(msg, op->in, in);
	if (op->put)
		op->put(msg, in);
	return kv_nl_request(nl, msg, op->what ? op->what : op->noun->what,
			     op->noun->names, on_answer, &to);
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
	ret = kv_nl_take(each->noun->object, attrs, len, &object);
	if (!ret)
		each->stopped = each->fn(&object, each->arg);
	return ret;
}

/**
 * kv_nl_each() - all objects of a type
 * @nl: the connection
 * @noun: the type
 * @fn: called for each; ends it when it returns non-zero
 * @arg: its last argument
 *
 * Return: 0, what @fn ended it with, or a negative errno with a text in nl->base.err.
 */
int kv_nl_each(struct kv_nl *nl, const struct kv_nl_noun *noun,
	       int (*fn)(const union kv_object *object, void *arg), void *arg)
{
	struct each each = { .noun = noun, .fn = fn, .arg = arg };
	int ret;

	ret = kv_nl_request(nl, kv_nl_msg(nl, noun->cmd_get, NLM_F_DUMP),
			    noun->what, noun->names, on_each, &each);
	return ret ? ret : each.stopped;
}
