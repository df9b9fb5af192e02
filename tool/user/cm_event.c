// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "user/conn.h"

/* Events of librdmacm. */

/* The contract's enum has the values of librdmacm's enum, in the same order, after NONE. */
_Static_assert(KVERBS_CM_EVENT_ADDR_RESOLVED == RDMA_CM_EVENT_ADDR_RESOLVED + 1, "events");
_Static_assert(KVERBS_CM_EVENT_ESTABLISHED == RDMA_CM_EVENT_ESTABLISHED + 1, "events");
_Static_assert(KVERBS_CM_EVENT_TIMEWAIT_EXIT == RDMA_CM_EVENT_TIMEWAIT_EXIT + 1, "events");

static uint32_t to_event(enum rdma_cm_event_type from)
{
	return from <= RDMA_CM_EVENT_TIMEWAIT_EXIT ? from + 1 : KVERBS_CM_EVENT_OTHER;
}

/* Keeps the private data of an event. */
void kv_user_conn_take_private(struct kv_conn *to, const struct rdma_conn_param *param)
{
	to->private_length = param->private_data ? param->private_data_len : 0;
	if (to->private_length > KVERBS_CONN_PRIVATE_MAX)
		to->private_length = KVERBS_CONN_PRIVATE_MAX;
	if (to->private_length)
		memcpy(to->private_data, param->private_data, to->private_length);
}

static void report(struct kv_user *u, const struct kv_user_conn *conn, uint32_t cm_event,
		 int32_t status)
{
	struct kv_event event = {
		.type = KVERBS_EVENT_CM,
		.conn = conn->obj.id,
		.cm_event = cm_event,
		.cm_status = status,
	};

	snprintf(event.dev, sizeof(event.dev), "%s", kv_user_dev_name(conn->obj.dev));
	kv_user_event_add(u, &event);
}

static void end(struct kv_user *u, struct kv_user_conn *conn, uint32_t state)
{
	conn->is.state = state;
	kv_user_conn_end_qp(u, conn);
}

static void on_resolved(struct kv_user_conn *conn)
{
	conn->is.state = KVERBS_CONN_ADDR_RESOLVED;
	if (!kv_user_conn_is_foreign(conn))
		return;
	conn->is.state = KVERBS_CONN_FAILED;
	conn->is.event = KVERBS_CM_EVENT_ADDR_ERROR;
	conn->is.status = -EXDEV;
}

static void on_disconnected(struct kv_user *u, struct kv_user_conn *conn)
{
	bool asked = conn->is.state == KVERBS_CONN_DISCONNECTING;

	end(u, conn, KVERBS_CONN_DISCONNECTED);
	/* Sends the answer to the peer's request (DREP); without a DREP the peer waits. */
	if (!asked)
		rdma_disconnect(conn->cm);
}

/* @param is valid only for connections, and only during the call. */
static void on_event(struct kv_user *u, struct kv_user_conn *conn,
		     const struct rdma_conn_param *param)
{
	switch (conn->is.event) {
	case KVERBS_CM_EVENT_ADDR_RESOLVED:
		on_resolved(conn);
		break;
	case KVERBS_CM_EVENT_ROUTE_RESOLVED:
		conn->is.state = KVERBS_CONN_ROUTE_RESOLVED;
		break;
	case KVERBS_CM_EVENT_CONNECT_RESPONSE:
		conn->is.state = KVERBS_CONN_ANSWERED;
		kv_user_conn_take_private(&conn->is, param);
		break;
	case KVERBS_CM_EVENT_ESTABLISHED:
		/* The answer on iWARP. On others it came before, and a confirmation has no data. */
		if (conn->is.state == KVERBS_CONN_CONNECTING)
			kv_user_conn_take_private(&conn->is, param);
		conn->is.state = KVERBS_CONN_ESTABLISHED;
		kv_user_conn_note_rts(conn);
		break;
	case KVERBS_CM_EVENT_REJECTED:
		kv_user_conn_take_private(&conn->is, param);
		end(u, conn, KVERBS_CONN_REJECTED);
		break;
	case KVERBS_CM_EVENT_DISCONNECTED:
		on_disconnected(u, conn);
		break;
	case KVERBS_CM_EVENT_ADDR_ERROR:
	case KVERBS_CM_EVENT_ROUTE_ERROR:
	case KVERBS_CM_EVENT_CONNECT_ERROR:
	case KVERBS_CM_EVENT_UNREACHABLE:
	case KVERBS_CM_EVENT_DEVICE_REMOVAL:
	case KVERBS_CM_EVENT_MULTICAST_ERROR:
		end(u, conn, KVERBS_CONN_FAILED);
		break;
	}
}

/* The id of a request is new, and has the context of the listener from librdmacm. */
static void on_request(struct kv_user *u, const struct rdma_cm_event *event)
{
	struct kv_user_conn *listener = event->listen_id->context;

	listener->is.event = KVERBS_CM_EVENT_CONNECT_REQUEST;
	listener->is.status = event->status;
	kv_user_conn_add_request(u, listener, event->id, &event->param.conn);
	report(u, listener, listener->is.event, listener->is.status);
}

static void handle(struct kv_user *u, const struct rdma_cm_event *event)
{
	struct kv_user_conn *conn = event->id->context;

	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
		on_request(u, event);
		return;
	}
	/* A request that is not taken yet has no context. */
	if (!conn)
		return;
	conn->is.event = to_event(event->event);
	/* librdmacm reports its own failures as -1, with the reason in errno. */
	conn->is.status = event->status == -1 && errno ? -errno : event->status;
	if (event->event == RDMA_CM_EVENT_MULTICAST_JOIN)
		kv_user_conn_take_group(&conn->is, event);
	else
		on_event(u, conn, &event->param.conn);
	report(u, conn, conn->is.event, conn->is.status);
}

/* Handles all pending events of CONNs. Returns true if there was one. */
bool kv_user_conn_take_events(struct kv_user *u)
{
	struct rdma_cm_event *event;
	bool any = false;

	for (; u->cm; any = true) {
		errno = 0;
		if (rdma_get_cm_event(u->cm, &event))
			break;
		handle(u, event);
		/* rdma_destroy_id() waits until all events of the id were acknowledged. */
		rdma_ack_cm_event(event);
	}
	return any;
}
