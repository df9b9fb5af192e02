// SPDX-License-Identifier: GPL-2.0
#include "ah.h"
#include "buf.h"
#include "cq.h"
#include "dev.h"
#include "handler.h"
#include "loop/credit.h"
#include "loop_env.h"
#include "mr.h"
#include "pd.h"
#include "qp.h"
#include "refuse.h"
#include "rules/request.h"
#include "run.h"
#include "srq.h"
#include "wr.h"

/* By enum kverbs_op: the operations of a send queue. */
static const enum ib_wr_opcode opcodes[] = {
	[KVERBS_OP_SEND] = IB_WR_SEND,
	[KVERBS_OP_SEND_WITH_IMM] = IB_WR_SEND_WITH_IMM,
	[KVERBS_OP_SEND_WITH_INV] = IB_WR_SEND_WITH_INV,
	[KVERBS_OP_WRITE] = IB_WR_RDMA_WRITE,
	[KVERBS_OP_WRITE_WITH_IMM] = IB_WR_RDMA_WRITE_WITH_IMM,
	[KVERBS_OP_READ] = IB_WR_RDMA_READ,
	[KVERBS_OP_READ_WITH_INV] = IB_WR_RDMA_READ_WITH_INV,
	[KVERBS_OP_FETCH_ADD] = IB_WR_ATOMIC_FETCH_AND_ADD,
	[KVERBS_OP_CMP_SWP] = IB_WR_ATOMIC_CMP_AND_SWP,
};

/* An offset below the registration of an MR wraps, which is as wrong as one above. */
static void wr_set_sge(struct ib_sge *sge, const struct kv_pd *pd, const struct kv_buf *buf,
		       u64 offset, const struct kv_mr *mr, u32 length)
{
	sge->addr = mr ? mr->ib->iova + (offset - mr->offset) : kv_buf_place(buf, offset).dma;
	sge->lkey = mr ? mr->ib->lkey : pd->ib->local_dma_lkey;
	sge->length = length;
}

/* @at: of the memory's bytes, the first one that the SGE names */
static void wr_prep_sge(struct ib_sge *sge, const struct kv_run_end *from,
			const struct kv_run_memory *memory, u64 at, u32 length)
{
	wr_set_sge(sge, from->qp->pd, memory->buf, memory->offset + at, memory->mr, length);
}

/* How many bytes the key covers, from the first one on. */
static u32 wr_covered(const struct kv_run_memory *memory)
{
	const struct kv_mr *mr = memory->mr;

	if (!mr)
		return kv_buf_place(memory->buf, memory->offset).length;
	return min_t(u64, mr->offset + mr->length - memory->offset, U32_MAX);
}

/* Sets the remote address and key, in the part of the request that its operation needs. */
static void wr_set_remote(struct ib_send_wr *wr, u32 op, u64 addr, u32 key, u64 compare_add,
			  u64 swap)
{
	struct ib_atomic_wr *atomic = container_of(wr, struct ib_atomic_wr, wr);
	struct ib_rdma_wr *rdma = container_of(wr, struct ib_rdma_wr, wr);

	if (kv_op_among(op, KV_OPS_ATOMIC)) {
		atomic->remote_addr = addr;
		atomic->rkey = key;
		atomic->compare_add = compare_add;
		atomic->swap = swap;
	} else if (kv_op_among(op, KV_OPS_REMOTE)) {
		rdma->remote_addr = addr;
		rdma->rkey = key;
	}
}

/*
 * Makes a list of requests that are alike: @last, and those at @more. Only the last one of the list
 * is signaled, if @last was. A request that is not signaled gives its
 * place in the queue back with the next signaled one's completion (mlx5_poll_one(),
 * bnxt_qplib_cq_process_req(), irdma_uk_cq_poll_cmpl()), or before (siw_activate_tx_from_sq(), and
 * do_complete() of rxe).
 */
static void wr_prep_list(union kv_end_wr *last, union kv_end_wr *more, u32 list)
{
	u32 flags = last->wr.send_flags;

	for (; list > 1; list--) {
		*more = *last;
		last->wr.send_flags = flags & ~IB_SEND_SIGNALED;
		last->wr.next = &more->wr;
		last = more++;
	}
	last->wr.send_flags = flags;
}

/* @flags: KVERBS_WR_* */
static int wr_send_flags(u32 flags)
{
	return (flags & KVERBS_WR_UNSIGNALED ? 0 : IB_SEND_SIGNALED) |
	       (flags & KVERBS_WR_SOLICITED ? IB_SEND_SOLICITED : 0) |
	       (flags & KVERBS_WR_FENCE ? IB_SEND_FENCE : 0) |
	       (flags & KVERBS_WR_INLINE ? IB_SEND_INLINE : 0);
}

/* The CPU copies the bytes of an inline request: drivers take a pointer, and no key. */
static u64 wr_inline_addr(const struct kv_buf *buf, u64 offset)
{
	return (uintptr_t)kv_buf_place(buf, offset).at;
}

static void wr_prep_send_sges(struct ib_sge *sge, const struct kv_run_spec *spec,
			      const struct kv_run_end *from)
{
	u32 i, bytes = kv_run_local_bytes(spec->loop, spec->size);
	const struct kv_run_memory *local = &from->local;
	u64 at = 0;

	for (i = 0; i < spec->sges; i++) {
		wr_prep_sge(&sge[i], from, local, at, kv_run_sge_bytes(bytes, spec->sges, i));
		if (spec->flags & KVERBS_WR_INLINE)
			sge[i].addr = wr_inline_addr(local->buf, local->offset + at);
		at += sge[i].length;
	}
}

/*
 * Puts the registration before the request, in one list. It is not signaled: it gives its place
 * back with the completion of the request behind it, as the requests of wr_prep_list() do.
 */
static void wr_prep_registration(struct kv_end *end, const struct kv_mr *mr)
{
	end->inv_mr = mr->ib;
	end->after = end->send;
	/* The sink is named by the key, and so by the address that goes with it. */
	if (end->after.wr.opcode == IB_WR_RDMA_READ_WITH_INV)
		end->send_sge->addr = mr->ib->iova;
	/* The end that asks SENDs; the answer invalidates. */
	else
		end->after.wr.opcode = IB_WR_SEND;
	end->send.reg = (struct ib_reg_wr){
		.wr.wr_cqe = end->after.wr.wr_cqe,
		.wr.opcode = IB_WR_REG_MR,
		.wr.next = &end->after.wr,
		.mr = mr->ib,
		.access = kv_mr_access(mr, mr->access),
	};
}

static void wr_prep_sends(struct kv_end *end, const struct kv_run_spec *spec,
			  const struct kv_run_end *from)
{
	u32 op = kv_run_posted_op(spec->loop, spec->op);
	u32 last = kv_run_local_bytes(spec->loop, spec->size) - 1;
	struct ib_send_wr *wr = &end->send.wr;

	wr_prep_send_sges(end->send_sge, spec, from);
	wr->sg_list = end->send_sge;
	wr->num_sge = spec->sges;
	wr->opcode = opcodes[op];
	wr->send_flags = wr_send_flags(spec->flags);
	wr_set_remote(wr, op, from->remote_addr, from->remote_key, spec->compare_add, spec->swap);
	if (from->ah) {
		end->send.ud.ah = from->ah->ib;
		end->send.ud.remote_qpn = from->remote_qpn;
		end->send.ud.remote_qkey = from->remote_qkey;
	}
	if (end->more) {
		*end->quiet = end->send;
		end->quiet->wr.send_flags &= ~IB_SEND_SIGNALED;
		wr_prep_list(end->quiet, end->quiet + 1, spec->list);
		wr_prep_list(&end->send, end->more, spec->list);
	}
	if (from->inv_mr)
		wr_prep_registration(end, from->inv_mr);
	else if (spec->op == KVERBS_OP_SEND_WITH_INV)
		wr->ex.invalidate_rkey = ib_inc_rkey(from->remote_key);
	end->tx_tail = kv_buf_place(from->local.buf, from->local.offset + last).at;
}

/* All bytes that the key covers: a receive may stay posted for a run of another size. */
static void wr_prep_recv(struct kv_end *end, const struct kv_run_spec *spec,
			 const struct kv_run_end *from)
{
	u32 bytes = kv_run_target_bytes(spec->loop, spec->size);
	u32 message = kv_run_grh(from->qp->type) + bytes;
	u32 i, room = wr_covered(&from->target);
	u64 at = 0;

	for (i = 0; i < spec->recv_sges; i++) {
		wr_prep_sge(&end->recv_sge[i], from, &from->target, at,
			    kv_run_recv_sge_bytes(room, message, spec->recv_sges, i));
		at += end->recv_sge[i].length;
	}
	end->recv_wr.wr_cqe = end->send.wr.wr_cqe;
	end->recv_wr.sg_list = end->recv_sge;
	end->recv_wr.num_sge = spec->recv_sges;
	end->rx_tail = kv_buf_place(from->target.buf, from->target.offset + bytes - 1).at;
}

/* The first run clears the byte: before its first SEND the peer gives no credit. */
static void wr_prep_credit(struct kv_end *end, const struct kv_run_spec *spec, struct kv_qp *qp)
{
	bool gives = spec->loop == KVERBS_LOOP_CREDIT_SERVER;

	end->credit = &qp->credit;
	if (kv_credit_begin(end->credit, gives ? spec->depth : spec->credits, gives) && !gives)
		WRITE_ONCE(*end->rx_tail, 0);
}

/**
 * kv_wr_prep() - build the work requests that a run posts over and over
 * @end: receives them
 * @spec: the run, checked
 * @from: the end in @spec that they are for
 */
void kv_wr_prep(struct kv_end *end, const struct kv_run_spec *spec, const struct kv_run_end *from)
{
	struct ib_send_wr *wr = &end->send.wr;

	end->qp = from->qp->ib;
	end->send_cq = from->qp->send_cq->ib;
	end->recv_cq = from->qp->recv_cq->ib;

	wr->wr_cqe = kv_handler_cqe(spec->post_context);
	if (from->local.buf)
		wr_prep_sends(end, spec, from);
	if (from->target.buf)
		wr_prep_recv(end, spec, from);
	if (kv_run_has_credits(spec->loop))
		wr_prep_credit(end, spec, from->qp);
}

static int wr_check_queue(const struct kv_wr_spec *spec, struct netlink_ext_ack *extack)
{
	const struct kv_qp *qp = spec->qp;
	struct kv_request_facts r = {
		.op = spec->op,
		.flags = spec->flags,
		.has_ah = spec->ah,
		.remote_addr = spec->remote_addr,
		.sges = spec->sges,
		.to_srq = spec->srq,
	};
	struct kv_refusal why;
	unsigned int i;

	for (i = 0; i < spec->sges; i++)
		r.bytes += spec->sge[i].length;
	if (spec->srq) {
		r.max_sge = spec->srq->max_sge;
	} else {
		r.type = qp->type;
		r.uses_srq = qp->srq;
		r.iwarp = kv_dev_iwarp(qp->obj.dev);
		r.atomic = qp->obj.dev->ib->attrs.atomic_cap != IB_ATOMIC_NONE;
		r.mem_mgt = qp->obj.dev->ib->attrs.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS;
		r.max_sge = spec->op == KVERBS_OP_RECV ? qp->cap.max_recv_sge :
							 qp->cap.max_send_sge;
		r.max_inline = qp->cap.max_inline_data;
		r.same_pd = spec->ah && spec->ah->obj.parents[0] == &qp->pd->obj;
	}
	if (kv_request_check(&r, &why))
		return kv_refuse_by(extack, &why);
	if (spec->ah && kv_obj_persistent(&qp->obj) && !kv_obj_persistent(&spec->ah->obj))
		return kv_refuse(extack, -EINVAL,
				 "the qp is persistent and the ah is not: the ah would go while a request names it");
	return 0;
}

static int wr_check_sge(const struct kv_wr_spec *spec, const struct kv_wr_sge *sge,
			struct netlink_ext_ack *extack)
{
	const struct kv_obj *queue = spec->qp ? &spec->qp->obj : &spec->srq->obj;
	const struct kv_obj *pd = spec->qp ? &spec->qp->pd->obj : &spec->srq->pd->obj;
	const struct kv_buf *buf = sge->buf;
	const struct kv_mr *mr = sge->mr;
	struct kv_request_sge facts = {
		.offset = sge->offset,
		.length = sge->length,
		.buffer = buf->length,
		.contiguous = kv_buf_place(buf, sge->offset).length,
		.dma_key = true,
		.inlined = spec->flags & KVERBS_WR_INLINE,
		.by_mr = mr,
	};
	struct kv_refusal why;

	if (mr) {
		facts.same_pd = mr->obj.parents[KV_MR_PD] == pd;
		facts.registered = kv_mr_registered(mr);
		facts.over_buffer = kv_mr_over(mr, &buf->obj);
	}
	if (kv_request_check_sge(&facts, &why) ||
	    kv_op_check_sink(spec->op, kv_dev_iwarp(buf->obj.dev), mr, &why))
		return kv_refuse_by(extack, &why);
	/* The queue keeps the buffer and the MR until the completion. */
	if (!kv_obj_persistent(queue) ||
	    (kv_obj_persistent(&buf->obj) && (!mr || kv_obj_persistent(&mr->obj))))
		return 0;
	return kv_refuse(extack, -EINVAL,
			 "the queue is persistent, and the buffer or the mr is not: that object would go while a request names it");
}

/**
 * kv_wr_check() - could this request be posted, if its queue were ready?
 * @spec: the request, with the fields of its operation; a QP for all but RECV,
 *	which takes a QP or an SRQ
 * @wrong: receives the index of the SGE that causes a refusal; the number of SGEs if
 *	none does
 * @extack: where the reason of a refusal goes
 *
 * The device refuses a range beyond the registration of an MR; this does not check it.
 *
 * Locks: dev->lock
 * Return: 0, -EINVAL or -EOPNOTSUPP.
 */
int kv_wr_check(const struct kv_wr_spec *spec, unsigned int *wrong, struct netlink_ext_ack *extack)
{
	unsigned int i;
	int ret;

	*wrong = spec->sges;
	ret = wr_check_queue(spec, extack);
	for (i = 0; !ret && i < spec->sges; i++) {
		ret = wr_check_sge(spec, &spec->sge[i], extack);
		if (ret)
			*wrong = i;
	}
	return ret;
}

static void wr_build_sge(struct ib_sge *sge, const struct kv_wr_spec *spec,
			 const struct kv_wr_sge *from)
{
	wr_set_sge(sge, spec->qp ? spec->qp->pd : spec->srq->pd, from->buf, from->offset,
		   from->mr, from->length);
	if (spec->flags & KVERBS_WR_INLINE)
		sge->addr = wr_inline_addr(from->buf, from->offset);
}

/* siw_tx_hdt() uses the memory of an empty SGE, which siw_check_sgl_tx() has not looked up. */
static bool wr_left_out_if_empty(const struct kv_wr_spec *spec)
{
	return kv_op_among(spec->op, KV_OPS_CARRY) && kv_dev_iwarp(spec->qp->obj.dev);
}

static void wr_prep_send(struct kv_wr *wr, const struct kv_wr_spec *spec)
{
	wr->send.opcode = opcodes[spec->op];
	if (kv_op_among(spec->op, KV_OPS_IMM))
		wr->send.ex.imm_data = cpu_to_be32(spec->imm);
	if (spec->op == KVERBS_OP_SEND_WITH_INV)
		wr->send.ex.invalidate_rkey = spec->invalidate_rkey;
	/* As rdma_rw does (rdma_rw_init_mr_wrs()); siw, irdma and cxgb4 take the key of the SGE. */
	if (spec->op == KVERBS_OP_READ_WITH_INV)
		wr->send.ex.invalidate_rkey = wr->sge[0].lkey;
	wr->send.send_flags |= wr_send_flags(spec->flags);
	/* siw_post_send() refuses an inline SEND of no bytes, but leaves it in the queue. */
	if (!wr->send.num_sge && wr_left_out_if_empty(spec))
		wr->send.send_flags &= ~IB_SEND_INLINE;
	wr_set_remote(&wr->send, spec->op, spec->remote_addr, spec->remote_key,
		      spec->compare_add, spec->swap);
	if (spec->ah) {
		wr->ud.ah = spec->ah->ib;
		wr->ud.remote_qpn = spec->remote_qpn;
		wr->ud.remote_qkey = spec->remote_qkey;
	}
}

/**
 * kv_wr_build() - build a request that is posted by hand
 * @wr: receives it
 * @spec: the request, checked by kv_wr_check()
 * @cqe: its completion calls @cqe->done()
 *
 * Locks: dev->lock
 */
void kv_wr_build(struct kv_wr *wr, const struct kv_wr_spec *spec, struct ib_cqe *cqe)
{
	unsigned int i, n = 0;

	memset(wr, 0, sizeof(*wr));
	for (i = 0; i < spec->sges; i++)
		if (spec->sge[i].length || !wr_left_out_if_empty(spec))
			wr_build_sge(&wr->sge[n++], spec, &spec->sge[i]);
	if (spec->op == KVERBS_OP_RECV) {
		wr->recv.wr_cqe = cqe;
		wr->recv.sg_list = wr->sge;
		wr->recv.num_sge = n;
		return;
	}
	wr->send.wr_cqe = cqe;
	wr->send.sg_list = wr->sge;
	wr->send.num_sge = n;
	wr_prep_send(wr, spec);
}
