// SPDX-License-Identifier: MIT
/* From a tree of attributes to the bytes of a message. */
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <string.h>
#include "fuzz.h"

/* The destination of bytes; those that do not fit are left out. */
struct out {
	uint8_t *to;
	size_t room;
	size_t used;
};

static void *put(struct out *out, size_t bytes)
{
	void *at = out->to + out->used;

	if (bytes > out->room - out->used)
		return NULL;
	memset(at, 0, bytes);
	out->used += bytes;
	return at;
}

static void put_padding(struct out *out)
{
	put(out, NLA_ALIGN(out->used) - out->used);
}

static void put_number(struct out *out, uint64_t value, size_t bytes)
{
	uint8_t *at = put(out, bytes);

	/* Of those that are too long the rest stays 0. */
	if (at)
		memcpy(at, &value, bytes < sizeof(value) ? bytes : sizeof(value));
}

/* As random as it must be, and the same each time. */
static void put_bytes(struct out *out, uint64_t seed, size_t bytes)
{
	uint8_t *at = put(out, bytes);
	size_t i;

	for (i = 0; at && i < bytes; i++) {
		seed = seed * 6364136223846793005 + 1442695040888963407;
		at[i] = (uint8_t)(seed >> 56);
	}
}

static void put_text(struct out *out, const char *text)
{
	char *at = put(out, strlen(text) + 1);

	if (at)
		strcpy(at, text);
}

static void put_deep(struct out *out, const struct node *node)
{
	uint64_t left = node->value, deep = node->value;
	size_t first = out->used;

	while (left--) {
		struct nlattr *attr = put(out, NLA_HDRLEN);

		if (!attr)
			break;
		attr->nla_type = node->type;
		attr->nla_len = 0;
	}
	/* Each has all that follows. */
	for (; deep && first + NLA_HDRLEN <= out->used; deep--, first += NLA_HDRLEN)
		((struct nlattr *)(out->to + first))->nla_len = (uint16_t)(out->used - first);
}

static void put_payload(struct out *out, const struct message *m, const struct node *node)
{
	uint8_t buffer[32];

	switch (node->kind) {
	case KIND_U32:
		put_number(out, node->value, 4);
		break;
	case KIND_U64:
		put_number(out, node->value, 8);
		break;
	case KIND_BYTES:
		put_bytes(out, node->value, node->len);
		break;
	case KIND_ID:
		put_number(out, model_id(m->socket, node->a, node->b), 4);
		break;
	case KIND_ID_ANY:
		put_number(out, model_id(SOCKETS, node->a, node->b), 4);
		break;
	case KIND_SEEN:
		put_number(out, model_seen(node->a, node->b, (unsigned int)node->value),
			   node->len);
		break;
	case KIND_DEV:
		put_text(out, place.dev);
		break;
	case KIND_GID:
		model_gid(node, buffer);
		memcpy(put(out, 16) ?: buffer, buffer, 16);
		break;
	case KIND_ADDR: {
		unsigned int bytes = model_addr(node, buffer);

		memcpy(put(out, bytes) ?: buffer, buffer, bytes);
		break;
	}
	case KIND_DEEP:
		put_deep(out, node);
		break;
	}
}

/* A node with all that is deeper and follows; returns the next one. */
static unsigned int put_node(struct out *out, const struct message *m, unsigned int i)
{
	const struct node *node = &m->node[i];
	struct nlattr *attr;
	size_t begin;

	/* One that is within what became mere bytes begins where an attribute may. */
	put_padding(out);
	begin = out->used;
	attr = put(out, NLA_HDRLEN);
	i++;
	if (node->kind != KIND_NEST && attr)
		put_payload(out, m, node);
	while (i < m->nodes && m->node[i].depth > node->depth)
		i = put_node(out, m, i);
	if (attr) {
		attr->nla_type = node->type;
		attr->nla_len = (uint16_t)(out->used - begin + (size_t)node->lie);
		put_padding(out);
	}
	return i;
}

/**
 * encode() - make the bytes of a message
 * @m: the message
 * @seq: its number
 * @to: receives the bytes
 * @room: how many there may be, a multiple of 4, at least 64
 *
 * Return: how many there are.
 */
size_t encode(const struct message *m, uint32_t seq, uint8_t *to, size_t room)
{
	struct out out = { .to = to, .room = room };
	struct nlmsghdr *nlh = put(&out, NLMSG_HDRLEN);
	struct genlmsghdr *genl = put(&out, GENL_HDRLEN);
	unsigned int i = 0;

	nlh->nlmsg_type = family.id;
	nlh->nlmsg_flags = m->flags;
	nlh->nlmsg_seq = seq;
	genl->cmd = m->command;
	genl->version = m->version;
	genl->reserved = m->reserved;
	while (i < m->nodes)
		i = put_node(&out, m, i);
	put_bytes(&out, m->trailing, m->trailing);
	nlh->nlmsg_len = (uint32_t)((int64_t)out.used + m->lie);
	put(&out, NLMSG_ALIGN(out.used) - out.used);
	return out.used;
}
