/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_WR_H
#define _KV_WR_H

#include <kverbs.h>
#include <rdma/ib_verbs.h>

struct kv_ah;
struct kv_buf;
struct kv_end;
struct kv_mr;
struct kv_qp;
struct kv_run_end;
struct kv_run_spec;
struct kv_srq;
struct netlink_ext_ack;

/**
 * struct kv_wr_sge - bytes of a buffer
 * @buf: the buffer
 * @mr: the MR whose lkey names @buf; NULL: the PD's local_dma_lkey names it
 * @offset: first byte
 * @length: bytes
 */
struct kv_wr_sge {
	struct kv_buf *buf;
	struct kv_mr *mr;
	u64 offset;
	u32 length;
};

/**
 * struct kv_wr_spec - one work request, as the user has described it; enum
 * kverbs_a_wr explains the fields
 * @qp: the QP to post it on, or NULL
 * @srq: the SRQ to post it on, or NULL
 * @op: enum kverbs_op, one that WR_POST takes
 * @wr_id: the caller's
 * @flags: KVERBS_WR_*
 * @imm: immediate data, host order; SEND_WITH_IMM, WRITE_WITH_IMM
 * @sges: how many of @sge
 * @sge: the bytes to send from, or to receive into
 * @remote_addr: WRITEs, READ, atomics
 * @remote_key: ditto
 * @compare_add: atomics
 * @swap: CMP_SWP
 * @ah: UD
 * @remote_qpn: UD
 * @remote_qkey: UD
 * @invalidate_rkey: SEND_WITH_INV
 */
struct kv_wr_spec {
	struct kv_qp *qp;
	struct kv_srq *srq;
	u32 op;
	u64 wr_id;
	u32 flags;
	u32 imm;
	unsigned int sges;
	struct kv_wr_sge sge[KVERBS_SGE_MAX];
	u64 remote_addr;
	u32 remote_key;
	u64 compare_add;
	u64 swap;
	struct kv_ah *ah;
	u32 remote_qpn;
	u32 remote_qkey;
	u32 invalidate_rkey;
};

/**
 * struct kv_wr - a request of any operation that is posted by hand
 * @send: base of all requests of a send queue
 * @rdma: WRITEs, READ
 * @atomic: atomics
 * @ud: SENDs of a UD QP
 * @recv: receives
 * @sge: bytes of buffers
 */
struct kv_wr {
	union {
		struct ib_send_wr send;
		struct ib_rdma_wr rdma;
		struct ib_atomic_wr atomic;
		struct ib_ud_wr ud;
		struct ib_recv_wr recv;
	};
	struct ib_sge sge[KVERBS_SGE_MAX];
};

void kv_wr_prep(struct kv_end *end, const struct kv_run_spec *spec, const struct kv_run_end *from);
int kv_wr_check(const struct kv_wr_spec *spec, unsigned int *wrong, struct netlink_ext_ack *extack);
void kv_wr_build(struct kv_wr *wr, const struct kv_wr_spec *spec, struct ib_cqe *cqe);

#endif
