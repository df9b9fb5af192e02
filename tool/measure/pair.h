/* SPDX-License-Identifier: MIT */
#pragma once

#include "endpoint/endpoint.h"
#include "measure/workload.h"

/* Two endpoints, connected to each other. */
struct kv_pair {
	struct kv_workload work; /* the work that they were made for */
	/* The initiator and the responder; in the same space or in two. */
	struct kv_endpoint end[2];
	/* For each end, the buffer that the end sends from and reads into. */
	struct kv_buffer local[2];
	/* For each end, the buffer that the peer sends and writes into, or reads from. */
	struct kv_buffer target[2];
	/* With credits, a byte at each end: the responder WRITEs from credit[1] to credit[0]. */
	struct kv_buffer credit[2];
	/*
	 * The initiator's MR, without a buffer, which each iteration registers anew; its last key
	 * before the next run is the rkey.
	 */
	struct kv_buffer inv;
	/*
	 * kv_pair_join() made it: CQs, or the responder's PD, SRQ and target are those of another
	 * pair
	 */
	bool joined;
	bool broken; /* a run failed: the QPs may be in error, and take no requests */
};

int kv_pair_create(struct kv_pair *p, const struct kv_site *initiator,
		   const struct kv_site *responder, const struct kv_workload *work,
		   struct kv_fault *f);
int kv_pair_join(struct kv_pair *p, const struct kv_pair *first, struct kv_fault *f);
int kv_pair_blame(const struct kv_pair *p, int error, struct kv_fault *f);
void kv_pair_destroy(struct kv_pair *p);
void kv_pair_verbs(const struct kv_pair *p, struct kv_times verb[KV_VERBS]);
int kv_pair_look_up_key(struct kv_pair *p, struct kv_fault *f);
void kv_pair_swap(struct kv_pair *p);
void kv_pair_fill(const struct kv_pair *p, unsigned int end, struct kv_run_end *run);
