/* SPDX-License-Identifier: MIT */
#pragma once

/* The environment of the loops in user space; loop/loop.h has the contract. */

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <infiniband/verbs.h>
#include "loop/loop.h"

/* struct kv_env_cq is never defined: it is another name for ibv_cq. */
struct kv_env_cq;

/* Adds a request to those that ibv_wr_complete() posts; see user/put.c. */
typedef void (*kv_put_fn)(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr);

/* One end of a connection in user space. */
struct kv_end {
	struct ibv_qp *qp; /* the QP, in RTS */
	struct ibv_cq *send_cq; /* CQ of its sends */
	struct ibv_cq *recv_cq; /* CQ of its receives; another CQ than @send_cq */
	struct ibv_send_wr send_wr; /* the send request of each post, the first one of a list */
	struct ibv_send_wr *quiet; /* streams: a list of which no request is signaled */
	struct ibv_recv_wr recv_wr; /* the receive request of each post */
	struct ibv_sge *send_sge; /* the SGEs of these requests; each has the same */
	struct ibv_sge *recv_sge; /* the SGEs of @recv_wr */
	volatile __u8 *rx_tail; /* last byte of the target */
	__u8 *tx_tail; /* last byte of the local buffer */
	unsigned int events; /* events of @send_cq that are not acknowledged */
	struct ibv_qp_ex *ex; /* @qp, if its requests are posted by ibv_wr_*; else NULL */
	kv_put_fn put; /* with @ex: adds a request of the run's operation */
	struct kv_credit *credit; /* the QP's credits; loops with credits only */
};

/*
 * The same counter as in the kernel. LFENCE orders the read after the preceding
 * instructions, as in the kernel's rdtsc_ordered().
 */
#if defined(__x86_64__)
#define KV_ENV_COUNTER "tsc"
static inline __u64 kv_env_now(void)
{
	/* RDTSC clears the upper halves: 64-bit variables need no extension. */
	__u64 lo, hi;

	__asm__ volatile("lfence; rdtsc" : "=a"(lo), "=d"(hi) : : "memory");
	return hi << 32 | lo;
}
#else
#define KV_ENV_COUNTER "ktime_raw"
static inline __u64 kv_env_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (__u64)ts.tv_sec * 1000000000 + (__u64)ts.tv_nsec;
}
#endif

#ifdef KV_LOOP_WR
#include "user/loop_wr.h"
#else
static inline int kv_env_post_send(struct kv_end *e, int bh_disabled)
{
	struct ibv_send_wr *bad;

	(void)bh_disabled;
	return -ibv_post_send(e->qp, &e->send_wr, &bad);
}

static inline int kv_env_post_quiet(struct kv_end *e, int bh_disabled)
{
	struct ibv_send_wr *bad;

	(void)bh_disabled;
	return -ibv_post_send(e->qp, e->quiet, &bad);
}
#endif

/* A WRITE of no bytes: it touches no memory and needs no key (IBTA 9.7.4.1.3). */
static inline int kv_env_post_probe(struct kv_end *e)
{
	struct ibv_send_wr probe = {
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
	};
	struct ibv_send_wr *bad;

	/* The completion of a send over UC or UD does not tell whether there is a peer. */
	if (e->qp->qp_type != IBV_QPT_RC)
		return -EOPNOTSUPP;
	if (e->send_cq->cqe < KV_LOOP_WCS)
		return -ENOSPC;
	return -ibv_post_send(e->qp, &probe, &bad);
}

static inline int kv_env_post_recv(struct kv_end *e)
{
	struct ibv_recv_wr *bad;

	return -ibv_post_recv(e->qp, &e->recv_wr, &bad);
}

static inline int kv_env_post_srq_recv(struct kv_end *e)
{
	struct ibv_recv_wr *bad;

	return -ibv_post_srq_recv(e->qp->srq, &e->recv_wr, &bad);
}

static inline struct kv_env_cq *kv_env_send_cq(struct kv_end *e)
{
	return (struct kv_env_cq *)e->send_cq;
}

static inline struct kv_env_cq *kv_env_recv_cq(struct kv_end *e)
{
	return (struct kv_env_cq *)e->recv_cq;
}

#ifndef KV_LOOP_WR
static inline int kv_env_poll(struct kv_loop *l, struct kv_env_cq *cq)
{
	struct ibv_wc wc;
	int n = ibv_poll_cq((struct ibv_cq *)cq, 1, &wc);

	if (n != 1)
		return n < 0 ? -EIO : 0;
	if (__builtin_expect(wc.status == IBV_WC_SUCCESS, 1))
		return 1;
	kv_env_set(&l->wc_status, wc.status);
	kv_env_set(&l->vendor_err, wc.vendor_err);
	kv_env_set(&l->qp_num, wc.qp_num);
	return -EIO;
}

/*
 * As in a program that has a structure for each QP, and gives its address to the requests. A QP
 * outside of the run has no flow: its completion is dropped.
 */
static inline int kv_env_poll_flow(struct kv_loop *l, struct kv_env_cq *cq, struct kv_flow **flow)
{
	struct ibv_wc wc;
	int n = ibv_poll_cq((struct ibv_cq *)cq, 1, &wc);
	struct kv_flow *of;

	if (n != 1)
		return n < 0 ? -EIO : 0;
	of = *(struct kv_flow **)(uintptr_t)wc.wr_id;
	if (__builtin_expect(!of, 0))
		return 0;
	*flow = of;
	if (__builtin_expect(wc.status == IBV_WC_SUCCESS, 1))
		return 1;
	kv_env_set(&l->wc_status, wc.status);
	kv_env_set(&l->vendor_err, wc.vendor_err);
	kv_env_set(&l->qp_num, wc.qp_num);
	return -EIO;
}
#endif

/* ib_inc_rkey() of the kernel. */
static inline __u32 kv_env_inc_rkey(__u32 key)
{
	return (key & ~0xffU) | ((key + 1) & 0xff);
}

/*
 * The loops that register an MR compile in user space, too, but kv_loop_pick() gives none of them:
 * libibverbs has no REG_MR and no READ_WITH_INV. rules/run.c refuses such runs.
 */
static inline void kv_env_register_next(struct kv_end *e)
{
	(void)e;
}

static inline void kv_env_sink_next(struct kv_end *e)
{
	(void)e;
}

static inline int kv_env_poll_inv(struct kv_loop *l, struct kv_end *e)
{
	return kv_env_poll(l, kv_env_recv_cq(e));
}

static inline int kv_env_invalidated(const struct kv_end *e)
{
	(void)e;
	return 0;
}

static inline void kv_env_invalidate_next(struct kv_end *e)
{
	e->send_wr.invalidate_rkey = kv_env_inc_rkey(e->send_wr.invalidate_rkey);
}

static inline int kv_env_arm(struct kv_end *e)
{
	return -ibv_req_notify_cq(e->send_cq, 0);
}

/* A signal ends the read of the channel. */
static inline int kv_env_sleep(struct kv_loop *l)
{
	struct ibv_cq *cq;
	void *context;

	if (ibv_get_cq_event(l->a->send_cq->channel, &cq, &context))
		return errno == EINTR ? 0 : -EIO;
	l->a->events++;
	return 1;
}

/* All at once: each call takes a lock. */
static inline void kv_env_ack(struct kv_end *e)
{
	ibv_ack_cq_events(e->send_cq, e->events);
	e->events = 0;
}

static inline __u8 kv_env_rx_tail(struct kv_end *e)
{
	return *e->rx_tail;
}

static inline __u8 *kv_env_tx_tail(struct kv_end *e)
{
	return e->tx_tail;
}

static inline struct kv_credit *kv_env_credit(struct kv_end *e)
{
	return e->credit;
}

static inline int kv_env_stop(struct kv_loop *l)
{
	return __atomic_load_n(&l->stop, __ATOMIC_RELAXED);
}

static inline void kv_env_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

static inline void kv_env_yield(void)
{
	sched_yield();
}

/* Nothing to do: the scheduler can preempt a process at any time. */
static inline void kv_env_cond_resched(struct kv_loop *l)
{
	(void)l;
}

#define KV_LOOP_DEFINE(name)				\
	int kv_loop_##name(struct kv_loop *l)		\
	{						\
		return name##_body(l, 0);		\
	}

#define KV_LOOP_PICK(name, bh_disabled) ((void)(bh_disabled), kv_loop_##name)
#define KV_LOOP_PICK_REGISTERING(name, bh_disabled) ((void)(bh_disabled), (kv_loop_fn)NULL)
