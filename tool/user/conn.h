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
	uint32_t state; /* enum kverbs_conn_state */
	uint32_t event; /* enum kverbs_cm_event, the last */
	int32_t status; /* of @event */
	uint32_t backlog; /* of a listener: the largest number of @requests */
	uint32_t waiting; /* number of @requests */
	TAILQ_HEAD(, kv_user_conn) requests; /* the oldest first */
	TAILQ_ENTRY(kv_user_conn) next; /* of a request that is not taken yet */
	uint32_t listener; /* id of the listener that had the request; 0 if there is none */
	uint32_t responder_resources; /* from the peer's request, as is the next member */
	uint32_t initiator_depth; /* READs and atomics that we may have outstanding there */
	uint32_t private_length; /* bytes of @private_data */
	/* From the peer's request, answer or rejection; the CM pads it with zeros. */
	uint8_t private_data[KVERBS_CONN_PRIVATE_MAX];
};

/* conn.c */
int kv_user_conn_check_op(struct kv_user *u, const struct kv_user_conn *conn, enum kv_op op);
bool kv_user_conn_is_foreign(const struct kv_user_conn *conn);
void kv_user_conn_add_request(struct kv_user *u, struct kv_user_conn *listener,
			      struct rdma_cm_id *cm, const struct rdma_conn_param *param);

/* connect.c */
void kv_user_conn_end_qp(struct kv_user *u, struct kv_user_conn *conn);
void kv_user_conn_note_rts(struct kv_user_conn *conn);

/* cm_event.c */
void kv_user_conn_take_private(uint8_t data[KVERBS_CONN_PRIVATE_MAX], uint32_t *length,
			       const struct rdma_conn_param *param);
bool kv_user_conn_take_events(struct kv_user *u);
