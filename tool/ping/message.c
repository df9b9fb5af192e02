// SPDX-License-Identifier: MIT
#include <errno.h>
#include "ping/ping.h"

/*
 * rdma_client sends one message, and rdma_server sends one back. With ucmatose, the server sends
 * a number of messages over each connection, and then the client sends as many. The contents do
 * not matter.
 */

static void spec(const struct kv_ping *p, struct kv_link_spec *s)
{
	/* No receive is posted later: each message of the peer must find one. */
	s->receives = p->count ? (uint32_t)p->count : 1;
	s->bytes = p->size;
}

static int tell(const struct kv_ping *p, struct kv_link *l, struct kv_fault *f)
{
	int ret = 0;

	for (uint64_t i = 0; i < p->count && !ret; i++)
		ret = kv_link_send(l, NULL, 0, "sending a message", f);
	return ret;
}

/* A peer that has received all messages may close the connection before our last completion. */
static int flush(const struct kv_ping *p, struct kv_link *l, struct kv_fault *f)
{
	int ret = kv_link_flush(l, "sending a message", f);

	return ret == -ECONNRESET ? 0 : ret;
}

static int hear(const struct kv_ping *p, struct kv_link *l, struct kv_fault *f)
{
	int ret = 0;

	for (uint64_t i = 0; i < p->count && !ret; i++)
		ret = kv_link_receive(l, NULL, "waiting for a message", f);
	return ret;
}

/* Calls @fn for all connections, one after the other. */
static int each(struct kv_ping *p, struct kv_link *l,
		int (*fn)(const struct kv_ping *p, struct kv_link *l,
			  struct kv_fault *f), struct kv_fault *f)
{
	int ret = 0;

	for (uint32_t i = 0; i < p->connections && !ret; i++)
		ret = fn(p, &l[i], f);
	return ret;
}

/*
 * The side that begins closes the connection in the end; the other side waits for that. The real
 * rdma_server does not wait: if the acknowledgment of the client's last message is lost, as happens
 * with rxe and PREEMPT_RT, a destroyed QP can't send it again, and rdma_client waits for its
 * completion without end.
 */
static int play(struct kv_ping *p, struct kv_link *l, struct kv_fault *f)
{
	bool begins = p->server == (p->protocol == KV_PING_UCMATOSE);
	int ret;

	p->bytes = p->size;
	ret = each(p, l, begins ? tell : hear, f) ?:
	      each(p, l, begins ? hear : tell, f) ?:
	      each(p, l, flush, f);
	if (ret)
		return ret;
	kv_ping_count(p, p->count);
	for (uint32_t i = 0; i < p->connections && !ret; i++)
		ret = begins ? kv_link_disconnect(&l[i], f) : kv_link_wait_end(&l[i], f);
	return ret;
}

const struct kv_ping_ops kv_ping_message = { .spec = spec, .play = play };
