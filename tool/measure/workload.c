// SPDX-License-Identifier: MIT
#include <errno.h>
#include "measure/workload.h"

/**
 * kv_workload_set() - set the operation and its size
 * @w: the work; its other members stay
 * @kind: how a latency is measured
 * @op: enum kverbs_op
 * @size: bytes
 *
 * Each FETCH_ADD adds 1. Each CMP_SWP finds the 0 that it compares with, and
 * stores a 0 again: so all of them succeed.
 */
void kv_workload_set(struct kv_workload *w, enum kv_kind kind, uint32_t op, uint32_t size)
{
	w->kind = kind;
	w->op = op;
	w->size = size;
	w->compare_add = op == KVERBS_OP_FETCH_ADD;
	w->swap = 0;
}

/* Does this operation need a receive of the peer? */
static bool is_two_sided(uint32_t op)
{
	return op == KVERBS_OP_SEND;
}

/**
 * kv_workload_default_kind() - the default loop of an operation
 * @op: enum kverbs_op
 *
 * Return: post to completion for an operation that needs no peer, else a relay.
 */
enum kv_kind kv_workload_default_kind(uint32_t op)
{
	return is_two_sided(op) ? KV_KIND_RELAY : KV_KIND_COMPLETION;
}

const struct kv_workload_kind kv_workload_kinds[] = {
	[KV_KIND_COMPLETION] = { "post to completion", "post to completion", 1 },
	[KV_KIND_PINGPONG] = { "round trip", "half round trip", 2 },
	[KV_KIND_RELAY] = { "round trip", "half round trip", 2 },
	[KV_KIND_NULL] = { "null loop", "null loop", 1 },
};

/**
 * kv_workload_check_kind() - can this operation be measured in this way?
 * @kind: the way
 * @op: enum kverbs_op
 * @f: receives why not
 *
 * Return: 0 or -EINVAL.
 */
int kv_workload_check_kind(enum kv_kind kind, uint32_t op, struct kv_fault *f)
{
	const char *word = kv_enum_name(kv_enum_op, op);

	if (kind == KV_KIND_COMPLETION && is_two_sided(op))
		return kv_fault_usage(f, "--loop completion does not go with %s, whose completion needs the peer's receive; %s goes with relay and pingpong",
				      word, word);
	if ((kind == KV_KIND_PINGPONG || kind == KV_KIND_RELAY) &&
	    op != KVERBS_OP_SEND && op != KVERBS_OP_WRITE)
		return kv_fault_usage(f, "--loop %s does not go with %s, which the peer does not notice; %s goes with completion",
				      kv_enum_name(kv_enum_kind, kind), word, word);
	return 0;
}

/**
 * kv_workload_adapt() - adapt the work to the initiator's device
 * @w: the work
 * @dev: the device
 *
 * iWARP's READ puts its bytes where the key of a registration says, and no other.
 */
void kv_workload_adapt(struct kv_workload *w, const struct kv_dev *dev)
{
	if (w->op == KVERBS_OP_READ && kv_dev_is_iwarp(dev))
		w->lkey = KVERBS_LKEY_MR;
}

/**
 * kv_workload_check_site() - can the device of a site do this?
 * @w: the work; not KV_KIND_NULL
 * @site: an open site
 * @f: receives why not
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
	if (w->size > dev->max_msg_bytes)
		return kv_fault_usage(f, "a size of %u bytes: %s takes messages of at most %u bytes (%s space)",
				      w->size, dev->name, dev->max_msg_bytes, space);
	if (w->size > dev->max_mr_bytes)
		return kv_fault_usage(f, "a size of %u bytes: a buffer on %s has at most %llu bytes (%s space)",
				      w->size, dev->name, (unsigned long long)dev->max_mr_bytes,
				      space);
	return 0;
}
