/* SPDX-License-Identifier: MIT */
#pragma once

#include "model/backend.h"

/*
 * A backend around another backend. It reports each verb that the inner backend calls, or refuses
 * to call, with arguments in the words of the commands.
 */

/* A verb; a text that does not apply is NULL. */
struct kv_trace_call {
	/* The verb was called; else the backend refused before the call, with @error. */
	bool called;
	const char *verb; /* its name in this space */
	const char *args; /* its arguments */
	const char *wr; /* the request that was posted, if @verb does not name it */
	const char *before; /* the verb called before it, whose time is in @ns: "verb(args), " */
	const char *after; /* the verb called after it, whose time is in @ns: ", verb(args)" */
	const char *result; /* the object or the values that it gave */
	int error; /* 0 or a negative errno */
	const char *why; /* the text of @error */
	uint64_t calls; /* number of calls, all with the same result */
	bool idle; /* a poll that found nothing */
	bool timed; /* @ns is valid */
	uint64_t ns; /* how long the verb took, all calls together */
	/* The part of @ns that each enum kverbs_stage took, see struct kv_backend. */
	const uint64_t *stage_ns;
};

typedef void kv_trace_fn(const struct kv_trace_call *call, void *arg);

int kv_trace_wrap(struct kv_backend **b, const bool *in_full, kv_trace_fn *fn, void *arg);
void kv_trace_settle(struct kv_backend *b);
