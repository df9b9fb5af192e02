/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_CONN_EVENT_H
#define _KV_CONN_EVENT_H

#include "conn.h"

/* Shared by conn.c, conn_event.c and conn_qp.c. */
extern spinlock_t kv_conn_lock;

struct kv_conn *kv_conn_alloc(struct kv_obj_class *class, const struct kv_new *new);
void kv_conn_established(void *user);
int kv_conn_handle(struct rdma_cm_id *id, struct rdma_cm_event *event);
enum kverbs_conn_state kv_conn_state(struct kv_conn *conn);
bool kv_conn_ended(struct kv_conn *conn);
void kv_conn_set_state(struct kv_conn *conn, enum kverbs_conn_state state);
void kv_conn_release_qp(struct kv_conn *conn);
int kv_conn_end(struct kv_conn *conn, bool answer);
void kv_conn_settle(struct kv_conn *conn);
void kv_conn_drop_request(struct kv_conn *conn);

#endif
