/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _KV_LOOP_H
#define _KV_LOOP_H

#include <linux/types.h>
#include "hist.h"

/*
 * The measured loops. These files are compiled three times: into the module,
 * into the tool and into the unit tests. They reach their world only through
 * loop_env.h, of which each of the three has its own (kv_env_get(), set()
 * and add() come from loop_shared.h, which the histogram needs, too):
 *
 *   struct kv_end         one end of a connection, its work requests prepared
 *   struct kv_env_cq      a completion queue
 *   kv_env_now()          the counter, ordered against what is around it
 *   kv_env_post_send(e, bh_disabled)  post the prepared request, or list of requests; with
 *                         bh_disabled, softirqs are held off around it (only the kernel has that)
 *   kv_env_post_quiet(e, bh_disabled)  the same, of a list of which no request is signaled
 *   kv_env_post_recv(e)   post the prepared receive
 *   kv_env_post_srq_recv(e)  post it to the SRQ of the end's QP
 *   kv_env_send_cq(e), kv_env_recv_cq(e)
 *   kv_env_poll(l, cq)    take one completion: 1 good, 0 none, -EIO bad (its
 *                         status is then in the loop)
 *   kv_env_poll_flow(l, cq, &f)  the same of a CQ that flows of the loop have in common; the
 *                         completion's flow goes to f, which an empty or failed poll leaves alone
 *   kv_env_register_next(e)  the request that registers the end's MR gets the MR's next key,
 *                         which counts in the lowest 8 bits, as ib_inc_rkey() does
 *   kv_env_sink_next(e)   the READ behind that request names its sink by that key, and
 *                         invalidates it
 *   kv_env_poll_inv(l, e)  kv_env_poll() of the receives; notes the key that the completion's
 *                         SEND has invalidated
 *   kv_env_invalidated(e)  was that the key of the end's last registration?
 *   kv_env_invalidate_next(e)  the prepared SEND invalidates the next key of the peer's MR
 *   kv_env_arm(e)         let the next completion in the CQ of the sends make an event
 *   kv_env_sleep(l)       sleep until that event: 1; or until it is time to look at the
 *                         limits of time, and whether somebody stops the loop: 0
 *   kv_env_ack(e)         the loop takes no more events
 *   kv_env_rx_tail(e)     last byte of the target: what the peer writes last
 *   kv_env_tx_tail(e)     pointer to the last byte of the local buffer: what is
 *                         sent last
 *   kv_env_credit(e)      pointer to the end's credits, which outlast the loop
 *   kv_env_stop(l)        read l->stop, which another thread may set
 *   kv_env_get(from)      read what another thread may write meanwhile
 *   kv_env_set(to, value) store what other threads may read meanwhile
 *   kv_env_add(to, n)     add to a counter that other threads may read meanwhile, and
 *                         none writes
 *   kv_env_relax()        between two polls
 *   kv_env_yield()        give the CPU to whoever wants it
 *   kv_env_cond_resched(l)  between two samples: give the CPU away if it is wanted, or
 *                         was not given away for long
 *   KV_LOOP_DEFINE(name)  define kv_loop_<name>() and, in the kernel,
 *                         kv_loop_<name>_bh_disabled() from name_body(l, bh_disabled)
 *   KV_LOOP_PICK(name, bh_disabled)  pointer to one of them
 *   KV_LOOP_PICK_REGISTERING(name, bh_disabled)  the same of a loop that registers an MR; NULL
 *                         where no request can
 *
 * They return 0 or more, or a negative errno. None allocates, prints or takes a
 * lock of ours. kv_env_yield() and kv_env_cond_resched() may sleep.
 */

struct kv_end;

/* Receives that must be posted on an end before a ping-pong that receives starts. */
#define KV_LOOP_RECVS 2

/**
 * kv_credit_batch() - how many receives are a credit?
 * @recvs: receives that the responder keeps posted, from 1 on
 *
 * It is half of them: the initiator has the other half while a WRITE is on its way. The byte
 * changes by 4 at most between two looks at it, so its wrap at 256 is harmless.
 */
static inline __u32 kv_credit_batch(__u32 recvs)
{
	return (recvs + 1) >> 1;
}

/* Completions that a CQ needs room for if all goes to one: these, a send, a probe. */
#define KV_LOOP_WCS (KV_LOOP_RECVS + 2)

/**
 * struct kv_flow - one of several ends that a loop drives, and what is outstanding there
 * @end: the end
 * @cq: the CQ that is polled for it, and for no other end unless all ends have it in common
 * @next: the flow whose CQ is polled next; they are a ring
 * @posted: streams only, but no paced ones: room for kv_loop.groups counters, of when the groups
 *	outstanding were posted
 * @oldest: of @posted, the group whose completion comes next
 * @newest: of @posted, where the counter of the next group goes
 * @outstanding: groups outstanding
 * @done: iterations completed; others may read it while the loop runs
 */
struct kv_flow {
	struct kv_end *end;
	struct kv_env_cq *cq;
	struct kv_flow *next;
	__u64 *posted;
	__u64 *oldest;
	__u64 *newest;
	__u32 outstanding;
	__u64 done;
};

/**
 * struct kv_credit - the credits of one end of a connection, from its first run with credits on
 * @recvs: receives that the responder keeps posted; 0: no run with credits was on the connection
 * @batch: kv_credit_batch() of them: a credit is so many receives
 * @told: how many credits the responder has given, modulo 256; the initiator: has seen
 * @left: the initiator only: SENDs that find a receive
 * @used: the responder only: receives that it has replaced since the last credit
 * @writing: the responder only: the WRITE of that credit is outstanding
 * @gives: the end is the responder's
 */
struct kv_credit {
	__u32 recvs;
	__u32 batch;
	__u32 left;
	__u32 used;
	__u8 told;
	__u8 writing;
	__u8 gives;
};

/**
 * struct kv_loop - what a loop works on, and what it leaves
 * @a: the end that starts, or the first of several
 * @b: the other end; one-thread ping-pong only, else NULL
 * @hist: where samples go
 * @posted: streams and handlers only: room for @groups counters, of when the groups
 *	outstanding were posted
 * @groups: streams and handlers only: groups of requests that may be outstanding, from 1 on
 * @quiet: streams and handlers only: lists of a group before the one whose last request is
 *	signaled
 * @flow: all ends, of a loop that drives several at a time; else NULL
 * @flows: how many
 * @iters: samples to take at most
 * @time: ticks to go on for; ~0 for no limit
 * @timeout: ticks that one iteration may take
 * @grace: ticks that an iteration may still take once the loop sees a stop; for the completion that
 *	tells why a QP has failed, the loop waits ten times as long
 * @spins: empty polls in a row before the CPU is yielded
 * @stop: set by others; the loop ends between two samples, or, after @grace,
 *	where it would yield the CPU
 * @busy: 1 if it ended with requests outstanding that no later loop expects
 * @first: counter at the start of the first sample; 0: not yet
 * @last: counter at the end of the last sample; server: when the last answer was posted
 * @done: iterations completed, with those whose sample was dropped
 * @dropped: samples that ended before they began, by the counters of two CPUs that
 *	disagree
 * @yields: how often the CPU was yielded
 * @end: counter where the time is over
 * @resched: when the CPU was last given away between two samples, as kv_env_cond_resched()
 *	counts time
 * @stopped: counter when @stop was first seen; 0: not yet
 * @wc_status: status of the completion that ended the loop; 0 if none did
 * @vendor_err: that completion's vendor error
 * @oldest: handlers only: of @posted, the group whose completion comes next
 * @newest: handlers only: of @posted, where the counter of the next group goes
 * @left: handlers and loops of several ends only, but no paced ones: groups that are not posted yet
 * @outstanding: handlers and loops of several ends only: groups outstanding
 * @ended: handlers only: no completion is taken any more; written last, with release
 * @error: handlers only: why it ended, a negative errno; 0: all that was begun is complete
 * @interval: paced streams only: whole ticks from the time when a group is due to that of the next,
 *	which with several ends is another one's
 * @fraction: paced streams only: the rest of that interval, in 2^-32 ticks
 * @sends: streams with credits only: requests of a group
 * @qp_num: number of the QP of the completion that @wc_status is of
 *
 * The loops only read what stands above @stop, and @interval, @fraction and @sends. Others may
 * read what stands between @first and @yields, and @wc_status, @vendor_err and @qp_num, while the
 * loop runs.
 */
struct kv_loop {
	struct kv_end *a;
	struct kv_end *b;
	struct kv_hist *hist;
	__u64 *posted;
	__u32 groups;
	__u32 quiet;
	struct kv_flow *flow;
	__u32 flows;
	__u64 iters;
	__u64 time;
	__u64 timeout;
	__u64 grace;
	__u32 spins;

	int stop;
	int busy;

	__u64 first;
	__u64 last;
	__u64 done;
	__u64 dropped;
	__u64 yields;

	__u64 end;
	__u64 resched;
	__u64 stopped;
	__u32 wc_status;
	__u32 vendor_err;

	__u64 *oldest;
	__u64 *newest;
	__u64 left;
	__u32 outstanding;
	int ended;
	int error;

	__u64 interval;
	__u32 fraction;
	__u32 sends;
	__u32 qp_num;
};

/*
 * 0 when what was asked is done, or -ECANCELED, -ETIMEDOUT, -EIO (wc_status
 * says why), or what a post returned.
 */
typedef int (*kv_loop_fn)(struct kv_loop *l);

#define KV_LOOP_DECLARE(name)				\
	int kv_loop_##name(struct kv_loop *l);		\
	int kv_loop_##name##_bh_disabled(struct kv_loop *l)

KV_LOOP_DECLARE(credit_server);
KV_LOOP_DECLARE(credit_server_one_cq);
KV_LOOP_DECLARE(credit_stream);
KV_LOOP_DECLARE(credit_stream_one_cq);
KV_LOOP_DECLARE(event);
KV_LOOP_DECLARE(null);
KV_LOOP_DECLARE(paced);
KV_LOOP_DECLARE(paced_several);
KV_LOOP_DECLARE(paced_several_one_cq);
KV_LOOP_DECLARE(post_to_completion);
KV_LOOP_DECLARE(read_inv);
KV_LOOP_DECLARE(send_client);
KV_LOOP_DECLARE(send_inv_client);
KV_LOOP_DECLARE(send_inv_server);
KV_LOOP_DECLARE(send_inv_pingpong);
KV_LOOP_DECLARE(send_server);
KV_LOOP_DECLARE(send_pingpong);
KV_LOOP_DECLARE(stream);
KV_LOOP_DECLARE(stream_server);
KV_LOOP_DECLARE(stream_server_srq);
KV_LOOP_DECLARE(streams);
KV_LOOP_DECLARE(streams_one_cq);
KV_LOOP_DECLARE(streams_server);
KV_LOOP_DECLARE(streams_server_one_cq);
KV_LOOP_DECLARE(streams_server_srq);
KV_LOOP_DECLARE(write_client);
KV_LOOP_DECLARE(write_server);
KV_LOOP_DECLARE(write_pingpong);

/**
 * kv_loop_elapsed() - ticks from the start of the first sample to the end of the last one
 * @l: the loop; it may run meanwhile
 *
 * Return: ticks. 0 before the first sample, and if the last one ended on a CPU whose
 * counter is behind that of the start.
 */
static inline __u64 kv_loop_elapsed(const struct kv_loop *l)
{
	__u64 first = kv_env_get(&l->first), last = kv_env_get(&l->last);

	/* They are written one after the other. */
	return first && last > first ? last - first : 0;
}

/**
 * struct kv_loop_form - the form of a loop that polls
 * @loop: enum kverbs_loop
 * @op: enum kverbs_op, one that @loop takes (kv_op_fits_loop()); does not matter for NULL
 * @several: each worker drives several ends; STREAM and STREAM_SERVER only: the loops with credits
 *	drive any number
 * @one_cq: a worker's ends have one CQ in common; not with @srq
 * @paced: groups are due at an interval; STREAM only
 * @srq: the receives come from an SRQ; STREAM_SERVER only
 */
struct kv_loop_form {
	__u32 loop;
	__u32 op;
	int several;
	int one_cq;
	int paced;
	int srq;
};

void kv_loop_reset(struct kv_loop *l);
kv_loop_fn kv_loop_pick(const struct kv_loop_form *form, int bh_disabled);
kv_loop_fn kv_loop_pick_event(int bh_disabled);

#endif
