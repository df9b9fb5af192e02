/* SPDX-License-Identifier: MIT */
#pragma once

#include "endpoint/endpoint.h"

/* Number of addresses that a side sends if there may be several QPs. */
#define KV_PINGPONG_LIST 256

/* The type of the QPs, and the queue of their receives. */
enum kv_pingpong_type {
	KV_PINGPONG_RC,
	KV_PINGPONG_UC,
	KV_PINGPONG_UD,
	/* RC, with one SRQ for several QPs. */
	KV_PINGPONG_SRQ,
};

/* One of the QPs. */
struct kv_pingpong_qp {
	uint32_t id; /* id of the QP */
	uint32_t psn; /* the first packet sequence number that it sends */
	struct kv_address peer; /* address of its peer */
	uint64_t posted; /* number of sends that were posted */
	uint64_t sent; /* number of sends that have completed */
	uint64_t received; /* number of messages that have come */
};

/* One side of ibv_rc_pingpong or its kin. */
struct kv_pingpong {
	enum kv_space_id space; /* space in which the verbs are called */
	const char *dev; /* the device; NULL: the only device */
	uint32_t ib_port; /* number of the device's port */
	int gid; /* index of the GID; -1: the best GID by type */
	uint32_t type; /* enum kv_pingpong_type */
	uint32_t qps; /* how many QPs, at most KV_PINGPONG_LIST; 1 except with KV_PINGPONG_SRQ */
	uint32_t size; /* bytes of a message */
	uint32_t mtu; /* path MTU, bytes; both sides need the same */
	uint64_t iters; /* messages each way, over all QPs together */
	uint32_t depth; /* receives that are posted at once, at least one for each QP */
	bool events; /* sleep until there is a completion */
	uint64_t timeout_ns; /* how long the peer may take for each step */

	uint64_t elapsed_ns; /* receives how long the messages took */
	uint64_t sent; /* receives how many of our messages have arrived at the peer */
	uint64_t received; /* receives how many messages have come */

	/* private */
	struct kv_site site;
	struct kv_endpoint end;
	struct kv_buffer buffer;
	int fd; /* the socket; -1: none */
	uint32_t srq;
	struct kv_pingpong_qp qp[KV_PINGPONG_LIST];
	uint32_t posted;
};

/* exchange.c */
int kv_pingpong_meet(struct kv_pingpong *p, const struct kv_address *own, const char *host,
		     const char *port, struct kv_fault *f);

int kv_pingpong_connect(struct kv_pingpong *p, struct kv_fault *f);
int kv_pingpong_run(struct kv_pingpong *p, const char *host, const char *port, struct kv_fault *f);
