/* SPDX-License-Identifier: MIT */
#ifndef KV_PINGPONG_PINGPONG_H
#define KV_PINGPONG_PINGPONG_H

#include "endpoint/endpoint.h"
#include "pingpong/exchange.h"

/* The type of the QPs, and the queue of their receives. */
enum kv_pingpong_type {
	KV_PINGPONG_RC,
	KV_PINGPONG_UC,
	KV_PINGPONG_UD,
	/* RC, with one SRQ for several QPs. */
	KV_PINGPONG_SRQ,
};

/**
 * struct kv_pingpong_qp - one of the QPs
 * @id: id of the QP
 * @psn: the first packet sequence number that it sends
 * @peer: address of its peer
 * @posted: number of sends that were posted
 * @sent: number of sends that have completed
 * @received: number of messages that have come
 */
struct kv_pingpong_qp {
	uint32_t id;
	uint32_t psn;
	struct kv_address peer;
	uint64_t posted;
	uint64_t sent;
	uint64_t received;
};

/**
 * struct kv_pingpong - one side of ibv_rc_pingpong or its kin
 * @space: space in which the verbs are called
 * @dev: the device; NULL: the only device
 * @ib_port: number of the device's port
 * @gid: index of the GID; -1: the best GID by type
 * @type: enum kv_pingpong_type
 * @qps: how many QPs, at most KV_EXCHANGE_LIST; 1 except with KV_PINGPONG_SRQ
 * @size: bytes of a message
 * @mtu: path MTU, bytes; both sides need the same
 * @iters: messages each way, over all QPs together
 * @depth: receives that are posted at once, at least one for each QP
 * @events: sleep until there is a completion
 * @timeout_ns: how long the peer may take for each step
 * @elapsed_ns: receives how long the messages took
 * @sent: receives how many of our messages have arrived at the peer
 * @received: receives how many messages have come
 */
struct kv_pingpong {
	enum kv_space_id space;
	const char *dev;
	uint32_t ib_port;
	int gid;
	uint32_t type;
	uint32_t qps;
	uint32_t size;
	uint32_t mtu;
	uint64_t iters;
	uint32_t depth;
	bool events;
	uint64_t timeout_ns;

	uint64_t elapsed_ns;
	uint64_t sent;
	uint64_t received;

	/* private */
	struct kv_site site;
	struct kv_endpoint end;
	struct kv_buffer buffer;
	struct kv_exchange exchange;
	uint32_t srq;
	uint32_t ah;
	struct kv_pingpong_qp qp[KV_EXCHANGE_LIST];
	uint32_t posted;
};

int kv_pingpong_run(struct kv_pingpong *p, const char *host, const char *port, struct kv_fault *f);

#endif
