// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/parse.h"
#include "sys/clock.h"
#include "user/conn.h"

/* Connections of librdmacm: made, bound to addresses, waited for, destroyed. */

#define DEV_RDMA_CM "/dev/infiniband/rdma_cm"
#define TIMEOUT_MS_MAX 60000

/* One for all: a listener's requests come where the listener's events do. */
static int open_channel(struct kv_user *u)
{
	int error;

	if (u->cm)
		return 0;
	errno = 0;
	u->cm = rdma_create_event_channel();
	if (u->cm) {
		fcntl(u->cm->fd, F_SETFL, fcntl(u->cm->fd, F_GETFL) | O_NONBLOCK);
		return 0;
	}
	error = errno ? -errno : -ENODEV;
	if (access(DEV_RDMA_CM, F_OK))
		return kv_user_fail(u, error,
				    "user space can't reach the RDMA CM: " DEV_RDMA_CM " is missing: `modprobe rdma_ucm`");
	return kv_user_fail(u, error, "rdma_create_event_channel: " DEV_RDMA_CM ": %s",
			    strerror(-error));
}

/**
 * kv_user_conn_new() - make a connection; see model/ops.def
 * @b: the backend
 * @init: on which device
 * @to: receives what was made
 * @verb_ns: duration of rdma_create_id()
 *
 * Return: 0 or a negative errno.
 */
int kv_user_conn_new(struct kv_backend *b, const struct kv_conn_init *init,
		     struct kv_conn *to, uint64_t *verb_ns)
{
	struct kv_user *u = (struct kv_user *)b;
	struct kv_user_conn *conn;
	union kv_object object;
	struct kv_user_dev *dev;
	uint64_t start;
	int ret;

	dev = kv_user_dev_open(u, init->dev, &ret);
	if (!dev)
		return ret;
	ret = open_channel(u);
	if (ret)
		return ret;
	conn = kv_user_obj_alloc(u, KV_CONN, sizeof(*conn), dev, init->persistent, &ret);
	if (!conn)
		return ret;
	TAILQ_INIT(&conn->requests);
	start = kv_clock_raw_ns();
	ret = rdma_create_id(u->cm, &conn->cm, conn, RDMA_PS_TCP);
	*verb_ns = kv_clock_raw_ns() - start;
	if (ret) {
		ret = kv_user_fail(u, -errno, "%s: rdma_create_id: %s", init->dev, strerror(errno));
		kv_user_obj_free(&conn->obj);
		return ret;
	}
	kv_user_obj_publish(u, &conn->obj);
	kv_user_get(b, KV_CONN, conn->obj.id, &object);
	*to = object.conn;
	return 0;
}

/**
 * kv_user_conn_find() - find a connection that a command fits, as it is now
 * @u: the backend
 * @id: its id
 * @states: 1U << KVERBS_CONN_* of those that the command fits
 * @advice: what it is for
 * @error: receives -ENOENT, or -EINVAL if it is in another state, -ENODEV if that is
 *	because its device has gone
 *
 * Return: the CONN; NULL on failure.
 */
struct kv_user_conn *kv_user_conn_find(struct kv_user *u, uint32_t id, uint32_t states,
				       const char *advice, int *error)
{
	struct kv_user_conn *conn;

	kv_user_conn_take_events(u);
	*error = -ENOENT;
	conn = kv_user_obj_find(u, KV_CONN, id);
	if (!conn || states & 1U << conn->state)
		return conn;
	if (conn->state == KVERBS_CONN_FAILED && conn->event == KVERBS_CM_EVENT_DEVICE_REMOVAL)
		*error = kv_user_fail(u, -ENODEV, "conn %u has failed: device %s was removed",
				      id, kv_user_dev_name(conn->obj.dev));
	else
		*error = kv_user_fail(u, -EINVAL, "conn %u is %s: %s", id,
				      kv_word_name(kv_word_conn_state, conn->state), advice);
	return NULL;
}

static int check_timeout(struct kv_user *u, uint32_t timeout_ms)
{
	if (timeout_ms && timeout_ms <= TIMEOUT_MS_MAX)
		return 0;
	return kv_user_fail(u, -ERANGE, "timeout_ms is %u: it must be 1 to %u",
			    timeout_ms, TIMEOUT_MS_MAX);
}

static int refuse_addr(struct kv_user *u, const struct kv_user_conn *conn,
		       const struct sockaddr_storage *dst, int error)
{
	char text[KV_SOCKADDR_TEXT];

	kv_sockaddr_format(text, dst);
	return kv_user_fail(u, -error, "rdma_resolve_addr of %s: %s: is there a route to it by way of %s?",
			    text, strerror(error), kv_user_dev_name(conn->obj.dev));
}

/**
 * kv_user_conn_resolve_addr() - ask where an address is; see model/ops.def
 * @b: the backend
 * @in: the CONN, idle; which address, and from where
 * @out: nothing
 * @verb_ns: duration of rdma_bind_addr(), if there is a source, and rdma_resolve_addr()
 *
 * Return: 0 or a negative errno: then the CONN is idle as before.
 */
int kv_user_conn_resolve_addr(struct kv_backend *b, const struct kv_conn_resolve *in,
			      struct kv_none *out, uint64_t *verb_ns)
{
	const struct sockaddr_storage *src = in->src.ss_family ? &in->src : NULL;
	struct kv_user *u = (struct kv_user *)b;
	struct sockaddr_storage to = in->dst;
	struct kv_user_conn *conn;
	uint64_t start;
	int ret;

	conn = kv_user_conn_find(u, in->id, 1U << KVERBS_CONN_IDLE,
				 "an address is resolved first of all: make another one", &ret);
	if (!conn)
		return ret;
	ret = kv_user_conn_check_addr(u, "dst", &in->dst, true);
	if (!ret && src)
		ret = kv_user_conn_check_addr(u, "src", src, false);
	if (!ret && src && src->ss_family != in->dst.ss_family)
		ret = kv_user_fail(u, -EINVAL, "src and dst are not of the same family");
	if (!ret)
		ret = check_timeout(u, in->timeout_ms);
	if (ret)
		return ret;
	start = kv_clock_raw_ns();
	ret = src ? kv_user_conn_bind(u, conn, src) : 0;
	if (!ret && rdma_resolve_addr(conn->cm, NULL, (struct sockaddr *)&to, (int)in->timeout_ms))
		ret = refuse_addr(u, conn, &in->dst, errno);
	*verb_ns = kv_clock_raw_ns() - start;
	if (ret) {
		kv_user_conn_renew(u, conn);
		return ret;
	}
	conn->state = KVERBS_CONN_RESOLVING_ADDR;
	return 0;
}

/**
 * kv_user_conn_resolve_route() - ask how an address is reached; see model/ops.def
 * @b: the backend
 * @in: the CONN, ADDR_RESOLVED, and for how long it is tried
 * @out: nothing
 * @verb_ns: duration of rdma_resolve_route()
 *
 * Return: 0 or a negative errno.
 */
int kv_user_conn_resolve_route(struct kv_backend *b, const struct kv_conn_route *in,
			       struct kv_none *out, uint64_t *verb_ns)
{
	struct kv_user *u = (struct kv_user *)b;
	struct kv_user_conn *conn;
	uint64_t start;
	int ret;

	conn = kv_user_conn_find(u, in->id, 1U << KVERBS_CONN_ADDR_RESOLVED,
				 "a route is resolved once the address is", &ret);
	if (!conn)
		return ret;
	ret = check_timeout(u, in->timeout_ms);
	if (ret)
		return ret;
	start = kv_clock_raw_ns();
	ret = rdma_resolve_route(conn->cm, (int)in->timeout_ms);
	*verb_ns = kv_clock_raw_ns() - start;
	if (ret)
		return kv_user_fail(u, -errno, "rdma_resolve_route of conn %u: %s",
				    in->id, strerror(errno));
	conn->state = KVERBS_CONN_RESOLVING_ROUTE;
	return 0;
}

/**
 * kv_user_conn_wait() - wait until something may have happened; see model/ops.def
 * @b: the backend
 * @in: the CONN, and how long
 * @out: nothing
 * @verb_ns: stays as it is
 *
 * Return: 0 or a negative errno: -EAGAIN, -EINTR, -ENODEV if the device is being
 * removed: the CM may not get to know before we have closed it.
 */
int kv_user_conn_wait(struct kv_backend *b, const struct kv_wait *in,
		      struct kv_none *out, uint64_t *verb_ns)
{
	struct kv_user *u = (struct kv_user *)b;
	struct pollfd fd = { .events = POLLIN };
	struct kv_user_conn *conn;
	int n, ret;

	conn = kv_user_obj_find(u, KV_CONN, in->id);
	if (!conn)
		return -ENOENT;
	fd.fd = u->cm->fd;
	n = poll(&fd, 1, in->timeout_ms);
	if (n < 0)
		return kv_user_fail(u, -errno, "conn %u: %s", in->id, strerror(errno));
	/* Two that connect to each other again and again are never without events. */
	ret = kv_user_dev_check(u, conn->obj.dev);
	if (ret)
		return ret;
	if (!n)
		return kv_user_fail(u, -EAGAIN, "no event of conn %u within %d ms", in->id, in->timeout_ms);
	kv_user_conn_take_events(u);
	return 0;
}

/* Its connections stay; they only forget where they came from. */
static void forget_listener(struct kv_user *u, uint32_t id)
{
	const struct kv_user_table *table = &u->tables[KV_CONN];
	size_t i;

	for (i = 0; i < table->n; i++) {
		struct kv_user_conn *conn = (struct kv_user_conn *)table->objs[i];

		if (conn->listener == id)
			conn->listener = 0;
	}
}

/**
 * kv_user_conn_destroy() - undo kv_user_conn_new() or kv_user_conn_take()
 * @u: the backend
 * @obj: the CONN's
 * @verb_ns: duration of rdma_destroy_id(), which ends the connection, or rejects
 *	the request
 *
 * Return: 0 or a negative errno: then the CONN is as it was.
 */
int kv_user_conn_destroy(struct kv_user *u, struct kv_user_obj *obj, uint64_t *verb_ns)
{
	struct kv_user_conn *conn = (struct kv_user_conn *)obj;
	uint64_t start;
	int ret;

	/* No event may come for what is gone. */
	kv_user_conn_take_events(u);
	kv_user_conn_drop_requests(conn);
	kv_user_conn_end_qp(u, conn);
	start = kv_clock_raw_ns();
	ret = rdma_destroy_id(conn->cm);
	*verb_ns = kv_clock_raw_ns() - start;
	if (ret)
		return -errno;
	forget_listener(u, obj->id);
	return 0;
}

static void fill_addr(const struct sockaddr *from, struct sockaddr_storage *to)
{
	switch (from->sa_family) {
	case AF_INET:
		memcpy(to, from, sizeof(struct sockaddr_in));
		break;
	case AF_INET6:
		memcpy(to, from, sizeof(struct sockaddr_in6));
		break;
	}
}

/**
 * kv_user_conn_fill() - what a CONN is
 * @obj: the CONN's
 * @to: receives it
 */
void kv_user_conn_fill(struct kv_user_obj *obj, union kv_object *to)
{
	const struct kv_user_conn *conn = (struct kv_user_conn *)obj;
	const struct kv_user_obj *qp = obj->parents[KV_USER_CONN_QP];

	fill_addr(rdma_get_local_addr(conn->cm), &to->conn.src);
	/* A listener has one of zeros. */
	if (rdma_get_dst_port(conn->cm))
		fill_addr(rdma_get_peer_addr(conn->cm), &to->conn.dst);
	to->conn.backlog = conn->backlog;
	to->conn.waiting = conn->waiting;
	to->conn.listener = conn->listener;
	to->conn.qp = qp ? qp->id : 0;
	to->conn.responder_resources = conn->responder_resources;
	to->conn.initiator_depth = conn->initiator_depth;
	to->conn.state = conn->state;
	to->conn.event = conn->event;
	to->conn.status = conn->status;
	if (conn->event == KVERBS_CM_EVENT_REJECTED)
		snprintf(to->conn.reason, sizeof(to->conn.reason), "%s",
			 conn->status < 0 ? strerror(-conn->status) :
			 kv_word_name(kv_word_cm_reason, (uint32_t)conn->status));
	to->conn.private_length = conn->private_length;
	memcpy(to->conn.private_data, conn->private_data, conn->private_length);
}
