// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include "user/post.h"

/* Requests that were posted by hand, from the post until they are forgotten. */

/**
 * kv_user_queue_init() - an empty queue
 * @queue: the queue
 * @max: depth of the work queue
 * @max_sge: SGEs that a request may have
 */
void kv_user_queue_init(struct kv_user_queue *queue, uint32_t max,
			uint32_t max_sge)
{
	TAILQ_INIT(&queue->posts);
	queue->n = 0;
	queue->max = max;
	queue->max_sge = max_sge;
}

/**
 * kv_user_queue_add() - a request was posted
 * @u: the backend
 * @queue: where
 * @post: the request, its @serial, @cq and @objs filled in; the queue's from now
 *	on
 */
void kv_user_queue_add(struct kv_user *u, struct kv_user_queue *queue,
		       struct kv_user_post *post)
{
	unsigned int i;

	post->queue = queue;
	queue->n++;
	TAILQ_INSERT_TAIL(&queue->posts, post, queued);
	LIST_INSERT_HEAD(&u->posts[post->serial % KV_USER_POST_BUCKETS], post, hashed);
	if (post->cq)
		post->cq->pending++;
	for (i = 0; i < post->n_objs; i++)
		post->objs[i]->posts++;
}

/**
 * kv_user_queue_drop() - a request is over: forget it
 * @post: the request; freed. What it named is in use by it no longer, and if its
 *	completion still comes, nobody gets to see it.
 */
void kv_user_queue_drop(struct kv_user_post *post)
{
	unsigned int i;

	post->queue->n--;
	TAILQ_REMOVE(&post->queue->posts, post, queued);
	LIST_REMOVE(post, hashed);
	if (post->completed)
		TAILQ_REMOVE(&post->cq->done, post, finished);
	if (post->cq)
		post->cq->pending--;
	for (i = 0; i < post->n_objs; i++)
		post->objs[i]->posts--;
	free(post);
}

/**
 * kv_user_queue_forget() - the device has forgotten all that was posted: so do we
 * @queue: the queue
 */
void kv_user_queue_forget(struct kv_user_queue *queue)
{
	struct kv_user_post *post;

	while ((post = TAILQ_FIRST(&queue->posts)))
		kv_user_queue_drop(post);
}

/* What it took from its SRQ is told nobody any more. */
static void forget_taken(const struct kv_user_qp *qp)
{
	struct kv_user_post *post, *next;

	for (post = TAILQ_FIRST(&qp->recv_cq->done); post; post = next) {
		next = TAILQ_NEXT(post, finished);
		if (post->qp == qp)
			kv_user_queue_drop(post);
	}
}

/**
 * kv_user_queue_forget_qp() - the same for a QP that was reset or destroyed
 * @u: the backend
 * @qp: the QP, still among the objects
 *
 * Completions that are still in its CQs are taken out, so that no run meets them.
 * Those of other QPs stay to be polled.
 */
void kv_user_queue_forget_qp(struct kv_user *u, struct kv_user_qp *qp)
{
	kv_user_poll_take_all(u, qp->send_cq);
	kv_user_poll_take_all(u, qp->recv_cq);
	kv_user_queue_forget(&qp->sq);
	kv_user_queue_forget(&qp->rq);
	forget_taken(qp);
}

/**
 * kv_user_queue_forget_cq() - forget the completions of a CQ that was destroyed
 * @cq: the CQ
 */
void kv_user_queue_forget_cq(struct kv_user_cq *cq)
{
	struct kv_user_post *post;

	while ((post = TAILQ_FIRST(&cq->done)))
		kv_user_queue_drop(post);
}
