/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_POSTED_H
#define _KV_POSTED_H

#include <rdma/ib_verbs.h>
#include "obj.h"
#include "post.h"

/**
 * enum kv_posted_state - where a request is; changes under kv_post_dev.lock
 * @KV_POSTED: in its queue's list, or behind a later one in that one's @earlier
 * @KV_POSTED_DONE: its completion came
 * @KV_POSTED_ORPHAN: its queue is gone; its completion may still come, which
 *	frees it
 */
enum kv_posted_state { KV_POSTED, KV_POSTED_DONE, KV_POSTED_ORPHAN };

/**
 * struct kv_posted - a request that was posted by hand
 * @cqe: what its completion names
 * @link: in its queue's list, its SRQ's of lost ones, its CQ's of done ones or of
 *	orphans, or its device's of orphans
 * @earlier: sends of the same queue that are complete because this one is:
 *	unsignaled ones have no completion of their own
 * @state: see there
 * @internal: nobody is told of its completion
 * @qp: where it was posted; of an SRQ's the one that took it, once it is done
 * @srq: where it was posted, or NULL
 * @cq: where it completes; of an SRQ's once it is done
 * @queue: whose place it takes
 * @wc: what is told of its completion
 * @refs: how many of @ref there are
 * @ref: what it names. Each is in use, with a reference, until the completion was
 *	polled or the queue is gone; dev->lock
 */
struct kv_posted {
	struct ib_cqe cqe;
	struct list_head link;
	struct list_head earlier;
	enum kv_posted_state state;
	bool internal;
	struct kv_qp *qp;
	struct kv_srq *srq;
	struct kv_cq *cq;
	struct kv_post_queue *queue;
	struct kv_post_wc wc;
	unsigned int refs;
	struct kv_obj *ref[];
};

struct kv_posted *kv_posted_alloc(struct kv_qp *qp, struct kv_srq *srq, u32 op,
				  unsigned int refs);
void kv_posted_hold(struct kv_posted *posted, struct kv_obj *obj);
void kv_posted_enqueue(struct kv_posted *posted);
void kv_posted_free(struct kv_posted *posted);
unsigned int kv_posted_take(struct kv_cq *cq, struct kv_post_wc *wc,
			    unsigned int max);
void kv_posted_free_lost(struct kv_srq *srq);

#endif
