/* SPDX-License-Identifier: MIT */
#ifndef KV_PING_PING_H
#define KV_PING_PING_H

#include "ping/link.h"

/* The program whose protocol is spoken. */
enum kv_ping_protocol {
	KV_PING_RPING,
	/* rdma_client and rdma_server */
	KV_PING_RDMA_CLIENT,
	KV_PING_UCMATOSE,
	KV_PING_PROTOCOLS,
};

/**
 * struct kv_ping - one side of the protocol of a program of rdma-core
 * @space: space in which the verbs are called
 * @dev: the device; NULL: the only device
 * @protocol: enum kv_ping_protocol
 * @server: wait for a client; else be a client
 * @host: the server's name or address; NULL, for a server: all addresses
 * @port: port of the server
 * @count: pings, or messages each way on each connection; 0: until the client
 *	ends, or until Ctrl-C
 * @size: bytes of a ping or of a message; for rping's server: the maximum that it takes
 * @connections: how many, one unless the protocol has more
 * @validate: check each ping's bytes
 * @verbose: print each ping's bytes, and the address of a server
 * @timeout_ns: how long the peer may take for each step
 * @done: receives how many pings went through, or messages each way
 * @bytes: receives how many bytes a ping had
 * @elapsed_ns: receives how long the pings or messages took
 * @peer: receives the other side's address
 */
struct kv_ping {
	enum kv_space_id space;
	const char *dev;
	uint32_t protocol;
	bool server;
	const char *host;
	const char *port;
	uint64_t count;
	uint32_t size;
	uint32_t connections;
	bool validate;
	bool verbose;
	uint64_t timeout_ns;

	uint64_t done;
	uint32_t bytes;
	uint64_t elapsed_ns;
	char peer[KV_SOCKADDR_TEXT];

	/* private */
	uint64_t begin_ns;
};

/**
 * struct kv_ping_ops - one protocol
 * @spec: sets the needs of each connection: receives and bytes, and access if not 0
 * @client: runs the client's side on p->connections connected links, and ends them
 * @server: the same for the server's side
 */
struct kv_ping_ops {
	void (*spec)(const struct kv_ping *p, struct kv_link_spec *spec);
	int (*client)(struct kv_ping *p, struct kv_link *l, struct kv_fault *f);
	int (*server)(struct kv_ping *p, struct kv_link *l, struct kv_fault *f);
};

extern const struct kv_ping_ops kv_ping_rping;
extern const struct kv_ping_ops kv_ping_rdma_client;
extern const struct kv_ping_ops kv_ping_ucmatose;

void kv_ping_count(struct kv_ping *p, uint64_t n);
int kv_ping_run(struct kv_ping *p, struct kv_fault *f);

#endif
