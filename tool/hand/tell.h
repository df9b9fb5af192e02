/* SPDX-License-Identifier: MIT */
#ifndef KV_HAND_TELL_H
#define KV_HAND_TELL_H

#include "hand/trace.h"

/**
 * struct kv_trace - the backend that tells
 * @base: what others call
 * @ops: its operations
 * @inner: what it calls
 * @kernel: verbs are the kernel's
 * @fn: is told of each verb
 * @arg: for @fn
 * @idle_cq: where polls found nothing that nobody was told of yet
 * @idle_calls: how many
 * @idle_ns: how long they took
 */
struct kv_trace {
	struct kv_backend base; /* first */
	struct kv_backend_ops ops;
	struct kv_backend *inner;
	bool kernel;
	kv_trace_fn *fn;
	void *arg;
	uint32_t idle_cq;
	uint64_t idle_calls;
	uint64_t idle_ns;
};

/*
 * Tells of an operation that has been done: @in, @out and @ns as of kv_op_call(), @ret what it
 * returned, which is returned again.
 */
typedef int kv_tell_fn(struct kv_trace *t, const void *in, const void *out, const uint64_t *ns,
		       int ret);

int kv_tell_pass(struct kv_trace *t, int ret);
void kv_tell_idle(struct kv_trace *t, uint32_t cq, uint64_t ns);
int kv_tell_call(struct kv_trace *t, struct kv_trace_call *call,
		 const uint64_t *ns, int ret);
int kv_tell_verb(struct kv_trace *t, const char *kernel, const char *user,
		 const char *args, const char *result, const uint64_t *ns,
		 int ret);
bool kv_tell_failed(const char *verb, const char *err);

#endif
