/* SPDX-License-Identifier: MIT */
#pragma once

#include <pthread.h>
#include "remote/call.h"
#include "remote/peer.h"
#include "remote/wire.h"

/* One call and its answer. */
struct kv_exchange_call {
	enum kv_call call; /* the call */
	const void *args; /* arguments as in the call's row */
	void *result; /* receives the result as in the row; NULL: the caller does not want it */
	const void *send; /* data of the request */
	uint32_t send_length; /* bytes of @send */
	uint8_t *receive; /* room for the data of the answer, exactly @receive_length bytes */
	uint32_t receive_length; /* bytes of @receive */
	struct kv_hist *hist; /* receives the answer's data as bins; NULL: the data are no bins */
	/*
	 * Receives the verb that failed at the server, and the times of the others; NULL: no
	 * interest.
	 */
	struct kv_backend *b;
};

/* A connection to a server that has said hello. */
struct kv_channel {
	pthread_mutex_t lock; /* protects all that follows, because @thread makes calls, too */
	pthread_cond_t ends; /* signaled when @thread is to end */
	pthread_t thread; /* sends NOPs */
	bool has_thread; /* @thread was started */
	struct kv_channel *next; /* next channel without a thread */
	bool ending; /* @thread is to end */
	uint64_t nop_ns; /* the longest time between two calls */
	uint64_t said_ns; /* time when the last call was sent */
	/* Wire to the server; its fault is why the last call failed, also at the server. */
	struct kv_wire wire;
	uint32_t seq; /* @seq of the last request */
	int broken; /* negative errno that ended the channel; 0: it works */
};

int kv_channel_start(struct kv_channel *l, const struct kv_wire *w, uint64_t idle_ns,
		     enum kv_keep keep);
bool kv_channel_keep_all(void);
void kv_channel_stop(struct kv_channel *l);
int kv_channel_ask(struct kv_channel *l, const struct kv_exchange_call *x, struct kv_fault *f);
int kv_channel_take(struct kv_channel *l, struct kv_exchange_call *x, struct kv_fault *f);
int kv_channel_call(struct kv_channel *l, struct kv_exchange_call *x, struct kv_fault *f);
