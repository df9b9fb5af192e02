/* SPDX-License-Identifier: MIT */
#ifndef KV_OBJECT_TELL_H
#define KV_OBJECT_TELL_H

#include "model/backend.h"

/**
 * struct kv_trace_call - a verb
 * @called: it was called; else the backend refused before that, with @error
 * @verb: its name in this space
 * @args: what it was called for
 * @wr: which request was posted, where @verb does not say it; ""
 * @before: what was called before it, and is in @ns: "verb(args), "; ""
 * @after: what was called after it, and is in @ns: ", verb(args)"; ""
 * @result: what it made or found; "" if there is nothing to tell
 * @error: 0 or a negative errno
 * @why: the text that belongs to it
 * @calls: how often, all with the same result
 * @idle: a poll that found nothing
 * @timed: @ns is there
 * @ns: how long the verb took, all calls together
 */
struct kv_trace_call {
	bool called;
	const char *verb;
	const char *args;
	const char *wr;
	const char *before;
	const char *after;
	const char *result;
	int error;
	const char *why;
	uint64_t calls;
	bool idle;
	bool timed;
	uint64_t ns;
};

typedef void kv_trace_fn(const struct kv_trace_call *call, void *arg);

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
