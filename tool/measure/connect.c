// SPDX-License-Identifier: MIT
/* A pair of endpoints, connected by the RDMA CM. */
#include <errno.h>
#include <string.h>
#include <net/if.h>
#include <netinet/in.h>
#include "cm/conn.h"
#include "measure/connect.h"
#include "sys/now.h"

/* Far more than it takes on a busy host. */
#define DEADLINE_NS 15000000000ULL
/* Who is gone says nothing. */
#define GOODBYE_NS 1000000000ULL

/*
 * The address that a GID stands for (IBTA annex A17: RoCE v2's are IP addresses); iWARP's GID is
 * a MAC address, and the netdev has the address.
 */
static int to_addr(const struct kv_space *space, struct sockaddr_storage *addr,
		   struct kv_fault *f)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)addr;
	struct sockaddr_in *in = (struct sockaddr_in *)addr;
	struct in6_addr gid;

	memset(addr, 0, sizeof(*addr));
	memcpy(&gid, kv_dev_is_iwarp(&space->dev) ? space->dev.addr : space->gid->raw,
	       sizeof(gid));
	if (IN6_IS_ADDR_UNSPECIFIED(&gid))
		return kv_fault_set(f, -EADDRNOTAVAIL,
				    "--connect cm: the network interface of %s%s%s has no IP address",
				    space->dev.name, space->host ? " on " : "",
				    space->host ? space->host : "");
	if (IN6_IS_ADDR_V4MAPPED(&gid)) {
		in->sin_family = AF_INET;
		memcpy(&in->sin_addr, &gid.s6_addr[12], sizeof(in->sin_addr));
		return 0;
	}
	in6->sin6_family = AF_INET6;
	in6->sin6_addr = gid;
	if (!IN6_IS_ADDR_LINKLOCAL(&gid))
		return 0;
	/* Another host has other numbers for its interfaces. */
	if (space->host)
		return kv_fault_set(f, -EOPNOTSUPP,
				    "--connect cm: GID %u of %s on %s is a link-local address, which only that host can name: choose another one",
				    space->gid->index, space->dev.name, space->host);
	in6->sin6_scope_id = if_nametoindex(space->gid->netdev);
	return 0;
}

static uint32_t at_most(uint32_t value, uint32_t max)
{
	return value < max ? value : max;
}

static void fill_param(const struct kv_pair *p, unsigned int end, uint32_t access,
		       struct kv_conn_param *param)
{
	const struct kv_dev *dev = &p->space[end]->dev;

	kv_conn_param_init(param, p->end[end].qp);
	param->access = access;
	param->responder_resources =
		(int32_t)at_most(KV_CONNECT_RD_ATOMIC, dev->max_qp_rd_atom);
	param->initiator_depth =
		(int32_t)at_most(KV_CONNECT_RD_ATOMIC, dev->max_qp_init_rd_atom);
	param->retry_cnt = p->work.retry_cnt;
	param->rnr_retry = KV_CONNECT_RNR_RETRIES;
	param->ack_timeout = p->work.ack_timeout;
}

/* From the initiator's to the responder's request. */
static int handshake(struct kv_pair *p, const uint32_t access[2],
		     const struct kv_conn_peer *peer, uint32_t listener,
		     struct kv_conn_times times[2], struct kv_fault *f)
{
	struct kv_backend *b[2] = { p->space[0]->b, p->space[1]->b };
	uint64_t end_ns = kv_now_ns() + DEADLINE_NS;
	struct kv_conn_param param[2];
	struct kv_conn conn;
	int ret;

	fill_param(p, 0, access[0], &param[0]);
	fill_param(p, 1, access[1], &param[1]);
	ret = kv_conn_request(b[0], peer, &param[0], end_ns, &conn, &times[0], f);
	if (ret)
		return ret;
	p->end[0].conn = conn.id;
	ret = kv_conn_take(b[1], listener, end_ns, &conn, f);
	if (ret)
		return ret;
	p->end[1].conn = conn.id;
	ret = kv_conn_accept(b[1], conn.id, &param[1], &times[1], f);
	if (!ret)
		ret = kv_conn_confirm(b[0], p->end[0].conn, &param[0], end_ns, &conn, &times[0], f);
	if (!ret)
		ret = kv_conn_confirm(b[1], p->end[1].conn, &param[1], end_ns, &conn, &times[1], f);
	return ret;
}

static void note_times(struct kv_pair *p, const struct kv_conn_times times[2])
{
	static const struct {
		enum kv_verb verb;
		enum kv_conn_step step;
	} all[] = {
		{ KV_VERB_CM_CREATE_ID, KV_CONN_CREATE_ID },
		{ KV_VERB_CM_RESOLVE_ADDR, KV_CONN_RESOLVE_ADDR },
		{ KV_VERB_CM_RESOLVE_ROUTE, KV_CONN_RESOLVE_ROUTE },
		{ KV_VERB_CM_CONNECT, KV_CONN_CONNECT },
		{ KV_VERB_CM_ESTABLISH, KV_CONN_ESTABLISH },
		{ KV_VERB_CM_LISTEN, KV_CONN_LISTEN },
		{ KV_VERB_CM_ACCEPT, KV_CONN_ACCEPT },
	};

	for (unsigned int i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (unsigned int end = 0; end < 2; end++)
			p->end[end].verb_ns[all[i].verb] = times[end].verb_ns[all[i].step];
}

static void del(const struct kv_space *space, uint32_t *conn)
{
	uint64_t ns;

	if (*conn)
		kv_op_del(space->b, KV_CONN, *conn, &ns);
	*conn = 0;
}

/**
 * kv_connect_cm() - let the CM connect a pair
 * @p: the pair; its QPs are in RESET
 * @access: KVERBS_ACCESS_*, what the peer of each end may do there
 * @f: receives why not
 *
 * The responder listens at the address of its GID, at any port.
 *
 * Return: 0 or a negative errno; then kv_connect_undo() undoes what was done.
 */
int kv_connect_cm(struct kv_pair *p, const uint32_t access[2], struct kv_fault *f)
{
	const struct kv_space *responder = p->space[1];
	const struct kv_conn_init init = { .dev = responder->dev.name };
	struct kv_conn_peer peer = { .dev = p->space[0]->dev.name };
	struct kv_conn_times times[2] = { 0 };
	struct sockaddr_storage addr;
	struct kv_conn listener;
	int ret;

	ret = to_addr(p->space[0], &peer.src, f);
	if (!ret)
		ret = to_addr(responder, &addr, f);
	if (!ret)
		ret = kv_conn_listen(responder->b, &init, &addr, 1, &listener, &times[1], f);
	if (ret)
		return ret;
	peer.dst = listener.src;
	ret = handshake(p, access, &peer, listener.id, times, f);
	note_times(p, times);
	del(responder, &listener.id);
	return ret;
}

/**
 * kv_connect_undo() - end the connection of a pair
 * @p: the pair; its QPs are in ERR then, and nobody else's
 *
 * Errors are of no interest: what is not there any more needs no end.
 */
void kv_connect_undo(struct kv_pair *p)
{
	struct kv_backend *b[2] = { p->space[0]->b, p->space[1]->b };
	uint64_t end_ns = kv_now_ns() + GOODBYE_NS;
	struct kv_conn conn;
	struct kv_fault f;

	/* The responder answers when somebody looks at it. */
	if (p->end[0].conn && p->end[1].conn &&
	    !kv_op_conn_disconnect(b[0], &(struct kv_id){ p->end[0].conn }, NULL, NULL) &&
	    !kv_conn_wait(b[1], p->end[1].conn, 1U << KVERBS_CONN_DISCONNECTED, end_ns, &conn, &f))
		kv_conn_wait(b[0], p->end[0].conn, 1U << KVERBS_CONN_DISCONNECTED, end_ns,
			     &conn, &f);
	del(p->space[1], &p->end[1].conn);
	del(p->space[0], &p->end[0].conn);
}
