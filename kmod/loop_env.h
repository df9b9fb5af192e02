/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KV_LOOP_ENV_H
#define _KV_LOOP_ENV_H

/* The loops' environment in the kernel; the contract is in loop/loop.h. */

#include <linux/bottom_half.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>
#include "loop/loop.h"
#include "qp.h"

/* In jiffies: how long a run keeps a CPU that no other task wants. */
#define KV_ENV_RESCHED (HZ / 10)

/* struct kv_env_cq is never defined: it is an ib_cq by another name. */
struct kv_env_cq;

/* A send request, in the member that its operation needs. */
union kv_end_wr {
	struct ib_send_wr wr;
	struct ib_rdma_wr rdma;
	struct ib_atomic_wr atomic;
	struct ib_ud_wr ud;
	struct ib_reg_wr reg;
};

/**
 * struct kv_end - one end of a connection in the kernel
 * @qp: in RTS
 * @send_cq: the CQ of its sends, polled by no other worker
 * @recv_cq: the CQ of its receives, ditto
 * @send: the send request of each post, the first one of a list; signaled, if it is the last one
 * @more: the other requests of a list
 * @quiet: a list of which no request is signaled; streams only
 * @recv_wr: the receive request of each post
 * @send_sge: the SGEs of all these requests; each has the same
 * @recv_sge: the SGEs of @recv_wr
 * @rx_tail: last byte of the target
 * @tx_tail: last byte of the local buffer
 * @credit: the QP's credits; loops with credits only
 * @inv_mr: the MR that each post registers anew; NULL: it registers none
 * @after: with @inv_mr, the request of the operation; @send, before it, registers
 * @wc_flags: of the last completion of a receive that kv_env_poll_inv() has taken
 * @wc_key: the key that it tells, with IB_WC_WITH_INVALIDATE in @wc_flags
 */
struct kv_end {
	struct ib_qp *qp;
	struct ib_cq *send_cq;
	struct ib_cq *recv_cq;
	union kv_end_wr send;
	union kv_end_wr *more;
	union kv_end_wr *quiet;
	struct ib_recv_wr recv_wr;
	struct ib_sge *send_sge;
	struct ib_sge *recv_sge;
	u8 *rx_tail;
	u8 *tx_tail;
	struct kv_credit *credit;
	struct ib_mr *inv_mr;
	union kv_end_wr after;
	int wc_flags;
	u32 wc_key;
};

/*
 * The same counter as in user space. rdtsc_ordered() is LFENCE and RDTSC, or
 * RDTSCP, which waits as well.
 */
#ifdef CONFIG_X86
#include <asm/msr.h>
#include <asm/tsc.h>
#define KV_ENV_COUNTER "tsc"
#define KV_ENV_KHZ tsc_khz
static inline __u64 kv_env_now(void)
{
	return rdtsc_ordered();
}
#else
#define KV_ENV_COUNTER "ktime_raw"
#define KV_ENV_KHZ 1000000U
static inline __u64 kv_env_now(void)
{
	return ktime_get_raw_ns();
}
#endif

static inline __u64 kv_env_ns_to_ticks(__u64 ns)
{
	return mul_u64_u32_div(ns, KV_ENV_KHZ, 1000000);
}

/* The part below a tick that kv_env_ns_to_ticks() drops, in 2^-32 ticks. */
static inline __u32 kv_env_ns_to_fraction(__u64 ns)
{
	u32 in_ms = do_div(ns, 1000000), rest;
	u64 ticks = (u64)in_ms * KV_ENV_KHZ;

	/* Whole milliseconds are whole ticks. */
	rest = do_div(ticks, 1000000);
	return div_u64((u64)rest << 32, 1000000);
}

static inline __u64 kv_env_counter_hz(void)
{
	return (__u64)KV_ENV_KHZ * 1000;
}

static inline int kv_env_post(struct kv_end *e, const struct ib_send_wr *wr, int bh_disabled)
{
	int ret;

	/* bh_disabled is a constant in each copy of a loop. */
	if (bh_disabled)
		local_bh_disable();
	ret = ib_post_send(e->qp, wr, NULL);
	if (bh_disabled)
		local_bh_enable();
	return ret;
}

static inline int kv_env_post_send(struct kv_end *e, int bh_disabled)
{
	return kv_env_post(e, &e->send.wr, bh_disabled);
}

static inline int kv_env_post_quiet(struct kv_end *e, int bh_disabled)
{
	return kv_env_post(e, &e->quiet->wr, bh_disabled);
}

/* A WRITE of no bytes: it touches no memory and needs no key (IBTA 9.7.4.1.3). */
static inline int kv_env_post_probe(struct kv_end *e)
{
	struct ib_rdma_wr probe = {
		.wr.opcode = IB_WR_RDMA_WRITE,
		.wr.send_flags = IB_SEND_SIGNALED,
		.wr.wr_cqe = e->send.wr.wr_cqe,
	};

	/* The completion of a send over UC or UD does not tell whether there is a peer. */
	if (e->qp->qp_type != IB_QPT_RC)
		return -EOPNOTSUPP;
	if (e->send_cq->cqe < KV_LOOP_WCS)
		return -ENOSPC;
	return ib_post_send(e->qp, &probe.wr, NULL);
}

static inline int kv_env_post_recv(struct kv_end *e)
{
	return ib_post_recv(e->qp, &e->recv_wr, NULL);
}

/*
 * Several threads may post: mlx5_ib_post_srq_recv(), bnxt_re_post_srq_recv(), siw_post_srq_recv()
 * and rxe_post_srq_recv() take the SRQ's lock. irdma has no SRQs.
 */
static inline int kv_env_post_srq_recv(struct kv_end *e)
{
	return ib_post_srq_recv(e->qp->srq, &e->recv_wr, NULL);
}

static inline struct kv_env_cq *kv_env_send_cq(struct kv_end *e)
{
	return (struct kv_env_cq *)e->send_cq;
}

static inline struct kv_env_cq *kv_env_recv_cq(struct kv_end *e)
{
	return (struct kv_env_cq *)e->recv_cq;
}

/* kv_env_poll() returns it for a completion. ocrdma_poll_hwcq() does not set vendor_err. */
static inline int kv_env_take(struct kv_loop *l, const struct ib_cq *cq, const struct ib_wc *wc)
{
	if (likely(wc->status == IB_WC_SUCCESS))
		return 1;
	kv_env_set(&l->wc_status, wc->status);
	kv_env_set(&l->qp_num, wc->qp->qp_num);
	kv_env_set(&l->vendor_err,
		   cq->device->ops.driver_id != RDMA_DRIVER_OCRDMA ? wc->vendor_err : 0);
	return -EIO;
}

static inline int kv_env_poll(struct kv_loop *l, struct kv_env_cq *cq)
{
	/*
	 * CONFIG_INIT_STACK_ALL_ZERO would clear this at each poll: 13 instructions of each sample,
	 * which user space's compiler does not make. Drivers set the status and, on an error,
	 * vendor_err (mlx5_handle_error_cqe(), bnxt_re_poll_cq(), irdma_process_cqe(),
	 * __c4iw_poll_cq_one(), siw_reap_cqe(); rxe_poll_cq() copies the whole structure).
	 */
	struct ib_wc wc __uninitialized;
	int n = ib_poll_cq((struct ib_cq *)cq, 1, &wc);

	if (n != 1)
		return n < 0 ? -EIO : 0;
	return kv_env_take(l, (struct ib_cq *)cq, &wc);
}

/*
 * wc.qp is set by all drivers, also of a completion with an error (mlx5_poll_one(),
 * bnxt_re_poll_cq(), irdma_process_cqe(), __c4iw_poll_cq_one(), siw_reap_cqe(), make_send_cqe() and
 * do_complete() of rxe), and it is how ULPs find what a completion belongs to
 * (nvme_rdma_recv_done(), nvmet_rdma_recv_done()).
 * A QP outside of the run has no flow: its completion is dropped.
 */
static inline int kv_env_poll_flow(struct kv_loop *l, struct kv_env_cq *cq, struct kv_flow **flow)
{
	struct ib_wc wc __uninitialized;
	int n = ib_poll_cq((struct ib_cq *)cq, 1, &wc);
	struct kv_flow *of;

	if (n != 1)
		return n < 0 ? -EIO : 0;
	of = kv_qp_of(wc.qp)->flow;
	if (unlikely(!of))
		return 0;
	*flow = of;
	return kv_env_take(l, (struct ib_cq *)cq, &wc);
}

/*
 * mlx5, bnxt_re, irdma and siw take the key from the request, and cxgb4 from the MR if the list of
 * pages is short (set_reg_mkey_seg(), bnxt_re_build_reg_wqe(), irdma_post_send(), siw_fastreg_mr(),
 * build_tpte_memreg()): both have it. The index of the MR is in the upper bits for all of them.
 */
static inline void kv_env_register_next(struct kv_end *e)
{
	ib_update_fast_reg_key(e->inv_mr, ib_inc_rkey(e->inv_mr->rkey));
	e->send.reg.key = e->inv_mr->rkey;
}

/* siw, irdma and cxgb4 take the key of the SGE, and rdma_rw sets both (rdma_rw_init_mr_wrs()). */
static inline void kv_env_sink_next(struct kv_end *e)
{
	e->send_sge->lkey = e->inv_mr->lkey;
	e->after.wr.ex.invalidate_rkey = e->inv_mr->rkey;
}

/* wqe_fill_wc() names the drivers that tell the key. */
static inline int kv_env_poll_inv(struct kv_loop *l, struct kv_end *e)
{
	struct ib_wc wc __uninitialized;
	int n = ib_poll_cq(e->recv_cq, 1, &wc);

	if (n != 1)
		return n < 0 ? -EIO : 0;
	if (likely(wc.status == IB_WC_SUCCESS)) {
		e->wc_flags = wc.wc_flags;
		e->wc_key = wc.ex.invalidate_rkey;
	}
	return kv_env_take(l, e->recv_cq, &wc);
}

static inline int kv_env_invalidated(const struct kv_end *e)
{
	return e->wc_flags & IB_WC_WITH_INVALIDATE && e->wc_key == e->inv_mr->rkey;
}

static inline void kv_env_invalidate_next(struct kv_end *e)
{
	e->send.wr.ex.invalidate_rkey = ib_inc_rkey(e->send.wr.ex.invalidate_rkey);
}

static inline int kv_env_arm(struct kv_end *e)
{
	int ret = ib_req_notify_cq(e->send_cq, IB_CQ_NEXT_COMP);

	return min(ret, 0);
}

int kv_env_sleep(struct kv_loop *l);

static inline void kv_env_ack(struct kv_end *e)
{
}

static inline __u8 kv_env_rx_tail(struct kv_end *e)
{
	return READ_ONCE(*e->rx_tail);
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
	return READ_ONCE(l->stop);
}

/* Not for the loops: the number of empty polls in a row after which a poller yields the CPU. */
static inline __u32 kv_env_default_spins(void)
{
	/* With one CPU, the task that makes the completion happen waits for this CPU. */
	return num_online_cpus() > 1 ? 1000 : 0;
}

static inline void kv_env_relax(void)
{
	cpu_relax();
}

/*
 * The call that sched_yield(2) is for user space, so that a poller of either space gives the CPU to
 * the task that the completion waits for (ksoftirqd, a workqueue, another poller). cond_resched()
 * does nothing if that task has not requested this CPU, and schedule() alone may pick the poller
 * again until its time slice is over: with one CPU, a stream of WRITEs on rxe of 6.12 then takes a
 * third more instructions. With a real-time policy yield() gives way to threads of the same
 * priority only; the run's thread has none.
 */
static inline void kv_env_yield(void)
{
	yield();
}

/*
 * A loop whose polls are never empty does not yield. But changes of the kernel's code (ftrace,
 * kprobes, livepatch) wait until each task has called schedule(). A preemptible kernel preempts
 * the task before need_resched() is true here, and preemption does not count as such a call.
 * So the call comes after KV_ENV_RESCHED in any case: the same on every kernel, whatever its
 * kind of preemption.
 */
static inline void kv_env_cond_resched(struct kv_loop *l)
{
	if (likely(!need_resched() && jiffies - l->resched < KV_ENV_RESCHED))
		return;
	l->resched = jiffies;
	schedule();
}

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
