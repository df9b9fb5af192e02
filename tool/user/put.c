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

static inline void end(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr, enum kv_put_data data)
{
	switch (data) {
	case KV_PUT_SGE:
		ibv_wr_set_sge(qp, wr->sg_list->lkey, wr->sg_list->addr, wr->sg_list->length);
		break;
	case KV_PUT_SGES:
		ibv_wr_set_sge_list(qp, (size_t)wr->num_sge, wr->sg_list);
		break;
	case KV_PUT_INLINE:
		ibv_wr_set_inline_data(qp, (void *)(uintptr_t)wr->sg_list->addr,
				       wr->sg_list->length);
		break;
	default:
		ibv_wr_set_inline_data_list(qp, (size_t)wr->num_sge, kv_user_put_bufs(wr));
	}
}

static inline void end_ud(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr, enum kv_put_data data)
{
	ibv_wr_set_ud_addr(qp, wr->wr.ud.ah, wr->wr.ud.remote_qpn, wr->wr.ud.remote_qkey);
	end(qp, wr, data);
}

static inline void add_send(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr,
			    enum kv_put_data data)
{
	start(qp, wr);
	ibv_wr_send(qp);
	end(qp, wr, data);
}

static inline void add_send_ud(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr,
			       enum kv_put_data data)
{
	start(qp, wr);
	ibv_wr_send(qp);
	end_ud(qp, wr, data);
}

static inline void add_send_imm(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr,
				enum kv_put_data data)
{
	start(qp, wr);
	ibv_wr_send_imm(qp, wr->imm_data);
	end(qp, wr, data);
}

static inline void add_send_imm_ud(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr,
				   enum kv_put_data data)
{
	start(qp, wr);
	ibv_wr_send_imm(qp, wr->imm_data);
	end_ud(qp, wr, data);
}

static inline void add_send_inv(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr,
				enum kv_put_data data)
{
	start(qp, wr);
	ibv_wr_send_inv(qp, wr->invalidate_rkey);
	end(qp, wr, data);
}

static inline void add_write(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr,
			     enum kv_put_data data)
{
	start(qp, wr);
	ibv_wr_rdma_write(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
	end(qp, wr, data);
}

static inline void add_write_imm(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr,
				 enum kv_put_data data)
{
	start(qp, wr);
	ibv_wr_rdma_write_imm(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr, wr->imm_data);
	end(qp, wr, data);
}

static inline void add_read(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr,
			    enum kv_put_data data)
{
	start(qp, wr);
	ibv_wr_rdma_read(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
	end(qp, wr, data);
}

/* A function for each enum kv_put_data. */
#define PUT_DATA(name, data)								\
	static void put_##name##_##data(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)	\
	{										\
		add_##name(qp, wr, data);						\
	}
#define PUT_SGES(name) PUT_DATA(name, KV_PUT_SGE) PUT_DATA(name, KV_PUT_SGES)
#define PUT(name) PUT_SGES(name) PUT_DATA(name, KV_PUT_INLINE) PUT_DATA(name, KV_PUT_INLINES)

PUT(send)
PUT(send_ud)
PUT(send_imm)
PUT(send_imm_ud)
PUT(send_inv)
PUT(write)
PUT(write_imm)
PUT_SGES(read)

static void put_fetch_add(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	start(qp, wr);
	ibv_wr_atomic_fetch_add(qp, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr,
				wr->wr.atomic.compare_add);
	end(qp, wr, KV_PUT_SGE);
}

static void put_cmp_swp(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	start(qp, wr);
	ibv_wr_atomic_cmp_swp(qp, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr,
			      wr->wr.atomic.compare_add, wr->wr.atomic.swap);
	end(qp, wr, KV_PUT_SGE);
}

/* The bytes are taken when it is posted, as inline data are: it has no SGE. */
static void put_atomic_write(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	start(qp, wr);
	ibv_wr_atomic_write(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr,
			    (const void *)(uintptr_t)wr->sg_list->addr);
}

/**
 * kv_user_put_pick() - the function that adds a request of an operation that runs take
 * @op: enum kverbs_op, one that kv_op_fits_loop()
 * @ud: the QP's type is UD
 * @data: how its requests name their bytes, which the operation can do
 */
kv_put_fn kv_user_put_pick(uint32_t op, bool ud, enum kv_put_data data)
{
#define SGES(name) [KV_PUT_SGE] = put_##name##_KV_PUT_SGE, [KV_PUT_SGES] = put_##name##_KV_PUT_SGES
#define ALL(name) { SGES(name), [KV_PUT_INLINE] = put_##name##_KV_PUT_INLINE,		\
		    [KV_PUT_INLINES] = put_##name##_KV_PUT_INLINES }
	static const kv_put_fn fn[][KV_PUT_DATA] = {
		[KVERBS_OP_SEND] = ALL(send),
		[KVERBS_OP_SEND_WITH_IMM] = ALL(send_imm),
		[KVERBS_OP_SEND_WITH_INV] = ALL(send_inv),
		[KVERBS_OP_WRITE] = ALL(write),
		[KVERBS_OP_WRITE_WITH_IMM] = ALL(write_imm),
		[KVERBS_OP_READ] = { SGES(read) },
		[KVERBS_OP_FETCH_ADD] = { [KV_PUT_SGE] = put_fetch_add },
		[KVERBS_OP_CMP_SWP] = { [KV_PUT_SGE] = put_cmp_swp },
		[KVERBS_OP_ATOMIC_WRITE] = { [KV_PUT_SGE] = put_atomic_write },
	};
	static const kv_put_fn to_ud[][KV_PUT_DATA] = {
		[KVERBS_OP_SEND] = ALL(send_ud),
		[KVERBS_OP_SEND_WITH_IMM] = ALL(send_imm_ud),
	};
#undef ALL
#undef SGES

	return ud ? to_ud[op][data] : fn[op][data];
}

/**
 * kv_user_put_flags() - the operations that runs take, of a type of QPs
 * @type: the type
 * @atomic_write: the device has ATOMIC_WRITE
 *
 * Return: IBV_QP_EX_WITH_*, for ibv_create_qp_ex(), which refuses those that a type does not have.
 */
uint64_t kv_user_put_flags(enum ibv_qp_type type, bool atomic_write)
{
	uint64_t flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;

	if (type == IBV_QPT_UD)
		return flags;
	flags |= IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
	if (type == IBV_QPT_UC)
		return flags;
	return flags | IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_RDMA_READ |
	       IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
	       (atomic_write ? IBV_QP_EX_WITH_ATOMIC_WRITE : 0);
}
