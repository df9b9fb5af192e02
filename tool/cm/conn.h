/* SPDX-License-Identifier: MIT */
#pragma once

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

/* One side of a connection, while it is made, waited for or ended. */
struct kv_conn_side {
	struct kv_backend *b; /* the backend */
	uint64_t end_ns; /* the deadline of all waits, of kv_now_ns() */
	/*
	 * The connection; its id names a connection that exists already. Receives the last known
	 * values, on failure, too.
	 */
	struct kv_conn conn;
	/* Receives the duration of the verb of each step, without the verbs of the QP. */
	uint64_t verb_ns[KV_CONN_STEPS];
};

/* The contract's defaults of a connection's parameters. */
#define KV_CONN_PARAM_DEFAULTS							\
	.responder_resources = -1,						\
	.initiator_depth = -1,							\
	.retry_cnt = 6, /* 7 would be for ever, here and below */		\
	.rnr_retry = 6,								\
	.ack_timeout = -1

/* The other side of a connection to be made. */
struct kv_conn_peer {
	const char *dev; /* name of our device */
	bool persistent; /* the connection outlives the backend; kernel only */
	struct sockaddr_storage src; /* family 0 (AF_UNSPEC): the route decides */
	struct sockaddr_storage dst; /* with a port */
};

int kv_conn_fault_connect(struct kv_fault *f, const struct kv_backend *b, int error,
			  const struct sockaddr_storage *dst);

/* Steps. */
int kv_conn_wait(struct kv_conn_side *s, uint32_t wanted, struct kv_fault *f);
int kv_conn_get_request(struct kv_conn_side *s, uint32_t listener, struct kv_fault *f);
int kv_conn_disconnect(struct kv_conn_side *s, struct kv_fault *f);

/* Whole sequences. */
int kv_conn_listen(struct kv_conn_side *s, const struct kv_conn_init *init,
		   const struct sockaddr_storage *src, uint32_t backlog, struct kv_fault *f);
int kv_conn_join(struct kv_conn_side *s, const struct kv_conn_init *init,
		 const struct sockaddr_storage *src, const struct sockaddr_storage *group,
		 struct kv_fault *f);
int kv_conn_request(struct kv_conn_side *s, const struct kv_conn_peer *peer,
		    const struct kv_conn_param *param, struct kv_fault *f);
int kv_conn_confirm(struct kv_conn_side *s, const struct kv_conn_param *param, struct kv_fault *f);
int kv_conn_accept(struct kv_conn_side *s, const struct kv_conn_param *param, struct kv_fault *f);
int kv_conn_dial(struct kv_conn_side *s, const struct kv_conn_peer *peer,
		 const struct kv_conn_param *param, struct kv_fault *f);
