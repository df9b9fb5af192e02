// SPDX-License-Identifier: MIT
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "rules/request.h"
#include "user/post.h"
#include "user/run.h"

/*
 * Completions of requests that were posted by hand. They are taken from the CQ of the verbs into
 * our own list, and handed out from that list.
 */

/* The statuses have the numbers of IBTA 11.6.2, as in the kernel. */
_Static_assert((int)IBV_WC_SUCCESS == 0, "statuses");
_Static_assert((int)IBV_WC_WR_FLUSH_ERR == 5, "statuses");
_Static_assert((int)IBV_WC_GENERAL_ERR == 21, "statuses");

static struct kv_user_post *find_post(struct kv_user *u, uint64_t serial)
{
	struct kv_user_post *post;

	LIST_FOREACH(post, &u->posts[serial % KV_USER_POST_BUCKETS], hashed)
		if (post->serial == serial)
			return post;
	return NULL;
}

static struct kv_user_qp *find_qpn(const struct kv_user *u, const struct kv_user_cq *cq,
				   uint32_t qpn)
{
	struct kv_user_qp *qp;

	KV_USER_FOR_EACH(u, KV_QP, qp)
		if (qp->obj.dev == cq->obj.dev && qp->is.qpn == qpn)
			return qp;
	return NULL;
}

static void report_error(struct kv_user *u, const struct kv_user_post *post)
{
	struct kv_event event = {
		.type = KVERBS_EVENT_WC_ERROR,
		.qp = post->qp->obj.id,
		.wc_status = post->wc.status,
		.vendor_err = post->wc.vendor_err,
	};

	if (event.wc_status == IBV_WC_SUCCESS || event.wc_status == IBV_WC_WR_FLUSH_ERR)
		return;
	snprintf(event.dev, sizeof(event.dev), "%s", kv_user_dev_name(post->qp->obj.dev));
	kv_user_event_add(u, &event);
}

/*
 * Returns false if no request waits for the completion: it is an earlier run's, the request was
 * dropped, or the QP that took the request from its SRQ is gone.
 */
static bool take(struct kv_user *u, struct kv_user_cq *cq, const struct ibv_wc *wc)
{
	struct kv_user_post *post = find_post(u, wc->wr_id);

	if (!post || post->completed)
		return false;
	if (!post->cq) {
		/* A receive of an SRQ: its QP is known only now. */
		post->qp = find_qpn(u, cq, wc->qp_num);
		if (!post->qp) {
			kv_user_queue_drop(post);
			return false;
		}
		post->cq = cq;
		cq->is.pending++;
	}
	post->wc = *wc;
	post->completed = true;
	TAILQ_INSERT_TAIL(&cq->done, post, finished);
	report_error(u, post);
	return true;
}

static unsigned int count_done(const struct kv_user_cq *cq, unsigned int max)
{
	const struct kv_user_post *post;
	unsigned int n = 0;

	TAILQ_FOREACH(post, &cq->done, finished)
		if (++n == max)
			break;
	return n;
}

/* Takes completions until @max can be handed out or the CQ is empty; @max: up to POLL_MAX. */
static int take_some(struct kv_user *u, struct kv_user_cq *cq, unsigned int max)
{
	struct ibv_wc wc[KVERBS_POLL_MAX];
	unsigned int have = count_done(cq, max);
	int i, n, room;

	while ((room = (int)(max - have)) > 0) {
		n = KV_USER_TIMED(u, ibv_poll_cq(cq->ib, room, wc));
		if (n < 0)
			return kv_user_verb_failed(u, KVERBS_STAGE_COMPLETION, -EIO,
						   "ibv_poll_cq of cq %u failed", cq->obj.id);
		for (i = 0; i < n; i++)
			have += take(u, cq, &wc[i]);
		if (n < room)
			break;
	}
	return 0;
}

/*
 * Takes all completions out of a CQ of the verbs. Those of requests posted by hand wait for
 * kv_user_cq_poll(); those of runs are dropped. While a run polls the CQ, the function does
 * nothing: no request posted by hand completes there then.
 */
void kv_user_poll_take_all(struct kv_user *u, struct kv_user_cq *cq)
{
	struct ibv_wc wc;

	if (cq->poller && kv_user_run_active(cq->poller))
		return;
	while (ibv_poll_cq(cq->ib, 1, &wc) > 0)
		take(u, cq, &wc);
}

static bool receives(const struct kv_user_post *post)
{
	return post->op == KVERBS_OP_RECV;
}

static void fill_ud(const struct kv_user_post *post, struct kv_wc *to)
{
	if (!receives(post) || post->qp->is.type != KVERBS_QPT_UD)
		return;
	to->has_src_qpn = true;
	to->src_qpn = post->wc.src_qp;
	to->grh = post->wc.wc_flags & IBV_WC_GRH;
}

/* In a failed completion only status, wr_id and QP are valid (IBTA 11.4.2.1). */
static void fill_wc(const struct kv_user_post *post, struct kv_wc *to)
{
	const struct ibv_wc *wc = &post->wc;

	memset(to, 0, sizeof(*to));
	to->wr_id = post->wr_id;
	to->status = wc->status;
	to->op = kv_op_completion(post->op);
	to->qp = post->qp->obj.id;
	if (wc->status != IBV_WC_SUCCESS) {
		to->vendor_err = wc->vendor_err;
		return;
	}
	if (receives(post) && wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM)
		to->op = KVERBS_WC_OP_RECV_WRITE_WITH_IMM;
	to->has_length = receives(post) || post->op == KVERBS_OP_READ;
	if (to->has_length)
		to->length = wc->byte_len;
	to->has_imm = receives(post) && wc->wc_flags & IBV_WC_WITH_IMM;
	if (to->has_imm)
		to->imm = ntohl(wc->imm_data);
	/*
	 * rxe sets the kernel's flag, of another number (do_complete()); it does not end keys of
	 * MRs.
	 */
	to->has_inv = receives(post) && wc->wc_flags & IBV_WC_WITH_INV;
	if (to->has_inv)
		to->invalidate_rkey = wc->invalidated_rkey;
	fill_ud(post, to);
}

/*
 * Sends complete in order, so silent sends before @post are over. A READ of siw completes when its
 * answer has come, which may be after requests that were posted later.
 */
static void drop_earlier(const struct kv_user_post *post)
{
	struct kv_user_post *earlier, *next;

	for (earlier = TAILQ_FIRST(&post->queue->posts); earlier != post; earlier = next) {
		next = TAILQ_NEXT(earlier, queued);
		if (earlier->silent)
			kv_user_queue_drop(earlier);
	}
}

int kv_user_cq_poll(struct kv_user *u, struct kv_user_cq *cq, const struct kv_cq_poll *in,
		    struct kv_polled *out)
{
	struct kv_user_post *post;
	int ret;

	if (!in->max || in->max > KVERBS_POLL_MAX)
		return kv_user_fail(u, -ERANGE, "max is %u: it must be 1 to %d", in->max,
				    KVERBS_POLL_MAX);
	ret = kv_user_cq_check_idle(u, cq) ?: take_some(u, cq, in->max);
	if (ret)
		return ret;
	for (out->n = 0; out->n < in->max && (post = TAILQ_FIRST(&cq->done)); (out->n)++) {
		fill_wc(post, &out->wc[out->n]);
		if (!receives(post))
			drop_earlier(post);
		kv_user_queue_drop(post);
	}
	return out->n ? 0 : kv_user_dev_check(u, cq->obj.dev);
}
