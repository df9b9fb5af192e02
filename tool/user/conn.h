/* SPDX-License-Identifier: MIT */
#pragma once

/* Connections of librdmacm. */

#include <rdma/rdma_cma.h>
#include "user/user.h"

/* The only parent of a CONN. */
#define KV_USER_CONN_QP 0

/* A connection, a listener, or a peer's request; a request gets an id once it is taken. */
struct kv_user_conn {
	struct kv_user_obj obj; /* base; parent KV_USER_CONN_QP is the QP once there is one */
	/*
	 * librdmacm's id. Its context is the CONN, or NULL for a request that is not taken yet. Its
	 * verbs are another context of the device, set as soon as librdmacm knows the device.
	 */
	struct rdma_cm_id *cm;
	/*
	 * The reply about it, except the addresses, the QP and the reason. The depths are those
	 * of the peer's request; the private data are from its request, answer or rejection, and
	 * the CM pads them with zeros.
	 */
	struct kv_conn is;
	TAILQ_HEAD(, kv_user_conn) requests; /* of a listener, the oldest first: @is.waiting */
	TAILQ_ENTRY(kv_user_conn) next; /* of a request that is not taken yet */
};

/* conn.c */
int kv_user_conn_check_op(struct kv_user *u, const struct kv_user_conn *conn, enum kv_op op);
bool kv_user_conn_is_foreign(const struct kv_user_conn *conn);
void kv_user_conn_add_request(struct kv_user *u, struct kv_user_conn *listener,
			      struct rdma_cm_id *cm, const struct rdma_conn_param *param);

int kv_user_conn_bind(struct kv_user *u, struct kv_user_conn *conn,
		      const struct sockaddr_storage *src);
void kv_user_conn_renew(struct kv_user *u, struct kv_user_conn *conn);

/* conn_group.c */
void kv_user_conn_take_group(struct kv_conn *to, const struct rdma_cm_event *event);

/* connect.c */
void kv_user_conn_end_qp(struct kv_user *u, struct kv_user_conn *conn);
void kv_user_conn_note_rts(struct kv_user_conn *conn);

/* cm_event.c */
void kv_user_conn_take_private(struct kv_conn *to, const struct rdma_conn_param *param);
bool kv_user_conn_take_events(struct kv_user *u);
