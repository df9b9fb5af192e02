/* SPDX-License-Identifier: MIT */
#ifndef KV_CM_CONN_H
#define KV_CM_CONN_H

#include "cli/fault.h"
#include "cli/parse.h"
#include "model/backend.h"

/* The steps of a connection that have a verb each, the active side's first. */
enum kv_conn_step {
	KV_CONN_CREATE_ID,
	KV_CONN_RESOLVE_ADDR,
	KV_CONN_RESOLVE_ROUTE,
	KV_CONN_CONNECT,
	KV_CONN_ESTABLISH,
	KV_CONN_LISTEN,
	KV_CONN_ACCEPT,
	KV_CONN_STEPS,
};

/* The cost of a connection, without the verbs of the QP. */
struct kv_conn_times {
	uint64_t verb_ns[KV_CONN_STEPS]; /* how long the verb of each step took, nanoseconds */
};

/* The other side of a connection to be made. */
struct kv_conn_peer {
	const char *dev; /* name of our device */
	bool persistent; /* the connection outlives the backend; kernel only */
	struct sockaddr_storage src; /* family 0 (AF_UNSPEC): the route decides */
	struct sockaddr_storage dst; /* with a port */
};

void kv_conn_param_init(struct kv_conn_param *param, uint32_t qp);

/* conn_fault.c */
const char *kv_conn_peer_format(char text[KV_SOCKADDR_TEXT], const struct kv_conn *conn);
int kv_conn_fault_connect(struct kv_fault *f, const struct kv_backend *b, int error,
			  const struct sockaddr_storage *dst);
int kv_conn_fault_ended(struct kv_fault *f, const char *space, const struct kv_conn *conn);
int kv_conn_fault_late(struct kv_fault *f, const char *space,
		       const struct kv_conn *conn, uint64_t waited_ns);

/* Steps. */
int kv_conn_wait(struct kv_backend *b, uint32_t id, uint32_t wanted,
		 uint64_t end_ns, struct kv_conn *conn, struct kv_fault *f);
int kv_conn_get_request(struct kv_backend *b, uint32_t listener, uint64_t end_ns,
		 struct kv_conn *conn, struct kv_fault *f);
int kv_conn_disconnect(struct kv_backend *b, uint32_t id, uint64_t end_ns,
		       struct kv_conn *conn, struct kv_fault *f);

/* Whole sequences. */
int kv_conn_listen(struct kv_backend *b, const struct kv_conn_init *init,
		   const struct sockaddr_storage *src, uint32_t backlog, struct kv_conn *conn,
		   struct kv_conn_times *times, struct kv_fault *f);
int kv_conn_request(struct kv_backend *b, const struct kv_conn_peer *peer,
		    const struct kv_conn_param *param, uint64_t end_ns, struct kv_conn *conn,
		    struct kv_conn_times *times, struct kv_fault *f);
int kv_conn_confirm(struct kv_backend *b, uint32_t id, const struct kv_conn_param *param,
		    uint64_t end_ns, struct kv_conn *conn, struct kv_conn_times *times,
		    struct kv_fault *f);
int kv_conn_accept(struct kv_backend *b, uint32_t id, const struct kv_conn_param *param,
		   struct kv_conn_times *times, struct kv_fault *f);
int kv_conn_dial(struct kv_backend *b, const struct kv_conn_peer *peer,
		 const struct kv_conn_param *param, uint64_t end_ns, struct kv_conn *conn,
		 struct kv_conn_times *times, struct kv_fault *f);

#endif
