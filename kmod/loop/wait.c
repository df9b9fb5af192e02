// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "wait.h"

/* In graces: how long the reason of a flush is looked for. */
#define REASON_GRACES 10

/* In graces: how long a QP may take to give its peer up. */
#define PROBE_GRACES 50

/**
 * kv_wait_yield() - let others have the CPU while a completion is awaited
 * @l: the loop
 * @since: counter when the wait began
 * @idle: nothing is outstanding: the loop ends when its time is over. Else a loop that is
 *	stopped gives what is outstanding some time, so that the QP stays fit for another
 *	loop.
 *
 * Return: 0 to poll again, -ECANCELED, -ETIMEDOUT, or -ETIME: the loop's time is over.
 */
int kv_wait_yield(struct kv_loop *l, __u64 since, int idle)
{
	__u64 now = kv_env_now();

	if (kv_env_stop(l)) {
		/* From when it is seen: it may have come while we had no CPU. */
		if (!l->stopped)
			l->stopped = now;
		if (idle || now - l->stopped >= l->grace)
			return -ECANCELED;
	}
	if (idle && now >= l->end)
		return -ETIME;
	/* This CPU's counter may be behind the one that was read first. */
	if (now - since > l->timeout && now > since)
		return -ETIMEDOUT;
	kv_env_add(&l->yields, 1);
	kv_env_yield();
	return 0;
}

/**
 * kv_wait_failed() - find the completion that tells why
 * @l: the loop, holding the status of a bad completion
 * @e: the end that it came from
 *
 * When a QP fails, its receives are flushed; the reason stands in the
 * completion of the send that failed, which may come soon after that. There is
 * none if somebody has brought the QP to ERR: the CM does when the peer goes.
 *
 * Return: -EIO
 */
int kv_wait_failed(struct kv_loop *l, struct kv_end *e)
{
	__u64 since = kv_env_now();
	__u32 vendor_err = l->vendor_err, qp_num = l->qp_num;

	while (l->wc_status == KV_WC_FLUSHED) {
		/* The result does not matter: a broken CQ finds nothing for ever. */
		kv_env_poll(l, kv_env_send_cq(e));
		if (kv_env_now() - since > REASON_GRACES * l->grace || kv_wait_yield(l, since, 0))
			break;
	}
	if (l->wc_status == KV_WC_FLUSHED) {
		kv_env_set(&l->vendor_err, vendor_err);
		kv_env_set(&l->qp_num, qp_num);
	}
	return -EIO;
}

/*
 * A thread that only waits for an answer has no request on its way that could be given up: post
 * one. It completes behind the outstanding requests, if those do. A peer that allows no WRITE
 * refuses it, and so shows that it is there.
 */
static int ask_peer(struct kv_loop *l)
{
	__u64 since = kv_env_now(), limit = PROBE_GRACES * l->grace;
	int ret;

	if (kv_env_post_probe(l->a))
		return -ETIMEDOUT;
	while (kv_env_now() - since < limit && !kv_env_stop(l)) {
		ret = kv_env_poll(l, kv_env_send_cq(l->a));
		if (ret < 0 && l->wc_status == KV_WC_REM_INV_REQ) {
			kv_env_set(&l->wc_status, 0);
			kv_env_set(&l->vendor_err, 0);
			return -ETIMEDOUT;
		}
		if (ret < 0)
			return -EIO;
		if (ret) {
			/* That was it, or one before it. */
			since = kv_env_now();
			limit = l->grace;
		}
		kv_env_add(&l->yields, 1);
		kv_env_yield();
	}
	return -ETIMEDOUT;
}

/*
 * Find the completion that tells why nothing came. The message for one end of a one-thread
 * ping-pong may have failed at the other. Else the peer may be gone.
 */
static int find_reason(struct kv_loop *l)
{
	if (kv_env_poll(l, kv_env_send_cq(l->a)) < 0 ||
	    (l->b && kv_env_poll(l, kv_env_send_cq(l->b)) < 0))
		return -EIO;
	return l->b ? -ETIMEDOUT : ask_peer(l);
}

/**
 * kv_wait_give_up() - the end of a wait for a completion that was not there
 * @l: the loop
 * @e: the end that the completion is for
 * @cq: its send or its receive CQ
 * @why: what kv_wait_yield() returned, not 0
 *
 * Not a part of kv_wait_wc(): a loop that has nothing to remember for this end has an
 * instruction less between its time stamps.
 *
 * Return: 0 if the completion came while others had the CPU; -EIO if a request failed;
 * else @why.
 */
int kv_wait_give_up(struct kv_loop *l, struct kv_end *e, struct kv_env_cq *cq, int why)
{
	int ret;

	if (why != -ETIMEDOUT)
		return why;
	ret = kv_env_poll(l, cq);
	if (ret > 0)
		return 0;
	return ret < 0 ? kv_wait_failed(l, e) : find_reason(l);
}

/**
 * kv_wait_rx_tail_poll() - kv_wait_rx_tail() for a byte that is not yet there
 * @l: the loop
 * @e: the end whose target is watched
 * @value: with @until 1 wait for this value, with 0 for another one
 * @until: 0 or 1
 * @from: the end whose WRITE this waits for, or NULL
 * @since: counter when the wait began
 *
 * When it yields the CPU it looks for that WRITE's completion: else one that
 * failed would only be seen at the deadline.
 *
 * Return: as kv_wait_rx_tail()
 */
int kv_wait_rx_tail_poll(struct kv_loop *l, struct kv_end *e, __u8 value, int until,
			 struct kv_end *from, __u64 since)
{
	int ret, late = 0, reaped = 0;
	__u32 empty = 0;

	do {
		if (empty++ < l->spins) {
			kv_env_relax();
			continue;
		}
		if (from && !reaped) {
			reaped = kv_env_poll(l, kv_env_send_cq(from));
			if (reaped < 0)
				return reaped;
		}
		ret = kv_wait_yield(l, since, !from);
		/* One more look: what came while others had the CPU is there. */
		if (ret == -ETIMEDOUT && !late++)
			continue;
		if (ret)
			return ret == -ETIMEDOUT ? find_reason(l) : ret;
	} while ((kv_env_rx_tail(e) == value) != until);
	return reaped;
}
