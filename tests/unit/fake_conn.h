/* SPDX-License-Identifier: MIT */
#ifndef KV_TESTS_FAKE_CONN_H
#define KV_TESTS_FAKE_CONN_H

#include "backend.h"

/* Connections of the space that is none: whatever is asked for has come with the next wait. */

int fake_conn_new(struct kv_backend *b, const struct kv_conn_init *init,
		  struct kv_conn *conn, uint64_t *ns);
int fake_conn_listen(struct kv_backend *b, uint32_t id,
		     const struct sockaddr_storage *src, uint32_t backlog,
		     struct kv_conn *conn, uint64_t *ns);
int fake_conn_take(struct kv_backend *b, uint32_t listener,
		   struct kv_conn *conn);
int fake_conn_resolve_addr(struct kv_backend *b, uint32_t id,
			   const struct sockaddr_storage *src,
			   const struct sockaddr_storage *dst,
			   uint32_t timeout_ms, uint64_t *ns);
int fake_conn_resolve_route(struct kv_backend *b, uint32_t id,
			    uint32_t timeout_ms, uint64_t *ns);
int fake_conn_connect(struct kv_backend *b, uint32_t id,
		      const struct kv_conn_param *param, uint64_t *ns);
int fake_conn_establish(struct kv_backend *b, uint32_t id,
			const struct kv_conn_param *param, uint64_t *ns);
int fake_conn_accept(struct kv_backend *b, uint32_t id,
		     const struct kv_conn_param *param, uint64_t *ns);
int fake_conn_reject(struct kv_backend *b, uint32_t id, const void *data,
		     uint32_t length, uint64_t *ns);
int fake_conn_disconnect(struct kv_backend *b, uint32_t id, uint64_t *ns);
int fake_conn_wait(struct kv_backend *b, uint32_t id, int timeout_ms);

#endif
