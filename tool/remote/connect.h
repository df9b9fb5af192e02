/* SPDX-License-Identifier: MIT */
#pragma once

#include "remote/call.h"
#include "remote/hello.h"
#include "remote/peer.h"
#include "remote/wire.h"

int kv_remote_hello(struct kv_wire *w, const struct kv_peer *peer, enum kv_space_id id,
		    struct kv_limits *limits, char dev[64], char version[32], struct kv_fault *f);

/* Opens a space over a wire that has said hello; owns the wire from now on, also on failure. */
int kv_backend_remote_open(struct kv_backend **b, struct kv_wire *w,
			   const char *host, enum kv_space_id id,
			   const char *dev, uint64_t idle_ns, enum kv_keep keep);

/* For calls that are no operation of a backend; kv_backend_remote_open() has made @b. */
int kv_remote_call(struct kv_backend *b, enum kv_call which, const void *args, void *result);
int kv_remote_ask(struct kv_backend *b, enum kv_call which, const void *args);
bool kv_remote_answered(struct kv_backend *b, uint64_t ns);
int kv_remote_take(struct kv_backend *b, enum kv_call which, void *result);
