// SPDX-License-Identifier: MIT
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "rules/request.h"
#include "sys/clock.h"
#include "user/post.h"

/* Requests posted by hand: the queues that they stand in, their pieces, and the post. */

void kv_user_queue_init(struct kv_user_queue *queue, uint32_t max, uint32_t max_sge)
{
	TAILQ_INIT(&queue->posts);
	queue->n = 0;
	queue->max = max;
	queue->max_sge = max_sge;
}

/*
 * Adds a request that was posted, its @serial, @cq and @objs filled in. The queue owns it from
 * now on.
 */
void kv_user_queue_add(struct kv_user *u, struct kv_user_queue *queue, struct kv_user_post *post)
{
	post->queue = queue;
	queue->n++;
	TAILQ_INSERT_TAIL(&queue->posts, post, queued);
	LIST_INSERT_HEAD(&u->posts[post->serial % KV_USER_POST_BUCKETS], post, hashed);
	if (post->cq)
		post->cq->pending++;
	for (unsigned int i = 0; i < post->n_objs; i++)
		post->objs[i]->posts++;
}

/*
 * Frees a request that is over. Its objects are free again, and a completion that still comes
 * is not reported.
 */
void kv_user_queue_drop(struct kv_user_post *post)
{
	post->queue->n--;
	TAILQ_REMOVE(&post->queue->posts, post, queued);
	LIST_REMOVE(post, hashed);
	if (post->completed)
		TAILQ_REMOVE(&post->cq->done, post, finished);
	if (post->cq)
		post->cq->pending--;
	for (unsigned int i = 0; i < post->n_objs; i++)
		post->objs[i]->posts--;
	free(post);
}

/* Drops all requests: the device has them no longer. */
void kv_user_queue_purge(struct kv_user_queue *queue)
{
	struct kv_user_post *post;

	while ((post = TAILQ_FIRST(&queue->posts)))
		kv_user_queue_drop(post);
}

/* Receives that the QP took from its SRQ are not reported any more. */
static void purge_taken(const struct kv_user_qp *qp)
{
	struct kv_user_post *post, *next;

	for (post = TAILQ_FIRST(&qp->recv_cq->done); post; post = next) {
		next = TAILQ_NEXT(post, finished);
		if (post->qp == qp)
			kv_user_queue_drop(post);
	}
}

/*
 * The same for a QP that was reset or destroyed, and is still among the objects. Completions
 * that are still in its CQs are taken out, so that no run meets them. Those of other QPs stay to
 * be polled.
 */
void kv_user_queue_purge_qp(struct kv_user *u, struct kv_user_qp *qp)
{
	kv_user_poll_take_all(u, qp->send_cq);
	kv_user_poll_take_all(u, qp->recv_cq);
	kv_user_queue_purge(&qp->sq);
	kv_user_queue_purge(&qp->rq);
	purge_taken(qp);
}

/* Drops the completions of a CQ that was destroyed. */
void kv_user_queue_purge_cq(struct kv_user_cq *cq)
{
	struct kv_user_post *post;

	while ((post = TAILQ_FIRST(&cq->done)))
		kv_user_queue_drop(post);
}

/* The opcode of an operation of a send queue. */
enum ibv_wr_opcode kv_user_post_opcode(uint32_t op, bool imm)
{
	static const enum ibv_wr_opcode opcodes[] = {
		[KVERBS_OP_SEND] = IBV_WR_SEND,
		[KVERBS_OP_WRITE] = IBV_WR_RDMA_WRITE,
		[KVERBS_OP_READ] = IBV_WR_RDMA_READ,
		[KVERBS_OP_FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
		[KVERBS_OP_CMP_SWP] = IBV_WR_ATOMIC_CMP_AND_SWP,
	};

	if (imm)
		return op == KVERBS_OP_SEND ? IBV_WR_SEND_WITH_IMM : IBV_WR_RDMA_WRITE_WITH_IMM;
	return opcodes[op];
}

/* Whether the bytes are registered is checked by the device. */
static int prep_sge(struct kv_user *u, const struct kv_user_target *to, const struct kv_wr *wr,
		    unsigned int i, struct kv_user_post *post, struct ibv_sge *sge)
{
	const struct kv_sge *from = &wr->sge[i];
	struct kv_user_mr *mr = kv_user_obj_find(u, KV_MR, from->mr);
	struct kv_request_sge facts;
	struct kv_refusal why;

	if (!mr)
		return -ENOENT;
	if (from->lkey != KVERBS_LKEY_MR)
		return kv_user_fail(u, -EOPNOTSUPP,
				    "sge %u: lkey dma is the kernel's: in user space the key is always an mr's",
				    i + 1);
	facts = (struct kv_request_sge){
		.offset = from->offset,
		.length = from->length,
		.buffer = mr->length,
		.same_pd = mr->obj.parents[0] == to->pd,
		/* The CPU copies inline data, and needs no lkey. */
		.needs_mr = !(wr->flags & KVERBS_WR_INLINE),
		.registered = mr->ib,
	};
	if (kv_request_check_sge(&facts, &why))
		return kv_user_fail(u, why.error, "sge %u: %s", i + 1, why.text);
	sge->addr = (uintptr_t)(mr->buf + from->offset);
	sge->length = from->length;
	sge->lkey = mr->ib ? mr->ib->lkey : 0;
	post->objs[post->n_objs++] = &mr->obj;
	return 0;
}

/* siw looks for the memory of a piece of no bytes, and the kernel crashes: it is left out. */
static bool left_out_if_empty(const struct kv_wr *wr, const struct kv_user_target *to)
{
	return (wr->op == KVERBS_OP_SEND || wr->op == KVERBS_OP_WRITE) &&
	       kv_user_dev_is_iwarp(to->qp->obj.dev);
}

/* @used: from 0 on, how many pieces are posted. */
static int prep_sges(struct kv_user *u, const struct kv_wr *wr, const struct kv_user_target *to,
		     struct kv_user_post *post, struct ibv_sge *sge, int *used)
{
	int ret = 0;

	for (unsigned int i = 0; i < wr->sges && !ret; i++) {
		ret = prep_sge(u, to, wr, i, post, &sge[*used]);
		*used += wr->sge[i].length || !left_out_if_empty(wr, to);
	}
	return ret;
}

static unsigned int prep_flags(const struct kv_wr *wr)
{
	return (wr->flags & KVERBS_WR_UNSIGNALED ? 0 : IBV_SEND_SIGNALED) |
	       (wr->flags & KVERBS_WR_SOLICITED ? IBV_SEND_SOLICITED : 0) |
	       (wr->flags & KVERBS_WR_FENCE ? IBV_SEND_FENCE : 0) |
	       (wr->flags & KVERBS_WR_INLINE ? IBV_SEND_INLINE : 0);
}

static void prep_send(const struct kv_wr *wr, const struct kv_user_target *to,
		      struct ibv_send_wr *ib)
{
	ib->opcode = kv_user_post_opcode(wr->op, wr->has_imm);
	ib->send_flags = prep_flags(wr);
	if (wr->has_imm)
		ib->imm_data = htonl(wr->imm);
	if (kv_op_is_atomic(wr->op)) {
		ib->wr.atomic.remote_addr = wr->remote_addr;
		ib->wr.atomic.rkey = wr->remote_key;
		ib->wr.atomic.compare_add = wr->compare_add;
		ib->wr.atomic.swap = wr->swap;
	} else if (wr->has_remote) {
		ib->wr.rdma.remote_addr = wr->remote_addr;
		ib->wr.rdma.rkey = wr->remote_key;
	} else if (to->ah) {
		ib->wr.ud.ah = to->ah->ib;
		ib->wr.ud.remote_qpn = wr->remote_qpn;
		ib->wr.ud.remote_qkey = wr->remote_qkey;
	}
}

/* errno is positive, as it should be, or negative: providers differ. */
static int post_send(const struct kv_wr *wr, const struct kv_user_target *to,
		     uint64_t serial, struct ibv_sge *sge, int sges, uint64_t *ns)
{
	struct ibv_send_wr ib = {
		.wr_id = serial,
		.sg_list = sge,
		.num_sge = sges,
	};
	struct ibv_send_wr *bad;

	prep_send(wr, to, &ib);
	return -abs(KV_USER_TIMED(ns, ibv_post_send(to->qp->ib, &ib, &bad)));
}

static int post_recv(const struct kv_wr *wr, const struct kv_user_target *to,
		     uint64_t serial, struct ibv_sge *sge, uint64_t *ns)
{
	struct ibv_recv_wr ib = {
		.wr_id = serial,
		.sg_list = sge,
		.num_sge = (int)wr->sges,
	};
	struct ibv_recv_wr *bad;

	return -abs(KV_USER_TIMED(ns, to->srq ? ibv_post_srq_recv(to->srq->ib, &ib, &bad) :
						ibv_post_recv(to->qp->ib, &ib, &bad)));
}

static const char *verb(const struct kv_wr *wr)
{
	return wr->srq ? "ibv_post_srq_recv" :
	       wr->op == KVERBS_OP_RECV ? "ibv_post_recv" : "ibv_post_send";
}

int kv_user_wr_post(struct kv_user *u, void *obj, const struct kv_wr *wr, struct kv_none *out,
		    uint64_t *ns)
{
	struct ibv_sge sge[KVERBS_SGE_MAX];
	struct kv_user_post *post;
	struct kv_user_target to = { 0 };
	int sges = 0, ret;

	ret = kv_user_post_find(u, wr, &to);
	if (ret)
		return ret;
	post = calloc(1, sizeof(*post));
	if (!post)
		return kv_user_fail(u, -ENOMEM, "no memory");
	ret = prep_sges(u, wr, &to, post, sge, &sges);
	if (!ret)
		ret = kv_user_post_check_ready(u, wr, &to);
	if (ret)
		goto err_free;
	post->serial = ++u->serial;
	post->op = wr->op;
	post->wr_id = wr->wr_id;
	post->silent = wr->op != KVERBS_OP_RECV && wr->flags & KVERBS_WR_UNSIGNALED &&
		       !to.qp->sq_sig_all;
	post->qp = to.qp;
	post->cq = to.cq;
	if (to.ah)
		post->objs[post->n_objs++] = &to.ah->obj;
	ret = wr->op == KVERBS_OP_RECV ? post_recv(wr, &to, post->serial, sge, ns) :
					 post_send(wr, &to, post->serial, sge, sges, ns);
	if (ret) {
		kv_user_fail(u, ret, "%s on %s %u: %s", verb(wr), wr->srq ? "srq" : "qp",
			     wr->srq ? wr->srq : wr->qp, strerror(-ret));
		goto err_free;
	}
	kv_user_queue_add(u, to.queue, post);
	return 0;

err_free:
	free(post);
	return ret;
}
