/* SPDX-License-Identifier: MIT */
#pragma once

#include "user/user.h"

/* A request that was posted by hand. */
struct kv_user_post {
	/*
	 * The wr_id that the device gets: a number that is never used again, not an address. So a
	 * completion that comes too late is recognized.
	 */
	uint64_t serial;
	LIST_ENTRY(kv_user_post) hashed; /* in the backend's posts */
	TAILQ_ENTRY(kv_user_post) queued; /* in @queue's posts */
	TAILQ_ENTRY(kv_user_post) finished; /* in @cq's done, once @completed */
	struct kv_user_queue *queue; /* where it was posted */
	struct kv_user_cq *cq; /* where it completes; for an SRQ: known once @completed */
	struct kv_user_qp *qp; /* where it was posted; for an SRQ: where taken, once @completed */
	bool silent; /* no completion of its own, except with an error */
	bool completed; /* @wc is set, and not handed out yet */
	struct ibv_wc wc; /* its completion */
	uint32_t op; /* enum kverbs_op */
	uint64_t wr_id; /* the caller's */
	unsigned int n_objs; /* number of @objs */
	/* Buffers, MRs and AH that the request names; their @posts count the request. */
	struct kv_user_obj *objs[2 * KVERBS_SGE_MAX + 1];
};

/* The queue that requests go to. */
struct kv_user_target {
	struct kv_user_qp *qp; /* the QP, or NULL */
	struct kv_user_srq *srq; /* the SRQ, or NULL */
	struct kv_user_obj *pd; /* of either */
	struct kv_user_queue *queue; /* the work queue */
	struct kv_user_cq *cq; /* where it completes; NULL if that is not known yet */
};

/* post_check.c */
int kv_user_post_blame(struct kv_user *u, const struct kv_post *in, uint32_t i, int ret);
int kv_user_post_check_context(struct kv_user *u, const char *name, uint32_t context);
int kv_user_post_find(struct kv_user *u, const struct kv_post *in, struct kv_user_target *to);
int kv_user_post_check(struct kv_user *u, const struct kv_wr *wr,
		       const struct kv_user_target *to, const struct kv_user_ah *ah);
int kv_user_post_check_ready(struct kv_user *u, const struct kv_post *in,
			     const struct kv_user_target *to);

/* post.c */
unsigned int kv_user_post_flags(uint32_t flags);
enum ibv_wr_opcode kv_user_post_opcode(uint32_t op);

void kv_user_queue_init(struct kv_user_queue *queue, uint32_t max, uint32_t max_sge);
void kv_user_queue_drop(struct kv_user_post *post);
void kv_user_queue_purge(struct kv_user_queue *queue);
void kv_user_queue_purge_qp(struct kv_user *u, struct kv_user_qp *qp);
void kv_user_queue_purge_cq(struct kv_user_cq *cq);

/* poll.c */
void kv_user_poll_take_all(struct kv_user *u, struct kv_user_cq *cq);
