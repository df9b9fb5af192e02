/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_WR_H
#define _KV_WR_H

#include <kverbs.h>
#include <rdma/ib_verbs.h>

struct kv_end;
struct kv_post_spec;
struct kv_run_end;
struct kv_run_spec;
struct netlink_ext_ack;

/**
 * struct kv_wr - a request that is posted by hand, whatever it is
 * @send: base of all that go to a send queue
 * @rdma: WRITE, READ
 * @atomic: atomics
 * @ud: SEND of a UD QP
 * @recv: receives
 * @sge: pieces
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

void kv_wr_prep(struct kv_end *end, const struct kv_run_spec *spec,
		const struct kv_run_end *from);
int kv_wr_check_post(const struct kv_post_spec *spec, unsigned int *wrong,
		     struct netlink_ext_ack *extack);
void kv_wr_prep_post(struct kv_wr *wr, const struct kv_post_spec *spec,
		     struct ib_cqe *cqe);

#endif
