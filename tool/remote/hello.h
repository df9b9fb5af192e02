/* SPDX-License-Identifier: MIT */
#ifndef KV_REMOTE_HELLO_H
#define KV_REMOTE_HELLO_H

#include "model/shape.h"
#include "remote/token.h"
#include "remote/wire.h"

/*
 * How a connection begins: the server says who it is, the client says what it
 * wants, and the server says whether it may have it. The first message of each begins with
 * its protocol number, as JSON in every version; the rest is attributes.
 */

/* Goes up with every change of a message. */
#define KV_PROTOCOL 6

/* How long either waits for the other's part: five losses of TCP's handshake, docs/serve.md. */
#define KV_HELLO_NS 30000000000ULL

/* The longest head of a first message, of either side, and the most data. */
#define KV_HELLO_MAX 4096

/**
 * struct kv_limits - what a server grants to one client
 * @objects: at the same time
 * @bytes: of all buffers together
 * @time_ns: how long a run may take
 * @idle_ns: how long a client may say nothing
 */
struct kv_limits {
	uint32_t objects;
	uint64_t bytes;
	uint64_t time_ns;
	uint64_t idle_ns;
};

/**
 * struct kv_hello_head - how the first message of either side begins
 * @protocol: of the sender; 0: it tells none
 * @version: of its kverbs, printable; "?" if it is not
 */
struct kv_hello_head {
	uint32_t protocol;
	char version[32];
};

/**
 * struct kv_hello_server - what the server says first
 * @kernel: it serves kernel space
 * @user: it serves user space
 * @token: it wants to see that the client knows the token
 * @limits: what it grants
 * @nonce: for this connection
 */
struct kv_hello_server {
	bool kernel;
	bool user;
	bool token;
	struct kv_limits limits;
	uint8_t nonce[KV_NONCE_BYTES];
};

/**
 * struct kv_hello_client - what the client answers
 * @space: enum kv_space_id
 * @dev: the device that it wants; "": the only one
 * @token: it has one, and has signed
 * @nonce: for this connection
 * @mac: signature of "client", or zeros
 */
struct kv_hello_client {
	uint32_t space;
	char dev[64];
	bool token;
	uint8_t nonce[KV_NONCE_BYTES];
	uint8_t mac[KV_MAC_BYTES];
};

/**
 * struct kv_hello_answer - what the server says to that
 * @ret: 0 or a negative errno
 * @error: why not
 * @dev: the device
 * @mac: signature of "server", or zeros
 */
struct kv_hello_answer {
	int32_t ret;
	char error[512];
	char dev[64];
	uint8_t mac[KV_MAC_BYTES];
};

extern const struct kv_shape kv_shape_hello_server;
extern const struct kv_shape kv_shape_hello_client;
extern const struct kv_shape kv_shape_hello_answer;

int kv_hello_send(struct kv_wire *w, const struct kv_shape *shape, const void *from);
int kv_hello_take_head(struct kv_wire *w, struct kv_hello_head *head);
int kv_hello_take(struct kv_wire *w, const struct kv_shape *shape, void *to);
void kv_hello_clean(char *text);

#endif
