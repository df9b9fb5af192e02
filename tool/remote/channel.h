/* SPDX-License-Identifier: MIT */
#ifndef KV_REMOTE_CHANNEL_H
#define KV_REMOTE_CHANNEL_H

#include <pthread.h>
#include "remote/call.h"
#include "remote/peer.h"
#include "remote/wire.h"

/**
 * struct kv_exchange_call - one call and its answer
 * @call: the call
 * @args: arguments as in the call's row
 * @result: receives the result as in the row; NULL: the caller does not want it
 * @send: data of the request
 * @send_length: bytes of @send
 * @receive: room for the data of the answer, exactly @receive_length bytes
 * @receive_length: bytes of @receive
 * @hist: receives the answer's data as bins; NULL: the data are no bins
 * @b: receives the verb that failed at the server, and the times of the others; NULL: no interest
 */
struct kv_exchange_call {
	enum kv_call call;
	const void *args;
	void *result;
	const void *send;
	uint32_t send_length;
	uint8_t *receive;
	uint32_t receive_length;
	struct kv_hist *hist;
	struct kv_backend *b;
};

/**
 * struct kv_channel - a connection to a server that has said hello
 * @lock: protects all that follows, because @thread makes calls, too
 * @ends: signaled when @thread is to end
 * @thread: sends NOPs
 * @has_thread: @thread was started
 * @next: next channel without a thread
 * @ending: @thread is to end
 * @nop_ns: the longest time between two calls
 * @said_ns: time when the last call was sent
 * @wire: wire to the server; its fault is why the last call failed, also at the server
 * @seq: @seq of the last request
 * @broken: negative errno that ended the channel; 0: it works
 */
struct kv_channel {
	pthread_mutex_t lock;
	pthread_cond_t ends;
	pthread_t thread;
	bool has_thread;
	struct kv_channel *next;
	bool ending;
	uint64_t nop_ns;
	uint64_t said_ns;
	struct kv_wire wire;
	uint32_t seq;
	int broken;
};

int kv_channel_start(struct kv_channel *l, const struct kv_wire *w, uint64_t idle_ns,
		     enum kv_keep keep);
bool kv_channel_keep_all(void);
void kv_channel_stop(struct kv_channel *l);
int kv_channel_call(struct kv_channel *l, struct kv_exchange_call *x, struct kv_fault *f);

#endif
