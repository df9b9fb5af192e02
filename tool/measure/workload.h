/* SPDX-License-Identifier: MIT */
#pragma once

#include "cli/fault.h"
#include "cli/parse.h"
#include "model/site.h"
#include "rules/request.h"
#include "rules/run.h"

/* A workload, the same for both spaces. */
struct kv_workload {
	enum kv_kind kind; /* how a latency is measured */
	uint32_t op; /* enum kverbs_op; does not matter for KV_KIND_NULL */
	uint32_t size; /* bytes */
	uint64_t compare_add; /* FETCH_ADD: the addend, CMP_SWP: the value that is compared */
	uint64_t swap; /* CMP_SWP: the value that is stored if the comparison succeeds */
	uint32_t post; /* enum kverbs_post_context, or KV_POST_BY_DEVICE; kernel space only */
	uint32_t completion; /* enum kverbs_cq_context of the CQ of the initiator's sends */
	enum kv_lkey lkey; /* enum kv_lkey; kernel space only */
	/* KV_KIND_STREAM: the initiator's threads, each with a connection of its own; else 1. */
	uint32_t threads;
	/*
	 * Where the initiator's and the responder's threads run, or the initiator's if there are
	 * more than one; -1: anywhere.
	 */
	int32_t cpu[KV_RUN_WORKERS_MAX];
	/* Empty polls before the CPU is yielded; -1: kv_placement_spins() of its host. */
	int32_t spins;
	uint64_t timeout_ns; /* how long a completion may take */
	uint32_t mtu; /* path MTU, bytes; 0: the smaller active MTU of the two ends */
	/* Local ACK timeout of the QPs, 4.096 us * 2^N, 1 .. 31 (IBTA 9.7.6.1.3). */
	uint8_t ack_timeout;
	/*
	 * How often a packet is sent again, 0 .. 7 (IBTA 9.7.5.1.4); on some devices 7 is without
	 * limit.
	 */
	uint8_t retry_cnt;
	/* Name of the user's option that sets one of these two, or NULL. */
	const char *retry_option;
	enum kv_connect connect; /* how the two ends are connected */
	/* Requests that an end may have posted at a time; 0: as many as runs need. */
	uint32_t depth;
	uint32_t list; /* KV_KIND_STREAM: requests that are posted at a time */
	uint32_t signal; /* KV_KIND_STREAM: of so many the last one is signaled */
};

/* What a send queue has room for beside these: a request for a registration, one for the drain. */
#define KV_WORKLOAD_WRS_MORE 2

/* Requests are posted in the context that suits the device. */
#define KV_POST_BY_DEVICE UINT32_MAX

/* The samples and figures of a kind of measurement. */
struct kv_workload_kind {
	const char *sample; /* name of a sample in the histogram */
	const char *estimand; /* name of a printed figure */
	const char *key; /* of a figure in a document */
	/*
	 * A sample divided by this is a figure: 2 where half of a round trip is printed, as
	 * perftest's ib_send_lat and ib_write_lat do.
	 */
	unsigned int divisor;
};

/* By enum kv_kind. */
extern const struct kv_workload_kind kv_workload_kinds[];

/* Does a space have CQs of this context? @completion: enum kverbs_cq_context */
static inline bool kv_workload_has_completion(enum kv_space_id space, uint32_t completion)
{
	return space == KV_SPACE_KERNEL || completion <= KVERBS_CQ_EVENT;
}

void kv_workload_set(struct kv_workload *w, enum kv_kind kind, uint32_t op, uint32_t size);
enum kv_kind kv_workload_default_kind(uint32_t op);
bool kv_workload_one_sided(const struct kv_workload *w);
int kv_workload_check_kind(enum kv_kind kind, uint32_t op, struct kv_fault *f);
int kv_workload_check_completion(enum kv_kind kind, uint32_t completion, bool user,
				 struct kv_fault *f);
void kv_workload_adapt(struct kv_workload *w, const struct kv_dev *dev);
int kv_workload_check_site(const struct kv_workload *w, const struct kv_site *site,
			   struct kv_fault *f);
