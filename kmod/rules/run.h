/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_RULES_RUN_H
#define _KV_RULES_RUN_H

#include <kverbs.h>
#include "buf.h"
#include "refusal.h"

/* Rules about a run's spec, and about its QPs, CQs and buffers. */

/* The largest number of workers of a run. Only loops of one end may have more than one. */
#define KV_RUN_WORKERS_MAX 16

/* The largest number of ends of connections that a run drives: the ends are in one nest, 64 KiB. */
#define KV_RUN_ENDS_MAX 1024

/* Of more ends than this, the first ones are reported. */
#define KV_RUN_ENDS_TOLD 16U

/* Requests that a stream has outstanding at most, and that it posts at a time. */
#define KV_RUN_DEPTH_MAX 16384
#define KV_RUN_LIST_MAX 32

/* A GRH, with which a receive of a UD QP begins (IBTA 8.3). */
#define KV_RUN_GRH 40

/* The time limits of a run, and of an iteration. */
#define KV_RUN_TIME_NS_MAX 86400000000000ULL
#define KV_RUN_TIMEOUT_NS_MIN 1000000ULL
#define KV_RUN_TIMEOUT_NS_MAX 3600000000000ULL
#define KV_RUN_TIMEOUT_NS 10000000000ULL

/* The longest interval of a paced stream. A run may last one interval longer than its time. */
#define KV_RUN_INTERVAL_NS_MAX 1000000000ULL
/* The flags that KVERBS_A_SPEC_FLAGS may have. */
#define KV_RUN_FLAGS (KVERBS_WR_SOLICITED | KVERBS_WR_FENCE | KVERBS_WR_INLINE)

/**
 * struct kv_run_given - the attributes of the message that starts a run
 * @spec: bits 1 << KVERBS_A_SPEC_*
 * @ends: how many KVERBS_A_SPEC_END there are
 * @workers: KVERBS_A_SPEC_WORKERS, if it is there
 * @loop: enum kverbs_loop, if it is there
 * @op: enum kverbs_op, if it is there
 */
struct kv_run_given {
	__u32 spec;
	__u32 ends;
	__u32 workers;
	__u32 loop;
	__u32 op;
};

/**
 * enum kv_run_cqs - the CQs of a run's ends
 * @KV_RUN_CQS_OWN: each end has its own
 * @KV_RUN_CQS_WORKER: all ends of a worker have one send CQ, and one receive CQ
 * @KV_RUN_CQS_MIXED: neither, or two ends name the same QP
 */
enum kv_run_cqs {
	KV_RUN_CQS_OWN,
	KV_RUN_CQS_WORKER,
	KV_RUN_CQS_MIXED,
};

/**
 * struct kv_run_spec_facts - a run's spec; its attributes passed kv_run_check_given()
 * @loop: enum kverbs_loop
 * @op: enum kverbs_op; for NULL, this and the members below do not matter
 * @size: bytes
 * @depth: streams: requests outstanding at most, or receives posted; for other loops 1
 * @list: streams: requests of a post; for other loops 1
 * @signal: streams: requests of a group; for other loops 1
 * @spins: the spec has a number of spins
 * @context: enum kverbs_cq_context of the CQ of the first end's sends
 * @atomic: the device has atomic operations
 * @atomic_write: space and device have ATOMIC_WRITE: init_send_wr() of rxe of 6.12 does not copy
 *	the address and the key of a request from the kernel, so the kernel has it on no device
 * @mem_mgt: the device has the memory management extensions (IBTA 10.6.7)
 * @reg_mr: the space has requests that register an MR
 * @keeps_map: the driver leaves the pages of an MR as they are when a request registers it
 * @iwarp: the device is iWARP
 * @several: each worker drives several ends, which it polls
 * @cqs: which CQs the ends have in common
 * @flags: KVERBS_WR_* of the requests
 * @sges: SGEs of each request; for the peers of streams 1
 * @recv_sges: SGEs of each receive, where the loop posts any
 * @max_sge_rd: the device's limit for READs
 * @paced: the spec has an interval
 * @srq: the QP of the first end has an SRQ
 * @offline: the spec's CPU can't run threads
 * @credits: CREDIT_STREAM: receives that the peer keeps posted
 */
struct kv_run_spec_facts {
	__u32 loop;
	__u32 op;
	__u32 size;
	__u32 depth;
	__u32 list;
	__u32 signal;
	__u32 context;
	bool spins;
	bool atomic;
	bool atomic_write;
	bool mem_mgt;
	bool reg_mr;
	bool keeps_map;
	bool iwarp;
	bool several;
	enum kv_run_cqs cqs;
	__u32 flags;
	__u32 sges;
	__u32 recv_sges;
	__u32 max_sge_rd;
	bool paced;
	bool srq;
	bool offline;
	__u32 credits;
};

/**
 * struct kv_run_qp_facts - a QP of a run
 * @type: enum kverbs_qp_type
 * @has_ah: the end names an address handle
 * @ah_pd: the address handle is of the QP's PD
 * @srq: it has an SRQ
 * @srq_pd: the SRQ is of the QP's PD
 * @context: enum kverbs_cq_context of the CQ of its sends
 * @other_context: @context is not the context of the run's first end
 * @polled: both its CQs have the context polled
 * @srq_cq: another QP with an SRQ receives into one of these CQs
 * @pending: for these CQs, requests posted by hand are outstanding or their completions not polled
 */
struct kv_run_qp_facts {
	__u32 type;
	bool has_ah;
	bool ah_pd;
	bool srq;
	bool srq_pd;
	__u32 context;
	bool other_context;
	bool polled;
	bool srq_cq;
	bool pending;
};

/**
 * struct kv_run_buf_facts - a buffer of a run
 * @buffer: its bytes
 * @first: the first byte that the run uses
 * @contiguous: bytes of its piece from @first on
 * @dma_key: there is a local DMA lkey, as in the kernel
 * @by_mr: the key is an MR's; if not, @same_pd and the members below do not matter
 * @same_pd: the MR is of the QP's PD
 * @registered: the MR is registered over this buffer
 * @offset: of the first registered byte
 * @length: registered bytes
 */
struct kv_run_buf_facts {
	__u64 buffer;
	__u64 first;
	__u64 contiguous;
	bool dma_key;
	bool by_mr;
	bool same_pd;
	bool registered;
	__u64 offset;
	__u64 length;
};

/**
 * struct kv_run_end_facts - an end of a run, its QP checked
 * @needs_reset: an earlier run left requests on the QP
 * @local: the buffer to send from or to read into; ignored if the loop sends nothing
 * @target: the buffer that the peer sends or writes into; ignored if the loop has none
 * @grh: bytes in front of the message in the target: KV_RUN_GRH for a UD QP, else 0
 * @other_target: receives or credits of an earlier run come to another target
 * @credits: receives of the connection's responder in earlier runs with credits; 0: there was none
 * @gives_credits: this QP was that responder
 * @srq_target: an earlier end of this run has the same SRQ, and another target
 * @srq_by_hand: receives posted by hand are on the SRQ, or their completions not polled
 * @srq_lost: a QP that is reset or gone took receives of an earlier run from the SRQ
 * @one_cq: sends and receives complete into one CQ
 * @sq_sig_all: every send of the QP is signaled
 * @max_inline: bytes that its QP takes inline
 * @max_send_sge: SGEs that its QP takes in a send request
 * @max_recv_sge: SGEs that its QP, or the SRQ, takes in a receive
 * @max_send_wr: depth of the send queue
 * @send_cqe: the cqe of the sends' CQ
 * @max_recv_wr: depth of the receive queue, or of the SRQ
 * @recv_cqe: the cqe of the receives' CQ
 * @remote_addr: at the peer; ignored if the operation has none
 * @offline: its CPU can't run threads
 * @has_inv_mr: each iteration registers an MR anew; if not, the two members below do not matter
 * @inv_same_pd: that MR is of the QP's PD
 * @reg: its registration
 */
struct kv_run_end_facts {
	bool needs_reset;
	struct kv_run_buf_facts local;
	struct kv_run_buf_facts target;
	__u32 grh;
	bool other_target;
	__u32 credits;
	bool gives_credits;
	bool srq_target;
	bool srq_by_hand;
	bool srq_lost;
	bool one_cq;
	bool sq_sig_all;
	__u32 max_inline;
	__u32 max_send_sge;
	__u32 max_recv_sge;
	__u32 max_send_wr;
	__u32 send_cqe;
	__u32 max_recv_wr;
	__u32 recv_cqe;
	__u64 remote_addr;
	bool offline;
	bool has_inv_mr;
	bool inv_same_pd;
	struct kv_reg_facts reg;
};

/**
 * struct kv_run_marks - what the ends of a spec have in common
 * @mixed: two ends name the same QP, or an end has a CQ of another end, but not both CQs of the
 *	first end of its worker
 * @shared: how many ends have both CQs of the first end of their worker; the first end is not
 *	counted
 */
struct kv_run_marks {
	bool mixed;
	__u32 shared;
};

__u32 kv_run_ends(__u32 loop);
__u32 kv_run_workers(__u32 loop, __u32 ends, __u32 asked);
bool kv_run_has_credits(__u32 loop);
bool kv_run_has_groups(__u32 loop);
bool kv_run_requests(__u32 loop);
__u32 kv_run_posted_op(__u32 loop, __u32 op);
__u32 kv_run_local_bytes(__u32 loop, __u32 size);
__u32 kv_run_target_bytes(__u32 loop, __u32 size);
__u32 kv_run_target_access(__u32 loop, __u32 op);
bool kv_run_has_remote(__u32 loop, __u32 op);
bool kv_run_registers(__u32 loop, __u32 op, __u32 number);
bool kv_run_invalidates(__u32 loop, __u32 op, __u32 number);
int kv_run_check_inv(const struct kv_run_spec_facts *s, struct kv_refusal *why);
bool kv_run_several(__u32 loop, __u32 ends, __u32 workers);
bool kv_run_mark_end(struct kv_run_marks *marks, bool same, bool *qp, bool *send, bool *recv);
enum kv_run_cqs kv_run_judge_cqs(const struct kv_run_marks *marks, __u32 ends, __u32 workers);
__u32 kv_run_inv_attr(void);
bool kv_run_has_target(__u32 loop);
bool kv_run_sends(__u32 loop);
bool kv_run_has_depth(__u32 loop);
__u32 kv_run_sge_bytes(__u32 size, __u32 sges, __u32 number);
__u32 kv_run_recv_sge_bytes(__u32 room, __u32 message, __u32 sges, __u32 number);
int kv_run_check_sges(const struct kv_run_spec_facts *s, struct kv_refusal *why);
__u32 kv_run_grh(__u32 type);
int kv_run_check_recv_sges(const struct kv_run_spec_facts *s, struct kv_refusal *why);
__u32 kv_run_recvs(__u32 loop, __u32 op, __u32 depth);
int kv_run_check_given(const struct kv_run_given *given, struct kv_refusal *why);
int kv_run_check_end_given(const struct kv_run_given *given, __u32 number, __u32 end,
			   struct kv_refusal *why);
int kv_run_check_cpus(const struct kv_run_given *given, __u32 cpus, struct kv_refusal *why);
int kv_run_check_credits(const struct kv_run_spec_facts *s, struct kv_refusal *why);
int kv_run_check_iwarp(__u32 loop, __u32 op, struct kv_refusal *why);
int kv_run_check_spec(const struct kv_run_spec_facts *s, struct kv_refusal *why);
int kv_run_check_qp(const struct kv_run_spec_facts *s, const struct kv_run_qp_facts *qp,
		    struct kv_refusal *why);
int kv_run_check_end(const struct kv_run_spec_facts *s, const struct kv_run_end_facts *end,
		     struct kv_refusal *why);

#endif
