// SPDX-License-Identifier: MIT
/* Connections: the steps of each side, over any backend. */
#include <errno.h>
#include <string.h>
#include "cli/interrupt.h"
#include "cm/conn.h"
#include "sys/now.h"

#define MS_NS 1000000ULL
/* The longest time that backends take for the resolution of an address or a route. */
#define RESOLVE_MS_MAX 60000
/* The CM's own error says more than our deadline, so the CM gets this much longer. */
#define GRACE_NS (500 * MS_NS)

/* States that no state follows. */
#define ENDED (1U << KVERBS_CONN_DISCONNECTED | 1U << KVERBS_CONN_REJECTED | \
	       1U << KVERBS_CONN_FAILED)

/* States in which no peer has been asked for anything. */
#define QUIET (1U << KVERBS_CONN_IDLE | 1U << KVERBS_CONN_LISTENING)

/* IBTA 12.6.7.2; iWARP has no reasons, and a negative errno says that the peer has rejected. */
#define REASON_INVALID_SERVICE_ID 8
#define REASON_CONSUMER 28

/* The peer's address, or a word for a peer that is not known. */
static const char *format_peer(char text[KV_SOCKADDR_TEXT], const struct kv_conn *conn)
{
	return kv_sockaddr_format(text, &conn->dst)[0] ? text : "the peer";
}

static int say_rejected(struct kv_fault *f, const char *space,
			const struct kv_conn *conn, const char *peer)
{
	char data[KV_BYTES_TEXT(KVERBS_CONN_PRIVATE_MAX)];

	kv_bytes_text(data, conn->private_data, conn->private_length);
	/* This side has rejected the connection: there is no reason from the peer. */
	if (conn->event != KVERBS_CM_EVENT_REJECTED)
		return kv_fault_set(f, -ECONNREFUSED,
				    "%s space: the connection with %s was rejected here",
				    space, peer);
	if (conn->status == REASON_INVALID_SERVICE_ID)
		return kv_fault_set(f, -ECONNREFUSED,
				    "%s space: cannot connect to %s: nobody listens there: rejected: %s (%d)",
				    space, peer, conn->reason, conn->status);
	return kv_fault_set(f, -ECONNREFUSED,
			    "%s space: cannot connect to %s: rejected by the peer%s: %s (%d)%s%s%s",
			    space, peer, conn->status == REASON_CONSUMER ||
			    conn->status < 0 ? "" : "'s connection manager", conn->reason,
			    conn->status, *data ? ", private data '" : "", data, *data ? "'" : "");
}

static int say_failed(struct kv_fault *f, const char *space, const struct kv_conn *conn,
		      const char *peer)
{
	int error = conn->status < 0 ? conn->status : -EIO;
	const char *why = strerror(-error);

	switch (conn->event) {
	case KVERBS_CM_EVENT_ADDR_ERROR:
		if (error == -EXDEV)
			return kv_fault_set(f, error,
					    "%s space: cannot connect to %s: it is not reached through %s, but through another device",
					    space, peer, conn->dev);
		return kv_fault_set(f, error,
				    "%s space: address %s not resolved: %s: is there a host with this address, and a route to it by way of %s?",
				    space, peer, why, conn->dev);
	case KVERBS_CM_EVENT_ROUTE_ERROR:
		return kv_fault_set(f, error, "%s space: route to %s not resolved: %s", space,
				    peer, why);
	case KVERBS_CM_EVENT_UNREACHABLE:
		return kv_fault_set(f, error,
				    "%s space: cannot connect to %s: unreachable: nobody answers: %s",
				    space, peer, why);
	case KVERBS_CM_EVENT_MULTICAST_ERROR:
		return kv_fault_set(f, error, "%s space: the multicast group was not joined: %s",
				    space, why);
	case KVERBS_CM_EVENT_DEVICE_REMOVAL:
		return kv_fault_set(f, -ENODEV,
				    "%s space: the connection with %s has failed: device %s was removed",
				    space, peer, conn->dev);
	}
	return kv_fault_set(f, error, "%s space: the connection with %s has failed at %s: %s",
			    space, peer, kv_enum_name(kv_enum_cm_event, conn->event), why);
}

/**
 * kv_conn_fault_connect() - say why a request could not be sent
 * @b: the backend, which has the reason
 * @error: negative errno
 *
 * On iWARP a TCP connection is made before the request, and may fail.
 *
 * Return: @error
 */
int kv_conn_fault_connect(struct kv_fault *f, const struct kv_backend *b, int error,
			  const struct sockaddr_storage *dst)
{
	return kv_fault_backend(f, b, error, "cannot connect to %s%s", KV_SOCKADDR(dst),
				error == -ECONNREFUSED ? ": nobody listens there" :
				error == -ETIMEDOUT ? ": nobody answers" : "");
}

/* Says how a connection has ended that was rejected, has failed or is disconnected. */
static int say_ended(struct kv_fault *f, const char *space, const struct kv_conn *conn)
{
	char text[KV_SOCKADDR_TEXT];
	const char *peer = format_peer(text, conn);

	if (conn->state == KVERBS_CONN_REJECTED)
		return say_rejected(f, space, conn, peer);
	if (conn->state == KVERBS_CONN_FAILED)
		return say_failed(f, space, conn, peer);
	return kv_fault_set(f, -ECONNABORTED,
			    "%s space: the connection with %s was ended", space, peer);
}

/* Says which answer has not come in time; @conn: the last known values. */
static int say_late(struct kv_fault *f, const char *space, const struct kv_conn *conn,
		    uint64_t waited_ns)
{
	/* The texts around the peer, for states in which the peer or the CM has to answer. */
	static const struct {
		const char *before;
		const char *behind;
	} missing[] = {
		[KVERBS_CONN_RESOLVING_ADDR] = { "address ", " not resolved" },
		[KVERBS_CONN_RESOLVING_ROUTE] = { "route to ", " not resolved" },
		[KVERBS_CONN_CONNECTING] = { "cannot connect to ", ": nobody answers" },
		[KVERBS_CONN_ACCEPTED] = { "", " was accepted, but did not confirm" },
		[KVERBS_CONN_DISCONNECTING] = { "", " did not confirm the end of the connection" },
	};
	double s = (double)waited_ns / 1e9;
	char text[KV_SOCKADDR_TEXT];
	const char *peer = format_peer(text, conn);

	if (conn->state < sizeof(missing) / sizeof(missing[0]) && missing[conn->state].before)
		return kv_fault_set(f, -ETIMEDOUT, "%s space: %s%s%s within %.3g s", space,
				    missing[conn->state].before, peer,
				    missing[conn->state].behind, s);
	return kv_fault_set(f, -ETIMEDOUT,
			    "%s space: the connection with %s is still %s after %.3g s",
			    space, peer, kv_enum_name(kv_enum_conn_state, conn->state), s);
}

static int get(struct kv_conn_side *s, struct kv_fault *f)
{
	union kv_object object;
	int ret = kv_op_get(s->b, KV_CONN, s->conn.id, &object);

	if (ret)
		return kv_fault_backend(f, s->b, ret, "cannot look at conn %u", s->conn.id);
	s->conn = object.conn;
	return 0;
}

/* At least a millisecond, so that the caller does wait. */
static int left_ms(uint64_t end_ns)
{
	uint64_t now = kv_now_ns();
	uint64_t ms = end_ns > now ? (end_ns - now) / MS_NS + 1 : 1;

	return ms < RESOLVE_MS_MAX ? (int)ms : RESOLVE_MS_MAX;
}

static uint64_t with_grace(uint64_t end_ns)
{
	return end_ns < UINT64_MAX - GRACE_NS ? end_ns + GRACE_NS : UINT64_MAX;
}

/* 0: look again. -EAGAIN: the deadline has passed. */
static int wait_more(struct kv_conn_side *s, uint32_t id, uint64_t end_ns, struct kv_fault *f)
{
	int ms = kv_interrupt_wait_ms(end_ns), ret;

	if (kv_interrupt_seen())
		return kv_fault_set(f, -EINTR, "interrupted");
	if (!ms)
		return -EAGAIN;
	ret = kv_op_conn_wait(s->b, &(struct kv_wait){ id, ms }, NULL, NULL);
	if (!ret || ret == -EAGAIN)
		return 0;
	if (ret == -EINTR)
		return kv_fault_set(f, ret, "interrupted");
	return kv_fault_backend(f, s->b, ret, "cannot wait for conn %u", id);
}

/* @dst: the peer, for a backend that does not know the peer any more; or NULL. */
static int wait_for(struct kv_conn_side *s, uint32_t wanted, const struct sockaddr_storage *dst,
		    uint64_t end_ns, struct kv_fault *f)
{
	const char *space = s->b->ops->space;
	uint64_t start = kv_now_ns();
	struct kv_conn *conn = &s->conn;
	int ret;

	do {
		ret = get(s, f);
		if (ret || wanted & 1U << conn->state)
			return ret;
		if (dst && !conn->dst.ss_family)
			conn->dst = *dst;
		if (ENDED & 1U << conn->state)
			return say_ended(f, space, conn);
		if (QUIET & 1U << conn->state)
			return kv_fault_set(f, -EINVAL,
					    "%s space: conn %u is %s: there is nothing to wait for",
					    space, conn->id,
					    kv_enum_name(kv_enum_conn_state, conn->state));
		ret = wait_more(s, conn->id, end_ns, f);
	} while (!ret);
	return ret == -EAGAIN ? say_late(f, space, conn, kv_now_ns() - start) : ret;
}

/**
 * kv_conn_wait() - wait until a connection is in one of some states
 * @s: this side of the connection
 * @wanted: the states, 1U << KVERBS_CONN_* each
 * @f: receives the step, the peer's address and the reason
 *
 * Return: 0; -ETIMEDOUT; -EINTR; -ECONNREFUSED: it was rejected; -ECONNABORTED: it was ended; the
 * connection's status if it has failed; -EINVAL: no peer has been asked for anything.
 */
int kv_conn_wait(struct kv_conn_side *s, uint32_t wanted, struct kv_fault *f)
{
	return wait_for(s, wanted, NULL, s->end_ns, f);
}

/**
 * kv_conn_get_request() - wait for a peer's request, and take it
 * @s: receives the new connection
 * @listener: id of the CONN that listens
 *
 * Return: 0 or a negative errno: -ETIMEDOUT, -EINTR.
 */
int kv_conn_get_request(struct kv_conn_side *s, uint32_t listener, struct kv_fault *f)
{
	const struct kv_id from = { listener };
	uint64_t start = kv_now_ns();
	int ret;

	while ((ret = kv_op_conn_get_request(s->b, &from, &s->conn, NULL)) == -EAGAIN) {
		ret = wait_more(s, listener, s->end_ns, f);
		if (ret == -EAGAIN)
			return kv_fault_set(f, -ETIMEDOUT,
					    "%s space: no request has come to conn %u within %.3g s",
					    s->b->ops->space, listener,
					    (double)(kv_now_ns() - start) / 1e9);
		if (ret)
			return ret;
	}
	return kv_fault_backend(f, s->b, ret, "cannot take a request from conn %u", listener);
}

static int resolve(struct kv_conn_side *s, const struct kv_conn_peer *peer, struct kv_fault *f)
{
	struct kv_conn_resolve to = { .id = s->conn.id, .src = peer->src, .dst = peer->dst };
	struct kv_conn_route route = { .id = s->conn.id };
	uint64_t end_ns = with_grace(s->end_ns);
	int ret;

	to.timeout_ms = (uint32_t)left_ms(s->end_ns);
	ret = kv_op_conn_resolve_addr(s->b, &to, NULL, &s->verb_ns[KV_CONN_RESOLVE_ADDR]);
	ret = kv_fault_backend(f, s->b, ret, "address %s not resolved", KV_SOCKADDR(&peer->dst)) ?:
	      wait_for(s, 1U << KVERBS_CONN_ADDR_RESOLVED, &peer->dst, end_ns, f);
	if (ret)
		return ret;
	route.timeout_ms = (uint32_t)left_ms(s->end_ns);
	ret = kv_op_conn_resolve_route(s->b, &route, NULL, &s->verb_ns[KV_CONN_RESOLVE_ROUTE]);
	return kv_fault_backend(f, s->b, ret, ret == -ENODEV ? "no RDMA device leads to %s: it takes an address of an RDMA device's network interface" :
						"route to %s not resolved", KV_SOCKADDR(&peer->dst)) ?:
	       wait_for(s, 1U << KVERBS_CONN_ROUTE_RESOLVED, NULL, end_ns, f);
}

/**
 * kv_conn_confirm() - establish a connection that is connecting, answered or accepted
 * @s: this side, which the peer may have ended again; receives ESTABLISH's time (active side)
 * @param: has the ACK timeout (active side)
 *
 * Return: as kv_conn_wait().
 */
int kv_conn_confirm(struct kv_conn_side *s, const struct kv_conn_param *param, struct kv_fault *f)
{
	uint32_t wanted = 1U << KVERBS_CONN_ANSWERED | 1U << KVERBS_CONN_ESTABLISHED;
	const struct kv_conn_establish establish = { s->conn.id, param->ack_timeout };
	char text[KV_SOCKADDR_TEXT];
	int ret = kv_conn_wait(s, wanted, f);

	if (ret || s->conn.state == KVERBS_CONN_ESTABLISHED)
		return ret;
	ret = kv_op_conn_establish(s->b, &establish, NULL, &s->verb_ns[KV_CONN_ESTABLISH]);
	if (ret)
		return kv_fault_backend(f, s->b, ret, "cannot establish the connection with %s",
					format_peer(text, &s->conn));
	/* The peer may have ended the connection since. */
	return kv_conn_wait(s, 1U << KVERBS_CONN_ESTABLISHED | 1U << KVERBS_CONN_DISCONNECTED, f);
}

/**
 * kv_conn_disconnect() - end an accepted or established connection, with the peer's confirmation
 * @s: this side of the connection, which the peer may have ended already
 *
 * Return: as kv_conn_wait().
 */
int kv_conn_disconnect(struct kv_conn_side *s, struct kv_fault *f)
{
	int ret = kv_op_conn_disconnect(s->b, &(struct kv_id){ s->conn.id }, NULL, NULL);
	struct kv_fault gone;

	if (!ret)
		return kv_conn_wait(s, 1U << KVERBS_CONN_DISCONNECTED, f);
	kv_fault_backend(f, s->b, ret, "cannot disconnect");
	/* The peer may have ended the connection first. */
	if (ret == -EINVAL && !get(s, &gone) && s->conn.state == KVERBS_CONN_DISCONNECTED)
		return 0;
	return ret;
}

static int create(struct kv_conn_side *s, const struct kv_conn_init *init, struct kv_fault *f)
{
	int ret = kv_op_conn_new(s->b, init, &s->conn, &s->verb_ns[KV_CONN_CREATE_ID]);

	return kv_fault_backend(f, s->b, ret, "cannot make a CONN on %s", init->dev);
}

/**
 * kv_conn_listen() - make a listener; nothing is left after a failure
 * @s: receives the listener, with its port, and the times of CREATE_ID and LISTEN
 * @init: parameters of the CONN
 * @src: address to listen on; port 0: any
 * @backlog: number of requests that may wait to be taken
 */
int kv_conn_listen(struct kv_conn_side *s, const struct kv_conn_init *init,
		   const struct sockaddr_storage *src, uint32_t backlog, struct kv_fault *f)
{
	struct kv_conn_listen listen = { .src = *src, .backlog = backlog };
	int ret = create(s, init, f);

	if (ret)
		return ret;
	listen.id = s->conn.id;
	ret = kv_op_conn_listen(s->b, &listen, &s->conn, &s->verb_ns[KV_CONN_LISTEN]);
	if (!ret)
		return 0;
	kv_fault_backend(f, s->b, ret, "cannot listen on %s", KV_SOCKADDR(src));
	kv_op_del(s->b, KV_CONN, listen.id, NULL);
	return ret;
}

/**
 * kv_conn_join() - become a member of a multicast group; nothing is left after a failure
 * @s: receives the CONN
 * @init: parameters of the CONN
 * @src: address of the device
 * @group: address of the group
 *
 * Return: as kv_conn_wait().
 */
int kv_conn_join(struct kv_conn_side *s, const struct kv_conn_init *init,
		 const struct sockaddr_storage *src, const struct sockaddr_storage *group,
		 struct kv_fault *f)
{
	struct kv_conn_join join = { .src = *src, .group = *group };
	int ret = create(s, init, f);

	if (ret)
		return ret;
	join.id = s->conn.id;
	ret = kv_op_conn_join(s->b, &join, NULL, NULL);
	ret = kv_fault_backend(f, s->b, ret, "cannot join %s", KV_SOCKADDR(group)) ?:
	      kv_conn_wait(s, 1U << KVERBS_CONN_JOINED, f);
	if (ret)
		kv_op_del(s->b, KV_CONN, join.id, NULL);
	return ret;
}

/**
 * kv_conn_request() - send a peer a request, without waiting for the answer
 * @s: receives the connection, and the times of CREATE_ID, RESOLVE_ADDR, RESOLVE_ROUTE and
 *	CONNECT; address and route have to be resolved by its deadline
 * @peer: the peer that gets the request
 * @param: the QP and the request's parameters
 *
 * After a failure no connection is left, and the QP belongs to none.
 */
int kv_conn_request(struct kv_conn_side *s, const struct kv_conn_peer *peer,
		    const struct kv_conn_param *param, struct kv_fault *f)
{
	const struct kv_conn_init init = { .dev = peer->dev, .persistent = peer->persistent };
	struct kv_conn_param whole = *param;
	int ret = create(s, &init, f);

	if (ret)
		return ret;
	ret = resolve(s, peer, f);
	if (ret)
		goto err_destroy;
	whole.id = s->conn.id;
	ret = kv_op_conn_connect(s->b, &whole, NULL, &s->verb_ns[KV_CONN_CONNECT]);
	if (!ret)
		return 0;
	kv_conn_fault_connect(f, s->b, ret, &peer->dst);

err_destroy:
	kv_op_del(s->b, KV_CONN, s->conn.id, NULL);
	return ret;
}

/**
 * kv_conn_accept() - accept a request; kv_conn_confirm() follows
 * @s: this side of the request's connection; receives the time of ACCEPT
 * @param: the QP and the answer's parameters
 */
int kv_conn_accept(struct kv_conn_side *s, const struct kv_conn_param *param, struct kv_fault *f)
{
	struct kv_conn_param whole = *param;
	int ret;

	whole.id = s->conn.id;
	ret = kv_op_conn_accept(s->b, &whole, NULL, &s->verb_ns[KV_CONN_ACCEPT]);
	return kv_fault_backend(f, s->b, ret, "cannot accept a connection");
}

/**
 * kv_conn_dial() - connect to a peer: kv_conn_request() and kv_conn_confirm()
 * @s: receives the connection, and the times of the active side's steps
 * @peer: the other side
 * @param: the QP and the request's parameters
 * @f: receives the reason of a failure; then no connection is left
 *
 * Return: as kv_conn_wait().
 */
int kv_conn_dial(struct kv_conn_side *s, const struct kv_conn_peer *peer,
		 const struct kv_conn_param *param, struct kv_fault *f)
{
	int ret = kv_conn_request(s, peer, param, f);

	if (ret)
		return ret;
	ret = kv_conn_confirm(s, param, f);
	if (ret)
		kv_op_del(s->b, KV_CONN, s->conn.id, NULL);
	return ret;
}
