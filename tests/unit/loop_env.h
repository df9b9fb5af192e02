/* SPDX-License-Identifier: MIT */
#ifndef KV_TESTS_LOOP_ENV_H
#define KV_TESTS_LOOP_ENV_H

/*
 * The loops' world in the unit tests: no verbs, a clock that only moves when it
 * is told to, and faults on order. The contract stands in loop/loop.h.
 */

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "loop/loop.h"

#define FAKE_CQ_DEPTH 16

/**
 * struct fake_wc - a completion
 * @empty: polls that still find nothing before it
 * @status: IBTA 11.6.2; 0 is good
 * @vendor_err: goes with @status
 * @end: whose it is, where ends have one CQ in common
 */
struct fake_wc {
	unsigned int empty;
	__u32 status;
	__u32 vendor_err;
	const struct kv_end *end;
};

struct kv_env_cq {
	struct fake_wc wc[FAKE_CQ_DEPTH];
	unsigned int used;
	/* Every poll fails, and there is no completion to tell why. */
	bool broken;
	/* The next completion makes an event; it has made one. */
	bool armed;
	bool event;
};

/**
 * struct kv_end - one end of a connection that never leaves the process
 * @send_cq: where its posts complete
 * @recv_cq: where what it receives completes
 * @rx_tail: last byte of the target
 * @tx_tail: last byte of the local buffer
 * @credit: its credits
 * @one_cq: where its posts and its receives complete in place of its own CQs, if set
 * @one_send_cq: where its posts complete in place of its own CQ and of @one_cq, if set
 * @peer: the end that its posts reach; NULL: they complete and reach nobody
 * @write: it posts WRITEs; else SENDs
 * @arrived: called when something has reached this end, which then needs no
 *	loop: the test plays it, its CQs stay empty, its receives are replaced
 * @send_empty: polls that find nothing before each send completion
 * @recv_empty: looks that find nothing before each arrival
 * @sends: posts so far
 * @quiets: posts so far that do not complete
 * @bh_posts: how many of them were told to hold off softirqs
 * @recvs: receives posted now
 * @recvs_posted: receives posted by the loop so far
 * @srq_posts: how many of them to the SRQ
 * @unready: how often a SEND arrived and there was no receive
 * @fail_send: which post fails, counted from 1; @fail_ret is what it returns
 * @fail_quiet: which post of those that do not complete fails
 * @fail_recv: which post of a receive fails
 * @fail_ret: see @fail_send
 * @fail_arm: which arming fails
 * @arms: armings so far
 * @acked: how often the loop has acknowledged its events
 * @lost_send: which post neither completes nor reaches the peer
 * @bad_send: which post completes with @bad, and reaches nobody
 * @bad: see @bad_send
 * @flush: then the receives are flushed too, before @bad is there
 * @probe: the status of a probe's completion; NULL: none can be posted
 * @new_tail: the value of @rx_tail after @tail_empty more looks
 * @tail_empty: see @new_tail
 * @key: the last key under which its MR was registered
 * @invalidates: its next post invalidates this key; 0: none
 * @sinks: how often the sink of its READ was named anew
 * @inv: the key that the last arrival has invalidated; 0: none
 * @wc_inv: the key that kv_env_poll_inv() has noted
 */
struct kv_end {
	struct kv_env_cq send_cq;
	struct kv_env_cq recv_cq;
	__u8 rx_tail;
	__u8 tx_tail;
	struct kv_credit credit;

	struct kv_env_cq *one_cq;
	struct kv_env_cq *one_send_cq;
	struct kv_end *peer;
	bool write;
	void (*arrived)(struct kv_end *e);
	unsigned int send_empty;
	unsigned int recv_empty;

	unsigned int sends;
	unsigned int quiets;
	unsigned int bh_posts;
	unsigned int recvs;
	unsigned int recvs_posted;
	unsigned int srq_posts;
	unsigned int unready;

	unsigned int fail_send;
	unsigned int fail_quiet;
	unsigned int fail_recv;
	unsigned int fail_arm;
	unsigned int arms;
	unsigned int acked;
	int fail_ret;
	unsigned int lost_send;
	unsigned int bad_send;
	struct fake_wc bad;
	bool flush;
	struct fake_wc *probe;

	__u8 new_tail;
	unsigned int tail_empty;

	__u32 key;
	__u32 invalidates;
	unsigned int sinks;
	__u32 inv;
	__u32 wc_inv;
};

/**
 * struct fake - what does not belong to an end
 * @now: the counter
 * @now_ticks: by how much reading the counter moves it; the others likewise
 * @reads: how often the counter was read
 * @behind_from: the first read on a CPU whose counter is behind, counted from 1
 * @behind_to: the last one
 * @behind: by how many ticks
 * @relax: called between two polls, if set
 * @sleep: called when a loop sleeps, and no event is there, if set
 * @yields: called when the CPU is yielded, if set
 * @resched: called between two samples, if set
 * @relaxed: how often kv_env_relax() was called; the others likewise
 */
struct fake {
	__u64 now;
	__u64 now_ticks;
	__u64 post_ticks;
	__u64 recv_ticks;
	__u64 poll_ticks;
	__u64 tail_ticks;
	__u64 relax_ticks;
	__u64 yield_ticks;
	__u64 sleep_ticks;
	__u64 resched_ticks;
	unsigned int reads;
	unsigned int behind_from;
	unsigned int behind_to;
	__u64 behind;
	void (*relax)(void);
	void (*yield)(void);
	void (*sleep)(void);
	void (*resched)(void);
	unsigned int relaxed;
	unsigned int gone;
	unsigned int rescheds;
};

extern struct fake fake;

void fake_complete(struct kv_env_cq *cq, struct fake_wc wc);

__u64 kv_env_now(void);
int kv_env_post_send(struct kv_end *e, int bh_disabled);
int kv_env_post_quiet(struct kv_end *e, int bh_disabled);
int kv_env_post_probe(struct kv_end *e);
int kv_env_post_recv(struct kv_end *e);
int kv_env_post_srq_recv(struct kv_end *e);
struct kv_env_cq *kv_env_send_cq(struct kv_end *e);
struct kv_env_cq *kv_env_recv_cq(struct kv_end *e);
int kv_env_poll(struct kv_loop *l, struct kv_env_cq *cq);
int kv_env_poll_flow(struct kv_loop *l, struct kv_env_cq *cq, struct kv_flow **flow);
void kv_env_register_next(struct kv_end *e);
void kv_env_sink_next(struct kv_end *e);
int kv_env_poll_inv(struct kv_loop *l, struct kv_end *e);
int kv_env_invalidated(const struct kv_end *e);
void kv_env_invalidate_next(struct kv_end *e);
int kv_env_arm(struct kv_end *e);
int kv_env_sleep(struct kv_loop *l);
void kv_env_ack(struct kv_end *e);
__u8 kv_env_rx_tail(struct kv_end *e);
__u8 *kv_env_tx_tail(struct kv_end *e);
struct kv_credit *kv_env_credit(struct kv_end *e);
int kv_env_stop(struct kv_loop *l);
void kv_env_relax(void);
void kv_env_yield(void);
void kv_env_cond_resched(struct kv_loop *l);

/* Both variants, as in the kernel. */
#define KV_LOOP_DEFINE(name)				\
	int kv_loop_##name(struct kv_loop *l)		\
	{						\
		return name##_body(l, 0);		\
	}						\
							\
	int kv_loop_##name##_bh_disabled(struct kv_loop *l)	\
	{						\
		return name##_body(l, 1);		\
	}

#define KV_LOOP_PICK(name, bh_disabled) \
	((bh_disabled) ? kv_loop_##name##_bh_disabled : kv_loop_##name)
#define KV_LOOP_PICK_REGISTERING KV_LOOP_PICK

#endif
