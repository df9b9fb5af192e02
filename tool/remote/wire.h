/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdint.h>
#include <sys/types.h>
#include <netlink/msg.h>
#include "cli/fault.h"
#include "model/shape.h"

/*
 * Messages on a stream: a header of three 32-bit numbers in network order (magic, bytes of the
 * head, bytes of data), a head (attributes, once both ends have said hello), and data as it is.
 * After a wrong message the stream is of no use: the beginning of the next message is unknown.
 */

#define KV_WIRE_MAGIC 0x6b766231U /* "kvb1" */

/* The largest head is a device with all its GIDs, and no attribute is longer than 64 KiB. */
#define KV_WIRE_HEAD_MAX (64U << 10)
#define KV_WIRE_DATA_MAX (320U << 10)

/* How long the rest of a message may take once it has begun. */
#define KV_WIRE_MESSAGE_NS 10000000000ULL

/* The same once the user has interrupted the tool. */
#define KV_WIRE_GRACE_NS 1000000000ULL

/* One end of a connection. */
struct kv_wire {
	/*
	 * Nonblocking stream socket, or the descriptor to read from if there is a @send_fd; -1:
	 * none.
	 */
	int fd;
	int send_fd; /* descriptor to write to, for which SIGPIPE must be ignored; -1: @fd */
	pid_t ssh; /* the process that carries the bytes, see ssh.h; 0: there is none */
	uint32_t head_max; /* longest head that is accepted, at most KV_WIRE_HEAD_MAX */
	uint32_t data_max; /* most data that is accepted, at most KV_WIRE_DATA_MAX */
	void *head; /* head of the last message */
	uint32_t head_length; /* bytes of @head */
	uint8_t *data; /* data of the last message; room for KV_WIRE_DATA_MAX bytes */
	uint32_t data_length; /* bytes of @data */
	struct nl_msg *out; /* attributes to send; see kv_wire_begin() */
	struct kv_fault fault; /* what went wrong */
};

int kv_wire_init(struct kv_wire *w, int fd);
void kv_wire_close(struct kv_wire *w);
int kv_wire_tune(int fd, struct kv_fault *f);
struct nl_msg *kv_wire_begin(struct kv_wire *w);
int kv_wire_send(struct kv_wire *w, const void *data, uint32_t length);
int kv_wire_send_hello(struct kv_wire *w, const char *text);
int kv_wire_wait(struct kv_wire *w, uint64_t end_ns);
bool kv_wire_ready(const struct kv_wire *w, uint64_t ns);
int kv_wire_receive(struct kv_wire *w, uint64_t end_ns);

/*
 * The attributes of a message (attrs.c). The other host may be hostile. Every member is always
 * there, but for false, "no address", some that are 0 (kv_member_lacks_zero()) and members that
 * depend on others (kv_member.when, .bit).
 */
int kv_attrs_take(const struct kv_shape *shape, struct nlattr *attrs, int len, const char *name,
		  void *to, struct kv_fault *f);
