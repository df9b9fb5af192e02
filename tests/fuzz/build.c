// SPDX-License-Identifier: MIT
#include <linux/netlink.h>
#include <string.h>
#include <kverbs.h>
#include "build.h"

static struct sequence *into;
static struct message *m;
static uint8_t depth;

/**
 * build_begin() - begin a sequence
 * @s: the session that the other functions fill
 */
void build_begin(struct sequence *s)
{
	into = s;
	into->messages = 0;
}

/* Which policy each attribute is held against. */
static void find_policies(struct message *msg)
{
	int policy[8] = { family.policy_of[msg->command] };
	unsigned int i;

	for (i = 0; i < msg->nodes; i++) {
		struct node *node = &msg->node[i];
		const struct attr_policy *attr;

		node->policy = (int8_t)policy[node->depth];
		attr = policy_attr(node->policy, node->type);
		if (node->depth + 1U < COUNT(policy))
			policy[node->depth + 1] = attr ? attr->nest : -1;
	}
}

/**
 * build_end() - end the sequence
 */
void build_end(void)
{
	unsigned int i;

	for (i = 0; i < into->messages; i++)
		find_policies(&into->message[i]);
}

/**
 * build() - add a message
 * @command: its command
 */
void build(uint8_t command)
{
	/* One too many is a seed that is to be cut in two: it loses its last. */
	m = &into->message[into->messages < MESSAGES ? into->messages++ : MESSAGES - 1];
	memset(m, 0, offsetof(struct message, node));
	m->command = command;
	m->version = KVERBS_GENL_VERSION;
	m->flags = NLM_F_REQUEST | NLM_F_ACK;
	depth = 0;
}

/**
 * build_act() - say what is done with the message
 * @act: ACT_*
 */
void build_act(uint8_t act)
{
	m->act = act;
}

/**
 * build_flags() - set flags of the message
 * @flags: NLM_F_*
 */
void build_flags(uint16_t flags)
{
	m->flags |= flags;
}

static struct node *put(uint16_t type, uint8_t kind)
{
	struct node *node = &m->node[m->nodes < NODES ? m->nodes++ : NODES - 1];

	*node = (struct node){ .type = type, .kind = kind, .depth = depth };
	return node;
}

/**
 * put_u32() - add a number
 * @type: the attribute's, as with the following functions
 * @value: the number
 */
void put_u32(uint16_t type, uint32_t value)
{
	put(type, KIND_U32)->value = value;
}

/**
 * put_u64() - add a long number
 * @type: the attribute's
 * @value: the number
 */
void put_u64(uint16_t type, uint64_t value)
{
	put(type, KIND_U64)->value = value;
}

/**
 * put_flag() - add a flag
 * @type: the attribute's
 */
void put_flag(uint16_t type)
{
	put_bytes(type, 0);
}

/**
 * put_bytes() - add random bytes
 * @type: the attribute's
 * @len: how many
 */
void put_bytes(uint16_t type, uint16_t len)
{
	put(type, KIND_BYTES)->len = len;
}

/**
 * put_id() - add an object's id
 * @type: the attribute's
 * @command: one of the object's commands
 * @nth: 0 is the youngest
 */
void put_id(uint16_t type, uint8_t command, uint8_t nth)
{
	struct node *node = put(type, KIND_ID);

	node->a = (uint8_t)policy_class(command);
	node->b = nth;
}

/**
 * put_seen() - add a number that a reply had
 * @type: the attribute's
 * @len: its bytes
 * @command: the reply's command
 * @attr: attribute of the reply
 * @nth: 0 is the youngest
 */
void put_seen(uint16_t type, uint16_t len, uint8_t command, uint8_t attr, uint8_t nth)
{
	struct node *node = put(type, KIND_SEEN);

	node->a = (uint8_t)policy_class(command);
	node->b = attr;
	node->len = len;
	node->value = nth;
}

/**
 * put_kind() - add what needs no more than a value
 * @type: the attribute's
 * @kind: enum kind
 * @value: see there
 */
void put_kind(uint16_t type, uint8_t kind, uint64_t value)
{
	put(type, kind)->value = value;
}

/**
 * put_port() - add a socket address with the last listener's port
 * @type: the attribute's
 * @which: see model_addr()
 */
void put_port(uint16_t type, uint64_t which)
{
	struct node *node = put(type, KIND_ADDR);

	node->value = which;
	node->a = 1;
}

/**
 * nest_begin() - add a nest; the following attributes are in it
 * @type: the attribute's
 */
void nest_begin(uint16_t type)
{
	put(type | NLA_F_NESTED, KIND_NEST);
	depth++;
}

/**
 * nest_end() - further attributes stand beside the last nest
 */
void nest_end(void)
{
	depth--;
}
