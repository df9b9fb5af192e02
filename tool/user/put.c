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

static inline void end(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr, bool inlined)
{
	if (inlined)
		ibv_wr_set_inline_data(qp, (void *)(uintptr_t)wr->sg_list->addr, wr->sg_list->length);
	else
		ibv_wr_set_sge(qp, wr->sg_list->lkey, wr->sg_list->addr, wr->sg_list->length);
}

static inline void end_ud(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr, bool inlined)
{
	ibv_wr_set_ud_addr(qp, wr->wr.ud.ah, wr->wr.ud.remote_qpn, wr->wr.ud.remote_qkey);
	end(qp, wr, inlined);
}

static inline void add_send(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr, bool inlined)
{
	start(qp, wr);
	ibv_wr_send(qp);
	end(qp, wr, inlined);
}

static inline void add_send_ud(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr, bool inlined)
{
	start(qp, wr);
	ibv_wr_send(qp);
	end_ud(qp, wr, inlined);
}

static inline void add_send_imm(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr, bool inlined)
{
	start(qp, wr);
	ibv_wr_send_imm(qp, wr->imm_data);
	end(qp, wr, inlined);
}

static inline void add_send_imm_ud(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr, bool inlined)
{
	start(qp, wr);
	ibv_wr_send_imm(qp, wr->imm_data);
	end_ud(qp, wr, inlined);
}

static inline void add_write(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr, bool inlined)
{
	start(qp, wr);
	ibv_wr_rdma_write(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
	end(qp, wr, inlined);
}

static inline void add_write_imm(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr, bool inlined)
{
	start(qp, wr);
	ibv_wr_rdma_write_imm(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr, wr->imm_data);
	end(qp, wr, inlined);
}

/* One for requests with an SGE, and one for requests with inline data. */
#define PUT(name)									\
	static void put_##name(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)	\
	{										\
		add_##name(qp, wr, false);						\
	}										\
											\
	static void put_##name##_inline(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr) \
	{										\
		add_##name(qp, wr, true);						\
	}

PUT(send)
PUT(send_ud)
PUT(send_imm)
PUT(send_imm_ud)
PUT(write)
PUT(write_imm)

static void put_read(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	start(qp, wr);
	ibv_wr_rdma_read(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
	end(qp, wr, false);
}

static void put_fetch_add(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	start(qp, wr);
	ibv_wr_atomic_fetch_add(qp, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr,
				wr->wr.atomic.compare_add);
	end(qp, wr, false);
}

static void put_cmp_swp(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	start(qp, wr);
	ibv_wr_atomic_cmp_swp(qp, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr,
			      wr->wr.atomic.compare_add, wr->wr.atomic.swap);
	end(qp, wr, false);
}

/**
 * kv_user_put_pick() - the function that adds a request of an operation that runs take
 * @op: enum kverbs_op, one that kv_op_fits_loop()
 * @ud: the QP's type is UD
 * @inlined: the requests have inline data, which the operation can carry
 */
kv_put_fn kv_user_put_pick(uint32_t op, bool ud, bool inlined)
{
	static const kv_put_fn fn[][2] = {
		[KVERBS_OP_SEND] = { put_send, put_send_inline },
		[KVERBS_OP_SEND_WITH_IMM] = { put_send_imm, put_send_imm_inline },
		[KVERBS_OP_WRITE] = { put_write, put_write_inline },
		[KVERBS_OP_WRITE_WITH_IMM] = { put_write_imm, put_write_imm_inline },
		[KVERBS_OP_READ] = { put_read },
		[KVERBS_OP_FETCH_ADD] = { put_fetch_add },
		[KVERBS_OP_CMP_SWP] = { put_cmp_swp },
	};
	static const kv_put_fn to_ud[][2] = {
		[KVERBS_OP_SEND] = { put_send_ud, put_send_ud_inline },
		[KVERBS_OP_SEND_WITH_IMM] = { put_send_imm_ud, put_send_imm_ud_inline },
	};

	return ud ? to_ud[op][inlined] : fn[op][inlined];
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
