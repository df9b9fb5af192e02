/* SPDX-License-Identifier: MIT */
#ifndef KV_USER_POST_H
#define KV_USER_POST_H

#include "user/user.h"

/**
 * struct kv_user_post - a request that was posted by hand
 * @serial: its wr_id towards the device. A number that is never used again, and
 *	not an address: a completion that comes too late is recognized.
 * @hashed: in the backend's posts
 * @queued: in @queue's posts
 * @finished: in @cq's done, once @completed
 * @queue: where it was posted
 * @cq: where it completes; of an SRQ's known once @completed
 * @qp: where it was posted; of an SRQ's who took it, once @completed
 * @silent: it completes with a later one, and by itself only with an error
 * @completed: @wc is there, and not handed out yet
 * @wc: its completion
 * @op: enum kverbs_op
 * @wr_id: the caller's
 * @n_objs: how many of @objs
 * @objs: MRs and AH that it names, which count it among their posts
 */
struct kv_user_post {
	uint64_t serial;
	LIST_ENTRY(kv_user_post) hashed;
	TAILQ_ENTRY(kv_user_post) queued;
	TAILQ_ENTRY(kv_user_post) finished;
	struct kv_user_queue *queue;
	struct kv_user_cq *cq;
	struct kv_user_qp *qp;
	bool silent;
	bool completed;
	struct ibv_wc wc;
	uint32_t op;
	uint64_t wr_id;
	unsigned int n_objs;
	struct kv_user_obj *objs[KVERBS_SGE_MAX + 1];
};

/**
 * struct kv_user_target - where a request goes
 * @qp: the QP, or NULL
 * @srq: the SRQ, or NULL
 * @pd: of either
 * @queue: the work queue
 * @cq: where it completes; NULL if that is not known yet
 * @ah: UD sends; else NULL
 */
struct kv_user_target {
	struct kv_user_qp *qp;
	struct kv_user_srq *srq;
	struct kv_user_obj *pd;
	struct kv_user_queue *queue;
	struct kv_user_cq *cq;
	struct kv_user_ah *ah;
};

/* post_check.c */
bool kv_user_post_is_atomic(const struct kv_wr *wr);
const char *kv_user_post_queue_name(const struct kv_wr *wr);
int kv_user_post_find(struct kv_user *u, const struct kv_wr *wr,
		      struct kv_user_target *to);
int kv_user_post_check_ready(struct kv_user *u, const struct kv_wr *wr,
			     const struct kv_user_target *to);

/* post.c */
enum ibv_wr_opcode kv_user_post_opcode(uint32_t op, bool imm);

/* queue.c */
void kv_user_queue_init(struct kv_user_queue *queue, uint32_t max,
			uint32_t max_sge);
void kv_user_queue_add(struct kv_user *u, struct kv_user_queue *queue,
		       struct kv_user_post *post);
void kv_user_queue_drop(struct kv_user_post *post);
void kv_user_queue_forget(struct kv_user_queue *queue);
void kv_user_queue_forget_qp(struct kv_user *u, struct kv_user_qp *qp);
void kv_user_queue_forget_cq(struct kv_user_cq *cq);

/* poll.c */
void kv_user_poll_take_all(struct kv_user *u, struct kv_user_cq *cq);

#endif
