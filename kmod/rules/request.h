/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_RULES_REQUEST_H
#define _KV_RULES_REQUEST_H

#include <kverbs.h>
#include "refusal.h"

/* Which operation takes what, and whether a request can be posted to a queue. */

/**
 * struct kv_request_facts - a request that is posted by hand, and the queue that it goes to
 * @op: enum kverbs_op, up to RECV
 * @flags: KVERBS_WR_*
 * @has_imm: it has immediate data
 * @has_ah: it names an address handle
 * @same_pd: the address handle is of the queue's PD; does not matter without one
 * @remote_addr: of WRITE, READ and atomics
 * @sges: pieces
 * @bytes: of all pieces
 * @to_srq: it goes to an SRQ: of the rest only @max_sge matters
 * @type: enum kverbs_qp_type
 * @uses_srq: the QP takes its receives from an SRQ
 * @iwarp: the device is one of iWARP
 * @atomic: the device has atomic operations
 * @max_sge: pieces that a request of this queue may have
 * @max_inline: bytes that a request can carry inline
 */
struct kv_request_facts {
	__u32 op;
	__u32 flags;
	bool has_imm;
	bool has_ah;
	bool same_pd;
	__u64 remote_addr;
	__u32 sges;
	__u64 bytes;
	bool to_srq;
	__u32 type;
	bool uses_srq;
	bool iwarp;
	bool atomic;
	__u32 max_sge;
	__u32 max_inline;
};

/**
 * struct kv_request_sge - a piece of a buffer
 * @offset: of its first byte in the buffer
 * @length: its bytes
 * @buffer: bytes of the buffer
 * @same_pd: the MR is of the queue's PD
 * @needs_mr: the key is that of a registration
 * @registered: the MR is registered
 */
struct kv_request_sge {
	__u64 offset;
	__u64 length;
	__u64 buffer;
	bool same_pd;
	bool needs_mr;
	bool registered;
};

/**
 * struct kv_request_queue - the state of a work queue, and of the CQ where it completes
 * @op: enum kverbs_op
 * @to_srq: it is an SRQ: it has no state, and no runs post there
 * @state: enum kverbs_qp_state
 * @needs_reset: an earlier run left requests
 * @run_recvs: receives of an earlier run are posted
 * @full: it has no room
 * @cq_full: the CQ has room for no further completion
 */
struct kv_request_queue {
	__u32 op;
	bool to_srq;
	__u32 state;
	bool needs_reset;
	bool run_recvs;
	bool full;
	bool cq_full;
};

bool kv_op_is_atomic(__u32 op);
bool kv_op_needs_remote(__u32 op);
int kv_request_check_attrs(__u32 op, __u32 given, struct kv_refusal *why);
int kv_request_check(const struct kv_request_facts *r, struct kv_refusal *why);
int kv_request_check_sge(const struct kv_request_sge *sge, struct kv_refusal *why);
int kv_request_check_rts(__u32 state, struct kv_refusal *why);
int kv_request_check_state(const struct kv_request_queue *q, struct kv_refusal *why);
int kv_request_check_room(const struct kv_request_queue *q, struct kv_refusal *why);

#endif
