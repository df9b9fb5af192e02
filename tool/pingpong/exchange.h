/* SPDX-License-Identifier: MIT */
#ifndef KV_PINGPONG_EXCHANGE_H
#define KV_PINGPONG_EXCHANGE_H

#include "cli/fault.h"
#include "cli/parse.h"
#include "model/backend.h"

/*
 * The sideband of rdma-core's ibv_*_pingpong: over TCP each side sends its QP's
 * address as text, LID:QPN:PSN:GID in hex with its terminating zero, the client first;
 * when the client's QP is connected, too, the client sends "done". With several QPs, as
 * in ibv_srq_pingpong, each side sends a list of fixed length, in which the entries
 * without a QP are zero.
 *
 * Every wait ends at a deadline, at a signal that ends the tool, or when the device is removed: the
 * removal may have to wait for the objects of user space.
 */

/* Number of addresses that a side sends if there may be several QPs. */
#define KV_EXCHANGE_LIST 256

/* The sideband's connection. */
struct kv_exchange {
	int fd; /* the socket; -1: none */
	uint64_t timeout_ns; /* how long the peer may take for each step */
	struct kv_backend *b; /* backend of our QPs */
	const char *dev; /* name of the QPs' device */
};

int kv_exchange_connect(struct kv_exchange *x, const char *host,
			const char *port, struct kv_fault *f);
int kv_exchange_accept(struct kv_exchange *x, const char *port, struct kv_fault *f);
int kv_exchange_send(struct kv_exchange *x, const struct kv_address *address, unsigned int n,
		     unsigned int places, struct kv_fault *f);
int kv_exchange_receive(struct kv_exchange *x, struct kv_address *address, unsigned int n,
			unsigned int places, struct kv_fault *f);
int kv_exchange_done(struct kv_exchange *x, bool client, struct kv_fault *f);
void kv_exchange_close(struct kv_exchange *x);

#endif
