// SPDX-License-Identifier: GPL-2.0
#include <net/net_namespace.h>
#include <rdma/rdma_cm.h>
#include "conn_event.h"
#include "dev.h"
#include "refuse.h"
#include "rules/conn.h"

static struct rdma_cm_id *conn_create_id(struct kv_conn *conn)
{
	return rdma_create_id(conn->obj.owner->net, kv_conn_handle, conn, RDMA_PS_TCP, IB_QPT_RC);
}

/**
 * kv_conn_create() - make a CONN
 * @new: its device, which has a CM, and its owner
 *
 * Locks: dev->lock
 * Return: the CONN, idle, owned by the id table, or ERR_PTR.
 */
struct kv_obj *kv_conn_create(const struct kv_new *new)
{
	struct kv_conn *conn;

	/* The reference of its rdma_cm_id would keep the namespace for ever. */
	if (kv_owner_persistent(new->owner) && new->owner->net != &init_net) {
		kv_refuse(new->extack, -EINVAL,
			  "a persistent conn would keep its network namespace for ever: make persistent ones in the first namespace");
		return ERR_PTR(-EINVAL);
	}
	conn = kv_conn_alloc(&kv_conn_class, new);
	if (IS_ERR(conn))
		return ERR_CAST(conn);
	kv_obj_time(&conn->obj, CREATE, conn->id = conn_create_id(conn));
	return kv_obj_made(&conn->obj, PTR_ERR_OR_ZERO(conn->id), "rdma_create_id failed",
			   new->extack);
}

/* Takes the oldest request off the listener's list; NULL if there is none. */
static struct kv_conn *conn_pop_request(struct kv_conn *listener)
{
	struct kv_conn *conn;

	guard(spinlock)(&kv_conn_lock);
	conn = list_first_entry_or_null(&listener->requests, struct kv_conn, request);
	if (conn) {
		list_del_init(&conn->request);
		listener->waiting--;
	}
	return conn;
}

/* The listener's id is gone: no more requests will come. */
static void conn_reject_requests(struct kv_conn *listener)
{
	struct kv_conn *request;

	while ((request = conn_pop_request(listener))) {
		/* This rejects the request. */
		rdma_destroy_id(request->id);
		request->id = NULL;
		request->obj.dead = true;
		kv_conn_drop_request(request);
	}
}

/* The id is destroyed first: after that no handler runs, and no request comes. */
static int conn_destroy(struct kv_obj *obj)
{
	struct kv_conn *conn = container_of(obj, struct kv_conn, obj);

	kv_conn_settle(conn);
	if (conn->qp && !kv_conn_ended(conn))
		kv_conn_end(conn, true);
	if (conn->id)
		kv_obj_time(obj, DESTROY, rdma_destroy_id(conn->id));
	conn->id = NULL;
	conn_reject_requests(conn);
	if (conn->qp)
		kv_conn_release_qp(conn);
	if (conn->listener)
		kv_obj_put(&conn->listener->obj);
	conn->listener = NULL;
	return 0;
}

/**
 * kv_conn_expect() - does a command fit the state?
 * @conn: the CONN; work that its events have left is done first
 * @states: BIT()s of the states that the command fits
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0 or -EINVAL.
 */
int kv_conn_expect(struct kv_conn *conn, u32 states, struct netlink_ext_ack *extack)
{
	struct kv_refusal why;

	kv_conn_settle(conn);
	return kv_conn_rules_check_state(states, kv_conn_state(conn), &why) ?
	       kv_refuse_by(extack, &why) : 0;
}

/**
 * kv_conn_renew_id() - make a CONN idle again
 * @conn: the CONN; FAILED if there is no memory
 *
 * An id can't be unbound: a new one replaces it, and the CONN is as before the command.
 * If several devices have the address, one of them may have listened meanwhile.
 *
 * Locks: dev->lock
 */
void kv_conn_renew_id(struct kv_conn *conn)
{
	struct rdma_cm_id *fresh = conn_create_id(conn);

	rdma_destroy_id(conn->id);
	conn_reject_requests(conn);
	conn->id = IS_ERR(fresh) ? NULL : fresh;
	kv_conn_set_state(conn, conn->id ? KVERBS_CONN_IDLE : KVERBS_CONN_FAILED);
}

static const char port_in_use[] = "src's port is in use: take another one, or 0";

static const char *conn_explain_bind(int error)
{
	if (error == -ENODEV || error == -EADDRNOTAVAIL)
		return "src is not an address of an RDMA device here, or its port is in use";
	if (error == -EADDRINUSE)
		return port_in_use;
	return error == -EACCES ? "src's port is a privileged one" : "rdma_bind_addr failed";
}

/**
 * kv_conn_bind() - set the source address
 * @conn: the CONN, idle
 * @src: the address; port 0: any
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno, -EXDEV for an address of another device.
 */
int kv_conn_bind(struct kv_conn *conn, union kv_conn_addr *src, struct netlink_ext_ack *extack)
{
	int ret;

	kv_obj_time(&conn->obj, BIND, ret = rdma_bind_addr(conn->id, (struct sockaddr *)src));
	if (ret)
		kv_verb_failed(extack, KVERBS_STAGE_BIND, ret, conn_explain_bind(ret));
	else if (conn->id->device && conn->id->device != conn->obj.dev->ib)
		ret = kv_verb_failed(extack, KVERBS_STAGE_BIND, -EXDEV,
				     "src is an address of another RDMA device");
	if (ret)
		kv_conn_renew_id(conn);
	return ret;
}

/**
 * kv_conn_listen() - listen for requests
 * @conn: the CONN, idle, with the address to listen at: kv_conn_bind()
 * @backlog: how many requests may wait
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno.
 */
int kv_conn_listen(struct kv_conn *conn, u32 backlog, struct netlink_ext_ack *extack)
{
	int ret;

	kv_conn_set_state(conn, KVERBS_CONN_LISTENING);
	scoped_guard(spinlock, &kv_conn_lock)
		conn->backlog = backlog;
	kv_obj_time(&conn->obj, CM, ret = rdma_listen(conn->id, backlog));
	if (!ret)
		return 0;
	kv_conn_renew_id(conn);
	return kv_verb_failed(extack, KVERBS_STAGE_CM, ret,
			      ret == -EADDRINUSE ? port_in_use : "rdma_listen failed");
}

/**
 * kv_conn_get_request() - the oldest request of a listener
 * @listener: the CONN that listens
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: the CONN, owned by the id table, or ERR_PTR: -EAGAIN if there is none.
 */
struct kv_obj *kv_conn_get_request(struct kv_conn *listener, struct netlink_ext_ack *extack)
{
	struct kv_conn *conn = conn_pop_request(listener);
	int ret;

	if (!conn)
		return ERR_PTR(kv_refuse(extack, -EAGAIN,
					 "no request waits: wait for connect_request"));
	ret = kv_obj_publish(&conn->obj, extack);
	if (!ret)
		return &conn->obj;
	guard(spinlock)(&kv_conn_lock);
	list_add(&conn->request, &listener->requests);
	listener->waiting++;
	return ERR_PTR(ret);
}

/**
 * kv_conn_resolve_addr() - ask for the device and the GID of a peer
 * @conn: the CONN, idle; kv_conn_bind() may have set a source address
 * @dst: the destination address
 * @timeout_ms: how long that may take
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno. The answer is an event.
 */
int kv_conn_resolve_addr(struct kv_conn *conn, union kv_conn_addr *dst, u32 timeout_ms,
			 struct netlink_ext_ack *extack)
{
	int ret;

	kv_conn_set_state(conn, KVERBS_CONN_RESOLVING_ADDR);
	kv_obj_time(&conn->obj, CM,
		    ret = rdma_resolve_addr(conn->id, NULL, (struct sockaddr *)dst, timeout_ms));
	if (!ret)
		return 0;
	kv_conn_renew_id(conn);
	return kv_verb_failed(extack, KVERBS_STAGE_CM, ret, ret == -ENETUNREACH ?
			      "no route leads to dst" : "rdma_resolve_addr failed");
}

/**
 * kv_conn_resolve_route() - ask for the path to the peer
 * @conn: the CONN, its address resolved
 * @timeout_ms: how long that may take
 * @extack: where the reason of a refusal goes
 *
 * Locks: dev->lock
 * Return: 0 or a negative errno. The answer is an event.
 */
int kv_conn_resolve_route(struct kv_conn *conn, u32 timeout_ms, struct netlink_ext_ack *extack)
{
	int ret;

	kv_conn_set_state(conn, KVERBS_CONN_RESOLVING_ROUTE);
	kv_obj_time(&conn->obj, CM, ret = rdma_resolve_route(conn->id, timeout_ms));
	if (!ret)
		return 0;
	kv_conn_set_state(conn, KVERBS_CONN_ADDR_RESOLVED);
	return kv_verb_failed(extack, KVERBS_STAGE_CM, ret, "rdma_resolve_route failed");
}

/* Copies each field: the caller must not see bytes between or behind the fields. */
static void conn_copy_addr(union kv_conn_addr *to, const struct sockaddr_storage *from)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)from;
	const struct sockaddr_in *in = (const struct sockaddr_in *)from;

	memset(to, 0, sizeof(*to));
	if (from->ss_family == AF_INET) {
		to->in.sin_family = AF_INET;
		to->in.sin_port = in->sin_port;
		to->in.sin_addr = in->sin_addr;
	} else if (from->ss_family == AF_INET6) {
		to->in6.sin6_family = AF_INET6;
		to->in6.sin6_port = in6->sin6_port;
		to->in6.sin6_addr = in6->sin6_addr;
		to->in6.sin6_scope_id = in6->sin6_scope_id;
	}
}

/**
 * kv_conn_show() - get the properties of a CONN
 * @conn: the CONN
 * @view: receives it
 *
 * Locks: dev->lock
 */
void kv_conn_show(struct kv_conn *conn, struct kv_conn_view *view)
{
	kv_conn_settle(conn);
	memset(view, 0, sizeof(*view));
	if (conn->id) {
		/* A handler may be about to change the addresses. */
		rdma_lock_handler(conn->id);
		conn_copy_addr(&view->src, &conn->id->route.addr.src_addr);
		conn_copy_addr(&view->dst, &conn->id->route.addr.dst_addr);
		rdma_unlock_handler(conn->id);
	}
	if (conn->listener && !conn->listener->obj.dead)
		view->listener = conn->listener->obj.id;
	view->group = conn->group_addr;
	spin_lock(&kv_conn_lock);
	view->told = conn->told;
	view->requested = conn->listener;
	spin_unlock(&kv_conn_lock);
	if (view->told.news.event == KVERBS_CM_EVENT_REJECTED && conn->id)
		view->reason = rdma_reject_msg(conn->id, view->told.news.status);
}

struct kv_obj_class kv_conn_class = {
	KV_OBJ_CLASS(conn, KV_OBJ_CONN, "a", "delete"),
	.destroy = conn_destroy,
};
