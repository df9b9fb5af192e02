// SPDX-License-Identifier: MIT
/* Values that the kernel's policy for an attribute suggests, and their neighbours. */
#include <linux/netlink.h>
#include <netinet/in.h>
#include "fuzz.h"

/*
 * Lengths of queues: rxe takes any up to 2^20, and then asks for up to a GB by
 * vmalloc(), for whoever uses verbs. A session may make a hundred queues: such ones
 * would take all of the guest's memory. So between the short and the refused there
 * are none.
 */
static uint64_t bound_count(const struct attr_policy *policy, uint64_t value)
{
	if (policy->min == 1 && policy->max == INT32_MAX && value > 256 && value <= 1 << 21)
		return value % 256;
	return value;
}

static uint64_t pick_number(const struct attr_policy *policy, unsigned int bytes)
{
	static const uint64_t edges[] = { 0, 1, 2, 255, 256, 4095, 4096, 65535, 65536, 0x7fffffff,
					  0x80000000, 0xffffffff, 0x100000000, INT64_MAX,
					  (uint64_t)INT64_MIN, UINT64_MAX };
	uint64_t value, span = policy->max - policy->min;

	if (policy->mask && !one_in(8))
		return random_u64() & policy->mask;
	switch (random_below(9)) {
	case 0:
		return policy->min - one_in(3);
	case 1:
		return policy->max + one_in(3);
	case 2:
		return edges[random_below(COUNT(edges))];
	case 3:
		return (1ULL << random_below(bytes * 8)) - one_in(2);
	case 4:
		if (model_any(bytes, &value))
			return value;
		return random_u64();
	case 5:
		return span == UINT64_MAX ? random_u64() : policy->min + random_u64() % (span + 1);
	default:
		/* Most that takes a number takes a small one. */
		return policy->min + random_below(1 + (span < 32 ? (uint32_t)span : 32));
	}
}

static uint16_t pick_length(const struct attr_policy *policy)
{
	uint32_t max = policy->max_len ?: 64;

	switch (random_below(6)) {
	case 0:
		return (uint16_t)(policy->min_len - one_in(2));
	case 1:
		return (uint16_t)(max + one_in(2));
	case 2:
		return (uint16_t)random_below(max + 1);
	default:
		return (uint16_t)(policy->min_len + random_below(max - policy->min_len < 64 ?
								 max - policy->min_len + 1 : 64));
	}
}

static void pick_binary(struct node *node, const struct attr_policy *policy)
{
	uint8_t kind = KIND_BYTES;

	if (policy->min_len == sizeof(struct sockaddr_in) &&
	    policy->max_len == sizeof(struct sockaddr_in6))
		kind = KIND_ADDR;
	/* Random ones would be looked for in the network, for a second each. */
	else if (policy->max_len == 16)
		kind = KIND_GID;
	node->kind = kind;
	node->a = !one_in(4);
	node->value = random_u64();
	if (kind == KIND_ADDR && !one_in(4))
		node->value &= ~0xfeULL;
	if (kind != KIND_BYTES && one_in(kind == KIND_GID ? 64 : 8))
		node->kind = KIND_BYTES;
	node->len = pick_length(policy);
}

/* A number that looks like an id is one, mostly; attribute 1 names the command's own object. */
static bool pick_id(struct node *node, const struct attr_policy *policy)
{
	if (policy->min != 1 || policy->max != UINT32_MAX || one_in(16))
		return false;
	node->kind = one_in(8) ? KIND_ID_ANY : KIND_ID;
	node->b = (uint8_t)(one_in(2) ? 0 : random_below(6));
	/* A seed's is known. */
	if (one_in(16) || !node->a)
		node->a = (uint8_t)random_below(CLASSES);
	if ((node->type & NLA_TYPE_MASK) == 1 && node->policy >= 0 && !node->depth && !one_in(16))
		node->a = family.class_of[node->policy];
	return true;
}

/**
 * value_pick() - give an attribute another value
 * @node: the attribute; its type and policy stay. Not for nests.
 */
void value_pick(struct node *node)
{
	const struct attr_policy *policy = policy_attr(node->policy, node->type);

	if (!policy) {
		node->kind = KIND_BYTES;
		node->len = (uint16_t)random_below(24);
		node->value = random_u64();
		return;
	}
	if (node->kind != KIND_ID && node->kind != KIND_ID_ANY)
		node->a = 0;
	switch (policy->type) {
	case NL_ATTR_TYPE_FLAG:
		node->kind = KIND_BYTES;
		node->len = (uint16_t)(one_in(16) ? random_below(8) : 0);
		break;
	case NL_ATTR_TYPE_U32:
		if (pick_id(node, policy))
			break;
		node->kind = KIND_U32;
		node->value = bound_count(policy, pick_number(policy, 4));
		break;
	case NL_ATTR_TYPE_U64:
		node->kind = KIND_U64;
		node->value = pick_number(policy, 8);
		break;
	case NL_ATTR_TYPE_STRING:
	case NL_ATTR_TYPE_NUL_STRING:
		node->kind = one_in(8) ? KIND_BYTES : KIND_DEV;
		node->len = pick_length(policy);
		node->value = random_u64();
		break;
	case NL_ATTR_TYPE_BINARY:
		pick_binary(node, policy);
		break;
	default:
		node->kind = KIND_BYTES;
		node->len = (uint16_t)random_below(24);
		node->value = random_u64();
	}
}
