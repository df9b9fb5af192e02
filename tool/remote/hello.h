/* SPDX-License-Identifier: MIT */
#ifndef KV_REMOTE_HELLO_H
#define KV_REMOTE_HELLO_H

#include "model/shape.h"
#include "remote/token.h"
#include "remote/wire.h"

/*
 * How a connection begins: the server introduces itself, the client asks for a space and a device,
 * and the server grants or refuses them. The first message of each side begins with its protocol
 * number, as JSON in every version; the rest is attributes.
 */

/* Incremented with every change of a message. */
#define KV_PROTOCOL 7

/* How long each side waits for the other's part: five losses of TCP's handshake, docs/serve.md. */
#define KV_HELLO_NS 30000000000ULL

/* The longest head of a first message, of either side, and the most data. */
#define KV_HELLO_MAX 4096

/**
 * struct kv_limits - what a server grants to one client
 * @objects: number of objects at the same time
 * @bytes: of all buffers and queues together
 * @time_ns: longest time of a run
 * @idle_ns: longest silence of a client
 */
struct kv_limits {
	uint32_t objects;
	uint64_t bytes;
	uint64_t time_ns;
	uint64_t idle_ns;
};

/**
 * struct kv_hello_head - the beginning of either side's first message
 * @protocol: protocol of the sender; 0: not told
 * @version: version of the sender's kverbs, printable; "?" if it is not
 */
struct kv_hello_head {
	uint32_t protocol;
	char version[32];
};

/**
 * struct kv_hello_server - the server's first message
 * @kernel: the server serves kernel space
 * @user: the server serves user space
 * @token: the client has to prove that it knows the token
 * @limits: the client's limits
 * @nonce: nonce of this connection
 */
struct kv_hello_server {
	bool kernel;
	bool user;
	bool token;
	struct kv_limits limits;
	uint8_t nonce[KV_NONCE_BYTES];
};

/**
 * struct kv_hello_client - the client's answer
 * @space: enum kv_space_id
 * @dev: the wanted device; "": the only one
 * @token: the client has a token, and has signed
 * @nonce: nonce of this connection
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
 * struct kv_hello_answer - the server's reply to the client's answer
 * @ret: 0 or a negative errno
 * @error: reason of a refusal
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
