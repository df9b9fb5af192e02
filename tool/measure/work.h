/* SPDX-License-Identifier: MIT */
#ifndef KV_MEASURE_WORK_H
#define KV_MEASURE_WORK_H

#include "cli/fault.h"
#include "cli/parse.h"
#include "model/backend.h"

/**
 * struct kv_work - what is measured, and how; the same for both spaces
 * @kind: how a latency is measured
 * @op: enum kverbs_op; does not matter for KV_KIND_NULL
 * @size: bytes
 * @compare_add: FETCH_ADD: what is added, CMP_SWP: what is compared with
 * @swap: CMP_SWP: what is stored if that is equal
 * @post: enum kverbs_post; kernel space only
 * @lkey: enum kverbs_lkey; kernel space only
 * @cpu: where the initiator's and the responder's threads run; -1: anywhere
 * @spins: empty polls before the CPU is let go; -1: kv_placement_spins() of its host
 * @timeout_ns: how long a completion may take
 * @mtu: of the path, bytes; 0: the smaller one of both ends' active MTUs
 * @ack_timeout: local ACK timeout of the QPs, 4.096 us * 2^N, 1 .. 31 (IBTA 9.7.6.1.3)
 * @retry_cnt: how often a packet is sent again, 0 .. 7 (IBTA 9.7.5.1.4); on some devices 7 is for ever
 * @connect: how the two ends are connected
 * @depth: requests that an end may have posted at a time; 0: as many as runs need
 */
struct kv_work {
	enum kv_kind kind;
	uint32_t op;
	uint32_t size;
	uint64_t compare_add;
	uint64_t swap;
	uint32_t post;
	uint32_t lkey;
	int32_t cpu[2];
	int32_t spins;
	uint64_t timeout_ns;
	uint32_t mtu;
	uint8_t ack_timeout;
	uint8_t retry_cnt;
	enum kv_connect connect;
	uint32_t depth;
};

void kv_work_set(struct kv_work *w, enum kv_kind kind, uint32_t op, uint32_t size);
bool kv_work_is_atomic(uint32_t op);
bool kv_work_is_two_sided(uint32_t op);
enum kv_kind kv_work_default_kind(uint32_t op);
unsigned int kv_work_divisor(const struct kv_work *w);
const char *kv_work_estimand(const struct kv_work *w);
const char *kv_work_sample(const struct kv_work *w);
int kv_work_check_kind(enum kv_kind kind, uint32_t op, struct kv_fault *f);
void kv_work_adapt(struct kv_work *w, const struct kv_dev *dev);
int kv_work_check_dev(const struct kv_work *w, const struct kv_dev *dev,
		      const char *space, struct kv_fault *f);

#endif
