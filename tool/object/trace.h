/* SPDX-License-Identifier: MIT */
#ifndef KV_OBJECT_TRACE_H
#define KV_OBJECT_TRACE_H

#include "model/backend.h"

/*
 * A backend around another one. It reports each verb that the inner one calls, or refuses to
 * call, with arguments in the words of the commands.
 */

/**
 * struct kv_trace_call - a verb; NULL: nothing to say
 * @called: it was called; else the backend refused before that, with @error
 * @verb: its name in this space
 * @args: what it was called for
 * @wr: which request was posted, where @verb does not say it
 * @before: what was called before it, and is in @ns: "verb(args), "
 * @after: what was called after it, and is in @ns: ", verb(args)"
 * @result: what it made or found
 * @error: 0 or a negative errno
 * @why: the text that belongs to it
 * @calls: how often, all with the same result
 * @idle: a poll that found nothing
 * @timed: @ns is there
 * @ns: how long the verb took, all calls together
 * @stage_ns: what of @ns each enum kverbs_stage took, see struct kv_backend
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
	const uint64_t *stage_ns;
};

typedef void kv_trace_fn(const struct kv_trace_call *call, void *arg);

int kv_trace_wrap(struct kv_backend **b, const bool *in_full, kv_trace_fn *fn, void *arg);
void kv_trace_settle(struct kv_backend *b);

#endif
