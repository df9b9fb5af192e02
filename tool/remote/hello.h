/* SPDX-License-Identifier: MIT */
#pragma once

#include "model/shape.h"
#include "remote/token.h"
#include "remote/wire.h"

/*
 * How a connection begins: the server introduces itself, the client asks for a space and a device,
 * and the server grants or refuses them. The first message of each side begins with its protocol
 * number, as JSON in every version; the rest is attributes.
 */

/* Incremented with every change of a message. */
#define KV_PROTOCOL 11

/* How long each side waits for the other's part: five losses of TCP's handshake, docs/serve.md. */
#define KV_HELLO_NS 30000000000ULL

/* The longest head of a first message, of either side, and the most data. */
#define KV_HELLO_MAX 4096

/* The beginning of either side's first message. */
struct kv_hello_head {
	uint32_t protocol; /* protocol of the sender; 0: not told */
	char version[32]; /* version of the sender's kverbs, printable; "?" if it is not */
};

#include "model/as_struct.h"
#include "remote/hello.def"

int kv_hello_send(struct kv_wire *w, const struct kv_shape *shape, const void *from);
int kv_hello_take_head(struct kv_wire *w, struct kv_hello_head *head);
int kv_hello_take(struct kv_wire *w, const struct kv_shape *shape, void *to);
void kv_hello_clean(char *text);
