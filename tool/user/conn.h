/* SPDX-License-Identifier: MIT */
#ifndef KV_USER_CONN_H
#define KV_USER_CONN_H

/* What the files about connections of librdmacm share. */

#include <rdma/rdma_cma.h>
#include "user/user.h"

/* The only parent of a CONN. */
#define KV_USER_CONN_QP 0

/**
 * struct kv_user_request - a peer's request that nobody has taken yet
 * @next: in its listener's requests
 * @cm: what librdmacm made for it; its context is NULL
 * @responder_resources: what it says, as are the following
 * @initiator_depth: READs and atomics that we may have outstanding there
 * @private_length: bytes of @private_data
 * @private_data: padded with zeros to what the CM transports
 */
struct kv_user_request {
	TAILQ_ENTRY(kv_user_request) next;
	struct rdma_cm_id *cm;
	uint32_t responder_resources;
	uint32_t initiator_depth;
	uint32_t private_length;
	uint8_t private_data[KVERBS_CONN_PRIVATE_MAX];
};

/**
 * struct kv_user_conn - a connection, or a listener
 * @obj: base; parent KV_USER_CONN_QP is the QP once there is one
 * @cm: librdmacm's; its context is the CONN. Its verbs are another context of the
 *	device, as soon as librdmacm knows which one it is.
 * @state: enum kverbs_conn_state
 * @event: enum kverbs_cm_event, the last
 * @status: of @event
 * @backlog: of a listener: at most so many of @requests
 * @waiting: how many of @requests
 * @requests: the oldest first
 * @listener: id of the listener that had the request; 0 if there is none
 * @responder_resources: what the peer's request says, as the next
 * @initiator_depth: READs and atomics that we may have outstanding there
 * @private_length: bytes of @private_data
 * @private_data: what came with the peer's request, answer or rejection
 */
struct kv_user_conn {
	struct kv_user_obj obj;
	struct rdma_cm_id *cm;
	uint32_t state;
	uint32_t event;
	int32_t status;
	uint32_t backlog;
	uint32_t waiting;
	TAILQ_HEAD(, kv_user_request) requests;
	uint32_t listener;
	uint32_t responder_resources;
	uint32_t initiator_depth;
	uint32_t private_length;
	uint8_t private_data[KVERBS_CONN_PRIVATE_MAX];
};

/* conn.c */
int kv_user_conn_check_op(struct kv_user *u, const struct kv_user_conn *conn, enum kv_op op);

/* bind.c */
bool kv_user_conn_is_foreign(const struct kv_user_conn *conn);
int kv_user_conn_check_addr(struct kv_user *u, const char *what,
			    const struct sockaddr_storage *addr, bool port);
int kv_user_conn_refuse_addr(struct kv_user *u, const char *verb,
			     const struct sockaddr_storage *src, int error);
int kv_user_conn_bind(struct kv_user *u, struct kv_user_conn *conn,
		      const struct sockaddr_storage *src);
void kv_user_conn_renew(struct kv_user *u, struct kv_user_conn *conn);

/* listen.c */
void kv_user_conn_add_request(struct kv_user_conn *listener, struct rdma_cm_id *cm,
			      const struct rdma_conn_param *param);
void kv_user_conn_drop_requests(struct kv_user_conn *listener);

/* connect.c */
void kv_user_conn_end_qp(struct kv_user *u, struct kv_user_conn *conn);
void kv_user_conn_note_rts(struct kv_user_conn *conn);

/* cm_event.c */
void kv_user_conn_take_private(uint8_t data[KVERBS_CONN_PRIVATE_MAX], uint32_t *length,
			       const struct rdma_conn_param *param);
bool kv_user_conn_take_events(struct kv_user *u);

#endif
