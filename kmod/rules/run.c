// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <linux/errno.h>
#include "loop/loop.h"
#include "request.h"
#include "run.h"

#define BIT_OF(name) (1U << KVERBS_##name)
#define PINGPONGS (BIT_OF(LOOP_PINGPONG) | BIT_OF(LOOP_PINGPONG_CLIENT) | \
		   BIT_OF(LOOP_PINGPONG_SERVER))
/* The stream whose SENDs take credits, and its peer, which gives them. */
#define CREDITED (BIT_OF(LOOP_CREDIT_STREAM) | BIT_OF(LOOP_CREDIT_SERVER))
#define STREAMS (BIT_OF(LOOP_STREAM) | BIT_OF(LOOP_STREAM_SERVER) | CREDITED)
/* They take samples of groups of requests. */
#define GROUPED (BIT_OF(LOOP_STREAM) | BIT_OF(LOOP_CREDIT_STREAM))
/* The loops that may have several workers. */
#define SEVERAL (BIT_OF(LOOP_POST_TO_COMPLETION) | STREAMS)
#define VERBS (SEVERAL | PINGPONGS)
#define SENDERS (VERBS & ~BIT_OF(LOOP_STREAM_SERVER))
/* They post the run's operation. That of CREDIT_SERVER is posted by its peer. */
#define REQUESTERS (SENDERS & ~BIT_OF(LOOP_CREDIT_SERVER))
/* They post receives, for the operations that take one. */
#define RECEIVERS (PINGPONGS | (STREAMS & ~GROUPED))
/* The peer sends or writes into a buffer of theirs, and they poll for that. */
#define TARGETS (RECEIVERS | BIT_OF(LOOP_CREDIT_STREAM))

/* The byte by which CREDIT_SERVER counts. */
#define CREDIT_BYTES 1

#define ANY (~0U)

/* A registration and the request behind it, which are posted together. */
#define REGISTERING_WRS 2

/* Attributes that some loops take, with some operations, and others do not. */
struct limit {
	__u32 attr;
	__u32 loops;
	__u32 ops;
	const char *text;
};

static const struct limit spec_limits[] = {
	{ KVERBS_A_SPEC_DEV, BIT_OF(LOOP_NULL), ANY,
	  "dev goes with the null loop only: the device is that of the ends' qps" },
	{ KVERBS_A_SPEC_OP, VERBS, ANY,
	  "op does not go with the null loop, which calls no verb" },
	{ KVERBS_A_SPEC_SIZE, VERBS, ANY,
	  "size does not go with the null loop, which calls no verb" },
	{ KVERBS_A_SPEC_END, VERBS, ANY,
	  "end does not go with the null loop, which calls no verb" },
	{ KVERBS_A_SPEC_COMPARE_ADD, VERBS, KV_OPS_ATOMIC,
	  "compare_add goes with atomics only" },
	{ KVERBS_A_SPEC_SWAP, VERBS, KV_OP(CMP_SWP), "swap goes with cmp_swp only" },
	{ KVERBS_A_SPEC_TIMEOUT_NS, VERBS, ANY,
	  "timeout_ns does not go with the null loop, which waits for nothing" },
	{ KVERBS_A_SPEC_POST_CONTEXT, SENDERS, ANY,
	  "post_context goes with loops that post sends: NULL and STREAM_SERVER do not" },
	{ KVERBS_A_SPEC_SPINS, VERBS, ANY,
	  "spins does not go with the null loop, which waits for nothing" },
	{ KVERBS_A_SPEC_DEPTH, STREAMS, ANY, "depth goes with streams only" },
	{ KVERBS_A_SPEC_LIST, GROUPED, ANY, "list goes with STREAM and CREDIT_STREAM only" },
	{ KVERBS_A_SPEC_SIGNAL, GROUPED, ANY, "signal goes with STREAM and CREDIT_STREAM only" },
	{ KVERBS_A_SPEC_WORKERS, STREAMS, ANY, "workers goes with streams only" },
	{ KVERBS_A_SPEC_INTERVAL_NS, BIT_OF(LOOP_STREAM), ANY,
	  "interval_ns goes with STREAM only" },
	{ KVERBS_A_SPEC_FLAGS, REQUESTERS, ANY,
	  "flags goes with loops that post the op: NULL, STREAM_SERVER and CREDIT_SERVER do not" },
	{ KVERBS_A_SPEC_SGES, REQUESTERS, ANY,
	  "sges goes with loops that post the op: NULL, STREAM_SERVER and CREDIT_SERVER do not" },
	{ KVERBS_A_SPEC_RECV_SGES, RECEIVERS, KV_OPS_RECEIVED,
	  "recv_sges goes with loops that post receives, and with an op that takes one" },
	{ KVERBS_A_SPEC_CREDITS, BIT_OF(LOOP_CREDIT_STREAM), ANY,
	  "credits goes with CREDIT_STREAM only" },
	{ 0 },
};

static const struct limit end_limits[] = {
	{ KVERBS_A_END_LOCAL_BUF, SENDERS, ANY,
	  "local_buf does not go with STREAM_SERVER, which sends nothing" },
	{ KVERBS_A_END_LOCAL_MR, SENDERS, ~KV_OP(READ_WITH_INV),
	  "local_mr does not go with STREAM_SERVER, which sends nothing, and READ_WITH_INV" },
	{ KVERBS_A_END_LOCAL_OFFSET, SENDERS, ANY,
	  "local_offset does not go with STREAM_SERVER, which sends nothing" },
	{ KVERBS_A_END_TARGET_BUF, TARGETS, ANY,
	  "target_buf does not go with POST_TO_COMPLETION and STREAM, which watch no target" },
	{ KVERBS_A_END_TARGET_MR, TARGETS, ANY,
	  "target_mr does not go with POST_TO_COMPLETION and STREAM, which watch no target" },
	{ KVERBS_A_END_TARGET_OFFSET, TARGETS, ANY,
	  "target_offset does not go with POST_TO_COMPLETION and STREAM, which watch no target" },
	{ KVERBS_A_END_REMOTE_ADDR, SENDERS, KV_OPS_REMOTE,
	  "remote_addr goes with write, read, atomics and CREDIT_SERVER only" },
	{ KVERBS_A_END_REMOTE_KEY, SENDERS, KV_OPS_REMOTE | KV_OP(SEND_WITH_INV),
	  "remote_key goes with write, read, atomics, send_with_inv and CREDIT_SERVER only" },
	{ KVERBS_A_END_CPU, SEVERAL, ANY,
	  "the cpu of an end does not go with ping-pongs: give the cpu of the spec" },
	{ KVERBS_A_END_INV_MR, SENDERS, KV_OPS_INV,
	  "inv_mr goes with send_with_inv and read_with_inv only" },
	{ KVERBS_A_END_AH, SENDERS, KV_OPS_DATAGRAM,
	  "ah goes with loops that send, and with send and send_with_imm only" },
	{ KVERBS_A_END_REMOTE_QPN, SENDERS, KV_OPS_DATAGRAM,
	  "remote_qpn goes with loops that send, and with send and send_with_imm only" },
	{ KVERBS_A_END_REMOTE_QKEY, SENDERS, KV_OPS_DATAGRAM,
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
 * kv_run_has_credits() - does a loop take or give credits?
 * @loop: enum kverbs_loop
 *
 * Return: true for CREDIT_STREAM and CREDIT_SERVER.
 */
bool kv_run_has_credits(__u32 loop)
{
	return CREDITED & 1U << loop;
}

/**
 * kv_run_has_groups() - does a loop take samples of groups of requests?
 * @loop: enum kverbs_loop
 *
 * Return: true for STREAM and CREDIT_STREAM.
 */
bool kv_run_has_groups(__u32 loop)
{
	return GROUPED & 1U << loop;
}

/**
 * kv_run_requests() - does a loop post the run's operation?
 * @loop: enum kverbs_loop
 *
 * Return: false for NULL and for the peers of streams.
 */
bool kv_run_requests(__u32 loop)
{
	return REQUESTERS & 1U << loop;
}

/**
 * kv_run_posted_op() - the operation of the requests that a loop posts
 * @loop: enum kverbs_loop
 * @op: enum kverbs_op of the run
 *
 * Return: WRITE for CREDIT_SERVER, else @op.
 */
__u32 kv_run_posted_op(__u32 loop, __u32 op)
{
	return loop == KVERBS_LOOP_CREDIT_SERVER ? KVERBS_OP_WRITE : op;
}

/**
 * kv_run_local_bytes() - how many bytes of the local buffer does a loop send, or read into?
 * @loop: enum kverbs_loop
 * @size: bytes of a message
 */
__u32 kv_run_local_bytes(__u32 loop, __u32 size)
{
	return loop == KVERBS_LOOP_CREDIT_SERVER ? CREDIT_BYTES : size;
}

/**
 * kv_run_target_bytes() - how many bytes of the target does the peer of a loop fill?
 * @loop: enum kverbs_loop
 * @size: bytes of a message
 */
__u32 kv_run_target_bytes(__u32 loop, __u32 size)
{
	return loop == KVERBS_LOOP_CREDIT_STREAM ? CREDIT_BYTES : size;
}

/**
 * kv_run_target_access() - the rights that the registration of a target needs
 * @loop: enum kverbs_loop
 * @op: enum kverbs_op of the run
 *
 * Return: KVERBS_ACCESS_LOCAL_WRITE and _REMOTE_WRITE, or one of them.
 */
__u32 kv_run_target_access(__u32 loop, __u32 op)
{
	bool written = loop == KVERBS_LOOP_CREDIT_STREAM;

	return (!written && kv_op_among(op, KV_OPS_RECEIVED) ? KVERBS_ACCESS_LOCAL_WRITE : 0) |
	       (written || kv_op_among(op, KV_OPS_REMOTE) ? KVERBS_ACCESS_REMOTE_WRITE : 0);
}

/**
 * kv_run_has_remote() - does a loop name memory of the peer?
 * @loop: enum kverbs_loop
 * @op: enum kverbs_op of the run
 */
bool kv_run_has_remote(__u32 loop, __u32 op)
{
	return kv_run_sends(loop) && kv_op_among(kv_run_posted_op(loop, op), KV_OPS_REMOTE);
}

/**
 * kv_run_registers() - does each iteration register an MR of this end?
 * @loop: enum kverbs_loop
 * @op: enum kverbs_op, one that the loop takes
 * @number: of the end, from 0 on
 *
 * Return: true for the end that asks of SEND_WITH_INV, and for READ_WITH_INV.
 */
bool kv_run_registers(__u32 loop, __u32 op, __u32 number)
{
	if (op == KVERBS_OP_SEND_WITH_INV)
		return loop != KVERBS_LOOP_PINGPONG_SERVER && !number;
	return op == KVERBS_OP_READ_WITH_INV;
}

/**
 * kv_run_invalidates() - does each iteration invalidate the key of the peer's MR?
 * @loop: enum kverbs_loop
 * @op: enum kverbs_op, one that the loop takes
 * @number: of the end, from 0 on
 *
 * Return: true for the end that answers of SEND_WITH_INV.
 */
bool kv_run_invalidates(__u32 loop, __u32 op, __u32 number)
{
	return op == KVERBS_OP_SEND_WITH_INV && !kv_run_registers(loop, op, number);
}

/**
 * kv_run_several() - does each worker drive several ends that are alike?
 * @loop: enum kverbs_loop
 * @ends: ends of the spec
 * @workers: kv_run_workers()
 *
 * Return: true if the loops are those for several ends. Loops with credits have no others.
 */
bool kv_run_several(__u32 loop, __u32 ends, __u32 workers)
{
	return kv_run_has_credits(loop) || (STREAMS & 1U << loop && ends > workers);
}

/**
 * kv_run_mark_end() - note the QP and the CQs of an end
 * @marks: those of the ends before it
 * @same: both CQs are those of another end, the first of its worker
 * @qp: the mark of its QP
 * @send: the mark of its send CQ
 * @recv: the mark of its receive CQ, which may be the same
 *
 * Return: true if the CQs are its own, or those of its worker.
 */
bool kv_run_mark_end(struct kv_run_marks *marks, bool same, bool *qp, bool *send, bool *recv)
{
	marks->mixed |= *qp;
	*qp = true;
	marks->shared += same;
	if (same)
		return false;
	marks->mixed |= *send || *recv;
	*send = *recv = true;
	return true;
}

/**
 * kv_run_judge_cqs() - the CQs of a run's ends
 * @marks: kv_run_mark_end() has seen all ends
 * @ends: how many there are
 * @workers: how many workers they are shared out to
 */
enum kv_run_cqs kv_run_judge_cqs(const struct kv_run_marks *marks, __u32 ends, __u32 workers)
{
	if (!marks->mixed && !marks->shared)
		return KV_RUN_CQS_OWN;
	return !marks->mixed && marks->shared == ends - workers ? KV_RUN_CQS_WORKER :
								  KV_RUN_CQS_MIXED;
}

/**
 * kv_run_inv_attr() - the attribute of an end that names the MR which each iteration registers
 *
 * A verb that fails for this MR is reported at that attribute.
 */
__u32 kv_run_inv_attr(void)
{
	return KVERBS_A_END_INV_MR;
}

/**
 * kv_run_has_target() - does a loop need a buffer that the peer sends or writes into?
 * @loop: enum kverbs_loop
 *
 * Return: true for ping-pongs, STREAM_SERVER and the loops with credits.
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
 * Return: true for streams and their peers.
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
	if (RECEIVERS & STREAMS & 1U << loop)
		return depth;
	return PINGPONGS & 1U << loop && kv_op_among(op, KV_OPS_RECEIVED) ? KV_LOOP_RECVS : 0;
}

/* @op: that of the run or, for ends, of the requests that the loop posts */
static int check_limits(const struct limit *at, __u32 loop, __u32 op, __u32 attrs,
			struct kv_refusal *why)
{
	for (; at->text; at++)
		if (attrs & 1U << at->attr &&
		    !(at->loops & 1U << loop && kv_op_among(op, at->ops)))
			return kv_refusal_set_attr(why, -EINVAL, at->attr, at->text);
	return 0;
}

static const char *too_many(__u32 most)
{
	if (most == KV_RUN_ENDS_MAX)
		return "more than 1024 ends: a run drives 1024 at most";
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
	__u32 ends = kv_run_ends(given->loop), spec = given->spec, workers;
	bool endless = !kv_refusal_given(spec, KVERBS_A_SPEC_TIME_NS) &&
		       !kv_refusal_given(spec, KVERBS_A_SPEC_ITERS);
	int ret;

	ret = kv_refusal_need(spec, KVERBS_A_SPEC_LOOP, why,
			      "loop is missing: which loop shall run?") ?:
	      kv_refusal_if_missing(why, endless, KVERBS_A_SPEC_ITERS,
				    "iters and time_ns are missing: how long shall it run?") ?:
	      (ends ? kv_refusal_need(spec, KVERBS_A_SPEC_OP, why,
				      "op is missing: which operation?") : 0) ?:
	      kv_refusal_if(why, ends && !kv_op_fits_loop(given->op, given->loop), -EINVAL,
			    KVERBS_A_SPEC_OP,
			    "this loop can't take this op: POST_TO_COMPLETION takes WRITE, READ, READ_WITH_INV, FETCH_ADD, CMP_SWP and ATOMIC_WRITE; ping-pongs SEND and WRITE, with or without immediate data, and SEND_WITH_INV; STREAM all of these but _WITH_INV; STREAM_SERVER those of them that take a receive; CREDIT_STREAM and CREDIT_SERVER SEND") ?:
	      check_limits(spec_limits, given->loop, given->op, spec, why) ?:
	      (given->loop == KVERBS_LOOP_CREDIT_STREAM ?
	       kv_refusal_need(spec, KVERBS_A_SPEC_CREDITS, why,
			       "credits is missing: how many receives does the peer post?") : 0);
	if (ret)
		return ret;
	if (!ends)
		return kv_refusal_need(spec, KVERBS_A_SPEC_DEV, why,
				       "dev is missing: which RDMA device?");
	ret = kv_refusal_need(spec, KVERBS_A_SPEC_SIZE, why, "size is missing: how many bytes?") ?:
	      kv_refusal_if_missing(why, !given->ends, KVERBS_A_SPEC_END,
				    "end is missing: which qp and buffers?") ?:
	      kv_refusal_if_missing(why, given->ends < ends, KVERBS_A_SPEC_END,
				    "an end is missing: PINGPONG drives both");
	if (ret)
		return ret;
	if (STREAMS & 1U << given->loop)
		ends = KV_RUN_ENDS_MAX;
	else if (SEVERAL & 1U << given->loop)
		ends = KV_RUN_WORKERS_MAX;
	workers = kv_run_workers(given->loop, given->ends, given->workers);
	return kv_refusal_if(why, given->ends > ends, -EINVAL, KVERBS_A_SPEC_END, too_many(ends)) ?:
	       kv_refusal_if(why, workers > KV_RUN_WORKERS_MAX, -EINVAL, KVERBS_A_SPEC_END,
			     "more than 16 ends: workers is missing, the number of threads that share them") ?:
	       kv_refusal_if(why, given->workers && given->ends % given->workers, -EINVAL,
			     KVERBS_A_SPEC_WORKERS, "the number of ends is no multiple of workers");
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
	return kv_refusal_need(end, KVERBS_A_END_AH, why,
			       "ah is missing in this end: remote_qpn and remote_qkey go with it") ?:
	       kv_refusal_need(end, KVERBS_A_END_REMOTE_QPN, why,
			       "remote_qpn is missing in this end: which qp at the ah's address?") ?:
	       kv_refusal_need(end, KVERBS_A_END_REMOTE_QKEY, why,
			       "remote_qkey is missing in this end: which key has the peer's qp?");
}

/* Has the end that registers its MR, and the end that invalidates its key, and nothing else? */
static int check_inv_given(__u32 end, bool registers, bool invalidates, struct kv_refusal *why)
{
	bool sends = registers && !kv_refusal_given(end, KVERBS_A_END_REMOTE_ADDR);

	return (registers ? kv_refusal_need(end, KVERBS_A_END_INV_MR, why,
					    "inv_mr is missing in this end: which mr does each iteration register?") : 0) ?:
	       kv_refusal_if(why, sends && kv_refusal_given(end, KVERBS_A_END_REMOTE_KEY), -EINVAL,
			     KVERBS_A_END_REMOTE_KEY,
			     "remote_key goes with the end that answers: this one registers its inv_mr") ?:
	       (invalidates ? kv_refusal_need(end, KVERBS_A_END_REMOTE_KEY, why,
					      "remote_key is missing in this end: what is the last key of the peer's inv_mr?") : 0) ?:
	       kv_refusal_if(why, invalidates && kv_refusal_given(end, KVERBS_A_END_INV_MR),
			     -EINVAL, KVERBS_A_END_INV_MR,
			     "inv_mr goes with the end that asks: this one invalidates the peer's");
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
	bool late_cpu = kv_refusal_given(end, KVERBS_A_END_CPU) && !is_first(given, number);
	bool sends = kv_run_sends(given->loop), target = kv_run_has_target(given->loop);
	bool remote = kv_run_has_remote(given->loop, given->op);
	bool registers = kv_run_registers(given->loop, given->op, number);
	bool invalidates = kv_run_invalidates(given->loop, given->op, number);

	return kv_refusal_need(end, KVERBS_A_END_QP, why, "qp is missing in this end") ?:
	       check_limits(end_limits, given->loop, kv_run_posted_op(given->loop, given->op), end,
			    why) ?:
	       kv_refusal_if(why, late_cpu, -EINVAL, KVERBS_A_END_CPU,
			     "cpu goes with the first end of a worker") ?:
	       (sends ? kv_refusal_need(end, KVERBS_A_END_LOCAL_BUF, why,
					"local_buf is missing in this end") : 0) ?:
	       (target ? kv_refusal_need(end, KVERBS_A_END_TARGET_BUF, why,
					 "target_buf is missing in this end: this loop needs it") : 0) ?:
	       (remote ? kv_refusal_need(end, KVERBS_A_END_REMOTE_ADDR, why,
					 "remote_addr is missing in this end: the loop and the op need it") : 0) ?:
	       (remote ? kv_refusal_need(end, KVERBS_A_END_REMOTE_KEY, why,
					 "remote_key is missing in this end: the loop and the op need it") : 0) ?:
	       check_inv_given(end, registers, invalidates, why) ?:
	       check_datagram(end, why);
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
	__u32 workers = kv_run_workers(given->loop, given->ends, given->workers);

	return kv_refusal_if(why, kv_refusal_given(given->spec, KVERBS_A_SPEC_CPU) &&
			     cpus >= workers, -EINVAL, KVERBS_A_SPEC_CPU,
			     "cpu is of no use: each worker takes the cpu of its end");
}

/**
 * kv_run_check_iwarp() - does iWARP have what a run needs?
 * @loop: enum kverbs_loop, not NULL
 * @op: enum kverbs_op, one that the loop takes
 * @why: receives the refusal
 *
 * A receiver of InfiniBand that has no receive posted says so, and the request is repeated (RNR
 * NAK, IBTA 9.7.5.2.8). iWARP has no such answer: the connection ends (RFC 5041, 7.1). So only
 * streams with credits have SENDs there.
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int kv_run_check_iwarp(__u32 loop, __u32 op, struct kv_refusal *why)
{
	return kv_op_check_iwarp(op, why) ?:
	       kv_refusal_if(why, STREAMS & ~CREDITED & 1U << loop &&
			     kv_op_among(op, KV_OPS_RECEIVED), -EOPNOTSUPP, 0,
			     "iWARP ends a connection on which a SEND finds no receive, and a STREAM does not wait for receives: take CREDIT_STREAM and CREDIT_SERVER");
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

/**
 * kv_run_grh() - how many bytes stand in front of a message in the target?
 * @type: enum kverbs_qp_type
 *
 * Return: KV_RUN_GRH for UD, whose receives begin with a GRH; else 0.
 */
__u32 kv_run_grh(__u32 type)
{
	return type == KVERBS_QPT_UD ? KV_RUN_GRH : 0;
}

/**
 * kv_run_recv_sge_bytes() - the length of one of a receive's SGEs
 * @room: bytes of the target that its key covers
 * @message: bytes of a message, with the GRH in front of it; at most @room
 * @sges: how many SGEs the receive has, from 1 to @message
 * @number: of the SGE, from 0 on
 *
 * A receive may stay posted for a run of larger messages: the last SGE has the rest of @room.
 *
 * Return: bytes.
 */
__u32 kv_run_recv_sge_bytes(__u32 room, __u32 message, __u32 sges, __u32 number)
{
	return kv_run_sge_bytes(message, sges, number) + (number + 1 < sges ? 0 : room - message);
}

static const char cpu_offline[] = "cpu is not online";

/* Names the attribute if a rule about requests has refused it. @error: what the rule returned */
static int blame(struct kv_refusal *why, __u32 attr, int error)
{
	if (error)
		why->attr = attr;
	return error;
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
	return kv_refusal_if(why, s->sges > s->size, -EINVAL, KVERBS_A_SPEC_SGES,
			     "more sges than bytes: sges is above size") ?:
	       kv_refusal_if(why, kv_op_among(s->op, KV_OPS_8_BYTES), -EINVAL, KVERBS_A_SPEC_SGES,
			     "an atomic operation takes one sge") ?:
	       blame(why, KVERBS_A_SPEC_SGES, kv_op_check_sges(s->op, s->sges, s->iwarp, why)) ?:
	       kv_refusal_if(why, kv_op_among(s->op, KV_OPS_READ) && s->sges > s->max_sge_rd,
			     -EINVAL, KVERBS_A_SPEC_SGES, "more sges than the device's max_sge_rd");
}

/**
 * kv_run_check_recv_sges() - can the receives of a run have this number of SGEs?
 * @s: size and recv_sges
 * @why: receives the refusal
 *
 * Return: 0 or -EINVAL.
 */
int kv_run_check_recv_sges(const struct kv_run_spec_facts *s, struct kv_refusal *why)
{
	return kv_refusal_if(why, s->recv_sges > 1 && s->recv_sges > s->size, -EINVAL,
			     KVERBS_A_SPEC_RECV_SGES,
			     "more sges of a receive than bytes: recv_sges is above size");
}

/**
 * kv_run_check_credits() - are there ever enough credits for a group?
 * @s: loop, signal and credits
 * @why: receives the refusal
 *
 * The peer may have replaced a batch less one of its receives without having told it.
 *
 * Return: 0 or -EINVAL.
 */
int kv_run_check_credits(const struct kv_run_spec_facts *s, struct kv_refusal *why)
{
	return kv_refusal_if(why, s->loop == KVERBS_LOOP_CREDIT_STREAM &&
			     s->signal + kv_credit_batch(s->credits) - 1 > s->credits,
			     -EINVAL, KVERBS_A_SPEC_CREDITS,
			     "the peer has too few receives for a group: it gives a credit for each half of them, so signal is at most credits / 2 + 1");
}

/**
 * kv_run_check_inv() - can this space and this device register an MR again and again?
 * @s: loop, op, mem_mgt, reg_mr, keeps_map and iwarp
 * @why: receives the refusal
 *
 * The answer of SEND_WITH_INV needs no registration of its own: each space has it.
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int kv_run_check_inv(const struct kv_run_spec_facts *s, struct kv_refusal *why)
{
	bool registers = kv_run_registers(s->loop, s->op, 0);

	return kv_op_check_inv(s->op, s->mem_mgt, s->iwarp, why) ?:
	       kv_refusal_if(why, registers && !s->reg_mr, -EOPNOTSUPP, 0,
			     "each iteration registers an mr by a request, and libibverbs has no REG_MR: this end has to be in the kernel") ?:
	       kv_refusal_if(why, registers && !s->keeps_map, -EOPNOTSUPP, 0,
			     "cxgb4 changes the mr's list of pages when a request registers it, so that a run can't do so again and again");
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
	bool apart = s->cqs == KV_RUN_CQS_OWN || (s->cqs == KV_RUN_CQS_WORKER && s->several);

	if (s->offline)
		return kv_refusal_set_attr(why, -EINVAL, KVERBS_A_SPEC_CPU, cpu_offline);
	if (s->loop == KVERBS_LOOP_NULL)
		return 0;
	return kv_refusal_if(why, !apart, -EINVAL, 0,
			     "two ends need a qp each, and cqs of their own; all ends of a stream's worker may have one send_cq, and one recv_cq") ?:
	       kv_refusal_if(why, s->cqs == KV_RUN_CQS_WORKER && s->srq, -EOPNOTSUPP, 0,
			     "qps with an srq need cqs of their own: in user space the completion of a receive does not tell the qp") ?:
	       kv_refusal_if(why, s->signal % s->list, -EINVAL, KVERBS_A_SPEC_SIGNAL,
			     "signal is no multiple of list") ?:
	       kv_refusal_if(why, s->depth % s->signal, -EINVAL, KVERBS_A_SPEC_DEPTH,
			     "depth is no multiple of signal") ?:
	       kv_run_check_credits(s, why) ?:
	       blame(why, KVERBS_A_SPEC_OP,
		     s->iwarp ? kv_run_check_iwarp(s->loop, s->op, why) : 0) ?:
	       blame(why, KVERBS_A_SPEC_OP, kv_run_check_inv(s, why)) ?:
	       blame(why, KVERBS_A_SPEC_FLAGS, kv_op_check_flags(s->op, s->flags, s->iwarp, why)) ?:
	       kv_run_check_sges(s, why) ?: kv_run_check_recv_sges(s, why) ?:
	       kv_refusal_if(why, kv_op_among(s->op, KV_OPS_8_BYTES) && s->size != sizeof(__u64),
			     -EINVAL, KVERBS_A_SPEC_SIZE, "size of an atomic operation is 8") ?:
	       kv_refusal_if(why, s->op == KVERBS_OP_ATOMIC_WRITE && !s->atomic_write, -EOPNOTSUPP,
			     KVERBS_A_SPEC_OP,
			     "atomic_write needs user space, the api wr, and a device that has it: no driver of Linux carries it for the kernel") ?:
	       kv_refusal_if(why, !s->atomic && kv_op_among(s->op, KV_OPS_ATOMIC), -EOPNOTSUPP,
			     KVERBS_A_SPEC_OP, "the device has no atomic operations");
}

/* A rule about an end's QP, or about one of its CQs or its SRQ, which the end does not name. */
static int refuse_qp(struct kv_refusal *why, bool wrong, int error, const char *text)
{
	return kv_refusal_if(why, wrong, error, KVERBS_A_END_QP, text);
}

/* Can the run take the completions of a CQ of this context? */
static int check_context(const struct kv_run_spec_facts *s, const struct kv_run_qp_facts *qp,
			 struct kv_refusal *why)
{
	return refuse_qp(why, TARGETS & 1U << s->loop && !qp->polled, -EINVAL,
			 "ping-pongs, STREAM_SERVER and the loops with credits poll: they need a qp whose cqs have the context polled") ?:
	       refuse_qp(why, s->several && qp->context != KVERBS_CQ_POLLED, -EINVAL,
			 "a worker of several ends polls: it needs a send_cq of context polled") ?:
	       refuse_qp(why, kv_op_among(s->op, KV_OP(READ_WITH_INV)) &&
			 qp->context != KVERBS_CQ_POLLED, -EINVAL,
			 "read_with_inv needs a send_cq of context polled: before each post the thread counts the key") ?:
	       refuse_qp(why, s->paced && qp->context != KVERBS_CQ_POLLED, -EINVAL,
			 "interval_ns needs a send_cq of context polled: between two times when a group is due, the thread polls") ?:
	       refuse_qp(why, qp->other_context, -EINVAL,
			 "the send_cqs of all ends need the same context") ?:
	       refuse_qp(why, s->spins && qp->context != KVERBS_CQ_POLLED, -EINVAL,
			 "spins goes with a cq of context polled only");
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
	int ret = blame(why, KVERBS_A_END_QP, kv_op_check_type(s->op, qp->type, why));

	if (ret)
		return ret;
	if (kv_run_sends(s->loop) && kv_op_check_ah(qp->type, qp->has_ah, qp->ah_pd, why)) {
		why->missing = !qp->has_ah;
		return blame(why, KVERBS_A_END_AH, why->error);
	}
	return refuse_qp(why, kv_run_has_credits(s->loop) && qp->type != KVERBS_QPT_RC, -EINVAL,
			 "the loops with credits take an rc qp") ?:
	       refuse_qp(why, qp->srq && s->loop != KVERBS_LOOP_STREAM_SERVER, -EINVAL,
			 "this loop takes a qp without an srq: only STREAM_SERVER takes its receives from one") ?:
	       refuse_qp(why, qp->srq != s->srq, -EINVAL,
			 "either all qps of a run have an srq, or none has one") ?:
	       refuse_qp(why, qp->srq && !qp->srq_pd, -EINVAL,
			 "the srq and the qp are of different pds") ?:
	       check_context(s, qp, why) ?:
	       refuse_qp(why, qp->srq_cq, -EBUSY,
			 "another qp with an srq receives into the cq: a run needs cqs that no such qp uses") ?:
	       refuse_qp(why, qp->pending, -EBUSY,
			 "requests posted by hand are outstanding, or their completions not polled: poll the cq, or reset the qp");
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
	bool beyond = size > buf->buffer || buf->first > buf->buffer - size;
	bool covered = buf->registered && buf->first >= buf->offset && size <= buf->length &&
		       buf->first - buf->offset <= buf->length - size;

	return kv_refusal_if(why, beyond, -EINVAL, attr->buf,
			     "size is above the bytes that the buffer has from the offset on (ud: a target also holds a GRH of 40 bytes)") ?:
	       kv_refusal_if_missing(why, !buf->by_mr && !buf->dma_key, attr->mr,
				     "local_mr or target_mr is missing: in user space the key is always an mr's") ?:
	       kv_refusal_if_missing(why, !buf->by_mr && size > buf->contiguous, attr->mr,
				     "the bytes from the offset to size lie in several pieces of the buffer: name an mr") ?:
	       kv_refusal_if(why, buf->by_mr && !buf->same_pd, -EINVAL, attr->mr,
			     "the mr and the qp are of different pds") ?:
	       kv_refusal_if(why, buf->by_mr && !covered, -EINVAL, attr->mr,
			     "the mr is not registered over the buffer's bytes from the offset to size");
}

/* The CPU copies the bytes, from one piece of the buffer. */
static int check_inline(const struct kv_run_spec_facts *s, const struct kv_run_end_facts *end,
			struct kv_refusal *why)
{
	bool inlined = s->flags & KVERBS_WR_INLINE;

	return refuse_qp(why, inlined && s->size > end->max_inline, -EINVAL,
			 "inline: size is above the qp's max_inline") ?:
	       kv_refusal_if(why, inlined && s->size > end->local.contiguous, -EINVAL, local.buf,
			     "the bytes of an inline request must lie in one piece of the buffer");
}

/* Can the requests of a loop that sends name their memory? */
static int check_source(const struct kv_run_spec_facts *s, const struct kv_run_end_facts *end,
			struct kv_refusal *why)
{
	struct kv_run_buf_facts buf = end->local;
	int ret;

	/* The sink is named by the key of the registration, whatever its pieces. */
	if (s->op == KVERBS_OP_READ_WITH_INV)
		buf.contiguous = buf.buffer;
	ret = check_buf(&local, &buf, kv_run_local_bytes(s->loop, s->size), why) ?:
	      check_inline(s, end, why);
	if (ret || end->has_inv_mr || !kv_op_check_sink(s->op, s->iwarp, end->local.by_mr, why))
		return ret;
	return kv_refusal_if_missing(why, true, local.mr, why->text);
}

/* When a QP fails, all its requests complete, also those not signaled (IBTA 10.8.3.1). */
static int check_depth(const struct kv_run_spec_facts *s, const struct kv_run_end_facts *end,
		       struct kv_refusal *why)
{
	return refuse_qp(why, s->depth > end->max_send_wr, -EINVAL,
			 "depth is above the qp's max_send_wr") ?:
	       refuse_qp(why, s->depth > end->send_cqe, -EINVAL,
			 "depth is above the cqe of the qp's send_cq") ?:
	       refuse_qp(why, s->signal > 1 && end->sq_sig_all, -EINVAL,
			 "a signal of more than 1 needs a qp without sq_sig_all");
}

/* Can the end register its MR before each of its requests? */
static int check_registration(const struct kv_run_end_facts *end, struct kv_refusal *why)
{
	return kv_refusal_if(why, !end->inv_same_pd, -EINVAL, KVERBS_A_END_INV_MR,
			     "the mr and the qp are of different pds") ?:
	       blame(why, KVERBS_A_END_INV_MR, kv_reg_check(&end->reg, why)) ?:
	       refuse_qp(why, end->max_send_wr < REGISTERING_WRS, -EINVAL,
			 "the qp's max_send_wr is below 2: a registration and a request are posted together") ?:
	       /* When a QP fails, all its requests complete, also those not signaled. */
	       refuse_qp(why, end->send_cqe < REGISTERING_WRS, -EINVAL,
			 "the cqe of the qp's send_cq is below 2: a registration and a request may complete") ?:
	       refuse_qp(why, end->sq_sig_all, -EINVAL,
			 "inv_mr needs a qp without sq_sig_all: the registration has no completion");
}

/* The counts go on from run to run: all runs of a connection have the same receives. */
static int check_credit(const struct kv_run_spec_facts *s, const struct kv_run_end_facts *end,
			struct kv_refusal *why)
{
	bool stream = s->loop == KVERBS_LOOP_CREDIT_STREAM;
	__u32 recvs = stream ? s->credits : s->depth;

	return refuse_qp(why, end->credits && end->gives_credits == stream, -EBUSY,
			 "in an earlier run of the connection the qp was at the other end of a stream with credits: reset the qp and connect it anew") ?:
	       refuse_qp(why, end->credits && end->credits != recvs, -EBUSY,
			 "an earlier run of the connection had another number of credits: reset the qp and connect it anew") ?:
	       refuse_qp(why, !stream && !end->max_send_wr, -EINVAL,
			 "the qp's max_send_wr is 0: CREDIT_SERVER posts a write") ?:
	       refuse_qp(why, !stream && !end->send_cqe, -EINVAL,
			 "the send_cq has no room for a write of each end");
}

/*
 * Receives of runs stay on an SRQ until it is gone: nothing flushes them. A receive that a QP took
 * and lost would be missing in the next run.
 */
static int check_srq(const struct kv_run_end_facts *end, struct kv_refusal *why)
{
	return kv_refusal_if(why, end->srq_target, -EINVAL, target.buf,
			     "ends whose qps have one srq need one target_buf, target_mr and target_offset") ?:
	       refuse_qp(why, end->srq_by_hand, -EBUSY,
			 "receives posted by hand are on the srq, or their completions not polled: make another srq") ?:
	       refuse_qp(why, end->srq_lost, -EBUSY,
			 "a qp that took receives of an earlier run from the srq was reset or deleted: make another srq") ?:
	       kv_refusal_if(why, end->other_target, -EBUSY, target.buf,
			     "receives of an earlier run are on the srq with another target_buf or target_mr: make another srq");
}

/* Can the end hold what the peer sends, and the receives that the loop expects? */
static int check_target(const struct kv_run_spec_facts *s, const struct kv_run_end_facts *end,
			struct kv_refusal *why)
{
	__u32 recvs = kv_run_recvs(s->loop, s->op, s->depth);
	bool takes_credits = end->credits && !end->gives_credits;

	return check_buf(&target, &end->target,
			 (__u64)end->grh + kv_run_target_bytes(s->loop, s->size), why) ?:
	       (s->srq ? check_srq(end, why) : 0) ?:
	       (kv_run_has_credits(s->loop) ? check_credit(s, end, why) : 0) ?:
	       kv_refusal_if(why, end->other_target && takes_credits, -EBUSY, target.buf,
			     "credits of an earlier run come to another target_buf or target_mr: reset the qp and connect it anew") ?:
	       kv_refusal_if(why, end->other_target, -EBUSY, target.buf,
			     "receives of an earlier run are posted with another target_buf or target_mr: reset the qp and connect it anew") ?:
	       refuse_qp(why, recvs && end->one_cq, -EINVAL,
			 "receives of a run need a qp whose send_cq and recv_cq differ") ?:
	       refuse_qp(why, recvs && s->recv_sges > end->max_recv_sge, -EINVAL,
			 s->srq ? "more recv_sges than the srq's max_sge" :
				  "more recv_sges than the qp's max_recv_sge") ?:
	       refuse_qp(why, s->srq && recvs > end->max_recv_wr, -EINVAL,
			 "the srq's max_wr is below depth") ?:
	       refuse_qp(why, recvs > end->max_recv_wr, -EINVAL,
			 "the qp's max_recv_wr is below depth, or, of a ping-pong, below 2") ?:
	       refuse_qp(why, recvs > end->recv_cqe, -EINVAL,
			 "the cqe of the qp's recv_cq is below depth, or, of a ping-pong, below 2");
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
	bool odd = kv_op_among(s->op, KV_OPS_8_BYTES) && end->remote_addr % sizeof(__u64);

	return kv_refusal_if(why, end->offline, -EINVAL, KVERBS_A_END_CPU, cpu_offline) ?:
	       kv_refusal_if(why, odd, -EINVAL, KVERBS_A_END_REMOTE_ADDR,
			     "remote_addr of an atomic operation is a multiple of 8") ?:
	       refuse_qp(why, end->needs_reset, -EBUSY,
			 "an earlier run left requests outstanding on the qp: reset it and connect it anew") ?:
	       (kv_run_has_groups(s->loop) ? check_depth(s, end, why) : 0) ?:
	       refuse_qp(why, s->sges > end->max_send_sge, -EINVAL,
			 "more sges than the qp's max_send_sge") ?:
	       (kv_run_sends(s->loop) ? check_source(s, end, why) : 0) ?:
	       (kv_run_has_target(s->loop) ? check_target(s, end, why) : 0) ?:
	       (end->has_inv_mr ? check_registration(end, why) : 0);
}
