// SPDX-License-Identifier: MIT
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "rules/request.h"
#include "user/post.h"

/* Requests posted by hand: their queues, their SGEs, and the post. */

void kv_user_queue_init(struct kv_user_queue *queue, uint32_t max, uint32_t max_sge)
{
	TAILQ_INIT(&queue->posts);
	queue->n = 0;
	queue->max = max;
	queue->max_sge = max_sge;
}

/*
 * Adds a posted request, with @serial, @cq and @objs set. The queue owns the request from now on.
 */
static void add(struct kv_user *u, struct kv_user_queue *queue, struct kv_user_post *post)
{
	post->queue = queue;
	queue->n++;
	TAILQ_INSERT_TAIL(&queue->posts, post, queued);
	LIST_INSERT_HEAD(&u->posts[post->serial % KV_USER_POST_BUCKETS], post, hashed);
	if (post->cq)
		post->cq->is.pending++;
	for (unsigned int i = 0; i < post->n_objs; i++)
		post->objs[i]->posts++;
}

/*
 * Frees a request that is over. The request's objects are free again, and a completion that still
 * comes is not reported.
 */
void kv_user_queue_drop(struct kv_user_post *post)
{
	post->queue->n--;
	TAILQ_REMOVE(&post->queue->posts, post, queued);
	LIST_REMOVE(post, hashed);
	if (post->completed)
		TAILQ_REMOVE(&post->cq->done, post, finished);
	if (post->cq)
		post->cq->is.pending--;
	for (unsigned int i = 0; i < post->n_objs; i++)
		post->objs[i]->posts--;
	free(post);
}

/* Drops all requests, which the device no longer has. */
void kv_user_queue_purge(struct kv_user_queue *queue)
{
	struct kv_user_post *post;

	while ((post = TAILQ_FIRST(&queue->posts)))
		kv_user_queue_drop(post);
}

/* The completions of receives that the QP took from its SRQ are not reported any more. */
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
 * Drops the requests of a QP that was reset or destroyed, and is still among the objects. The QP's
 * completions are taken out of its CQs, so that no run meets them. Completions of other QPs stay to
 * be polled.
 */
void kv_user_queue_purge_qp(struct kv_user *u, struct kv_user_qp *qp)
{
	if (qp->srq)
		qp->srq->recvs_lost = qp->srq->recvs;
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
enum ibv_wr_opcode kv_user_post_opcode(uint32_t op)
{
	static const enum ibv_wr_opcode opcodes[] = {
		[KVERBS_OP_SEND] = IBV_WR_SEND,
		[KVERBS_OP_SEND_WITH_IMM] = IBV_WR_SEND_WITH_IMM,
		[KVERBS_OP_SEND_WITH_INV] = IBV_WR_SEND_WITH_INV,
		[KVERBS_OP_WRITE] = IBV_WR_RDMA_WRITE,
		[KVERBS_OP_WRITE_WITH_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
		[KVERBS_OP_READ] = IBV_WR_RDMA_READ,
		[KVERBS_OP_FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
		[KVERBS_OP_CMP_SWP] = IBV_WR_ATOMIC_CMP_AND_SWP,
		[KVERBS_OP_ATOMIC_WRITE] = IBV_WR_ATOMIC_WRITE,
	};

	return opcodes[op];
}

static void hold(struct kv_user_post *post, struct kv_user_obj *obj)
{
	post->objs[post->n_objs++] = obj;
}

/*
 * A request on its way to a queue: the tracking, and the verb's work request. A send begins with
 * the members of a receive, so those are set by way of @recv for both.
 */
struct item {
	struct kv_user_post *post;
	union {
		struct ibv_send_wr send;
		struct ibv_recv_wr recv;
	};
	struct ibv_sge sge[KVERBS_SGE_MAX];
};

#define SAME(member) \
	(offsetof(struct ibv_send_wr, member) == offsetof(struct ibv_recv_wr, member))

_Static_assert(SAME(wr_id) && SAME(next) && SAME(sg_list) && SAME(num_sge), "work requests");

/* The device checks whether the bytes are registered. */
static int prep_sge(struct kv_user *u, const struct kv_user_target *to, const struct kv_wr *wr,
		    unsigned int i, struct kv_user_post *post, struct ibv_sge *sge)
{
	const struct kv_sge *from = &wr->sge[i];
	struct kv_user_buf *buf = kv_user_obj_find(u, KV_BUF, from->buf);
	struct kv_user_mr *mr = from->mr ? kv_user_obj_find(u, KV_MR, from->mr) : NULL;
	struct kv_request_sge facts;

	if (!buf || (from->mr && !mr))
		return -ENOENT;
	facts = (struct kv_request_sge){
		.offset = from->offset,
		.length = from->length,
		.buffer = buf->length,
		.contiguous = buf->length,
		.inlined = wr->flags & KVERBS_WR_INLINE,
		.by_mr = mr,
		.same_pd = mr && mr->obj.parents[KV_USER_MR_PD] == to->pd,
		.registered = mr && mr->ib,
		.over_buffer = mr && kv_user_mr_over(mr, buf),
	};
	if (kv_request_check_sge(&facts, &u->why))
		return kv_user_fail(u, u->why.error, "sge %u: %s", i + 1, u->why.text);
	sge->addr = (uintptr_t)(buf->mem + from->offset);
	sge->length = from->length;
	sge->lkey = mr ? mr->ib->lkey : 0;
	hold(post, &buf->obj);
	if (mr)
		hold(post, &mr->obj);
	return 0;
}

/* siw looks up the memory of an SGE of 0 bytes, and the kernel crashes: the SGE is left out. */
static bool left_out_if_empty(const struct kv_wr *wr, const struct kv_user_target *to)
{
	return kv_op_among(wr->op, KV_OPS_CARRY) && kv_user_dev_is_iwarp(to->qp->obj.dev);
}

/* @used: number of SGEs that are posted, from 0 on. */
static int prep_sges(struct kv_user *u, const struct kv_wr *wr, const struct kv_user_target *to,
		     struct item *item, int *used)
{
	int ret = 0;

	for (unsigned int i = 0; i < wr->sges && !ret; i++) {
		ret = prep_sge(u, to, wr, i, item->post, &item->sge[*used]);
		*used += wr->sge[i].length || !left_out_if_empty(wr, to);
	}
	return ret;
}

/* @flags: KVERBS_WR_* */
unsigned int kv_user_post_flags(uint32_t flags)
{
	return (flags & KVERBS_WR_UNSIGNALED ? 0 : IBV_SEND_SIGNALED) |
	       (flags & KVERBS_WR_SOLICITED ? IBV_SEND_SOLICITED : 0) |
	       (flags & KVERBS_WR_FENCE ? IBV_SEND_FENCE : 0) |
	       (flags & KVERBS_WR_INLINE ? IBV_SEND_INLINE : 0);
}

static void prep_send(const struct kv_wr *wr, const struct kv_user_ah *ah, struct ibv_send_wr *ib)
{
	ib->opcode = kv_user_post_opcode(wr->op);
	ib->send_flags = kv_user_post_flags(wr->flags);
	if (kv_op_among(wr->op, KV_OPS_IMM))
		ib->imm_data = htonl(wr->imm);
	/* libsiw takes the key from where it takes that of a WRITE (push_send_wqe()). */
	if (wr->has_inv)
		ib->invalidate_rkey = ib->wr.rdma.rkey = wr->invalidate_rkey;
	if (kv_op_among(wr->op, KV_OPS_ATOMIC)) {
		ib->wr.atomic.remote_addr = wr->remote_addr;
		ib->wr.atomic.rkey = wr->remote_key;
		ib->wr.atomic.compare_add = wr->compare_add;
		ib->wr.atomic.swap = wr->swap;
	} else if (wr->has_remote) {
		ib->wr.rdma.remote_addr = wr->remote_addr;
		ib->wr.rdma.rkey = wr->remote_key;
	} else if (ah) {
		ib->wr.ud.ah = ah->ib;
		ib->wr.ud.remote_qpn = wr->remote_qpn;
		ib->wr.ud.remote_qkey = wr->remote_qkey;
	}
}

/* Prepares one request that a queue of this kind takes. @item is zeroed. */
static int prep(struct kv_user *u, const struct kv_wr *wr, const struct kv_user_target *to,
		struct item *item)
{
	struct kv_user_ah *ah = wr->ah ? kv_user_obj_find(u, KV_AH, wr->ah) : NULL;
	struct kv_user_post *post = calloc(1, sizeof(*post));
	int sges = 0, ret;

	if (!post)
		return kv_user_fail(u, -ENOMEM, "no memory");
	item->post = post;
	post->serial = ++u->serial;
	post->op = wr->op;
	post->wr_id = wr->wr_id;
	post->silent = wr->op != KVERBS_OP_RECV && wr->flags & KVERBS_WR_UNSIGNALED &&
		       !to->qp->is.sq_sig_all;
	post->qp = to->qp;
	post->cq = to->cq;
	ret = wr->ah && !ah ? -ENOENT : kv_user_post_check(u, wr, to, ah);
	if (!ret)
		ret = prep_sges(u, wr, to, item, &sges);
	if (ret)
		return ret;
	if (ah)
		hold(post, &ah->obj);
	item->recv.wr_id = post->serial;
	item->recv.sg_list = item->sge;
	item->recv.num_sge = sges;
	if (wr->op != KVERBS_OP_RECV)
		prep_send(wr, ah, &item->send);
	return 0;
}

/*
 * Calls the verb, which posts the list up to the request that it refuses. The verb returns a
 * positive errno, as it should, or a negative one. @posted receives the number of posted requests.
 */
static int call_verb(struct kv_user *u, const struct kv_post *in, const struct kv_user_target *to,
		     struct item *item, uint32_t *posted)
{
	struct ibv_send_wr *bad_send = NULL;
	struct ibv_recv_wr *bad = NULL;
	int ret;

	for (uint32_t i = 1; i < in->wrs; i++)
		item[i - 1].recv.next = &item[i].recv;
	if (to->srq)
		ret = KV_USER_TIMED(u, ibv_post_srq_recv(to->srq->ib, &item->recv, &bad));
	else if (in->wr->op == KVERBS_OP_RECV)
		ret = KV_USER_TIMED(u, ibv_post_recv(to->qp->ib, &item->recv, &bad));
	else
		ret = KV_USER_TIMED(u, ibv_post_send(to->qp->ib, &item->send, &bad_send));
	if (bad_send)
		bad = (struct ibv_recv_wr *)bad_send;
	for (*posted = ret ? 0 : in->wrs; ret && bad && bad != &item[*posted].recv; (*posted)++)
		;
	return -abs(ret);
}

static const char *verb(const struct kv_post *in)
{
	return in->srq ? "ibv_post_srq_recv" :
	       in->wr->op == KVERBS_OP_RECV ? "ibv_post_recv" : "ibv_post_send";
}

/* The caller has checked all requests. */
static int post(struct kv_user *u, const struct kv_post *in, const struct kv_user_target *to,
		struct item *item, struct kv_posted *out)
{
	int ret = call_verb(u, in, to, item, &out->posted);

	/* Posted requests stay posted, so this is no failure. */
	for (uint32_t i = 0; i < out->posted; i++) {
		add(u, to->queue, item[i].post);
		item[i].post = NULL;
	}
	out->error = ret;
	if (!ret || out->posted)
		return 0;
	return kv_user_verb_failed(u, KVERBS_STAGE_POST, ret, "%s on %s %u: %s", verb(in),
				   in->srq ? "srq" : "qp", in->srq ? in->srq : in->qp,
				   strerror(-ret));
}

/* Refuses all but plain process context; @name: the attribute. */
int kv_user_post_check_context(struct kv_user *u, const char *name, uint32_t context)
{
	if (context == KVERBS_POST_PROCESS)
		return 0;
	return kv_user_fail(u, -EOPNOTSUPP,
			    "%s: user space can't hold softirqs off: it posts in process context only", name);
}

int kv_user_wr_post(struct kv_user *u, void *obj, const struct kv_post *in, struct kv_posted *out)
{
	struct kv_user_target to = { 0 };
	struct item *item;
	int ret = kv_user_post_check_context(u, "context", in->context) ?:
		  kv_user_post_find(u, in, &to);

	if (ret)
		return ret;
	item = calloc(in->wrs, sizeof(*item));
	if (!item)
		return kv_user_fail(u, -ENOMEM, "no memory");
	for (uint32_t i = 0; i < in->wrs && !ret; i++)
		ret = kv_user_post_blame(u, in, i, prep(u, &in->wr[i], &to, &item[i]));
	if (!ret)
		ret = kv_user_post_check_ready(u, in, &to);
	if (!ret)
		ret = post(u, in, &to, item, out);
	for (uint32_t i = 0; i < in->wrs; i++)
		free(item[i].post);
	free(item);
	return ret;
}
