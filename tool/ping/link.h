/* SPDX-License-Identifier: MIT */
#pragma once

#include <sys/socket.h>
#include "endpoint/endpoint.h"

/*
 * A connection of the RDMA CM for short messages: a QP, a CQ with events, and a buffer for
 * incoming and outgoing messages. Closing the site destroys these objects.
 *
 * Every wait ends at a deadline, or at a signal that ends the tool.
 */

/* The needs of a protocol. */
struct kv_link_spec {
	uint32_t receives; /* number of receives to post before the connection is made */
	uint32_t bytes; /* size of each message, in both directions */
	uint32_t access; /* KVERBS_ACCESS_REMOTE_*, the rights that the QP grants to the peer */
	uint64_t timeout_ns; /* how long the peer may take for each step */
};

/* One end of a connection. */
struct kv_link {
	struct kv_link_spec spec; /* the needs of its protocol */
	char peer[KV_SOCKADDR_TEXT]; /* the other end's address, as text */

	/* private */
	struct kv_endpoint end;
	/* Room for an incoming message, followed by room for an outgoing one. */
	struct kv_buffer message;
	/* Completions not yet waited for: of receives, and of READs and WRITEs. */
	uint64_t received;
	uint64_t moved;
	/* Status of a failed receive; 0: none has failed. */
	uint32_t recv_status;
	/* The key that the last message has invalidated; 0: none. */
	uint32_t invalidated;
	bool sending;
	bool ended;
};

int kv_link_look_up(const struct kv_dev *dev, const char *host, const char *port,
		    struct sockaddr_storage *addr, struct kv_fault *f);
int kv_link_accept(struct kv_link *l, uint32_t listener, struct kv_fault *f);
int kv_link_connect(struct kv_link *l, const struct sockaddr_storage *dst, struct kv_fault *f);
int kv_link_add_buffer(struct kv_link *l, struct kv_buffer *buffer,
		       uint32_t bytes, uint32_t access, struct kv_fault *f);
int kv_link_register(struct kv_link *l, struct kv_buffer *buffer, uint32_t access,
		     struct kv_fault *f);
int kv_link_disconnect(struct kv_link *l, struct kv_fault *f);
int kv_link_wait_end(struct kv_link *l, struct kv_fault *f);
int kv_link_send(struct kv_link *l, const void *data, uint32_t invalidate, const char *what,
		 struct kv_fault *f);
int kv_link_flush(struct kv_link *l, const char *what, struct kv_fault *f);
int kv_link_receive(struct kv_link *l, void *data, const char *what, struct kv_fault *f);
int kv_link_move(struct kv_link *l, uint32_t op, const struct kv_buffer *buffer, uint32_t bytes,
		 uint64_t remote_addr, uint32_t remote_key, const char *what, struct kv_fault *f);
