// SPDX-License-Identifier: MIT
#include <errno.h>
#include "rules/request.h"
#include "rules/run.h"
#include "user/post.h"
#include "user/run.h"

/* A run's work requests: checking and building them. */

/* Refuses end @i by a rule. */
int kv_user_run_refuse(struct kv_user *u, unsigned int i, const struct kv_refusal *why)
{
	return kv_user_fail(u, why->error, "end %u: %s", i + 1, why->text);
}

static struct kv_run_buf_facts buf_facts(const struct kv_user_qp *qp, const struct kv_user_buf *buf,
					 uint64_t first, const struct kv_user_mr *mr)
{
	return (struct kv_run_buf_facts){
		.buffer = buf->length,
		.first = first,
		.contiguous = buf->length,
		.by_mr = mr,
		.same_pd = mr && mr->obj.parents[KV_USER_MR_PD] == qp->obj.parents[KV_USER_QP_PD],
		.registered = mr && kv_user_mr_over(mr, buf),
		.offset = mr ? mr->is.offset : 0,
		.length = mr ? mr->is.length : 0,
	};
}

static int check_rights(struct kv_user *u, unsigned int i, const char *role,
			const struct kv_user_mr *mr, uint32_t access)
{
	if (!(access & ~mr->is.access))
		return 0;
	return kv_user_fail(u, -EINVAL,
			    "end %u: its %s, mr %u, is registered without the right that this needs: %s",
			    i + 1, role, mr->obj.id,
			    access & ~mr->is.access & KVERBS_ACCESS_LOCAL_WRITE ?
			    "local write" : "remote write");
}

/* A QP keeps one target buffer and MR: those of the receives that earlier runs have posted. */
static bool has_other_target(const struct kv_user_run *run, unsigned int i)
{
	const struct kv_user_end *end = &run->ends[i];
	const struct kv_user_qp *qp = end->qp;

	return end->target && end->target_mr && qp->recvs &&
	       (qp->obj.parents[KV_USER_QP_TARGET_BUF] != &end->target->obj ||
		qp->obj.parents[KV_USER_QP_TARGET_MR] != &end->target_mr->obj ||
		qp->target_offset != run->spec.end[i].target_offset ||
		(run->spec.op == KVERBS_OP_SEND && end->target_mr->ib &&
		 qp->recv_lkey != end->target_mr->ib->lkey));
}

static bool has_srq(const struct kv_user *u, const struct kv_user_cq *cq)
{
	const struct kv_user_qp *qp;

	KV_USER_FOR_EACH(u, KV_QP, qp)
		if (qp->recv_cq == cq && qp->srq)
			return true;
	return false;
}

static int check_qp(struct kv_user *u, const struct kv_run_spec_facts *s, unsigned int i,
		    struct kv_user_qp *qp)
{
	const struct kv_run_qp_facts facts = {
		.type = qp->is.type,
		.srq = qp->srq,
		.context = qp->send_cq->is.context,
		.other_context = qp->send_cq->is.context != s->context,
		.polled = qp->send_cq->is.context == KVERBS_CQ_POLLED &&
			  qp->recv_cq->is.context == KVERBS_CQ_POLLED,
		.srq_cq = has_srq(u, qp->send_cq) || has_srq(u, qp->recv_cq),
		.pending = qp->send_cq->is.pending || qp->recv_cq->is.pending,
	};
	struct kv_refusal why;

	if (kv_run_check_qp(s, &facts, &why))
		return kv_user_run_refuse(u, i, &why);
	return kv_user_qp_check_outstanding(u, qp);
}

static bool share_cq(const struct kv_user_run *run)
{
	for (unsigned int i = 1; i < run->spec.ends; i++)
		for (unsigned int j = 0; j < i; j++)
			if (kv_user_qp_share_cq(run->ends[i].qp, run->ends[j].qp))
				return true;
	return false;
}

static int check_end(struct kv_user *u, const struct kv_user_run *run,
		     const struct kv_run_spec_facts *s, unsigned int i)
{
	const struct kv_run_end *asked = &run->spec.end[i];
	const struct kv_user_end *end = &run->ends[i];
	struct kv_run_end_facts facts = {
		.needs_reset = end->qp->needs_reset,
		.local = buf_facts(end->qp, end->local, asked->local_offset, end->local_mr),
		.other_target = has_other_target(run, i),
		.one_cq = end->qp->recv_cq == end->qp->send_cq,
		.sq_sig_all = end->qp->is.sq_sig_all,
		.max_send_wr = end->qp->is.max_send_wr,
		.send_cqe = (uint32_t)end->qp->send_cq->ib->cqe,
		.max_recv_wr = end->qp->rq.max,
		.recv_cqe = (uint32_t)end->qp->recv_cq->ib->cqe,
		.remote_addr = asked->remote_addr,
	};
	uint32_t op = run->spec.op;
	struct kv_refusal why;
	int ret;

	if (end->target)
		facts.target = buf_facts(end->qp, end->target, asked->target_offset,
					 end->target_mr);
	ret = check_qp(u, s, i, end->qp) ?: kv_user_qp_check_rts(u, end->qp);
	if (ret)
		return ret;
	if (kv_run_check_end(s, &facts, &why))
		return kv_user_run_refuse(u, i, &why);
	ret = check_rights(u, i, "local_mr", end->local_mr,
			   op == KVERBS_OP_READ || kv_op_is_atomic(op) ?
			   KVERBS_ACCESS_LOCAL_WRITE : 0);
	if (ret || !end->target)
		return ret;
	return check_rights(u, i, "target_mr", end->target_mr,
			    op == KVERBS_OP_SEND ? KVERBS_ACCESS_LOCAL_WRITE :
						   KVERBS_ACCESS_REMOTE_WRITE);
}

/*
 * Can the run post its operation to its QPs and buffers? The run's @ends are set, and nothing else
 * uses the QPs.
 */
int kv_user_wr_check(struct kv_user *u, const struct kv_user_run *run)
{
	const struct kv_run_spec_facts facts = {
		.loop = run->spec.loop,
		.op = run->spec.op,
		.size = run->spec.size,
		.depth = run->spec.depth,
		.list = run->spec.list,
		.signal = run->spec.signal,
		.spins = run->spins_given,
		.context = run->spec.ends ? run->ends[0].qp->send_cq->is.context : KVERBS_CQ_POLLED,
		.atomic = kv_user_dev_caps(run->obj.dev) & KVERBS_CAP_ATOMIC,
		.share_cq = share_cq(run),
	};
	struct kv_refusal why;
	int ret = 0;

	if (kv_run_check_spec(&facts, &why))
		return kv_user_refuse(u, &why);
	for (unsigned int i = 0; i < run->spec.ends && !ret; i++) {
		if (run->ends[i].qp->obj.dev != run->obj.dev)
			return kv_user_fail(u, -EINVAL,
					    "end %u: qp: an object of another RDMA device", i + 1);
		ret = check_end(u, run, &facts, i);
	}
	return ret;
}

static void prep_sge(struct ibv_sge *sge, const struct kv_user_buf *buf, uint64_t first,
		     const struct kv_user_mr *mr, uint64_t length)
{
	sge->addr = (uintptr_t)buf->mem + first;
	sge->length = (uint32_t)length;
	sge->lkey = mr->ib->lkey;
}

/* Makes a list of requests that are alike: @last, and those at @more. */
static void prep_list(struct ibv_send_wr *last, struct ibv_send_wr *more, uint32_t list)
{
	unsigned int flags = last->send_flags;

	for (; list > 1; list--) {
		*more = *last;
		last->send_flags = 0;
		last->next = more;
		last = more++;
	}
	last->send_flags = flags;
}

/* Builds the work requests that end @i of a checked run posts over and over. */
void kv_user_wr_prep(struct kv_user_run *run, unsigned int i)
{
	const struct kv_user_end *from = &run->ends[i];
	const struct kv_run_end *end = &run->spec.end[i];
	struct kv_user_worker *worker = kv_user_run_worker(run, i);
	struct kv_end *to = &worker->end[i % kv_run_ends(run->spec.loop)];
	struct ibv_send_wr *wr = &to->send_wr;

	to->qp = from->qp->ib;
	to->send_cq = from->qp->send_cq->ib;
	to->recv_cq = from->qp->recv_cq->ib;

	prep_sge(&to->send_sge, from->local, end->local_offset, from->local_mr, run->spec.size);
	wr->sg_list = &to->send_sge;
	wr->num_sge = 1;
	wr->opcode = kv_user_post_opcode(run->spec.op);
	wr->send_flags = IBV_SEND_SIGNALED;
	switch (run->spec.op) {
	case KVERBS_OP_WRITE:
	case KVERBS_OP_READ:
		wr->wr.rdma.remote_addr = end->remote_addr;
		wr->wr.rdma.rkey = end->remote_key;
		break;
	case KVERBS_OP_FETCH_ADD:
	case KVERBS_OP_CMP_SWP:
		wr->wr.atomic.remote_addr = end->remote_addr;
		wr->wr.atomic.rkey = end->remote_key;
		wr->wr.atomic.compare_add = run->spec.compare_add;
		wr->wr.atomic.swap = run->spec.swap;
		break;
	}
	worker->quiet[0] = *wr;
	worker->quiet[0].send_flags = 0;
	prep_list(worker->quiet, worker->quiet + 1, run->spec.list);
	prep_list(wr, worker->more, run->spec.list);
	to->quiet = worker->quiet;
	to->tx_tail = from->local->mem + end->local_offset + run->spec.size - 1;

	if (!from->target)
		return;
	/* The rest of the MR: a receive may stay posted for a run of another size. */
	prep_sge(&to->recv_sge, from->target, end->target_offset, from->target_mr,
		 from->target_mr->is.offset + from->target_mr->is.length - end->target_offset);
	to->recv_wr.sg_list = &to->recv_sge;
	to->recv_wr.num_sge = 1;
	to->rx_tail = from->target->mem + end->target_offset + run->spec.size - 1;
}
