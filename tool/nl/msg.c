// SPDX-License-Identifier: MIT
#include <string.h>
#include "nl/msg.h"

/* Where an answer goes; what is not wanted is NULL. */
struct answer {
	const struct kv_nl_noun *noun;
	void *object;
	uint64_t *verb_ns;
};

static int on_answer(struct nlattr *attrs, int len, void *arg)
{
	struct answer *to = arg;
	int ret = 0;

	if (to->object) {
		memset(to->object, 0, to->noun->size);
		ret = kv_nl_take(to->noun->object, attrs, len, to->object);
	}
	if (!ret && to->verb_ns)
		ret = kv_nl_take_u64(attrs, len, to->noun->verb_ns, to->verb_ns);
	return ret;
}

/**
 * kv_nl_msg_of() - start a request about an object
 * @nl: the connection
 * @noun: its type
 * @cmd: enum kverbs_cmd
 * @id: its id
 *
 * Return: the message, for kv_nl_call(), or NULL without memory.
 */
struct nl_msg *kv_nl_msg_of(struct kv_nl *nl, const struct kv_nl_noun *noun,
			    int cmd, uint32_t id)
{
	struct nl_msg *msg = kv_nl_msg(nl, cmd, 0);

	kv_nl_put_u32(msg, noun->id, id);
	return msg;
}

/**
 * kv_nl_call() - send a request about an object and take what comes back
 * @nl: the connection
 * @noun: its type
 * @msg: the request; freed here
 * @what: what it is, for the text of a failure; NULL: the noun's
 * @object: what the object is now, if the answer says so; or NULL
 * @verb_ns: how long the verb took, if the answer says so; or NULL
 *
 * Return: 0, or a negative errno with a text in nl->err.
 */
int kv_nl_call(struct kv_nl *nl, const struct kv_nl_noun *noun,
	       struct nl_msg *msg, const char *what, void *object,
	       uint64_t *verb_ns)
{
	struct answer to = { noun, object, verb_ns };

	return kv_nl_request(nl, msg, what ? what : noun->what, noun->names,
			     on_answer, &to);
}

int kv_nl_new(struct kv_nl *nl, const struct kv_nl_noun *noun, const void *init,
	      void *object, uint64_t *verb_ns)
{
	struct nl_msg *msg = kv_nl_msg(nl, noun->cmd_new, 0);

	kv_nl_put(msg, noun->init, init);
	return kv_nl_call(nl, noun, msg, NULL, object, verb_ns);
}

int kv_nl_get(struct kv_nl *nl, const struct kv_nl_noun *noun, uint32_t id,
	      void *object)
{
	return kv_nl_call(nl, noun, kv_nl_msg_of(nl, noun, noun->cmd_get, id),
			  NULL, object, NULL);
}

int kv_nl_del(struct kv_nl *nl, const struct kv_nl_noun *noun, uint32_t id,
	      uint64_t *verb_ns)
{
	return kv_nl_call(nl, noun, kv_nl_msg_of(nl, noun, noun->cmd_del, id),
			  NULL, NULL, verb_ns);
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

int kv_nl_each(struct kv_nl *nl, const struct kv_nl_noun *noun,
	       int (*fn)(const union kv_object *object, void *arg), void *arg)
{
	struct each each = { .noun = noun, .fn = fn, .arg = arg };
	int ret;

	ret = kv_nl_request(nl, kv_nl_msg(nl, noun->cmd_get, NLM_F_DUMP),
			    noun->what, noun->names, on_each, &each);
	return ret ? ret : each.stopped;
}
