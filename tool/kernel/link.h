/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <netlink/netlink.h>
#include <netlink/attr.h>
#include "kernel/fields.h"
#include "model/backend.h"

/* The most events that are kept for later waits; see kv_nl_cq_wait(). */
#define KV_NL_EVENTS 64

/* A connection to the module. */
struct kv_nl {
	struct kv_backend base; /* the connection as a backend; first member */
	struct nl_sock *sock; /* for requests; objects made over it belong to it and die with it */
	struct nl_sock *events; /* for events, not blocking */
	/* The last request, used again for the next one; its memory is cleared only once. */
	struct nl_msg *spare;
	int family; /* generic netlink id */
	/* Events that came during a wait for another event, the oldest first. */
	struct kv_event queue[KV_NL_EVENTS];
	unsigned int queued; /* number of events in @queue */
	bool lost; /* events got lost, which is not reported yet */
	/*
	 * A list was not read to its end, for lack of memory in the kernel; the kernel begins no
	 * other list before this list has ended.
	 */
	bool stuck;
};

/* Called with the attributes of each reply; a negative errno ends the request. */
typedef int (*kv_nl_reply)(struct nlattr *attrs, int len, void *arg);

extern const struct kv_backend_ops kv_nl_backend_ops;

/* The content of a request, or of its answer: the value of the last attribute. */
struct kv_nl_bulk {
	int attr; /* the attribute */
	const void *from; /* content of the request; NULL: the request has none */
	void *into; /* receives the content of the answer; NULL: the answer has none */
	uint32_t length; /* bytes */
};

int kv_nl_open(struct kv_nl *nl);
void kv_nl_close(struct kv_nl *nl);
struct nl_msg *kv_nl_msg(struct kv_nl *nl, int cmd, int flags);
int kv_nl_request(struct kv_nl *nl, struct nl_msg *msg, const struct kv_shape *const *names,
		  kv_nl_reply reply, void *arg);
int kv_nl_request_bulk(struct kv_nl *nl, struct nl_msg *msg, const struct kv_shape *const *names,
		       const struct kv_nl_bulk *bulk);
