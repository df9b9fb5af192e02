/* SPDX-License-Identifier: MIT */
#pragma once

#include <json-c/json.h>
#include "loop/hist.h"
#include "endpoint/endpoint.h"

/* The steps of a connection; the active and the passive side each have some of them. */
enum kv_rate_step {
	KV_RATE_CREATE_ID,
	KV_RATE_RESOLVE_ADDR,
	KV_RATE_RESOLVE_ROUTE,
	KV_RATE_CREATE_QP,
	KV_RATE_CONNECT,
	KV_RATE_ACCEPT,
	KV_RATE_DISCONNECT,
	KV_RATE_DESTROY_ID,
	KV_RATE_DESTROY_QP,
	KV_RATE_STEPS,
};

/* The durations of one step, of all connections. */
struct kv_rate_cost {
	struct kv_hist verb; /* how long the verb itself took, nanoseconds */
	/*
	 * How long the step took until its end was seen: with system calls, the QP's transitions,
	 * and the peer's answer if there is one; nanoseconds.
	 */
	struct kv_hist step;
};

/* Connections made and ended, as many as possible. */
struct kv_rate {
	/* Its site is set and stays open; all connections share its objects. */
	struct kv_endpoint end;
	struct sockaddr_storage addr; /* address to connect to, or to listen on */
	uint64_t count; /* how many connections; 0, passive side: until Ctrl-C */
	/* Active side: connections at a time; each step is done for all before the next step. */
	uint32_t parallel;
	bool disconnect; /* the passive side ends the connections, when there are @count */
	uint64_t timeout_ns; /* how long the peer may take for each step */

	uint64_t done; /* receives how many connections were made and ended */
	uint64_t gone; /* passive side: receives how many peers gave up before they were accepted */
	uint64_t elapsed_ns; /* receives how long all connections took together */
	/* Active side: receives the part of @elapsed_ns until connections were established. */
	uint64_t setup_ns;
	struct kv_rate_cost cost[KV_RATE_STEPS]; /* receives the costs */
};

int kv_rate_init(struct kv_rate *r, struct kv_fault *f);
void kv_rate_record(struct kv_rate *r, enum kv_rate_step step, uint64_t verb_ns, uint64_t step_ns);
int kv_rate_create_qp(struct kv_rate *r, uint32_t *id, uint64_t *verb_ns, struct kv_fault *f);
int kv_rate_active(struct kv_rate *r, struct kv_fault *f);
int kv_rate_passive(struct kv_rate *r, struct kv_fault *f);
struct json_object *kv_rate_describe(const struct kv_rate *r);
int kv_rate_report(struct json_object *doc, struct kv_fault *f);
