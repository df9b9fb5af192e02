/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_RULES_RUN_H
#define _KV_RULES_RUN_H

#include <kverbs.h>
#include "refusal.h"

/* Which loop takes which operation, and what a run needs of its QPs, CQs and MRs. */

/* How long a run may take, and an iteration of it. */
#define KV_RUN_TIME_NS_MAX 86400000000000ULL
#define KV_RUN_TIMEOUT_NS_MIN 1000000ULL
#define KV_RUN_TIMEOUT_NS_MAX 3600000000000ULL
#define KV_RUN_TIMEOUT_NS 10000000000ULL

/**
 * struct kv_run_rules_spec - what a run is to do
 * @loop: enum kverbs_loop
 * @op: enum kverbs_op; does not matter for NULL, as all below
 * @size: bytes
 * @remote_addr: of the end
 * @atomic: the device has atomic operations
 * @share_cq: end and peer have a CQ in common, or are one QP
 */
struct kv_run_rules_spec {
	__u32 loop;
	__u32 op;
	__u32 size;
	__u64 remote_addr;
	bool atomic;
	bool share_cq;
};

/**
 * struct kv_run_rules_qp - a QP of a run
 * @type: enum kverbs_qp_type
 * @srq: it has an SRQ
 * @polled: both its CQs have the context polled
 * @srq_cq: QPs with an SRQ receive into one of them
 * @pending: requests posted by hand are outstanding there, or their completions not polled
 */
struct kv_run_rules_qp {
	__u32 type;
	bool srq;
	bool polled;
	bool srq_cq;
	bool pending;
};

/**
 * struct kv_run_rules_mr - a buffer of a run
 * @buffer: its bytes
 * @same_pd: it is of the QP's PD
 * @by_mr: requests name it by the key of its registration
 * @registered: it is registered
 * @offset: of the first registered byte
 * @length: registered bytes
 */
struct kv_run_rules_mr {
	__u64 buffer;
	bool same_pd;
	bool by_mr;
	bool registered;
	__u64 offset;
	__u64 length;
};

/**
 * struct kv_run_rules_end - an end of a run, its QP checked
 * @needs_reset: an earlier run left requests on the QP
 * @local: what is sent from or read into
 * @target: what the peer sends or writes into; does not matter if the loop has none
 * @other_target: receives of an earlier run are posted with another target
 * @one_cq: sends and receives complete into one CQ
 * @max_recv_wr: depth of the receive queue
 * @recv_cqe: of the CQ where receives complete
 */
struct kv_run_rules_end {
	bool needs_reset;
	struct kv_run_rules_mr local;
	struct kv_run_rules_mr target;
	bool other_target;
	bool one_cq;
	__u32 max_recv_wr;
	__u32 recv_cqe;
};

bool kv_run_rules_has_target(__u32 loop);
int kv_run_rules_check_spec(const struct kv_run_rules_spec *s, struct kv_refusal *why);
int kv_run_rules_check_qp(const struct kv_run_rules_qp *qp, struct kv_refusal *why);
int kv_run_rules_check_end(const struct kv_run_rules_spec *s, const struct kv_run_rules_end *end,
			   struct kv_refusal *why);

#endif
