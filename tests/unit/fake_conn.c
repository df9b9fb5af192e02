// SPDX-License-Identifier: MIT
/* Connections of the fake space: every requested event has come with the next wait. */
#include <errno.h>
#include <string.h>
#include <netinet/in.h>
#include "fake_backend.h"

/* The port that a listener gets which names none. */
#define PORT 7777

/* From one state to another, with a verb that takes @ns. */
static int step(struct kv_backend *b, uint32_t id, uint32_t from, uint32_t to)
{
	union kv_object *o = fake_find(b, KV_CONN, id);

	if (!o)
		return -ENOENT;
	if (o->conn.state != from)
		return kv_backend_fail(b, -EINVAL, "conn: the conn is in another state");
	b->times.verb_ns = 4000;
	o->conn.state = to;
	return 0;
}

int fake_conn_new(struct kv_backend *b, const struct kv_conn_init *init, struct kv_conn *conn)
{
	union kv_object *o = fake_make(b, KV_CONN, init->persistent);

	if (!o)
		return -EDQUOT;
	b->times.verb_ns = 1000;
	*conn = o->conn;
	return 0;
}

int fake_conn_listen(struct kv_backend *b, const struct kv_conn_listen *in, struct kv_conn *conn)
{
	union kv_object *o = fake_find(b, KV_CONN, in->id);
	struct sockaddr_in *src;

	if (!in->backlog)
		return kv_backend_fail(b, -EINVAL, "backlog is 0");
	if (step(b, in->id, KVERBS_CONN_IDLE, KVERBS_CONN_LISTENING))
		return -EINVAL;
	o->conn.src = in->src;
	o->conn.backlog = in->backlog;
	src = (struct sockaddr_in *)&o->conn.src;
	if (!src->sin_port)
		src->sin_port = htons(PORT);
	*conn = o->conn;
	return 0;
}

int fake_conn_get_request(struct kv_backend *b, const struct kv_id *in, struct kv_conn *conn)
{
	union kv_object *l = fake_find(b, KV_CONN, in->id), *o;

	if (!l)
		return -ENOENT;
	if (!fake_world.requests)
		return kv_backend_fail(b, -EAGAIN, "there is none");
	o = fake_make(b, KV_CONN, l->conn.persistent);
	if (!o)
		return -EDQUOT;
	fake_world.requests--;
	o->conn.state = KVERBS_CONN_REQUESTED;
	o->conn.event = KVERBS_CM_EVENT_CONNECT_REQUEST;
	o->conn.listener = in->id;
	o->conn.private_length = 56;
	memcpy(o->conn.private_data, "who is it", 9);
	*conn = o->conn;
	return 0;
}

int fake_conn_resolve_addr(struct kv_backend *b, const struct kv_conn_resolve *in,
			   struct kv_none *out)
{
	union kv_object *o = fake_find(b, KV_CONN, in->id);

	if (!o)
		return -ENOENT;
	if (in->src.ss_family)
		o->conn.src = in->src;
	o->conn.dst = in->dst;
	return step(b, in->id, KVERBS_CONN_IDLE, KVERBS_CONN_RESOLVING_ADDR);
}

int fake_conn_resolve_route(struct kv_backend *b, const struct kv_conn_route *in,
			    struct kv_none *out)
{
	return step(b, in->id, KVERBS_CONN_ADDR_RESOLVED, KVERBS_CONN_RESOLVING_ROUTE);
}

int fake_conn_connect(struct kv_backend *b, const struct kv_conn_param *param, struct kv_none *out)
{
	union kv_object *o = fake_find(b, KV_CONN, param->id);
	int ret;

	ret = step(b, param->id, KVERBS_CONN_ROUTE_RESOLVED, KVERBS_CONN_CONNECTING);
	if (!ret)
		o->conn.qp = param->qp;
	return ret;
}

int fake_conn_establish(struct kv_backend *b, const struct kv_conn_establish *param, struct kv_none *out)
{
	return step(b, param->id, KVERBS_CONN_ANSWERED, KVERBS_CONN_ESTABLISHED);
}

int fake_conn_accept(struct kv_backend *b, const struct kv_conn_param *param, struct kv_none *out)
{
	union kv_object *o = fake_find(b, KV_CONN, param->id);
	int ret;

	ret = step(b, param->id, KVERBS_CONN_REQUESTED, KVERBS_CONN_ACCEPTED);
	if (!ret)
		o->conn.qp = param->qp;
	return ret;
}

int fake_conn_reject(struct kv_backend *b, const struct kv_conn_reject *in, struct kv_none *out)
{
	return step(b, in->id, KVERBS_CONN_REQUESTED, KVERBS_CONN_REJECTED);
}

int fake_conn_join(struct kv_backend *b, const struct kv_conn_join *in, struct kv_none *out)
{
	return -EOPNOTSUPP;
}

int fake_conn_leave(struct kv_backend *b, const struct kv_id *in, struct kv_none *out)
{
	return -EOPNOTSUPP;
}

int fake_conn_disconnect(struct kv_backend *b, const struct kv_id *in, struct kv_none *out)
{
	return step(b, in->id, KVERBS_CONN_ESTABLISHED, KVERBS_CONN_DISCONNECTING);
}

static void become(struct kv_conn *conn, uint32_t state, uint32_t event)
{
	conn->state = state;
	conn->event = event;
	if (state == KVERBS_CONN_REJECTED) {
		conn->status = 28;
		strcpy(conn->reason, "consumer defined");
		conn->private_length = 148;
		strcpy((char *)conn->private_data, "go away");
	}
}

int fake_conn_wait(struct kv_backend *b, const struct kv_wait *in, struct kv_none *out)
{
	union kv_object *o = fake_find(b, KV_CONN, in->id);
	struct kv_conn *conn;

	if (!o)
		return -ENOENT;
	conn = &o->conn;
	switch (conn->state) {
	case KVERBS_CONN_RESOLVING_ADDR:
		become(conn, KVERBS_CONN_ADDR_RESOLVED,
		       KVERBS_CM_EVENT_ADDR_RESOLVED);
		return 0;
	case KVERBS_CONN_RESOLVING_ROUTE:
		become(conn, KVERBS_CONN_ROUTE_RESOLVED,
		       KVERBS_CM_EVENT_ROUTE_RESOLVED);
		return 0;
	case KVERBS_CONN_CONNECTING:
		if (!fake_world.answer)
			return -EAGAIN;
		become(conn, fake_world.answer,
		       fake_world.answer == KVERBS_CONN_REJECTED ?
			       KVERBS_CM_EVENT_REJECTED :
			       KVERBS_CM_EVENT_CONNECT_RESPONSE);
		return 0;
	case KVERBS_CONN_ACCEPTED:
		become(conn, KVERBS_CONN_ESTABLISHED,
		       KVERBS_CM_EVENT_ESTABLISHED);
		return 0;
	case KVERBS_CONN_DISCONNECTING:
		become(conn, KVERBS_CONN_DISCONNECTED,
		       KVERBS_CM_EVENT_DISCONNECTED);
		return 0;
	}
	return -EAGAIN;
}
