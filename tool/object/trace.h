/* SPDX-License-Identifier: MIT */
#ifndef KV_OBJECT_TRACE_H
#define KV_OBJECT_TRACE_H

#include "model/backend.h"

/*
 * A backend around another backend. It reports each verb that the inner backend calls, or refuses
 * to call, with arguments in the words of the commands.
 */

/**
 * struct kv_trace_call - a verb; a text that does not apply is NULL
 * @called: the verb was called; else the backend refused before the call, with @error
 * @verb: its name in this space
 * @args: its arguments
 * @wr: the request that was posted, if @verb does not name it
 * @before: the verb called before it, whose time is in @ns: "verb(args), "
 * @after: the verb called after it, whose time is in @ns: ", verb(args)"
 * @result: the object or the values that it gave
 * @error: 0 or a negative errno
 * @why: the text of @error
 * @calls: number of calls, all with the same result
 * @idle: a poll that found nothing
 * @timed: @ns is valid
 * @ns: how long the verb took, all calls together
 * @stage_ns: the part of @ns that each enum kverbs_stage took, see struct kv_backend
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
