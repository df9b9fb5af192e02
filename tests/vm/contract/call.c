// SPDX-License-Identifier: MIT
#include <string.h>
#include "call.h"
#include "sys/now.h"

struct nl_msg *call_msg_of(struct kv_nl *nl, enum kv_type noun, int cmd, uint32_t id)
{
	struct nl_msg *msg = kv_nl_msg(nl, cmd, 0);

	kv_nl_put_u32(msg, kv_nl_objects[noun].id, id);
	return msg;
}

struct answer {
	enum kv_type noun;
	void *object;
};

static int on_object(struct nlattr *attrs, int len, void *arg)
{
	struct answer *to = arg;

	memset(to->object, 0, kv_nl_objects[to->noun].shape->size);
	return kv_nl_take(kv_nl_objects[to->noun].shape, attrs, len, to->object);
}

int call_object(struct kv_nl *nl, enum kv_type noun, struct nl_msg *msg,
		void *object)
{
	const struct kv_shape *const names[] = { kv_nl_objects[noun].shape, NULL };
	struct answer to = { noun, object };

	return kv_nl_request(nl, msg, names, on_object, &to);
}

int call_new(struct kv_nl *nl, enum kv_type noun, const void *init, void *object,
	     uint64_t *ns)
{
	return kv_op_call(&nl->base, KV_OP_PD_NEW + noun, init, object, ns);
}

int call_get(struct kv_nl *nl, enum kv_type noun, uint32_t id, void *object)
{
	return kv_op_get(&nl->base, noun, id, object);
}

int call_del(struct kv_nl *nl, enum kv_type noun, uint32_t id, uint64_t *ns)
{
	return kv_op_del(&nl->base, noun, id, ns);
}

int call_conn_reject(struct kv_nl *nl, uint32_t id, const void *data, uint32_t length,
		     uint64_t *ns)
{
	struct kv_conn_reject in = { .id = id, .private_length = length };

	if (length)
		memcpy(in.private_data, data, length);
	return kv_op_conn_reject(&nl->base, &in, NULL, ns);
}

int call_cq_poll(struct kv_nl *nl, uint32_t id, struct kv_wc *wc, unsigned int max,
		 unsigned int *n, uint64_t *ns)
{
	struct kv_polled out;
	int ret = kv_op_cq_poll(&nl->base, &(struct kv_cq_poll){ id, max }, &out, ns);

	if (ret)
		return ret;
	*n = out.n < max ? out.n : max;
	memcpy(wc, out.wc, *n * sizeof(*wc));
	return 0;
}

static int32_t left_ms(uint64_t deadline_ns)
{
	uint64_t now = kv_now_ns();

	return deadline_ns > now ? (int32_t)((deadline_ns - now + 999999) / 1000000) : 0;
}

int call_wait_completion(struct kv_nl *nl, uint32_t cq, uint64_t deadline_ns)
{
	return kv_op_cq_wait(&nl->base, &(struct kv_wait){ cq, left_ms(deadline_ns) }, NULL, NULL);
}

int call_wait_event(struct kv_nl *nl, uint64_t deadline_ns, struct kv_event *event)
{
	return kv_op_event_wait(&nl->base, &(struct kv_wait){ 0, left_ms(deadline_ns) }, event,
				NULL);
}
