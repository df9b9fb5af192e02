// SPDX-License-Identifier: MIT
#include <errno.h>
#include "ping/ping.h"

/*
 * What rdma_client and rdma_server do, one message there and one back, and ucmatose:
 * over each connection a number of messages from the server, then as many from the
 * client. What they say is of no interest.
 */

static void spec(const struct kv_ping *p, struct kv_link_spec *s)
{
	/* Nobody waits for receives: all that the peer sends must find one. */
	s->receives = p->count ? (uint32_t)p->count : 1;
	s->bytes = p->size;
}

static int tell(const struct kv_ping *p, struct kv_link *l, struct kv_fault *f)
{
	int ret = 0;

	for (uint64_t i = 0; i < p->count && !ret; i++)
		ret = kv_link_send(l, NULL, "sending a message", f);
	return ret;
}

/* Who has heard all may close the connection before our last completion is there. */
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

/* On all connections, one after the other. */
static int each(struct kv_ping *p, struct kv_link *l,
		int (*fn)(const struct kv_ping *p, struct kv_link *l,
			  struct kv_fault *f), struct kv_fault *f)
{
	int ret = 0;

	for (uint32_t i = 0; i < p->connections && !ret; i++)
		ret = fn(p, &l[i], f);
	return ret;
}

static int end(const struct kv_ping *p, struct kv_link *l, struct kv_fault *f)
{
	return kv_link_disconnect(l, f);
}

static int wait_end(const struct kv_ping *p, struct kv_link *l,
		    struct kv_fault *f)
{
	return kv_link_wait_end(l, f);
}

/* Tell and hear, in this order or the other, and then close the connection or wait
 * until the peer does.
 */
static int play(struct kv_ping *p, struct kv_link *l, bool tell_first,
		bool close, struct kv_fault *f)
{
	int ret;

	p->bytes = p->size;
	ret = each(p, l, tell_first ? tell : hear, f);
	if (!ret)
		ret = each(p, l, tell_first ? hear : tell, f);
	if (!ret)
		ret = each(p, l, flush, f);
	if (ret)
		return ret;
	kv_ping_count(p, p->count);
	return each(p, l, close ? end : wait_end, f);
}

static int rdma_client(struct kv_ping *p, struct kv_link *l, struct kv_fault *f)
{
	return play(p, l, true, true, f);
}

/*
 * Both programs close the connection. Ours waits until the client does: what the client has sent is here, but
 * its acknowledgement may be lost, as it is with rxe and PREEMPT_RT, and who is gone does not repeat it. Then
 * rdma_client waits for its completion for ever.
 */
static int rdma_server(struct kv_ping *p, struct kv_link *l, struct kv_fault *f)
{
	return play(p, l, false, false, f);
}

const struct kv_ping_ops kv_ping_rdma_client = {
	.spec = spec,
	.client = rdma_client,
	.server = rdma_server,
};

static int matose_client(struct kv_ping *p, struct kv_link *l,
			 struct kv_fault *f)
{
	return play(p, l, false, false, f);
}

static int matose_server(struct kv_ping *p, struct kv_link *l,
			 struct kv_fault *f)
{
	return play(p, l, true, true, f);
}

const struct kv_ping_ops kv_ping_ucmatose = {
	.spec = spec,
	.client = matose_client,
	.server = matose_server,
};
