/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_RULES_REQUEST_H
#define _KV_RULES_REQUEST_H

#include <kverbs.h>
#include "refusal.h"

/* Rules about the attributes of an operation, and about posting a request to a queue. */

/* Sets of operations: the order of enum kverbs_op has no meaning. */
#define KV_OP(op) (1U << KVERBS_OP_##op)

#define KV_OPS_SEND (KV_OP(SEND) | KV_OP(SEND_WITH_IMM) | KV_OP(SEND_WITH_INV))
#define KV_OPS_WRITE (KV_OP(WRITE) | KV_OP(WRITE_WITH_IMM))
/* They read the peer's memory, and change nothing there. */
#define KV_OPS_READ (KV_OP(READ) | KV_OP(READ_WITH_INV))
/* They move 8 bytes, and return the old ones. */
#define KV_OPS_ATOMIC (KV_OP(FETCH_ADD) | KV_OP(CMP_SWP))
/* They move 8 bytes at a multiple of 8, and no other number. */
#define KV_OPS_8_BYTES (KV_OPS_ATOMIC | KV_OP(ATOMIC_WRITE))
#define KV_OPS_LOCAL (KV_OP(LOCAL_INV) | KV_OP(REG_MR))
/* WR_POST takes them. */
#define KV_OPS_POSTED (KV_OPS_SEND | KV_OPS_WRITE | KV_OPS_READ | KV_OPS_ATOMIC | KV_OP(RECV))
/* They name memory of the peer. */
#define KV_OPS_REMOTE (KV_OPS_WRITE | KV_OPS_READ | KV_OPS_8_BYTES)
/* They have immediate data. */
#define KV_OPS_IMM (KV_OP(SEND_WITH_IMM) | KV_OP(WRITE_WITH_IMM))
/* They bring bytes to the peer, and can have them inline. */
#define KV_OPS_CARRY (KV_OPS_SEND | KV_OPS_WRITE)
/* They take a receive of the peer. */
#define KV_OPS_RECEIVED (KV_OPS_SEND | KV_OP(WRITE_WITH_IMM))
/* A run of these registers an MR in each iteration, and invalidates its key. */
#define KV_OPS_INV (KV_OP(SEND_WITH_INV) | KV_OP(READ_WITH_INV))
/* They can be datagrams. */
#define KV_OPS_DATAGRAM (KV_OP(SEND) | KV_OP(SEND_WITH_IMM))

/* Is an operation one of a set? @op: enum kverbs_op */
static inline bool kv_op_among(__u32 op, __u32 ops)
{
	return ops & 1U << op;
}

/**
 * struct kv_request_facts - a request that is posted by hand, and the queue that it goes to
 * @op: enum kverbs_op, one that WR_POST takes
 * @flags: KVERBS_WR_*
 * @has_ah: it names an address handle
 * @same_pd: the address handle is of the queue's PD; does not matter without one
 * @remote_addr: of WRITEs, READ and atomics
 * @sges: how many SGEs it has
 * @bytes: bytes of all its SGEs
 * @to_srq: it goes to an SRQ: of the members below only @max_sge matters
 * @type: enum kverbs_qp_type
 * @uses_srq: the QP takes its receives from an SRQ
 * @iwarp: the device is one of iWARP
 * @atomic: the device has atomic operations
 * @mem_mgt: the device has the memory management extensions (IBTA 10.6.7)
 * @max_sge: SGEs that a request of this queue may have
 * @max_inline: bytes that a request can carry inline
 */
struct kv_request_facts {
	__u32 op;
	__u32 flags;
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
	bool mem_mgt;
	__u32 max_sge;
	__u32 max_inline;
};

/**
 * struct kv_request_sge - bytes of a buffer, and the key that names them
 * @offset: of the first byte in the buffer
 * @length: bytes
 * @buffer: bytes of the buffer
 * @contiguous: bytes from @offset to the end of its piece
 * @dma_key: there is a local DMA lkey, as in the kernel
 * @inlined: the CPU copies the bytes when the request is posted
 * @by_mr: the key is an MR's; if not, @same_pd and the members below do not matter
 * @same_pd: the MR is of the queue's PD
 * @registered: the MR is registered
 * @over_buffer: the MR is registered over this buffer
 */
struct kv_request_sge {
	__u64 offset;
	__u64 length;
	__u64 buffer;
	__u64 contiguous;
	bool dma_key;
	bool inlined;
	bool by_mr;
	bool same_pd;
	bool registered;
	bool over_buffer;
};

/**
 * struct kv_request_queue - the state of a work queue, and of the CQ of its completions
 * @op: enum kverbs_op
 * @n: how many requests are to be posted
 * @to_srq: the queue is an SRQ: it has no state
 * @state: enum kverbs_qp_state
 * @needs_reset: an earlier run left requests
 * @run_recvs: receives of an earlier run are posted; of an SRQ, of any run
 * @room: how many more requests it can hold
 * @cq_room: how many more completions the CQ can hold, beside those that are outstanding
 */
struct kv_request_queue {
	__u32 op;
	__u32 n;
	bool to_srq;
	__u32 state;
	bool needs_reset;
	bool run_recvs;
	__u32 room;
	__u32 cq_room;
};

bool kv_op_fits_loop(__u32 op, __u32 loop);
__u32 kv_op_completion(__u32 op);
int kv_op_check_flags(__u32 op, __u32 flags, bool iwarp, struct kv_refusal *why);
int kv_op_check_sges(__u32 op, __u32 sges, bool iwarp, struct kv_refusal *why);
int kv_op_check_inv(__u32 op, bool mem_mgt, bool iwarp, struct kv_refusal *why);
int kv_op_check_iwarp(__u32 op, struct kv_refusal *why);
int kv_op_check_type(__u32 op, __u32 type, struct kv_refusal *why);
int kv_op_check_ah(__u32 type, bool has_ah, bool same_pd, struct kv_refusal *why);
int kv_op_check_sink(__u32 op, bool iwarp, bool by_mr, struct kv_refusal *why);
int kv_request_check_list(__u32 given, __u32 n, struct kv_refusal *why);
int kv_request_check_queue(__u32 op, __u32 first, bool to_srq, struct kv_refusal *why);
int kv_request_check_attrs(__u32 op, __u32 given, struct kv_refusal *why);
int kv_request_check(const struct kv_request_facts *r, struct kv_refusal *why);
int kv_request_check_rest(__u64 left, struct kv_refusal *why);
int kv_request_check_sge(const struct kv_request_sge *sge, struct kv_refusal *why);
int kv_request_check_rts(__u32 state, struct kv_refusal *why);
int kv_request_check_state(const struct kv_request_queue *q, struct kv_refusal *why);
int kv_request_check_room(const struct kv_request_queue *q, struct kv_refusal *why);

#endif
