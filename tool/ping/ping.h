/* SPDX-License-Identifier: MIT */
#pragma once

#include "ping/link.h"

/* The program whose protocol is spoken. */
enum kv_ping_protocol {
	KV_PING_RPING,
	/* rdma_client and rdma_server */
	KV_PING_RDMA_CLIENT,
	KV_PING_UCMATOSE,
	KV_PING_PROTOCOLS,
};

/* One side of the protocol of a program of rdma-core. */
struct kv_ping {
	enum kv_space_id space; /* space in which the verbs are called */
	const char *dev; /* the device; NULL: the only device */
	uint32_t protocol; /* enum kv_ping_protocol */
	bool server; /* wait for a client; else be a client */
	const char *host; /* the server's name or address; NULL, for a server: all addresses */
	const char *port; /* port of the server */
	/* Pings, or messages each way on each connection; 0: until the client, or Ctrl-C, ends. */
	uint64_t count;
	/* Bytes of a ping or of a message; for rping's server: the maximum that it takes. */
	uint32_t size;
	uint32_t connections; /* how many, one unless the protocol has more */
	bool validate; /* check each ping's bytes */
	/* krping's server_inv: the server's go-ahead invalidates the client's key */
	bool invalidate;
	bool verbose; /* print each ping's bytes, and the address of a server */
	uint64_t timeout_ns; /* how long the peer may take for each step */

	uint64_t done; /* receives how many pings went through, or messages each way */
	uint32_t bytes; /* receives how many bytes a ping had */
	uint64_t elapsed_ns; /* receives how long the pings or messages took */
	char peer[KV_SOCKADDR_TEXT]; /* receives the other side's address */

	/* private */
	uint64_t begin_ns;
};

/* One protocol, or those whose messages have no content. */
struct kv_ping_ops {
	/* Sets the needs of each connection: receives and bytes, and access if not 0. */
	void (*spec)(const struct kv_ping *p, struct kv_link_spec *spec);
	/* Runs one side on p->connections connected links, and ends them. */
	int (*play)(struct kv_ping *p, struct kv_link *l, struct kv_fault *f);
};

extern const struct kv_ping_ops kv_ping_rping;
extern const struct kv_ping_ops kv_ping_message;

void kv_ping_count(struct kv_ping *p, uint64_t n);
int kv_ping_run(struct kv_ping *p, struct kv_fault *f);
