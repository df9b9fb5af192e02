// SPDX-License-Identifier: MIT
/* Connections: the steps of either side, over any backend. */
#include <errno.h>
#include <string.h>
#include "cli/interrupt.h"
#include "cm/conn.h"
#include "sys/now.h"

#define MS_NS 1000000ULL
/* The longest time that backends take for the resolution of an address or a route. */
#define RESOLVE_MS_MAX 60000
/* The CM's own error says more than our deadline, so it may come this much later. */
#define GRACE_NS (500 * MS_NS)

/* States that no state follows. */
#define ENDED (1U << KVERBS_CONN_DISCONNECTED | 1U << KVERBS_CONN_REJECTED | \
	       1U << KVERBS_CONN_FAILED)

/* States in which no peer has been asked for anything. */
#define QUIET (1U << KVERBS_CONN_IDLE | 1U << KVERBS_CONN_LISTENING)

/**
 * kv_conn_param_init() - set the contract's defaults
 * @param: receives them
 * @qp: of the connection
 */
void kv_conn_param_init(struct kv_conn_param *param, uint32_t qp)
{
	memset(param, 0, sizeof(*param));
	param->qp = qp;
	param->responder_resources = -1;
	param->initiator_depth = -1;
	param->retry_cnt = 6;
	param->rnr_retry = 6;
	param->ack_timeout = 14;
}

static int get(struct kv_backend *b, uint32_t id, struct kv_conn *conn, struct kv_fault *f)
{
	union kv_object object;
	int ret = kv_op_get(b, KV_CONN, id, &object);

	if (ret)
		return kv_fault_backend(f, b, ret, "cannot look at conn %u", id);
	*conn = object.conn;
	return 0;
}

/* At least a millisecond, so that a wait is one. */
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

/* 0: look again. -EAGAIN: the deadline is over. */
static int wait_more(struct kv_backend *b, uint32_t id, uint64_t end_ns, struct kv_fault *f)
{
	int ms = kv_interrupt_wait_ms(end_ns), ret;

	if (kv_interrupt_seen())
		return kv_fault_set(f, -EINTR, "interrupted");
	if (!ms)
		return -EAGAIN;
	ret = kv_op_conn_wait(b, &(struct kv_wait){ id, ms }, NULL, NULL);
	if (!ret || ret == -EAGAIN)
		return 0;
	if (ret == -EINTR)
		return kv_fault_set(f, ret, "interrupted");
	return kv_fault_backend(f, b, ret, "cannot wait for conn %u", id);
}

/* @dst: the peer, in case the backend does not know it any more; or NULL. */
static int wait_for(struct kv_backend *b, uint32_t id, uint32_t wanted,
		    const struct sockaddr_storage *dst, uint64_t end_ns,
		    struct kv_conn *conn, struct kv_fault *f)
{
	uint64_t start = kv_now_ns();
	int ret;

	memset(conn, 0, sizeof(*conn));
	do {
		ret = get(b, id, conn, f);
		if (ret || wanted & 1U << conn->state)
			return ret;
		if (dst && !conn->dst.ss_family)
			conn->dst = *dst;
		if (ENDED & 1U << conn->state)
			return kv_conn_fault_ended(f, b->ops->space, conn);
		if (QUIET & 1U << conn->state)
			return kv_fault_set(f, -EINVAL,
					    "%s space: conn %u is %s: there is nothing to wait for",
					    b->ops->space, id,
					    kv_enum_name(kv_enum_conn_state, conn->state));
		ret = wait_more(b, id, end_ns, f);
	} while (!ret);
	if (ret != -EAGAIN)
		return ret;
	return kv_conn_fault_late(f, b->ops->space, conn, kv_now_ns() - start);
}

/**
 * kv_conn_wait() - wait until a connection is in one of some states
 * @b: the backend
 * @id: the connection
 * @wanted: the states, 1U << KVERBS_CONN_* each
 * @end_ns: the deadline, of kv_now_ns()
 * @conn: receives the connection, on failure, too
 * @f: receives the step, the peer's address and the reason
 *
 * Return: 0; -ETIMEDOUT; -EINTR; -ECONNREFUSED: it was rejected; -ECONNABORTED: it was ended; its
 * status if it has failed; -EINVAL: no peer has been asked for anything.
 */
int kv_conn_wait(struct kv_backend *b, uint32_t id, uint32_t wanted,
		 uint64_t end_ns, struct kv_conn *conn, struct kv_fault *f)
{
	return wait_for(b, id, wanted, NULL, end_ns, conn, f);
}

/**
 * kv_conn_get_request() - wait for a peer's request, and take it
 * @b: the backend
 * @listener: the request is one to this CONN
 * @end_ns: the deadline, of kv_now_ns()
 * @conn: receives the new connection
 * @f: receives why not
 *
 * Return: 0 or a negative errno: -ETIMEDOUT, -EINTR.
 */
int kv_conn_get_request(struct kv_backend *b, uint32_t listener, uint64_t end_ns,
		 struct kv_conn *conn, struct kv_fault *f)
{
	uint64_t start = kv_now_ns();
	int ret;

	while ((ret = kv_op_conn_get_request(b, &(struct kv_id){ listener }, conn, NULL)) == -EAGAIN) {
		ret = wait_more(b, listener, end_ns, f);
		if (ret == -EAGAIN)
			return kv_fault_set(f, -ETIMEDOUT,
					    "%s space: no request has come to conn %u within %.3g s",
					    b->ops->space, listener,
					    (double)(kv_now_ns() - start) / 1e9);
		if (ret)
			return ret;
	}
	return ret ? kv_fault_backend(f, b, ret, "cannot take a request from conn %u",
				      listener) : 0;
}

static struct kv_conn_param with_id(const struct kv_conn_param *param, uint32_t id)
{
	struct kv_conn_param whole = *param;

	whole.id = id;
	return whole;
}

static int resolve(struct kv_backend *b, uint32_t id, const struct kv_conn_peer *peer,
		   uint64_t end_ns, struct kv_conn *conn, struct kv_conn_times *times,
		   struct kv_fault *f)
{
	struct kv_conn_resolve to = { .id = id, .src = peer->src, .dst = peer->dst };
	struct kv_conn_route route = { .id = id };
	char text[KV_SOCKADDR_TEXT];
	int ret;

	kv_sockaddr_format(text, &peer->dst);
	to.timeout_ms = (uint32_t)left_ms(end_ns);
	ret = kv_op_conn_resolve_addr(b, &to, NULL, &times->verb_ns[KV_CONN_RESOLVE_ADDR]);
	if (ret)
		return kv_fault_backend(f, b, ret, "address %s not resolved", text);
	ret = wait_for(b, id, 1U << KVERBS_CONN_ADDR_RESOLVED, &peer->dst, with_grace(end_ns),
		       conn, f);
	if (ret)
		return ret;
	route.timeout_ms = (uint32_t)left_ms(end_ns);
	ret = kv_op_conn_resolve_route(b, &route, NULL, &times->verb_ns[KV_CONN_RESOLVE_ROUTE]);
	if (ret)
		return kv_fault_backend(f, b, ret, "route to %s not resolved", text);
	return kv_conn_wait(b, id, 1U << KVERBS_CONN_ROUTE_RESOLVED, with_grace(end_ns), conn, f);
}

/**
 * kv_conn_confirm() - establish a connection that is connecting, answered or accepted
 * @b: the backend
 * @id: the connection
 * @param: has the ACK timeout (active side)
 * @end_ns: the deadline, of kv_now_ns()
 * @conn: receives the connection; the peer may have ended it again
 * @times: receives ESTABLISH (active side); or NULL
 * @f: receives why not
 *
 * Return: as kv_conn_wait().
 */
int kv_conn_confirm(struct kv_backend *b, uint32_t id, const struct kv_conn_param *param,
		    uint64_t end_ns, struct kv_conn *conn, struct kv_conn_times *times,
		    struct kv_fault *f)
{
	uint32_t wanted = 1U << KVERBS_CONN_ANSWERED | 1U << KVERBS_CONN_ESTABLISHED;
	const struct kv_conn_establish establish = { id, param->ack_timeout };
	char text[KV_SOCKADDR_TEXT];
	int ret = kv_conn_wait(b, id, wanted, end_ns, conn, f);

	if (ret || conn->state == KVERBS_CONN_ESTABLISHED)
		return ret;
	ret = kv_op_conn_establish(b, &establish, NULL,
				   times ? &times->verb_ns[KV_CONN_ESTABLISH] : NULL);
	if (ret)
		return kv_fault_backend(f, b, ret, "cannot establish the connection with %s",
					kv_conn_peer_format(text, conn));
	/* The peer may have ended it since. */
	wanted = 1U << KVERBS_CONN_ESTABLISHED | 1U << KVERBS_CONN_DISCONNECTED;
	return kv_conn_wait(b, id, wanted, end_ns, conn, f);
}

/**
 * kv_conn_disconnect() - end an accepted or established connection, with the peer's confirmation
 * @b: the backend
 * @id: the connection, which the peer may have ended already
 * @end_ns: the deadline, of kv_now_ns()
 * @conn: receives the connection
 * @f: receives why not
 *
 * Return: as kv_conn_wait().
 */
int kv_conn_disconnect(struct kv_backend *b, uint32_t id, uint64_t end_ns,
		       struct kv_conn *conn, struct kv_fault *f)
{
	uint64_t ns;
	int ret = kv_op_conn_disconnect(b, &(struct kv_id){ id }, NULL, &ns);

	if (ret)
		kv_fault_backend(f, b, ret, "cannot disconnect");
	/* The peer may have been faster. */
	if (ret == -EINVAL) {
		struct kv_fault gone;

		if (!get(b, id, conn, &gone) && conn->state == KVERBS_CONN_DISCONNECTED)
			return 0;
	}
	return ret ? ret : kv_conn_wait(b, id, 1U << KVERBS_CONN_DISCONNECTED, end_ns, conn, f);
}

static int create(struct kv_backend *b, const struct kv_conn_init *init, struct kv_conn *conn,
		  struct kv_conn_times *times, struct kv_fault *f)
{
	int ret = kv_op_conn_new(b, init, conn, &times->verb_ns[KV_CONN_CREATE_ID]);

	return ret ? kv_fault_backend(f, b, ret, "cannot make a CONN on %s", init->dev) : 0;
}

static void destroy(struct kv_backend *b, uint32_t id)
{
	uint64_t ns;

	kv_op_del(b, KV_CONN, id, &ns);
}

/**
 * kv_conn_listen() - make a listener; nothing is left after a failure
 * @b: the backend
 * @init: of the CONN
 * @src: its address; port 0: any
 * @backlog: so many requests may wait to be taken
 * @conn: receives the listener, with its port
 * @times: receives CREATE_ID and LISTEN
 * @f: receives why not
 *
 * Return: 0 or a negative errno.
 */
int kv_conn_listen(struct kv_backend *b, const struct kv_conn_init *init,
		   const struct sockaddr_storage *src, uint32_t backlog, struct kv_conn *conn,
		   struct kv_conn_times *times, struct kv_fault *f)
{
	struct kv_conn_listen listen = { .src = *src, .backlog = backlog };
	char text[KV_SOCKADDR_TEXT];
	uint32_t id;
	int ret = create(b, init, conn, times, f);

	if (ret)
		return ret;
	id = conn->id;
	listen.id = id;
	ret = kv_op_conn_listen(b, &listen, conn, &times->verb_ns[KV_CONN_LISTEN]);
	if (!ret)
		return 0;
	kv_sockaddr_format(text, src);
	kv_fault_backend(f, b, ret, "cannot listen on %s", text);
	destroy(b, id);
	return ret;
}

/**
 * kv_conn_request() - send a peer a request, without waiting for the answer
 * @b: the backend
 * @peer: gets the request
 * @param: the QP and the request's parameters
 * @end_ns: when address and route have to be resolved, of kv_now_ns()
 * @conn: receives the connection
 * @times: receives CREATE_ID, RESOLVE_ADDR, RESOLVE_ROUTE and CONNECT
 * @f: receives why not
 *
 * After a failure nothing is left, and the QP belongs to no connection.
 *
 * Return: 0 or a negative errno.
 */
int kv_conn_request(struct kv_backend *b, const struct kv_conn_peer *peer,
		    const struct kv_conn_param *param, uint64_t end_ns, struct kv_conn *conn,
		    struct kv_conn_times *times, struct kv_fault *f)
{
	const struct kv_conn_init init = { .dev = peer->dev, .persistent = peer->persistent };
	struct kv_conn_param whole;
	uint32_t id;
	int ret = create(b, &init, conn, times, f);

	if (ret)
		return ret;
	id = conn->id;
	ret = resolve(b, id, peer, end_ns, conn, times, f);
	if (ret)
		goto err_destroy;
	whole = with_id(param, id);
	ret = kv_op_conn_connect(b, &whole, NULL, &times->verb_ns[KV_CONN_CONNECT]);
	if (!ret)
		return 0;
	kv_conn_fault_connect(f, b, ret, &peer->dst);

err_destroy:
	destroy(b, id);
	return ret;
}

/**
 * kv_conn_accept() - accept a request; kv_conn_confirm() follows
 * @b: the backend
 * @id: the request's connection
 * @param: the QP and the answer's parameters
 * @times: receives ACCEPT
 * @f: receives why not
 *
 * Return: 0 or a negative errno.
 */
int kv_conn_accept(struct kv_backend *b, uint32_t id, const struct kv_conn_param *param,
		   struct kv_conn_times *times, struct kv_fault *f)
{
	const struct kv_conn_param whole = with_id(param, id);
	int ret = kv_op_conn_accept(b, &whole, NULL, &times->verb_ns[KV_CONN_ACCEPT]);

	return ret ? kv_fault_backend(f, b, ret, "cannot accept a connection") : 0;
}

/**
 * kv_conn_dial() - connect to a peer: kv_conn_request() and kv_conn_confirm()
 * @b: the backend
 * @peer: the other side
 * @param: the QP and the request's parameters
 * @end_ns: the deadline, of kv_now_ns()
 * @conn: receives the connection
 * @times: receives the steps of the active side
 * @f: receives why not; nothing is left then
 *
 * Return: as kv_conn_wait().
 */
int kv_conn_dial(struct kv_backend *b, const struct kv_conn_peer *peer,
		 const struct kv_conn_param *param, uint64_t end_ns, struct kv_conn *conn,
		 struct kv_conn_times *times, struct kv_fault *f)
{
	uint32_t id;
	int ret = kv_conn_request(b, peer, param, end_ns, conn, times, f);

	if (ret)
		return ret;
	id = conn->id;
	ret = kv_conn_confirm(b, id, param, end_ns, conn, times, f);
	if (ret)
		destroy(b, id);
	return ret;
}
