// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/parse.h"
#include "rules/conn.h"
#include "user/conn.h"

const size_t kv_user_conn_size = sizeof(struct kv_user_conn);

/* Local addresses, which bind a CONN to a device. */

/* Has librdmacm bound or resolved the CONN to a device other than the CONN's? */
bool kv_user_conn_is_foreign(const struct kv_user_conn *conn)
{
	const struct ibv_context *verbs = conn->cm->verbs;

	return verbs && strcmp(ibv_get_device_name(verbs->device), kv_user_dev_name(conn->obj.dev));
}

/* Is @addr an address that a CM knows, with a port if @port is set? Else -EINVAL. */
static int check_addr(struct kv_user *u, const char *what,
		      const struct sockaddr_storage *addr, bool port)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;
	const struct sockaddr_in *in = (const struct sockaddr_in *)addr;

	if (addr->ss_family != AF_INET && addr->ss_family != AF_INET6)
		return kv_user_fail(u, -EINVAL, "%s is no IPv4 or IPv6 address", what);
	if (port && !(addr->ss_family == AF_INET ? in->sin_port : in6->sin6_port))
		return kv_user_fail(u, -EINVAL, "%s has no port", what);
	if (addr->ss_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr) &&
	    !in6->sin6_scope_id)
		return kv_user_fail(u, -EINVAL,
				    "%s is a link-local address: say of which interface, as in fe80::1%%eth0",
				    what);
	return 0;
}

static const char *advise(int error)
{
	switch (error) {
	case EADDRINUSE:
		return ": the port is in use: take another one, or 0";
	case EADDRNOTAVAIL:
	case ENODEV:
		return ": it must be an address of this host, of a device's netdev, with a port that is free";
	}
	return "";
}

/* Says why @verb refuses a local address. Returns -@error. */
static int refuse_addr(struct kv_user *u, enum kverbs_stage stage, const char *verb,
		       const struct sockaddr_storage *src, int error)
{
	return kv_user_verb_failed(u, stage, -error, "%s of %s: %s%s", verb, KV_SOCKADDR(src),
				   strerror(error), advise(error));
}

/*
 * Gives a CONN a local address. -EXDEV if another device has the address. After a failure the
 * caller calls kv_user_conn_renew().
 */
int kv_user_conn_bind(struct kv_user *u, struct kv_user_conn *conn,
		      const struct sockaddr_storage *src)
{
	struct sockaddr_storage addr = *src;

	if (KV_USER_STAGE(u, BIND, rdma_bind_addr(conn->cm, (struct sockaddr *)&addr)))
		return refuse_addr(u, KVERBS_STAGE_BIND, "rdma_bind_addr", src, errno);
	if (!kv_user_conn_is_foreign(conn))
		return 0;
	return kv_user_fail(u, -EXDEV, "%s is an address of %s, not of %s", KV_SOCKADDR(src),
			    ibv_get_device_name(conn->cm->verbs->device),
			    kv_user_dev_name(conn->obj.dev));
}

/*
 * Makes a bound CONN unbound again by a new id: an id of librdmacm stays bound, even if the next
 * step failed. If there is no new id, the CONN is in state FAILED.
 */
void kv_user_conn_renew(struct kv_user *u, struct kv_user_conn *conn)
{
	struct rdma_cm_id *cm;

	conn->is.state = KVERBS_CONN_FAILED;
	if (rdma_create_id(u->cm, &cm, conn, RDMA_PS_TCP))
		return;
	rdma_destroy_id(conn->cm);
	conn->cm = cm;
	conn->is.state = KVERBS_CONN_IDLE;
}

/* Connections of librdmacm: made, bound to addresses, waited for, destroyed. */

#define DEV_RDMA_CM "/dev/infiniband/rdma_cm"
#define TIMEOUT_MS_MAX 60000

/* All CONNs share one channel: a request arrives on the channel of its listener. */
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

int kv_user_conn_new(struct kv_user *u, struct kv_user_conn *conn, const struct kv_conn_init *init)
{
	int ret = open_channel(u);

	if (ret)
		return ret;
	TAILQ_INIT(&conn->requests);
	ret = KV_USER_STAGE(u, CREATE, rdma_create_id(u->cm, &conn->cm, conn, RDMA_PS_TCP));
	return ret ? kv_user_verb_failed(u, KVERBS_STAGE_CREATE, -errno, "%s: rdma_create_id: %s",
					 init->dev, strerror(errno)) : 0;
}

/*
 * Takes all pending events first. Returns 0 if the operation fits the connection's state after
 * them, else -EINVAL, or -ENODEV if the connection's device is gone.
 */
int kv_user_conn_check_op(struct kv_user *u, const struct kv_user_conn *conn, enum kv_op op)
{
	uint32_t states = kv_conn_rules_states(kv_op_commands[op]);

	if (states || op == KV_OP_CONN_GET)
		kv_user_conn_take_events(u);
	if (!states || !kv_conn_rules_check_state(states, conn->is.state, &u->why))
		return 0;
	if (conn->is.state == KVERBS_CONN_FAILED &&
	    conn->is.event == KVERBS_CM_EVENT_DEVICE_REMOVAL)
		return kv_user_fail(u, -ENODEV, "conn %u has failed: device %s was removed",
				    conn->obj.id, kv_user_dev_name(conn->obj.dev));
	return kv_user_refuse(u, &u->why);
}

static int check_timeout(struct kv_user *u, uint32_t timeout_ms)
{
	return timeout_ms ? 0 : kv_user_fail(u, -ERANGE, "timeout_ms is 0: it must be 1 to %u",
					     TIMEOUT_MS_MAX);
}

int kv_user_conn_resolve_addr(struct kv_user *u, struct kv_user_conn *conn,
			      const struct kv_conn_resolve *in, struct kv_none *out)
{
	const struct sockaddr_storage *src = in->src.ss_family ? &in->src : NULL;
	struct sockaddr_storage to = in->dst;
	int ret = check_addr(u, "dst", &in->dst, true);

	if (!ret && src)
		ret = check_addr(u, "src", src, false);
	if (!ret && src && src->ss_family != in->dst.ss_family)
		ret = kv_user_fail(u, -EINVAL, "src and dst are not of the same family");
	if (!ret)
		ret = check_timeout(u, in->timeout_ms);
	if (ret)
		return ret;
	ret = src ? kv_user_conn_bind(u, conn, src) : 0;
	if (!ret && KV_USER_STAGE(u, CM, rdma_resolve_addr(conn->cm, NULL, (struct sockaddr *)&to,
							   (int)in->timeout_ms))) {
		ret = -errno;
		kv_user_verb_failed(u, KVERBS_STAGE_CM, ret,
				    "rdma_resolve_addr of %s: %s: is there a route to it by way of %s?",
				    KV_SOCKADDR(&in->dst), strerror(-ret),
				    kv_user_dev_name(conn->obj.dev));
	}
	if (ret)
		kv_user_conn_renew(u, conn);
	else
		conn->is.state = KVERBS_CONN_RESOLVING_ADDR;
	return ret;
}

int kv_user_conn_resolve_route(struct kv_user *u, struct kv_user_conn *conn,
			       const struct kv_conn_route *in, struct kv_none *out)
{
	int ret = check_timeout(u, in->timeout_ms);

	if (ret)
		return ret;
	ret = KV_USER_STAGE(u, CM, rdma_resolve_route(conn->cm, (int)in->timeout_ms));
	if (ret)
		return kv_user_verb_failed(u, KVERBS_STAGE_CM, -errno,
					   "rdma_resolve_route of conn %u: %s", in->id,
					   strerror(errno));
	conn->is.state = KVERBS_CONN_RESOLVING_ROUTE;
	return 0;
}

/* -ENODEV: the device is being removed. The CM may learn this only after we close the device. */
int kv_user_conn_wait(struct kv_user *u, struct kv_user_conn *conn, const struct kv_wait *in,
		      struct kv_none *out)
{
	struct pollfd fd = { .fd = u->cm->fd, .events = POLLIN };
	int n, ret;

	n = poll(&fd, 1, in->timeout_ms);
	if (n < 0)
		return kv_user_fail(u, -errno, "conn %u: %s", in->id, strerror(errno));
	/* Checked even if there are events: two CONNs that connect in a loop always have some. */
	ret = kv_user_dev_check(u, conn->obj.dev);
	if (ret)
		return ret;
	if (!n)
		return kv_user_fail(u, -EAGAIN, "no event of conn %u within %d ms", in->id,
				    in->timeout_ms);
	kv_user_conn_take_events(u);
	return 0;
}

/* Listeners, and the requests that peers send them. */

static int bind_and_listen(struct kv_user *u, struct kv_user_conn *conn,
			   const struct sockaddr_storage *src)
{
	int ret = kv_user_conn_bind(u, conn, src);

	/* The kernel drops requests beyond its own backlog; we reject those beyond ours. */
	if (!ret && KV_USER_STAGE(u, CM, rdma_listen(conn->cm, KVERBS_CONN_BACKLOG_MAX)))
		ret = refuse_addr(u, KVERBS_STAGE_CM, "rdma_listen", src, errno);
	return ret;
}

int kv_user_conn_listen(struct kv_user *u, struct kv_user_conn *conn,
			const struct kv_conn_listen *in, struct kv_conn *to)
{
	int ret = check_addr(u, "src", &in->src, false);

	if (!ret && !in->backlog)
		ret = kv_user_fail(u, -ERANGE, "backlog is %u: it must be 1 to %u",
				   in->backlog, KVERBS_CONN_BACKLOG_MAX);
	if (ret)
		return ret;
	ret = bind_and_listen(u, conn, &in->src);
	if (ret) {
		kv_user_conn_renew(u, conn);
		return ret;
	}
	conn->is.backlog = in->backlog;
	conn->is.state = KVERBS_CONN_LISTENING;
	kv_user_obj_fill(&conn->obj, to);
	return 0;
}

/*
 * Adds a peer's request, and owns @cm from now on. The request is rejected if there is no room, or
 * if the request came through another device.
 */
void kv_user_conn_add_request(struct kv_user *u, struct kv_user_conn *listener,
			      struct rdma_cm_id *cm, const struct rdma_conn_param *param)
{
	struct kv_user_conn *request = NULL;
	const char *from = cm->verbs ? ibv_get_device_name(cm->verbs->device) : "";
	const char *dev = kv_user_dev_name(listener->obj.dev);

	if (listener->is.waiting < listener->is.backlog && !strcmp(from, dev))
		request = kv_user_obj_alloc(u, KV_CONN, listener->obj.dev);
	if (!request) {
		rdma_reject(cm, NULL, 0);
		rdma_destroy_id(cm);
		return;
	}
	cm->context = NULL;
	request->cm = cm;
	request->is.state = KVERBS_CONN_REQUESTED;
	request->is.event = KVERBS_CM_EVENT_CONNECT_REQUEST;
	request->is.listener = listener->obj.id;
	TAILQ_INIT(&request->requests);
	request->is.responder_resources = param->responder_resources;
	request->is.initiator_depth = param->initiator_depth;
	kv_user_conn_take_private(&request->is, param);
	TAILQ_INSERT_TAIL(&listener->requests, request, next);
	listener->is.waiting++;
}

static void remove_request(struct kv_user_conn *listener, struct kv_user_conn *request)
{
	TAILQ_REMOVE(&listener->requests, request, next);
	listener->is.waiting--;
}

/* Rejects all requests that wait. */
static void drop_requests(struct kv_user_conn *listener)
{
	struct kv_user_conn *request;

	while ((request = TAILQ_FIRST(&listener->requests))) {
		rdma_reject(request->cm, NULL, 0);
		rdma_destroy_id(request->cm);
		remove_request(listener, request);
		kv_user_obj_free(&request->obj);
	}
}

int kv_user_conn_get_request(struct kv_user *u, struct kv_user_conn *from, const struct kv_id *in,
			     struct kv_conn *to)
{
	struct kv_user_conn *conn = TAILQ_FIRST(&from->requests);

	if (!conn)
		return kv_user_fail(u, -EAGAIN, "conn %u has no request", in->id);
	/* Other objects may have taken the room since the request came. */
	if (!kv_user_table_reserve(&u->tables[KV_CONN]))
		return kv_user_fail(u, -ENOMEM, "no memory");
	conn->cm->context = conn;
	remove_request(from, conn);
	kv_user_obj_publish(u, &conn->obj);
	kv_user_obj_fill(&conn->obj, to);
	return 0;
}

/* The connections of a listener outlive the listener. */
static void clear_listener(struct kv_user *u, uint32_t id)
{
	struct kv_user_conn *conn;

	KV_USER_FOR_EACH(u, KV_CONN, conn)
		if (conn->is.listener == id)
			conn->is.listener = 0;
}

/* rdma_destroy_id() ends the connection, or rejects the request. */
int kv_user_conn_destroy(struct kv_user *u, struct kv_user_conn *conn)
{
	/* No event may arrive for a destroyed CONN. */
	kv_user_conn_take_events(u);
	drop_requests(conn);
	kv_user_conn_end_qp(u, conn);
	if (KV_USER_STAGE(u, DESTROY, rdma_destroy_id(conn->cm)))
		return -errno;
	clear_listener(u, conn->obj.id);
	return 0;
}

void kv_user_conn_fill(struct kv_user_conn *conn, struct kv_conn *to)
{
	const struct kv_user_obj *qp = conn->obj.parents[KV_USER_CONN_QP];

	*to = conn->is;
	to->src = conn->cm->route.addr.src_storage;
	/* The peer address of a listener is all zeros. */
	if (rdma_get_dst_port(conn->cm))
		to->dst = conn->cm->route.addr.dst_storage;
	to->qp = qp ? qp->id : 0;
	if (to->event == KVERBS_CM_EVENT_REJECTED)
		snprintf(to->reason, sizeof(to->reason), "%s",
			 to->status < 0 ? strerror(-to->status) :
			 kv_enum_name(kv_enum_cm_reason, (uint32_t)to->status));
}
