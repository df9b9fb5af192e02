/* SPDX-License-Identifier: MIT */
#pragma once

#include "cli/fault.h"
#include "cli/parse.h"
#include "model/site.h"
#include "rules/cq.h"
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
	/* Of that CQ's events, which some devices can put together; both 0: as the device does. */
	struct kv_cq_moderation moderation;
	uint32_t comp_vector; /* of the initiator's CQs */
	enum kv_lkey lkey; /* enum kv_lkey; kernel space only */
	uint32_t api; /* enum kv_api; user space only */
	uint32_t threads; /* KV_KIND_STREAM: the initiator's threads; else 1 */
	uint32_t qps; /* KV_KIND_STREAM: connections of each thread; else 1 */
	/* KV_KIND_STREAM: other ends' hosts, each with the same number of the threads; else 1. */
	uint32_t hosts;
	/* KV_KIND_STREAM: the responder does the same to the initiator at the same time */
	bool both_ways;
	/*
	 * KV_KIND_STREAM: the initiators are the hosts, each with threads of its own, and the
	 * responder is this one.
	 */
	bool reversed;
	/*
	 * The CPUs of the initiator's and the responder's threads, or the initiator's if there are
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
	uint32_t type; /* enum kverbs_qp_type */
	enum kv_connect connect; /* how the two ends are connected */
	/* Requests that each end may have posted at a time; 0: as many as runs need. */
	uint32_t depth;
	/*
	 * Receives that the responder keeps posted, if the operation takes any; 0: see
	 * kv_workload_rx_depth()
	 */
	uint32_t rx_depth;
	/* KV_KIND_STREAM: the responder's QPs of a thread take @rx_depth receives from one SRQ */
	bool srq;
	/*
	 * KV_KIND_STREAM: the connections of a thread have one CQ for sends in common, and one for
	 * receives
	 */
	bool one_cq;
	/*
	 * KV_KIND_STREAM: the initiator posts a SEND only if the responder has a receive for it
	 * (loop/credit.h); kv_workload_adapt() sets it.
	 */
	bool credits;
	uint32_t inline_max; /* sends and writes of at most so many bytes have them inline */
	bool fence; /* each request waits for the READs and atomics before it */
	bool solicited; /* each request makes an event at a responder that armed its CQ for such */
	uint32_t sges; /* of each request; 0: 1 */
	uint32_t recv_sges; /* of each receive; 0: 1 */
	uint32_t list; /* KV_KIND_STREAM: requests that are posted at a time */
	uint32_t signal; /* KV_KIND_STREAM: of so many the last one is signaled */
	/*
	 * KV_KIND_STREAM: requests of each thread that are due in a second; 0: no request has a
	 * time when it is due.
	 */
	uint32_t rate;
};

/* Each host has a thread at least. */
#define KV_HOSTS_MAX KV_RUN_WORKERS_MAX
/*
 * A message to another host has all ends of a run, of 112 bytes each at most, in a nest of at most
 * 64 KiB.
 */
#define KV_HOST_PAIRS_MAX 512

/*
 * Bytes that all connections may have outstanding together, unless --depth says how many requests.
 * A block lasts until all of them are done, and a point has dozens of blocks: a software device on
 * a slow host takes half a second for so many (rxe in a guest without KVM: 30 MB/s). It is 30 times
 * as much as a network of 400 Gb/s and 10 us has on its way.
 */
#define KV_WORKLOAD_OUTSTANDING_MAX (16U << 20)

/* The room of a send queue beside these: a request for a registration, one for the drain. */
#define KV_WORKLOAD_WRS_MORE 2
/* The room of a receive queue beside its receives: one request for the drain. */
#define KV_WORKLOAD_RECVS_MORE 1

/* Requests are posted in the context that suits the device. */
#define KV_POST_BY_DEVICE UINT32_MAX

/* The samples and figures of a kind of measurement. */
struct kv_workload_kind {
	uint32_t loop; /* enum kverbs_loop of the initiator */
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
	return space == KV_SPACE_KERNEL || kv_cq_is_raw(completion);
}

/* How many connections the work needs. */
static inline uint32_t kv_workload_pairs(const struct kv_workload *w)
{
	return w->threads * w->qps;
}

/* The row of kv_workload_kinds, or that of a stream with a rate. */
const struct kv_workload_kind *kv_workload_kind(const struct kv_workload *w);
uint32_t kv_workload_rx_depth(const struct kv_workload *w);
uint64_t kv_workload_interval_ns(const struct kv_workload *w);
double kv_workload_offered(const struct kv_workload *w);
struct kv_workload kv_workload_of_host(const struct kv_workload *w);
void kv_workload_blame(const struct kv_workload *w, const char *host, struct kv_fault *f);
uint64_t kv_workload_requests(const struct kv_workload *w, uint64_t samples);
void kv_workload_set(struct kv_workload *w, enum kv_kind kind, uint32_t op, uint32_t size);
enum kv_kind kv_workload_default_kind(uint32_t op);
bool kv_workload_one_way(const struct kv_workload *w);
uint32_t kv_workload_grh(const struct kv_workload *w);
bool kv_workload_served(const struct kv_workload *w);
uint32_t kv_workload_recvs(const struct kv_workload *w);
int kv_workload_check_kind(enum kv_kind kind, uint32_t op, struct kv_fault *f);
int kv_workload_check_completion(enum kv_kind kind, uint32_t completion, bool user,
				 struct kv_fault *f);
int kv_workload_check_api(uint32_t api, bool user, struct kv_fault *f);
uint32_t kv_workload_loop(const struct kv_workload *w);
void kv_workload_adapt(struct kv_workload *w, const struct kv_dev *dev);
uint32_t kv_workload_fit_depth(const struct kv_workload *w, uint32_t depth);
uint64_t kv_workload_send_cqe(const struct kv_workload *w);
uint64_t kv_workload_recv_cqe(const struct kv_workload *w);
uint32_t kv_workload_flags(const struct kv_workload *w);
int kv_workload_check_initiator(const struct kv_workload *w, const struct kv_site *site,
				struct kv_fault *f);
int kv_workload_check_site(const struct kv_workload *w, const struct kv_site *site,
			   struct kv_fault *f);
