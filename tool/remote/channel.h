/* SPDX-License-Identifier: MIT */
#ifndef KV_REMOTE_CHANNEL_H
#define KV_REMOTE_CHANNEL_H

#include <pthread.h>
#include "remote/call.h"
#include "remote/peer.h"
#include "remote/wire.h"

/**
 * struct kv_exchange_call - one call, there and back
 * @call: which
 * @args: as its row says
 * @result: the same; NULL: the caller does not want it
 * @send: data that goes along
 * @send_length: bytes there
 * @receive: room for the data that comes back, exactly @receive_length bytes
 * @receive_length: ditto
 * @hist: receives the data that come back as bins; NULL: they are none
 * @b: receives which verb has failed there, and how long those that did not took; NULL: no interest
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
 * @lock: of all that follows: @thread makes calls, too
 * @ends: signaled when @thread is to end
 * @thread: sends NOPs
 * @has_thread: @thread was started
 * @next: the next channel without a thread
 * @ending: @thread is to end
 * @nop_ns: the longest time between two calls
 * @said_ns: when the last call was sent
 * @wire: to the server; its fault is why the last call failed, also at the server
 * @seq: of the last request
 * @broken: negative errno that ended it all; 0: nothing has
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
