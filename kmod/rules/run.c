// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <linux/errno.h>
#include "loop/loop.h"
#include "request.h"
#include "run.h"

#define BIT_OF(name) (1U << KVERBS_##name)
#define PINGPONGS (BIT_OF(LOOP_PINGPONG) | BIT_OF(LOOP_PINGPONG_CLIENT) | \
		   BIT_OF(LOOP_PINGPONG_SERVER))
#define STREAMS (BIT_OF(LOOP_STREAM) | BIT_OF(LOOP_STREAM_SERVER))
/* The loops that may have several workers. */
#define SEVERAL (BIT_OF(LOOP_POST_TO_COMPLETION) | STREAMS)
#define VERBS (SEVERAL | PINGPONGS)
#define SENDERS (VERBS & ~BIT_OF(LOOP_STREAM_SERVER))
/* The peer sends or writes into a buffer of theirs, and they poll for that. */
#define TARGETS (PINGPONGS | BIT_OF(LOOP_STREAM_SERVER))

static bool any_op(__u32 op)
{
	return true;
}

static bool is_cmp_swp(__u32 op)
{
	return op == KVERBS_OP_CMP_SWP;
}

static bool is_datagram(__u32 op)
{
	return kv_op_takes_recv(op) && !kv_op_needs_remote(op);
}

/* Attributes that some loops take, with some operations, and others do not. */
struct limit {
	__u32 attr;
	__u32 loops;
	bool (*op)(__u32 op);
	const char *text;
};

static const struct limit spec_limits[] = {
	{ KVERBS_A_SPEC_DEV, BIT_OF(LOOP_NULL), any_op,
	  "dev goes with the null loop only: the device is that of the ends' qps" },
	{ KVERBS_A_SPEC_OP, VERBS, any_op,
	  "op does not go with the null loop, which calls no verb" },
	{ KVERBS_A_SPEC_SIZE, VERBS, any_op,
	  "size does not go with the null loop, which calls no verb" },
	{ KVERBS_A_SPEC_END, VERBS, any_op,
	  "end does not go with the null loop, which calls no verb" },
	{ KVERBS_A_SPEC_COMPARE_ADD, VERBS, kv_op_is_atomic,
	  "compare_add goes with atomics only" },
	{ KVERBS_A_SPEC_SWAP, VERBS, is_cmp_swp, "swap goes with cmp_swp only" },
	{ KVERBS_A_SPEC_TIMEOUT_NS, VERBS, any_op,
	  "timeout_ns does not go with the null loop, which waits for nothing" },
	{ KVERBS_A_SPEC_POST_CONTEXT, SENDERS, any_op,
	  "post_context goes with loops that post sends: NULL and STREAM_SERVER do not" },
	{ KVERBS_A_SPEC_SPINS, VERBS, any_op,
	  "spins does not go with the null loop, which waits for nothing" },
	{ KVERBS_A_SPEC_DEPTH, STREAMS, any_op, "depth goes with streams only" },
	{ KVERBS_A_SPEC_LIST, BIT_OF(LOOP_STREAM), any_op, "list goes with STREAM only" },
	{ KVERBS_A_SPEC_SIGNAL, BIT_OF(LOOP_STREAM), any_op, "signal goes with STREAM only" },
	{ KVERBS_A_SPEC_WORKERS, STREAMS, any_op, "workers goes with streams only" },
	{ KVERBS_A_SPEC_INTERVAL_NS, BIT_OF(LOOP_STREAM), any_op,
	  "interval_ns goes with STREAM only" },
	{ KVERBS_A_SPEC_FLAGS, SENDERS, any_op,
	  "flags goes with loops that post sends: NULL and STREAM_SERVER do not" },
	{ KVERBS_A_SPEC_SGES, SENDERS, any_op,
	  "sges goes with loops that post sends: NULL and STREAM_SERVER do not" },
	{ 0 },
};

static const struct limit end_limits[] = {
	{ KVERBS_A_END_LOCAL_BUF, SENDERS, any_op,
	  "local_buf does not go with STREAM_SERVER, which sends nothing" },
	{ KVERBS_A_END_LOCAL_MR, SENDERS, any_op,
	  "local_mr does not go with STREAM_SERVER, which sends nothing" },
	{ KVERBS_A_END_LOCAL_OFFSET, SENDERS, any_op,
	  "local_offset does not go with STREAM_SERVER, which sends nothing" },
	{ KVERBS_A_END_TARGET_BUF, TARGETS, any_op,
	  "target_buf goes with ping-pongs and STREAM_SERVER only" },
	{ KVERBS_A_END_TARGET_MR, TARGETS, any_op,
	  "target_mr goes with ping-pongs and STREAM_SERVER only" },
	{ KVERBS_A_END_TARGET_OFFSET, TARGETS, any_op,
	  "target_offset goes with ping-pongs and STREAM_SERVER only" },
	{ KVERBS_A_END_REMOTE_ADDR, SENDERS, kv_op_needs_remote,
	  "remote_addr goes with write, read and atomics only, and not with STREAM_SERVER" },
	{ KVERBS_A_END_REMOTE_KEY, SENDERS, kv_op_needs_remote,
	  "remote_key goes with write, read and atomics only, and not with STREAM_SERVER" },
	{ KVERBS_A_END_CPU, SEVERAL, any_op,
	  "the cpu of an end does not go with ping-pongs: give that of the spec" },
	{ KVERBS_A_END_AH, SENDERS, is_datagram,
	  "ah goes with loops that send, and with send and send_with_imm only" },
	{ KVERBS_A_END_REMOTE_QPN, SENDERS, is_datagram,
	  "remote_qpn goes with loops that send, and with send and send_with_imm only" },
	{ KVERBS_A_END_REMOTE_QKEY, SENDERS, is_datagram,
	  "remote_qkey goes with loops that send, and with send and send_with_imm only" },
	{ 0 },
};

/**
 * kv_run_ends() - how many ends of connections does a worker drive, if the spec does not say it?
 * @loop: enum kverbs_loop
 *
 * Return: 0 .. 2
 */
__u32 kv_run_ends(__u32 loop)
{
	if (loop == KVERBS_LOOP_NULL)
		return 0;
	return loop == KVERBS_LOOP_PINGPONG ? 2 : 1;
}

/**
 * kv_run_workers() - how many workers does a run have?
 * @loop: enum kverbs_loop
 * @ends: ends of the spec, as many as the loop needs
 * @asked: KVERBS_A_SPEC_WORKERS; 0: not given
 *
 * Return: 1 .. KV_RUN_WORKERS_MAX
 */
__u32 kv_run_workers(__u32 loop, __u32 ends, __u32 asked)
{
	if (asked)
		return asked;
	return ends ? ends / kv_run_ends(loop) : 1;
}

/**
 * kv_run_several() - does each worker drive several ends that are alike?
 * @loop: enum kverbs_loop
 * @ends: ends of the spec
 * @workers: kv_run_workers()
 *
 * Return: true if the loops are those for several ends.
 */
bool kv_run_several(__u32 loop, __u32 ends, __u32 workers)
{
	return STREAMS & 1U << loop && ends > workers;
}

/**
 * kv_run_judge_cqs() - the CQs of a run's ends
 * @mixed: two ends are one QP, or an end that has not both CQs of the first end of its worker has
 *	one of another end
 * @shared: how many ends have both CQs of the first end of their worker, which is not counted
 * @ends: how many there are
 * @workers: how many workers they are shared out to
 */
enum kv_run_cqs kv_run_judge_cqs(bool mixed, __u32 shared, __u32 ends, __u32 workers)
{
	if (!mixed && !shared)
		return KV_RUN_CQS_OWN;
	return !mixed && shared == ends - workers ? KV_RUN_CQS_WORKER : KV_RUN_CQS_MIXED;
}

/**
 * kv_run_has_target() - does a loop need a buffer that the peer sends or writes into?
 * @loop: enum kverbs_loop
 *
 * Return: true for ping-pongs and STREAM_SERVER.
 */
bool kv_run_has_target(__u32 loop)
{
	return TARGETS & 1U << loop;
}

/**
 * kv_run_sends() - does a loop post sends?
 * @loop: enum kverbs_loop
 *
 * Return: false for NULL and STREAM_SERVER.
 */
bool kv_run_sends(__u32 loop)
{
	return SENDERS & 1U << loop;
}

/**
 * kv_run_has_depth() - may a loop have more than one request posted at a time?
 * @loop: enum kverbs_loop
 *
 * Return: true for STREAM and STREAM_SERVER.
 */
bool kv_run_has_depth(__u32 loop)
{
	return STREAMS & 1U << loop;
}

/**
 * kv_run_recvs() - how many receives are posted on an end when its loop starts?
 * @loop: enum kverbs_loop
 * @op: enum kverbs_op, one that the loop takes
 * @depth: streams: that of the spec
 *
 * Return: that number; the loop replaces those that complete.
 */
__u32 kv_run_recvs(__u32 loop, __u32 op, __u32 depth)
{
	if (loop == KVERBS_LOOP_STREAM_SERVER)
		return depth;
	return PINGPONGS & 1U << loop && kv_op_takes_recv(op) ? KV_LOOP_RECVS : 0;
}

static int check_limits(const struct limit *at, const struct kv_run_given *given, __u32 attrs,
			struct kv_refusal *why)
{
	for (; at->text; at++)
		if (attrs & 1U << at->attr && !(at->loops & 1U << given->loop && at->op(given->op)))
			return kv_refusal_set_attr(why, -EINVAL, at->attr, at->text);
	return 0;
}

static const char *too_many(__u32 most)
{
	if (most == KV_RUN_ENDS_MAX)
		return "more than 1024 ends: a run drives at most so many";
	if (most > 2)
		return "more than 16 ends: each is driven by a worker of its own";
	return most > 1 ? "more than two ends: PINGPONG drives both" :
			  "more than one end: this loop drives one";
}

/**
 * kv_run_check_given() - does a spec have what its loop and its operation need, and nothing else?
 * @given: the attributes
 * @why: receives the refusal, with an attribute of KVERBS_A_SPEC_*
 *
 * Return: 0 or -EINVAL.
 */
int kv_run_check_given(const struct kv_run_given *given, struct kv_refusal *why)
{
	__u32 ends = kv_run_ends(given->loop), spec = given->spec;

	if (kv_refusal_need(spec, KVERBS_A_SPEC_LOOP, why,
			    "loop is missing: which loop shall run?"))
		return -EINVAL;
	if (!kv_refusal_given(spec, KVERBS_A_SPEC_TIME_NS) &&
	    kv_refusal_need(spec, KVERBS_A_SPEC_ITERS, why,
			    "iters and time_ns are missing: how long shall it run?"))
		return -EINVAL;
	if (ends && kv_refusal_need(spec, KVERBS_A_SPEC_OP, why, "op is missing: which operation?"))
		return -EINVAL;
	if (ends && !kv_op_fits_loop(given->op, given->loop))
		return kv_refusal_set_attr(why, -EINVAL, KVERBS_A_SPEC_OP,
					   "this loop can't take this op: POST_TO_COMPLETION takes WRITE, READ, FETCH_ADD, CMP_SWP and ATOMIC_WRITE; ping-pongs SEND and WRITE, with or without immediate data; STREAM all of these; STREAM_SERVER those of them that take a receive");
	if (check_limits(spec_limits, given, spec, why))
		return why->error;
	if (!ends)
		return kv_refusal_need(spec, KVERBS_A_SPEC_DEV, why,
				       "dev is missing: which RDMA device?");
	if (kv_refusal_need(spec, KVERBS_A_SPEC_SIZE, why, "size is missing: how many bytes?"))
		return -EINVAL;
	if (!given->ends)
		return kv_refusal_set_missing(why, KVERBS_A_SPEC_END,
					      "end is missing: which qp and buffers?");
	if (given->ends < ends)
		return kv_refusal_set_missing(why, KVERBS_A_SPEC_END,
					      "an end is missing: PINGPONG drives both");
	if (STREAMS & 1U << given->loop)
		ends = KV_RUN_ENDS_MAX;
	else if (SEVERAL & 1U << given->loop)
		ends = KV_RUN_WORKERS_MAX;
	if (given->ends > ends)
		return kv_refusal_set_attr(why, -EINVAL, KVERBS_A_SPEC_END, too_many(ends));
	if (kv_run_workers(given->loop, given->ends, given->workers) > KV_RUN_WORKERS_MAX)
		return kv_refusal_set_attr(why, -EINVAL, KVERBS_A_SPEC_END,
					   "more than 16 ends: workers is missing, to which they are shared out");
	if (given->workers && given->ends % given->workers)
		return kv_refusal_set_attr(why, -EINVAL, KVERBS_A_SPEC_WORKERS,
					   "the number of ends is no multiple of workers");
	return 0;
}

/* Is this the first end of a worker? */
static bool is_first(const struct kv_run_given *given, __u32 number)
{
	__u32 workers = kv_run_workers(given->loop, given->ends, given->workers);

	return !(number % (given->ends / workers));
}

/* The address of a datagram has three parts, which are there together or not at all. */
static int check_datagram(__u32 end, struct kv_refusal *why)
{
	if (!(end & (1U << KVERBS_A_END_AH | 1U << KVERBS_A_END_REMOTE_QPN |
		     1U << KVERBS_A_END_REMOTE_QKEY)))
		return 0;
	if (kv_refusal_need(end, KVERBS_A_END_AH, why,
			    "ah is missing in this end: remote_qpn and remote_qkey go with it") ||
	    kv_refusal_need(end, KVERBS_A_END_REMOTE_QPN, why,
			    "remote_qpn is missing in this end: which qp at the ah's address?"))
		return -EINVAL;
	return kv_refusal_need(end, KVERBS_A_END_REMOTE_QKEY, why,
			       "remote_qkey is missing in this end: which key has the peer's qp?");
}

/**
 * kv_run_check_end_given() - does an end have what the run needs there, and nothing else?
 * @given: the spec's attributes, checked
 * @number: of the end, from 0 on
 * @end: bits 1 << KVERBS_A_END_*
 * @why: receives the refusal, with an attribute of KVERBS_A_END_*
 *
 * Return: 0 or -EINVAL.
 */
int kv_run_check_end_given(const struct kv_run_given *given, __u32 number, __u32 end,
			   struct kv_refusal *why)
{
	int ret;

	ret = kv_refusal_need(end, KVERBS_A_END_QP, why, "qp is missing in this end") ?:
	      check_limits(end_limits, given, end, why);
	if (!ret && kv_refusal_given(end, KVERBS_A_END_CPU) && !is_first(given, number))
		ret = kv_refusal_set_attr(why, -EINVAL, KVERBS_A_END_CPU,
					  "cpu goes with the first end of a worker");
	if (!ret && kv_run_sends(given->loop))
		ret = kv_refusal_need(end, KVERBS_A_END_LOCAL_BUF, why,
				      "local_buf is missing in this end");
	if (!ret && kv_run_has_target(given->loop))
		ret = kv_refusal_need(end, KVERBS_A_END_TARGET_BUF, why,
				      "target_buf is missing in this end: this loop needs it");
	if (!ret && kv_run_sends(given->loop) && kv_op_needs_remote(given->op))
		ret = kv_refusal_need(end, KVERBS_A_END_REMOTE_ADDR, why,
				      "remote_addr is missing in this end: op needs it") ?:
		      kv_refusal_need(end, KVERBS_A_END_REMOTE_KEY, why,
				      "remote_key is missing in this end: op needs it");
	return ret ?: check_datagram(end, why);
}

/**
 * kv_run_check_cpus() - does a worker need the CPU of the spec?
 * @given: the spec's attributes, checked
 * @cpus: how many ends have a CPU, each for a worker
 * @why: receives the refusal, with an attribute of KVERBS_A_SPEC_*
 *
 * Return: 0 or -EINVAL.
 */
int kv_run_check_cpus(const struct kv_run_given *given, __u32 cpus, struct kv_refusal *why)
{
	if (!kv_refusal_given(given->spec, KVERBS_A_SPEC_CPU) ||
	    cpus < kv_run_workers(given->loop, given->ends, given->workers))
		return 0;
	return kv_refusal_set_attr(why, -EINVAL, KVERBS_A_SPEC_CPU,
				   "cpu is of no use: each worker has that of its end");
}

/**
 * kv_run_check_iwarp() - does iWARP have what a run needs?
 * @loop: enum kverbs_loop, not NULL
 * @op: enum kverbs_op, one that the loop takes
 * @why: receives the refusal
 *
 * A receiver of InfiniBand that has no receive posted says so, and the request is repeated (RNR
 * NAK, IBTA 9.7.5.2.8). iWARP has no such answer: the connection ends (RFC 5041, 7.1).
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int kv_run_check_iwarp(__u32 loop, __u32 op, struct kv_refusal *why)
{
	if (kv_op_check_iwarp(op, why))
		return why->error;
	if (STREAMS & 1U << loop && kv_op_takes_recv(op))
		return kv_refusal_set(why, -EOPNOTSUPP,
				      "iWARP ends a connection on which a SEND finds no receive, and a stream does not wait for receives");
	return 0;
}

/**
 * kv_run_sge_bytes() - the length of one of a request's SGEs
 * @size: bytes of the request
 * @sges: how many SGEs it has, from 1 to @size
 * @number: of the SGE, from 0 on
 *
 * Return: bytes.
 */
__u32 kv_run_sge_bytes(__u32 size, __u32 sges, __u32 number)
{
	return size / sges + (number < size % sges);
}

static const char cpu_offline[] = "cpu is not online";

/* Names the attribute that a rule about requests has refused. */
static int blame(struct kv_refusal *why, __u32 attr)
{
	why->attr = attr;
	return why->error;
}

/**
 * kv_run_check_sges() - can the requests of a run have this number of SGEs?
 * @s: op, size, sges, max_sge_rd and iwarp
 * @why: receives the refusal
 *
 * Return: 0 or -EINVAL.
 */
int kv_run_check_sges(const struct kv_run_spec_facts *s, struct kv_refusal *why)
{
	/* Any device takes one. */
	if (s->sges <= 1)
		return 0;
	if (s->sges > s->size)
		return kv_refusal_set_attr(why, -EINVAL, KVERBS_A_SPEC_SGES,
					   "more sges than bytes: sges is above size");
	if (kv_op_has_8_bytes(s->op))
		return kv_refusal_set_attr(why, -EINVAL, KVERBS_A_SPEC_SGES,
					   "an atomic operation takes one sge");
	if (kv_op_check_sges(s->op, s->sges, s->iwarp, why))
		return blame(why, KVERBS_A_SPEC_SGES);
	if (kv_op_is_read(s->op) && s->sges > s->max_sge_rd)
		return kv_refusal_set_attr(why, -EINVAL, KVERBS_A_SPEC_SGES,
					   "more sges than the device's max_sge_rd");
	return 0;
}

/**
 * kv_run_check_spec() - can a run do this?
 * @s: loop, operation and size of the run
 * @why: receives the refusal, with an attribute of KVERBS_A_SPEC_* if one is to blame
 *
 * Return: 0, -EINVAL, or -EOPNOTSUPP if the device can't do it.
 */
int kv_run_check_spec(const struct kv_run_spec_facts *s, struct kv_refusal *why)
{
	if (s->offline)
		return kv_refusal_set_attr(why, -EINVAL, KVERBS_A_SPEC_CPU, cpu_offline);
	if (s->loop == KVERBS_LOOP_NULL)
		return 0;
	if (s->cqs == KV_RUN_CQS_MIXED || (s->cqs == KV_RUN_CQS_WORKER && !s->several))
		return kv_refusal_set(why, -EINVAL,
				      "two ends need a qp each, and cqs of their own; all ends of a stream's worker may have one send_cq, and one recv_cq");
	if (s->cqs == KV_RUN_CQS_WORKER && s->srq)
		return kv_refusal_set(why, -EOPNOTSUPP,
				      "qps with an srq need cqs of their own: in user space the completion of a receive does not tell the qp");
	if (s->signal % s->list)
		return kv_refusal_set_attr(why, -EINVAL, KVERBS_A_SPEC_SIGNAL,
					   "signal is no multiple of list");
	if (s->depth % s->signal)
		return kv_refusal_set_attr(why, -EINVAL, KVERBS_A_SPEC_DEPTH,
					   "depth is no multiple of signal");
	if (s->paced && s->several)
		return kv_refusal_set_attr(why, -EINVAL, KVERBS_A_SPEC_INTERVAL_NS,
					   "interval_ns goes with one end for each worker: give as many workers as ends");
	if (s->iwarp && kv_run_check_iwarp(s->loop, s->op, why))
		return blame(why, KVERBS_A_SPEC_OP);
	if (kv_op_check_flags(s->op, s->flags, s->iwarp, why))
		return blame(why, KVERBS_A_SPEC_FLAGS);
	if (kv_run_check_sges(s, why))
		return why->error;
	if (kv_op_has_8_bytes(s->op) && s->size != sizeof(__u64))
		return kv_refusal_set_attr(why, -EINVAL, KVERBS_A_SPEC_SIZE,
					   "size of an atomic operation is 8");
	if (s->op == KVERBS_OP_ATOMIC_WRITE && !s->atomic_write)
		return kv_refusal_set_attr(why, -EOPNOTSUPP, KVERBS_A_SPEC_OP,
					   "atomic_write needs user space, the api wr, and a device that has it: no driver of Linux carries it for the kernel");
	return s->atomic || !kv_op_is_atomic(s->op) ? 0 :
	       kv_refusal_set_attr(why, -EOPNOTSUPP, KVERBS_A_SPEC_OP,
				   "the device has no atomic operations");
}

/*
 * Refuses a run because of an end's QP, or of one of its CQs or its SRQ, which the end does not
 * name.
 */
static int refuse_qp(struct kv_refusal *why, int error, const char *text)
{
	return kv_refusal_set_attr(why, error, KVERBS_A_END_QP, text);
}

/* Can the run take the completions of a CQ of this context? */
static int check_context(const struct kv_run_spec_facts *s, const struct kv_run_qp_facts *qp,
			 struct kv_refusal *why)
{
	if (TARGETS & 1U << s->loop && !qp->polled)
		return refuse_qp(why, -EINVAL,
				      "ping-pongs and STREAM_SERVER poll: they need a qp whose cqs have the context polled");
	if (s->several && qp->context != KVERBS_CQ_POLLED)
		return refuse_qp(why, -EINVAL,
				      "a worker of several ends polls: it needs a send_cq of context polled");
	if (s->paced && qp->context != KVERBS_CQ_POLLED)
		return refuse_qp(why, -EINVAL,
				      "interval_ns needs a send_cq of context polled: between two times when a group is due, the thread polls");
	if (qp->other_context)
		return refuse_qp(why, -EINVAL,
				      "the send_cqs of all ends need the same context");
	if (s->spins && qp->context != KVERBS_CQ_POLLED)
		return refuse_qp(why, -EINVAL,
				      "spins goes with a cq of context polled: no other is polled");
	return 0;
}

/**
 * kv_run_check_qp() - can a run post to this QP, and take the completions of its CQs?
 * @s: the run's spec, checked; its loop is not NULL
 * @qp: the QP
 * @why: receives the refusal, with an attribute of KVERBS_A_END_*
 *
 * A run takes every completion for its own.
 *
 * Return: 0, -EINVAL, or -EBUSY.
 */
int kv_run_check_qp(const struct kv_run_spec_facts *s, const struct kv_run_qp_facts *qp,
		    struct kv_refusal *why)
{
	if (kv_op_check_type(s->op, qp->type, why))
		return blame(why, KVERBS_A_END_QP);
	if (kv_run_sends(s->loop) && kv_op_check_ah(qp->type, qp->has_ah, qp->ah_pd, why)) {
		why->missing = !qp->has_ah;
		return blame(why, KVERBS_A_END_AH);
	}
	if (qp->srq && s->loop != KVERBS_LOOP_STREAM_SERVER)
		return refuse_qp(why, -EINVAL,
				      "this loop takes a qp without an srq: only STREAM_SERVER takes its receives from one");
	if (qp->srq != s->srq)
		return refuse_qp(why, -EINVAL,
				      "the qps of a run have srqs either all, or none");
	if (qp->srq && !qp->srq_pd)
		return refuse_qp(why, -EINVAL, "the srq and the qp are of different pds");
	if (check_context(s, qp, why))
		return why->error;
	if (qp->srq_cq)
		return refuse_qp(why, -EBUSY,
				      "another qp with an srq receives into the cq: a run needs cqs without");
	if (qp->pending)
		return refuse_qp(why, -EBUSY,
				      "requests posted by hand are outstanding, or their completions not polled: poll the cq, or reset the qp");
	return 0;
}

/* The attributes of an end that name its memory. */
struct memory {
	__u32 buf;
	__u32 mr;
};

static const struct memory local = { KVERBS_A_END_LOCAL_BUF, KVERBS_A_END_LOCAL_MR };
static const struct memory target = { KVERBS_A_END_TARGET_BUF, KVERBS_A_END_TARGET_MR };

static int check_buf(const struct memory *attr, const struct kv_run_buf_facts *buf, __u64 size,
		     struct kv_refusal *why)
{
	if (size > buf->buffer || buf->first > buf->buffer - size)
		return kv_refusal_set_attr(why, -EINVAL, attr->buf,
					   "size is larger than what the buffer has from the offset on (ud: a target has a GRH of 40 bytes, too)");
	if (!buf->by_mr && !buf->dma_key)
		return kv_refusal_set_missing(why, attr->mr,
					      "local_mr or target_mr is missing: in user space the key is always an mr's");
	if (!buf->by_mr && size > buf->contiguous)
		return kv_refusal_set_missing(why, attr->mr,
					      "the bytes from the offset to size lie in several pieces of the buffer: name an mr");
	if (!buf->by_mr)
		return 0;
	if (!buf->same_pd)
		return kv_refusal_set_attr(why, -EINVAL, attr->mr,
					   "the mr and the qp are of different pds");
	if (!buf->registered || buf->first < buf->offset || size > buf->length ||
	    buf->first - buf->offset > buf->length - size)
		return kv_refusal_set_attr(why, -EINVAL, attr->mr,
					   "the mr is not registered over the buffer's bytes from the offset to size");
	return 0;
}

/* The CPU copies the bytes, from one piece of the buffer. */
static int check_inline(const struct kv_run_spec_facts *s, const struct kv_run_end_facts *end,
			struct kv_refusal *why)
{
	if (!(s->flags & KVERBS_WR_INLINE))
		return 0;
	if (s->size > end->max_inline)
		return refuse_qp(why, -EINVAL, "inline: size is above the qp's max_inline");
	return s->size <= end->local.contiguous ? 0 :
	       kv_refusal_set_attr(why, -EINVAL, local.buf,
				   "the bytes of an inline request lie in one piece of the buffer");
}

/* All requests of a QP that fails complete, those that are not signaled, too (IBTA 10.8.3.1). */
static int check_depth(const struct kv_run_spec_facts *s, const struct kv_run_end_facts *end,
		       struct kv_refusal *why)
{
	if (s->depth > end->max_send_wr)
		return refuse_qp(why, -EINVAL, "depth is above the qp's max_send_wr");
	if (s->depth > end->send_cqe)
		return refuse_qp(why, -EINVAL, "depth is above the cqe of the qp's send_cq");
	if (s->signal > 1 && end->sq_sig_all)
		return refuse_qp(why, -EINVAL,
				      "a signal of more than 1 needs a qp without sq_sig_all");
	return 0;
}

/*
 * Receives of runs stay on an SRQ until it is gone: nothing flushes them. A receive that a QP took
 * and lost would be missing in the next run.
 */
static int check_srq(const struct kv_run_end_facts *end, struct kv_refusal *why)
{
	if (end->srq_target)
		return kv_refusal_set_attr(why, -EINVAL, target.buf,
					   "ends whose qps have one srq need one target_buf, target_mr and target_offset");
	if (end->srq_by_hand)
		return refuse_qp(why, -EBUSY,
				      "receives posted by hand are on the srq, or their completions not polled: make another srq");
	if (end->srq_lost)
		return refuse_qp(why, -EBUSY,
				      "a qp that took receives of an earlier run from the srq was reset or deleted: make another srq");
	if (end->other_target)
		return kv_refusal_set_attr(why, -EBUSY, target.buf,
					   "receives of an earlier run are on the srq with another target_buf or target_mr: make another srq");
	return 0;
}

/* Can the end hold the receives that the loop expects? */
static int check_recvs(const struct kv_run_spec_facts *s, const struct kv_run_end_facts *end,
		       struct kv_refusal *why)
{
	__u32 recvs = kv_run_recvs(s->loop, s->op, s->depth);

	if (s->srq && check_srq(end, why))
		return why->error;
	if (end->other_target)
		return kv_refusal_set_attr(why, -EBUSY, target.buf,
					   "receives of an earlier run are posted with another target_buf or target_mr: reset the qp and connect it anew");
	if (recvs && end->one_cq)
		return refuse_qp(why, -EINVAL,
				      "receives of a run need a qp whose send_cq and recv_cq differ");
	if (s->srq && recvs > end->max_recv_wr)
		return refuse_qp(why, -EINVAL, "the srq's max_wr is below depth");
	if (recvs > end->max_recv_wr)
		return refuse_qp(why, -EINVAL,
				      "the qp's max_recv_wr is below depth, or, of a ping-pong, below 2");
	if (recvs > end->recv_cqe)
		return refuse_qp(why, -EINVAL,
				      "the cqe of the qp's recv_cq is below depth, or, of a ping-pong, below 2");
	return 0;
}

/**
 * kv_run_check_end() - can a run begin at this end?
 * @s: the run's spec, checked; its loop is not NULL
 * @end: the end
 * @why: receives the refusal, with an attribute of KVERBS_A_END_*
 *
 * Return: 0, -EINVAL, or -EBUSY.
 */
int kv_run_check_end(const struct kv_run_spec_facts *s, const struct kv_run_end_facts *end,
		     struct kv_refusal *why)
{
	if (end->offline)
		return kv_refusal_set_attr(why, -EINVAL, KVERBS_A_END_CPU, cpu_offline);
	if (kv_op_has_8_bytes(s->op) && end->remote_addr % sizeof(__u64))
		return kv_refusal_set_attr(why, -EINVAL, KVERBS_A_END_REMOTE_ADDR,
					   "remote_addr of an atomic operation is a multiple of 8");
	if (end->needs_reset)
		return refuse_qp(why, -EBUSY,
				      "an earlier run left requests outstanding on the qp: reset it and connect it anew");
	if (s->loop == KVERBS_LOOP_STREAM && check_depth(s, end, why))
		return -EINVAL;
	if (s->sges > end->max_send_sge)
		return refuse_qp(why, -EINVAL, "more sges than the qp's max_send_sge");
	if (kv_run_sends(s->loop)) {
		if (check_buf(&local, &end->local, s->size, why) || check_inline(s, end, why))
			return why->error;
		if (kv_op_check_sink(s->op, s->iwarp, end->local.by_mr, why)) {
			why->missing = true;
			return blame(why, local.mr);
		}
	}
	if (!kv_run_has_target(s->loop))
		return 0;
	return check_buf(&target, &end->target, (__u64)end->grh + s->size, why) ?:
	       check_recvs(s, end, why);
}
