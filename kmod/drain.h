/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_DRAIN_H
#define _KV_DRAIN_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct kv_qp;

/**
 * struct kv_marker - a request that completes after all that were posted before it
 * @cqe: the wr_cqe of its completion
 * @posted: it is on the queue, or was; dev->lock
 * @done: its completion came; to be read with acquire
 */
struct kv_marker {
	struct ib_cqe cqe;
	bool posted;
	bool done;
};

/**
 * struct kv_drain - a QP's markers, and whether its SRQ is drained
 * @sq: the marker on the send queue
 * @rq: the marker on the receive queue, if the QP has one of its own
 * @last_wqe: the device has said that the QP takes no more from its SRQ
 *	(IB_EVENT_QP_LAST_WQE_REACHED), since it was made or in RESET; to be read with
 *	acquire
 */
struct kv_drain {
	struct kv_marker sq;
	struct kv_marker rq;
	bool last_wqe;
};

int kv_drain_begin(struct kv_qp *qp);
int kv_drain_qp(struct kv_qp *qp);

#endif
