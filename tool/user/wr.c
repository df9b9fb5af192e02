// SPDX-License-Identifier: MIT
#include <errno.h>
#include "loop/credit.h"
#include "rules/request.h"
#include "rules/run.h"
#include "user/post.h"
#include "user/put.h"
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

/*
 * A QP, or its SRQ, keeps one target buffer and MR: those of the receives that earlier runs have
 * posted, or those into which their credits come.
 */
static bool has_other_target(const struct kv_user_run *run, unsigned int i)
{
	const struct kv_user_end *end = &run->ends[i];
	const struct kv_user_qp *qp = end->qp;
	const struct kv_user_srq *srq = qp->srq;
	struct kv_user_obj *const *uses = srq ? &srq->obj.parents[KV_USER_SRQ_TARGET_BUF] :
						&qp->obj.parents[KV_USER_QP_TARGET_BUF];

	return end->target && end->target_mr &&
	       ((srq ? srq->recvs : qp->recvs) || qp->credit.recvs) &&
	       (uses[0] != &end->target->obj || uses[1] != &end->target_mr->obj ||
		(srq ? srq->target_offset : qp->target_offset) != run->spec.end[i].target_offset ||
		(kv_op_among(run->spec.op, KV_OPS_RECEIVED) && (srq ? srq->recvs : qp->recvs) &&
		 end->target_mr->ib &&
		 (srq ? srq->recv_lkey : qp->recv_lkey) != end->target_mr->ib->lkey));
}

/*
 * Does an earlier end of the run take receives from the same SRQ into another target? The last one
 * of them has been compared with those before it.
 */
static bool splits_srq(const struct kv_user_run *run, unsigned int i)
{
	const struct kv_user_end *end = &run->ends[i];

	for (unsigned int j = i; j--;)
		if (run->ends[j].qp->srq == end->qp->srq)
			return run->ends[j].target != end->target ||
			       run->ends[j].target_mr != end->target_mr ||
			       run->spec.end[j].target_offset != run->spec.end[i].target_offset;
	return false;
}

/* Does another QP receive into the CQ from an SRQ? */
static bool has_srq(const struct kv_user *u, const struct kv_user_cq *cq,
		    const struct kv_user_qp *but)
{
	const struct kv_user_qp *qp;

	KV_USER_FOR_EACH(u, KV_QP, qp)
		if (qp != but && qp->recv_cq == cq && qp->srq)
			return true;
	return false;
}

static int check_qp(struct kv_user *u, const struct kv_run_spec_facts *s, unsigned int i,
		    const struct kv_user_end *end)
{
	struct kv_user_qp *qp = end->qp;
	const struct kv_run_qp_facts facts = {
		.type = qp->is.type,
		.has_ah = end->ah,
		.ah_pd = end->ah && end->ah->obj.parents[0] == qp->obj.parents[KV_USER_QP_PD],
		.srq = qp->srq,
		.srq_pd = qp->srq && qp->srq->obj.parents[KV_USER_SRQ_PD] ==
				     qp->obj.parents[KV_USER_QP_PD],
		.context = qp->send_cq->is.context,
		.other_context = qp->send_cq->is.context != s->context,
		.polled = qp->send_cq->is.context == KVERBS_CQ_POLLED &&
			  qp->recv_cq->is.context == KVERBS_CQ_POLLED,
		.srq_cq = has_srq(u, qp->send_cq, qp) || has_srq(u, qp->recv_cq, qp),
		.pending = qp->send_cq->is.pending || qp->recv_cq->is.pending,
	};

	if (kv_run_check_qp(s, &facts, &u->why))
		return kv_user_run_refuse(u, i, &u->why);
	return kv_user_qp_check_outstanding(u, qp);
}

/* Marks the QPs and, of the ends that have CQs for themselves or for their worker, the CQs. */
static enum kv_run_cqs mark(const struct kv_user_run *run)
{
	struct kv_run_marks marks = { 0 };

	for (unsigned int i = 0; i < run->spec.ends; i++) {
		struct kv_user_qp *qp = run->ends[i].qp;
		const struct kv_user_qp *first = run->ends[i - i % run->share].qp;
		bool same = i % run->share && qp->send_cq == first->send_cq &&
			    qp->recv_cq == first->recv_cq;

		kv_run_mark_end(&marks, same, &qp->in_spec, &qp->send_cq->marked,
				&qp->recv_cq->marked);
	}
	return kv_run_judge_cqs(&marks, run->spec.ends, run->workers);
}

static void unmark(const struct kv_user_run *run)
{
	for (unsigned int i = 0; i < run->spec.ends; i++) {
		struct kv_user_qp *qp = run->ends[i].qp;

		qp->in_spec = qp->send_cq->marked = qp->recv_cq->marked = false;
	}
}

/* How many ends complete into the CQ of one. */
static uint32_t cq_ends(const struct kv_user_run *run)
{
	return run->one_cq ? run->share : 1;
}

static int check_end(struct kv_user *u, const struct kv_user_run *run,
		     const struct kv_run_spec_facts *s, unsigned int i)
{
	const struct kv_run_end *asked = &run->spec.end[i];
	const struct kv_user_end *end = &run->ends[i];
	struct kv_run_end_facts facts = {
		.needs_reset = end->qp->needs_reset,
		.grh = kv_run_grh(end->qp->is.type),
		.other_target = has_other_target(run, i),
		.credits = end->qp->credit.recvs,
		.gives_credits = end->qp->credit.gives,
		.one_cq = end->qp->recv_cq == end->qp->send_cq,
		.sq_sig_all = end->qp->is.sq_sig_all,
		.max_inline = end->qp->is.max_inline,
		.max_send_sge = end->qp->is.max_send_sge,
		.max_recv_sge = end->qp->srq ? end->qp->srq->rq.max_sge : end->qp->rq.max_sge,
		.max_send_wr = end->qp->is.max_send_wr,
		.send_cqe = (uint32_t)end->qp->send_cq->ib->cqe / cq_ends(run),
		.max_recv_wr = end->qp->srq ? end->qp->srq->rq.max : end->qp->rq.max,
		.recv_cqe = (uint32_t)end->qp->recv_cq->ib->cqe / cq_ends(run),
		.remote_addr = asked->remote_addr,
	};
	uint32_t op = run->spec.op;
	int ret;

	if (end->qp->srq) {
		facts.srq_target = splits_srq(run, i);
		facts.srq_by_hand = end->qp->srq->rq.n;
		facts.srq_lost = end->qp->srq->recvs_lost;
	}
	if (end->local)
		facts.local = buf_facts(end->qp, end->local, asked->local_offset, end->local_mr);
	if (end->target)
		facts.target = buf_facts(end->qp, end->target, asked->target_offset,
					 end->target_mr);
	ret = check_qp(u, s, i, end) ?: kv_user_qp_check_rts(u, end->qp);
	if (ret)
		return ret;
	if (kv_run_check_end(s, &facts, &u->why))
		return kv_user_run_refuse(u, i, &u->why);
	if (end->local)
		ret = check_rights(u, i, "local_mr", end->local_mr,
				   op == KVERBS_OP_READ || kv_op_among(op, KV_OPS_ATOMIC) ?
				   KVERBS_ACCESS_LOCAL_WRITE : 0);
	if (ret || !end->target)
		return ret;
	return check_rights(u, i, "target_mr", end->target_mr,
			    kv_run_target_access(run->spec.loop, op));
}

/*
 * Can the run post its operation to its QPs and buffers? The run's @ends are set, and nothing else
 * uses the QPs.
 */
int kv_user_wr_check(struct kv_user *u, struct kv_user_run *run)
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
		.atomic_write = run->spec.ends && run->ends[0].qp->api == KV_API_WR &&
				kv_user_dev_has_atomic_write(run->obj.dev),
		.mem_mgt = run->obj.dev->attr.device_cap_flags & IBV_DEVICE_MEM_MGT_EXTENSIONS,
		.iwarp = kv_user_dev_is_iwarp(run->obj.dev),
		.several = run->several,
		.paced = run->spec.interval_ns,
		.cqs = mark(run),
		.flags = run->spec.flags,
		.sges = run->spec.sges,
		.recv_sges = run->spec.recv_sges,
		.max_sge_rd = (uint32_t)run->obj.dev->attr.max_sge_rd,
		.srq = run->spec.ends && run->ends[0].qp->srq,
		.credits = run->spec.credits,
	};
	int ret = kv_user_rule(u, kv_run_check_spec(&facts, &u->why));

	run->one_cq = facts.cqs == KV_RUN_CQS_WORKER;
	for (unsigned int i = 0; i < run->spec.ends && !ret; i++) {
		if (run->ends[i].qp->obj.dev != run->obj.dev)
			ret = kv_user_fail(u, -EINVAL,
					   "end %u: qp: an object of another RDMA device", i + 1);
		else if (run->ends[i].qp->api != run->ends[0].qp->api)
			ret = kv_user_fail(u, -EINVAL, "end %u: qp: of another api than end 1's", i + 1);
		else
			ret = check_end(u, run, &facts, i);
	}
	unmark(run);
	return ret;
}

static void prep_sge(struct ibv_sge *sge, const struct kv_user_buf *buf, uint64_t first,
		     const struct kv_user_mr *mr, uint64_t length)
{
	sge->addr = (uintptr_t)buf->mem + first;
	sge->length = (uint32_t)length;
	sge->lkey = mr->ib->lkey;
}

/*
 * How many requests the lists of an end need beside kv_end.send_wr: the rest of that list, and a
 * quiet list.
 */
uint32_t kv_user_wr_more(const struct kv_run_spec *spec)
{
	return 2 * spec->list - 1;
}

/* The places in kv_user_worker.sges that an end has. */
size_t kv_user_wr_sges(const struct kv_run_spec *spec)
{
	return 2 * spec->sges + spec->recv_sges;
}

/* Makes a list of requests that are alike: @last, and those at @more. */
static void prep_list(struct ibv_send_wr *last, struct ibv_send_wr *more, uint32_t list)
{
	unsigned int flags = last->send_flags;

	for (; list > 1; list--) {
		*more = *last;
		last->send_flags = flags & ~(unsigned int)IBV_SEND_SIGNALED;
		last->next = more;
		last = more++;
	}
	last->send_flags = flags;
}

/* Builds the SGEs of the send requests of end @i, and the buffers of inline data, in @to. */
static void prep_send_sges(const struct kv_user_run *run, unsigned int i, struct kv_end *to)
{
	const struct kv_run_spec *spec = &run->spec;
	uint32_t bytes = kv_run_local_bytes(spec->loop, spec->size);
	struct ibv_data_buf *buf = kv_user_put_bufs(&to->send_wr);
	uint64_t first = spec->end[i].local_offset;

	for (uint32_t k = 0; k < spec->sges; k++) {
		struct ibv_sge *sge = &to->send_sge[k];

		prep_sge(sge, run->ends[i].local, first, run->ends[i].local_mr,
			 kv_run_sge_bytes(bytes, spec->sges, k));
		buf[k] = (struct ibv_data_buf){ .addr = (void *)(uintptr_t)sge->addr,
						.length = sge->length };
		first += sge->length;
	}
}

/* Builds the send requests, and at @more the rest of their lists, in @to. */
static void prep_sends(const struct kv_user_run *run, unsigned int i, struct ibv_send_wr *more,
		       struct kv_end *to)
{
	const struct kv_run_spec *spec = &run->spec;
	const struct kv_user_end *from = &run->ends[i];
	const struct kv_run_end *end = &spec->end[i];
	uint32_t op = kv_run_posted_op(spec->loop, spec->op);
	struct ibv_send_wr *wr = &to->send_wr;

	wr->wr_id = (uintptr_t)&from->qp->flow;
	wr->sg_list = to->send_sge;
	wr->num_sge = (int)spec->sges;
	prep_send_sges(run, i, to);
	wr->opcode = kv_user_post_opcode(op);
	wr->send_flags = kv_user_post_flags(spec->flags);
	if (kv_op_among(op, KV_OPS_ATOMIC)) {
		wr->wr.atomic.remote_addr = end->remote_addr;
		wr->wr.atomic.rkey = end->remote_key;
		wr->wr.atomic.compare_add = spec->compare_add;
		wr->wr.atomic.swap = spec->swap;
	} else if (kv_op_among(op, KV_OPS_REMOTE)) {
		wr->wr.rdma.remote_addr = end->remote_addr;
		wr->wr.rdma.rkey = end->remote_key;
	} else if (op == KVERBS_OP_SEND_WITH_INV) {
		wr->invalidate_rkey = kv_env_inc_rkey(end->remote_key);
	} else if (from->ah) {
		wr->wr.ud.ah = from->ah->ib;
		wr->wr.ud.remote_qpn = end->remote_qpn;
		wr->wr.ud.remote_qkey = end->remote_qkey;
	}
	to->quiet = more + spec->list - 1;
	*to->quiet = *wr;
	to->quiet->send_flags &= ~(unsigned int)IBV_SEND_SIGNALED;
	prep_list(to->quiet, to->quiet + 1, spec->list);
	prep_list(wr, more, spec->list);
	to->tx_tail = from->local->mem + end->local_offset +
		      kv_run_local_bytes(spec->loop, spec->size) - 1;
}

/* The rest of the MR: a receive may stay posted for a run of another size. */
static void prep_recv(const struct kv_user_run *run, unsigned int i, struct kv_end *to)
{
	const struct kv_user_end *from = &run->ends[i];
	const struct kv_run_spec *spec = &run->spec;
	const struct kv_mr *mr = &from->target_mr->is;
	uint64_t first = spec->end[i].target_offset;
	uint32_t room = (uint32_t)(mr->offset + mr->length - first);
	uint32_t bytes = kv_run_target_bytes(spec->loop, spec->size);
	uint32_t message = kv_run_grh(from->qp->is.type) + bytes;

	to->rx_tail = from->target->mem + first + bytes - 1;
	for (uint32_t k = 0; k < spec->recv_sges; k++) {
		prep_sge(&to->recv_sge[k], from->target, first, from->target_mr,
			 kv_run_recv_sge_bytes(room, message, spec->recv_sges, k));
		first += to->recv_sge[k].length;
	}
	to->recv_wr.wr_id = (uintptr_t)&from->qp->flow;
	to->recv_wr.sg_list = to->recv_sge;
	to->recv_wr.num_sge = (int)spec->recv_sges;
}

/* Before the peer's first SEND no credit comes. */
static void prep_credit(const struct kv_user_run *run, struct kv_user_qp *qp, struct kv_end *to)
{
	const struct kv_run_spec *spec = &run->spec;
	bool gives = spec->loop == KVERBS_LOOP_CREDIT_SERVER;

	to->credit = &qp->credit;
	if (kv_credit_begin(to->credit, gives ? spec->depth : spec->credits, gives) && !gives)
		*to->rx_tail = 0;
}

static enum kv_put_data put_data(const struct kv_run_spec *spec)
{
	if (spec->flags & KVERBS_WR_INLINE)
		return spec->sges > 1 ? KV_PUT_INLINES : KV_PUT_INLINE;
	return spec->sges > 1 ? KV_PUT_SGES : KV_PUT_SGE;
}

/* Builds the work requests that end @i of a checked run posts over and over. Returns that end. */
struct kv_end *kv_user_wr_prep(struct kv_user_run *run, unsigned int i)
{
	const struct kv_user_end *from = &run->ends[i];
	struct kv_user_worker *worker = kv_user_run_worker(run, i);
	unsigned int at = i - worker->first;
	struct kv_end *to = &worker->end[at];

	to->qp = from->qp->ib;
	to->send_sge = &worker->sges[at * kv_user_wr_sges(&run->spec)];
	/* Behind the room for kv_user_put_bufs(). */
	to->recv_sge = to->send_sge + 2 * run->spec.sges;
	if (from->qp->api == KV_API_WR) {
		to->ex = ibv_qp_to_qp_ex(to->qp);
		to->put = kv_user_put_pick(kv_run_posted_op(run->spec.loop, run->spec.op),
					   from->qp->is.type == KVERBS_QPT_UD,
					   put_data(&run->spec));
	}
	to->send_cq = from->qp->send_cq->ib;
	to->recv_cq = from->qp->recv_cq->ib;
	if (from->local)
		prep_sends(run, i, &worker->more[at * kv_user_wr_more(&run->spec)], to);
	if (from->target)
		prep_recv(run, i, to);
	if (kv_run_has_credits(run->spec.loop))
		prep_credit(run, from->qp, to);
	return to;
}
