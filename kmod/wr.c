// SPDX-License-Identifier: GPL-2.0
#include "cq.h"
#include "mr.h"
#include "pd.h"
#include "qp.h"
#include "wr.h"

static const enum ib_wr_opcode opcodes[] = {
	[KVERBS_OP_SEND] = IB_WR_SEND,
	[KVERBS_OP_WRITE] = IB_WR_RDMA_WRITE,
	[KVERBS_OP_READ] = IB_WR_RDMA_READ,
	[KVERBS_OP_FETCH_ADD] = IB_WR_ATOMIC_FETCH_AND_ADD,
	[KVERBS_OP_CMP_SWP] = IB_WR_ATOMIC_CMP_AND_SWP,
};

static void prep_sge(struct ib_sge *sge, const struct kv_run_end *from,
		     const struct kv_mr *mr, u32 length)
{
	bool by_mr = from->lkey == KVERBS_LKEY_MR;

	sge->addr = by_mr ? mr->ib->iova : mr->dma;
	sge->lkey = by_mr ? mr->ib->lkey : from->qp->pd->ib->local_dma_lkey;
	sge->length = length;
}

/**
 * kv_wr_prep() - build the work requests that a run posts over and over
 * @end: where they go
 * @spec: the run, checked
 * @from: the end in it that they are for
 */
void kv_wr_prep(struct kv_end *end, const struct kv_run_spec *spec,
		const struct kv_run_end *from)
{
	struct ib_send_wr *wr = &end->send.wr;

	end->qp = from->qp->ib;
	end->send_cq = from->qp->send_cq->ib;
	end->recv_cq = from->qp->recv_cq->ib;

	prep_sge(&end->send_sge, from, from->local, spec->size);
	wr->sg_list = &end->send_sge;
	wr->num_sge = 1;
	wr->opcode = opcodes[spec->op];
	wr->send_flags = IB_SEND_SIGNALED;
	switch (spec->op) {
	case KVERBS_OP_WRITE:
	case KVERBS_OP_READ:
		end->send.rdma.remote_addr = from->remote_addr;
		end->send.rdma.rkey = from->remote_key;
		break;
	case KVERBS_OP_FETCH_ADD:
	case KVERBS_OP_CMP_SWP:
		end->send.atomic.remote_addr = from->remote_addr;
		end->send.atomic.rkey = from->remote_key;
		end->send.atomic.compare_add = spec->compare_add;
		end->send.atomic.swap = spec->swap;
		break;
	}
	end->mark = from->local->buf + spec->size - 1;

	if (!from->target)
		return;
	/* All of the target: a receive may stay posted for a run of another size. */
	prep_sge(&end->recv_sge, from, from->target,
		 from->lkey == KVERBS_LKEY_MR ? from->target->reg_length :
						from->target->length);
	end->recv_wr.sg_list = &end->recv_sge;
	end->recv_wr.num_sge = 1;
	end->flag = from->target->buf + spec->size - 1;
}
