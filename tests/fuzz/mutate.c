// SPDX-License-Identifier: MIT
/* The faults of an attribute, a message, and the order of messages. */
#include <linux/netlink.h>
#include <string.h>
#include "fuzz.h"

/* The node after all that is in this one. */
static unsigned int end_of(const struct message *m, unsigned int i)
{
	uint8_t depth = m->node[i].depth;

	do
		i++;
	while (i < m->nodes && m->node[i].depth > depth);
	return i;
}

static void remove_nodes(struct message *m, unsigned int from, unsigned int to)
{
	memmove(&m->node[from], &m->node[to], (m->nodes - to) * sizeof(m->node[0]));
	m->nodes = (uint16_t)(m->nodes - (to - from));
}

/* Makes room for n nodes; false if there is none. */
static bool open_nodes(struct message *m, unsigned int at, unsigned int n)
{
	if (m->nodes + n > NODES)
		return false;
	memmove(&m->node[at + n], &m->node[at], (m->nodes - at) * sizeof(m->node[0]));
	m->nodes = (uint16_t)(m->nodes + n);
	return true;
}

/* One that the policy knows. */
static bool pick_type(int policy, uint16_t *type)
{
	unsigned int i, at = random_below(ATTRS);

	for (i = 0; i < ATTRS; i++, at++) {
		const struct attr_policy *attr = policy_attr(policy, at % ATTRS);

		if (!attr)
			continue;
		*type = (uint16_t)(at % ATTRS);
		if (attr->type == NL_ATTR_TYPE_NESTED)
			*type |= NLA_F_NESTED;
		return true;
	}
	return false;
}

/* An attribute with what may be in it. */
static void add_attr(struct message *m, unsigned int at, uint8_t depth, int policy)
{
	const struct attr_policy *attr;
	struct node *node;
	uint16_t type;
	unsigned int n;

	if (!pick_type(policy, &type) || !open_nodes(m, at, 1))
		return;
	node = &m->node[at];
	memset(node, 0, sizeof(*node));
	node->type = type;
	node->depth = depth;
	node->policy = (int8_t)policy;
	attr = policy_attr(policy, type);
	if (!(type & NLA_F_NESTED)) {
		value_pick(node);
		return;
	}
	node->kind = KIND_NEST;
	for (n = random_below(5); n && depth < 4; n--)
		add_attr(m, at + 1, (uint8_t)(depth + 1), attr->nest);
}

static void duplicate(struct message *m, unsigned int i)
{
	unsigned int n = end_of(m, i) - i, copies = one_in(8) ? 1 + random_below(40) : 1;

	while (copies-- && open_nodes(m, i, n))
		memcpy(&m->node[i], &m->node[i + n], n * sizeof(m->node[0]));
}

/* An attribute goes somewhere else, into another nest maybe. */
static void move(struct message *m, unsigned int i)
{
	unsigned int n = end_of(m, i) - i, at, j;
	struct node moved[NODES];
	int deeper;

	memcpy(moved, &m->node[i], n * sizeof(moved[0]));
	remove_nodes(m, i, i + n);
	at = random_below(m->nodes + 1U);
	deeper = (at < m->nodes ? m->node[at].depth : 0) - moved[0].depth;
	open_nodes(m, at, n);
	for (j = 0; j < n; j++) {
		moved[j].depth = (uint8_t)(moved[j].depth + deeper);
		m->node[at + j] = moved[j];
	}
}

static void change_type(struct node *node)
{
	switch (random_below(5)) {
	case 0:
		node->type ^= NLA_F_NESTED;
		break;
	case 1:
		node->type ^= NLA_F_NET_BYTEORDER;
		break;
	case 2:
		node->type = (uint16_t)random_u64();
		break;
	default:
		node->type = (uint16_t)((node->type & ~NLA_TYPE_MASK) | random_below(ATTRS));
	}
}

static void change_length(struct node *node)
{
	static const int16_t lies[] = { -4, -3, -1, 1, 3, 4, 8, 100, 32767, -32768 };

	if (one_in(2)) {
		node->lie = lies[random_below(COUNT(lies))];
		return;
	}
	/* As many bytes as it says, but another number. */
	node->kind = KIND_BYTES;
	node->len = (uint16_t)(one_in(8) ? random_below(20000) : random_below(24));
	node->value = random_u64();
}

static void mutate_nest(struct message *m, unsigned int i)
{
	struct node *node = &m->node[i];
	const struct attr_policy *attr = policy_attr(node->policy, node->type);

	switch (random_below(4)) {
	case 0:
		/* Of what is in it nothing stays. */
		remove_nodes(m, i + 1, end_of(m, i));
		node->kind = one_in(2) ? KIND_DEEP : KIND_BYTES;
		node->value = 1 + random_below(one_in(4) ? 4000 : 40);
		node->len = (uint16_t)random_below(64);
		break;
	case 1:
		add_attr(m, i + 1, (uint8_t)(node->depth + 1),
			 attr ? attr->nest : (int)random_below(POLICIES));
		break;
	default:
		duplicate(m, i);
	}
}

static void mutate_node(struct message *m, unsigned int i)
{
	struct node *node = &m->node[i];

	if (node->kind == KIND_NEST && one_in(2)) {
		mutate_nest(m, i);
		return;
	}
	switch (random_below(16)) {
	case 0:
	case 1:
		remove_nodes(m, i, end_of(m, i));
		break;
	case 2:
		duplicate(m, i);
		break;
	case 3:
		move(m, i);
		break;
	case 4:
		change_type(node);
		break;
	case 5:
		change_length(node);
		break;
	case 6:
		if (node->kind == KIND_NEST)
			break;
		node->kind = KIND_DEEP;
		node->value = 1 + random_below(one_in(4) ? 4000 : 20);
		break;
	default:
		if (node->kind != KIND_NEST)
			value_pick(node);
	}
}

static void mutate_header(struct message *m)
{
	switch (random_below(8)) {
	case 0:
		m->flags ^= NLM_F_DUMP;
		break;
	case 1:
		m->flags ^= (uint16_t)(1U << random_below(16));
		break;
	case 2:
		m->version = (uint8_t)random_u64();
		break;
	case 3:
		m->command = one_in(4) ? (uint8_t)random_u64() :
			     family.command[random_below(family.commands)];
		break;
	case 4:
		m->lie = one_in(2) ? -(int32_t)random_below(40) : (int32_t)random_below(80);
		break;
	case 5:
		m->trailing = (uint16_t)random_below(one_in(4) ? 5000 : 16);
		break;
	case 6:
		m->reserved = (uint16_t)random_u64();
		break;
	case 7:
		m->act ^= (uint8_t)(one_in(4) ? ACT_CLOSE : one_in(2) ? ACT_DEAF : ACT_JOIN);
		break;
	}
}

/**
 * mutate_message() - make a message that is wrong somewhere, mostly
 * @m: the message
 */
void mutate_message(struct message *m)
{
	unsigned int n = one_in(4) ? 1 + random_below(6) : 1;

	/* It is to be refused, mostly: waiting for it to work takes time. */
	if (!one_in(8))
		m->act &= (uint8_t)~ACT_RETRY;
	while (n--) {
		if (one_in(8))
			mutate_header(m);
		else if (one_in(12))
			m->socket = (uint8_t)(one_in(8) ? FOREIGN : random_below(FOREIGN));
		else if (!m->nodes || one_in(5))
			add_attr(m, 0, 0, family.policy_of[m->command]);
		else
			mutate_node(m, random_below(m->nodes));
	}
}

/* Any command with some of its attributes. */
static void make_message(struct message *m)
{
	unsigned int n = random_below(8);

	memset(m, 0, offsetof(struct message, node));
	m->command = family.command[random_below(family.commands)];
	m->version = 1;
	m->flags = NLM_F_REQUEST | NLM_F_ACK;
	while (n--)
		add_attr(m, 0, 0, family.policy_of[m->command]);
}

static bool open_message(struct sequence *s, unsigned int at)
{
	if (s->messages >= MESSAGES)
		return false;
	memmove(&s->message[at + 1], &s->message[at],
		(s->messages - at) * sizeof(s->message[0]));
	s->messages++;
	return true;
}

static void remove_message(struct sequence *s, unsigned int at)
{
	s->messages--;
	memmove(&s->message[at], &s->message[at + 1],
		(s->messages - at) * sizeof(s->message[0]));
}

/* Part of another session in the midst of this one; on a socket of its own maybe. */
static void splice(struct sequence *s, const struct sequence *other)
{
	unsigned int at = random_below(s->messages + 1), from, n;
	uint8_t socket = (uint8_t)random_below(FOREIGN);
	bool elsewhere = one_in(2);

	if (!other->messages)
		return;
	from = one_in(2) ? 0 : random_below(other->messages);
	for (n = 1 + random_below(other->messages - from); n && open_message(s, at); n--, at++) {
		s->message[at] = other->message[from++];
		if (elsewhere)
			s->message[at].socket = socket;
	}
}

static void mutate_order(struct sequence *s, const struct sequence *other)
{
	unsigned int at = random_below(s->messages), with = random_below(s->messages);
	struct message swap;

	switch (random_below(6)) {
	case 0:
		remove_message(s, at);
		break;
	case 1:
		if (open_message(s, at))
			s->message[at] = s->message[at + 1];
		break;
	case 2:
		swap = s->message[at];
		s->message[at] = s->message[with];
		s->message[with] = swap;
		break;
	case 3:
		splice(s, other);
		break;
	default:
		if (open_message(s, at))
			make_message(&s->message[at]);
	}
}

/**
 * mutate_sequence() - make another session out of one
 * @s: the session
 * @other: the session whose parts may be mixed into it
 */
void mutate_sequence(struct sequence *s, const struct sequence *other)
{
	unsigned int n, at;

	for (n = random_below(4); n && s->messages; n--)
		mutate_order(s, other);
	/*
	 * In place of a message that works for what follows, or beside it: the rest of
	 * the session shall find what it needs.
	 */
	for (n = 1 + random_below(one_in(3) ? 24 : 6); n && s->messages; n--) {
		at = random_below(s->messages);
		if (!one_in(4)) {
			if (!open_message(s, at))
				continue;
			s->message[at] = s->message[at + 1];
			if (one_in(2))
				at++;
		}
		mutate_message(&s->message[at]);
	}
}
