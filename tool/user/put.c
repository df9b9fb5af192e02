// SPDX-License-Identifier: MIT
#include <stdbool.h>
#include <kverbs.h>
#include "user/put.h"

/*
 * Requests by libibverbs' extended API (ibv_wr_post(3)): each function adds one of an operation, as
 * a program that always posts this operation writes it.
 */

static inline void start(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	qp->wr_id = wr->wr_id;
	qp->wr_flags = wr->send_flags;
}

static inline void end(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	ibv_wr_set_sge(qp, wr->sg_list->lkey, wr->sg_list->addr, wr->sg_list->length);
}

static inline void end_ud(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	ibv_wr_set_ud_addr(qp, wr->wr.ud.ah, wr->wr.ud.remote_qpn, wr->wr.ud.remote_qkey);
	end(qp, wr);
}

static void put_send(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	start(qp, wr);
	ibv_wr_send(qp);
	end(qp, wr);
}

static void put_send_ud(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	start(qp, wr);
	ibv_wr_send(qp);
	end_ud(qp, wr);
}

static void put_send_imm(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	start(qp, wr);
	ibv_wr_send_imm(qp, wr->imm_data);
	end(qp, wr);
}

static void put_send_imm_ud(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	start(qp, wr);
	ibv_wr_send_imm(qp, wr->imm_data);
	end_ud(qp, wr);
}

static void put_write(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	start(qp, wr);
	ibv_wr_rdma_write(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
	end(qp, wr);
}

static void put_write_imm(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	start(qp, wr);
	ibv_wr_rdma_write_imm(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr, wr->imm_data);
	end(qp, wr);
}

static void put_read(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	start(qp, wr);
	ibv_wr_rdma_read(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
	end(qp, wr);
}

static void put_fetch_add(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	start(qp, wr);
	ibv_wr_atomic_fetch_add(qp, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr,
				wr->wr.atomic.compare_add);
	end(qp, wr);
}

static void put_cmp_swp(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	start(qp, wr);
	ibv_wr_atomic_cmp_swp(qp, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr,
			      wr->wr.atomic.compare_add, wr->wr.atomic.swap);
	end(qp, wr);
}

/**
 * kv_user_put_pick() - the function that adds a request of an operation that runs take
 * @op: enum kverbs_op, one that kv_op_fits_loop()
 * @ud: the QP's type is UD
 */
kv_put_fn kv_user_put_pick(uint32_t op, bool ud)
{
	static const kv_put_fn fn[] = {
		[KVERBS_OP_WRITE] = put_write,
		[KVERBS_OP_WRITE_WITH_IMM] = put_write_imm,
		[KVERBS_OP_READ] = put_read,
		[KVERBS_OP_FETCH_ADD] = put_fetch_add,
		[KVERBS_OP_CMP_SWP] = put_cmp_swp,
	};

	if (op == KVERBS_OP_SEND)
		return ud ? put_send_ud : put_send;
	if (op == KVERBS_OP_SEND_WITH_IMM)
		return ud ? put_send_imm_ud : put_send_imm;
	return fn[op];
}

/**
 * kv_user_put_flags() - the operations that runs take, of a type of QPs
 * @type: the type
 *
 * Return: IBV_QP_EX_WITH_*, for ibv_create_qp_ex(), which refuses those that a type does not have.
 */
uint64_t kv_user_put_flags(enum ibv_qp_type type)
{
	uint64_t flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;

	if (type == IBV_QPT_UD)
		return flags;
	flags |= IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
	if (type == IBV_QPT_UC)
		return flags;
	return flags | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD |
	       IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP;
}
