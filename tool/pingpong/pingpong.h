/* SPDX-License-Identifier: MIT */
#ifndef KV_PINGPONG_H
#define KV_PINGPONG_H

#include "hand/session.h"
#include "pingpong/exchange.h"

/**
 * struct kv_pingpong - one side of what ibv_rc_pingpong and its kin do
 * @space: where the verbs are called
 * @dev: the device; NULL: the only one there is
 * @gid: index of the GID; -1: the best by type
 * @type: enum kverbs_qp_type
 * @size: bytes of a message
 * @mtu: of the path, bytes; both sides need the same
 * @iters: messages each way
 * @depth: receives that are posted at once
 * @events: sleep until there is a completion
 * @timeout_ns: how long the peer may take for anything
 * @elapsed_ns: receives how long the messages took
 * @sent: receives how many of ours have arrived there
 * @received: receives how many have come
 */
struct kv_pingpong {
	enum kv_space_id space;
	const char *dev;
	int gid;
	uint32_t type;
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
	struct kv_session session;
	struct kv_exchange exchange;
	uint32_t cq;
	uint32_t mr;
	uint32_t qp;
	uint32_t ah;
	struct kv_address peer;
	uint32_t posted;
	bool armed;
};

int kv_pingpong_run(struct kv_pingpong *p, const char *host, const char *port,
		    struct kv_fault *f);

#endif
