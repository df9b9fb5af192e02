// SPDX-License-Identifier: MIT
#include <errno.h>
#include "measure/workload.h"

/**
 * kv_workload_set() - set the operation and its size
 * @w: the work; its other members are unchanged
 * @kind: how a latency is measured
 * @op: enum kverbs_op
 * @size: bytes
 *
 * Each FETCH_ADD adds 1. Each CMP_SWP compares with 0 and stores 0, so that each
 * comparison succeeds.
 */
void kv_workload_set(struct kv_workload *w, enum kv_kind kind, uint32_t op, uint32_t size)
{
	w->kind = kind;
	w->op = op;
	w->size = size;
	w->compare_add = op == KVERBS_OP_FETCH_ADD;
	w->swap = 0;
}

/**
 * kv_workload_default_kind() - the default loop of an operation
 * @op: enum kverbs_op
 *
 * Return: post to completion for an operation that needs no peer, else a one-thread ping-pong.
 */
enum kv_kind kv_workload_default_kind(uint32_t op)
{
	return kv_op_fits_loop(op, KVERBS_LOOP_POST_TO_COMPLETION) ?
	       KV_KIND_COMPLETION : KV_KIND_ONE_THREAD;
}

const struct kv_workload_kind kv_workload_kinds[] = {
	[KV_KIND_COMPLETION] = { "post to completion", "post to completion", "p50_ns", 1 },
	[KV_KIND_PINGPONG] = { "round trip", "half round trip", "p50_ns", 2 },
	[KV_KIND_ONE_THREAD] = { "round trip", "half round trip", "p50_ns", 2 },
	[KV_KIND_STREAM] = { "post of a group to its completion", "time per request", "request_ns", 1 },
	[KV_KIND_NULL] = { "null loop", "null loop", "p50_ns", 1 },
};

/**
 * kv_workload_one_sided() - does one end post all requests, and the other none?
 * @w: the work; not KV_KIND_NULL
 *
 * Return: true if the responder needs no run.
 */
bool kv_workload_one_sided(const struct kv_workload *w)
{
	return w->kind == KV_KIND_COMPLETION || w->kind == KV_KIND_STREAM;
}

/**
 * kv_workload_check_kind() - can this operation be measured with this kind of loop?
 * @kind: how a latency is measured
 * @op: enum kverbs_op
 * @f: receives the reason of a refusal
 *
 * Return: 0 or -EINVAL.
 */
int kv_workload_check_kind(enum kv_kind kind, uint32_t op, struct kv_fault *f)
{
	const char *word = kv_enum_name(kv_enum_op, op);

	if (kind == KV_KIND_COMPLETION && !kv_op_fits_loop(op, KVERBS_LOOP_POST_TO_COMPLETION))
		return kv_fault_usage(f, "--loop completion does not go with %s, whose completion needs the peer's receive; %s goes with one-thread and pingpong",
				      word, word);
	if ((kind == KV_KIND_PINGPONG || kind == KV_KIND_ONE_THREAD) &&
	    !kv_op_fits_loop(op, KVERBS_LOOP_PINGPONG))
		return kv_fault_usage(f, "--loop %s does not go with %s, which the peer does not notice; %s goes with completion",
				      kv_enum_name(kv_enum_kind, kind), word, word);
	return 0;
}

/**
 * kv_workload_check_completion() - can completions be noticed in this way?
 * @kind: how a latency is measured
 * @completion: enum kverbs_cq_context
 * @user: the initiator is in user space, too
 * @f: receives the reason of a refusal
 *
 * Return: 0 or -EINVAL.
 */
int kv_workload_check_completion(enum kv_kind kind, uint32_t completion, bool user,
				 struct kv_fault *f)
{
	const char *word = kv_enum_name(kv_enum_cq_context, completion);

	if (completion == KVERBS_CQ_POLLED)
		return 0;
	if (kind != KV_KIND_COMPLETION && kind != KV_KIND_STREAM)
		return kv_fault_usage(f, "--completion %s does not go with --loop %s, whose threads poll",
				      word, kv_enum_name(kv_enum_kind, kind));
	if (user && !kv_workload_has_completion(KV_SPACE_USER, completion))
		return kv_fault_usage(f, "--completion %s is the kernel's: user space has polled and event",
				      word);
	return 0;
}

/**
 * kv_workload_adapt() - adapt the work to the initiator's device
 * @w: the work
 * @dev: the device
 *
 * On iWARP, the local key of a READ must be the key of a registration.
 */
void kv_workload_adapt(struct kv_workload *w, const struct kv_dev *dev)
{
	if (w->op == KVERBS_OP_READ && kv_dev_is_iwarp(dev))
		w->lkey = KV_LKEY_MR;
}

/* May the user say how a packet is sent again? */
static int check_retry(const struct kv_workload *w, const struct kv_dev *dev, struct kv_fault *f)
{
	if (!w->retry_option || !kv_dev_is_iwarp(dev))
		return 0;
	return kv_fault_usage(f, "--%s: %s is iWARP, where TCP sends a packet again",
			      w->retry_option, dev->name);
}

/**
 * kv_workload_check_site() - can the device of a site do this work?
 * @w: the work; not KV_KIND_NULL
 * @site: an open site
 * @f: receives the reason of a refusal
 *
 * Return: 0, -EINVAL for a size, or -EOPNOTSUPP.
 */
int kv_workload_check_site(const struct kv_workload *w, const struct kv_site *site,
			   struct kv_fault *f)
{
	const char *space = site->b->ops->space;
	const struct kv_dev *dev = &site->dev;

	if (w->connect == KV_CONNECT_RAW && kv_dev_is_iwarp(dev))
		return kv_fault_set(f, -EOPNOTSUPP,
				    "%s space, %s: iWARP connects through the RDMA CM: --connect cm",
				    space, dev->name);
	if (kv_op_is_atomic(w->op) && !dev->atomic)
		return kv_fault_set(f, -EOPNOTSUPP,
				    "%s space: %s has no atomic operations, so no %s",
				    space, dev->name, kv_enum_name(kv_enum_op, w->op));
	if (!dev->max_mr_bytes)
		return kv_fault_set(f, -EOPNOTSUPP,
				    "%s space: %s has no fast registration, which buffers of runs need",
				    space, dev->name);
	if (w->size > site->port->max_msg_bytes)
		return kv_fault_usage(f, "a size of %u bytes: %s takes messages of at most %u bytes (%s space)",
				      w->size, dev->name, site->port->max_msg_bytes, space);
	if (w->size > dev->max_mr_bytes)
		return kv_fault_usage(f, "a size of %u bytes: a registration on %s has at most %llu bytes (%s space)",
				      w->size, dev->name, (unsigned long long)dev->max_mr_bytes,
				      space);
	if (w->depth + KV_WORKLOAD_WRS_MORE > dev->max_qp_wr)
		return kv_fault_usage(f, "--depth %u: a queue on %s has at most %u requests (%s space)",
				      w->depth, dev->name, dev->max_qp_wr, space);
	return check_retry(w, dev, f);
}
