/* SPDX-License-Identifier: MIT */
#ifndef KV_REMOTE_WIRE_H
#define KV_REMOTE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <json-c/json.h>

/*
 * Messages on a stream: a header of three 32-bit numbers in network order (magic, bytes
 * of JSON, bytes of data), one JSON object, and data as it is. A stream on which one
 * message was wrong has no next one: nobody knows where it would begin.
 */

#define KV_WIRE_MAGIC 0x6b766231U /* "kvb1" */

#define KV_WIRE_JSON_MAX (1U << 20)
#define KV_WIRE_DATA_MAX (256U << 10)
#define KV_WIRE_DEPTH 8

/* How long the rest of a message may take once it has begun. */
#define KV_WIRE_MESSAGE_NS 10000000000ULL

/* How long it may take once the user wants the tool to end. */
#define KV_WIRE_GRACE_NS 1000000000ULL

/**
 * struct kv_wire - one end of a connection
 * @fd: nonblocking stream socket; -1: none
 * @json_max: longest JSON that is taken, at most KV_WIRE_JSON_MAX
 * @data_max: most data that is taken, at most KV_WIRE_DATA_MAX
 * @data: room for KV_WIRE_DATA_MAX bytes, which the last message brought
 * @data_length: bytes there
 * @err: what went wrong
 */
struct kv_wire {
	int fd;
	uint32_t json_max;
	uint32_t data_max;
	uint8_t *data;
	uint32_t data_length;
	char err[256];
};

int kv_wire_init(struct kv_wire *w, int fd);
void kv_wire_close(struct kv_wire *w);
int kv_wire_tune(int fd, char *err, size_t size);
int kv_wire_send(struct kv_wire *w, struct json_object *obj, const void *data,
		 uint32_t length);
int kv_wire_wait(struct kv_wire *w, uint64_t end_ns);
int kv_wire_receive(struct kv_wire *w, uint64_t end_ns,
		    struct json_object **obj);

#endif
