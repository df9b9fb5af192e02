// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "user/conn.h"

/* Listeners, and the requests that peers send them. */

static int bind_and_listen(struct kv_user *u, struct kv_user_conn *conn,
			   const struct sockaddr_storage *src)
{
	int ret = kv_user_conn_bind(u, conn, src);

	/* The kernel drops requests beyond its own backlog; we reject those beyond ours. */
	if (!ret && KV_USER_STAGE(u, CM, rdma_listen(conn->cm, KVERBS_CONN_BACKLOG_MAX)))
		ret = kv_user_conn_refuse_addr(u, KVERBS_STAGE_CM, "rdma_listen", src, errno);
	return ret;
}

int kv_user_conn_listen(struct kv_user *u, struct kv_user_conn *conn,
			const struct kv_conn_listen *in, struct kv_conn *to)
{
	int ret = kv_user_conn_check_addr(u, "src", &in->src, false);

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
	conn->backlog = in->backlog;
	conn->state = KVERBS_CONN_LISTENING;
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

	if (listener->waiting < listener->backlog && !strcmp(from, dev))
		request = kv_user_obj_alloc(u, KV_CONN, listener->obj.dev);
	if (!request) {
		rdma_reject(cm, NULL, 0);
		rdma_destroy_id(cm);
		return;
	}
	cm->context = NULL;
	request->cm = cm;
	request->state = KVERBS_CONN_REQUESTED;
	request->event = KVERBS_CM_EVENT_CONNECT_REQUEST;
	request->listener = listener->obj.id;
	TAILQ_INIT(&request->requests);
	request->responder_resources = param->responder_resources;
	request->initiator_depth = param->initiator_depth;
	kv_user_conn_take_private(request->private_data, &request->private_length, param);
	TAILQ_INSERT_TAIL(&listener->requests, request, next);
	listener->waiting++;
}

static void remove_request(struct kv_user_conn *listener, struct kv_user_conn *request)
{
	TAILQ_REMOVE(&listener->requests, request, next);
	listener->waiting--;
}

/* Rejects all requests that wait. */
void kv_user_conn_drop_requests(struct kv_user_conn *listener)
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
