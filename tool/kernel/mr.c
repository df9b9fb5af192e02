// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "kernel/msg.h"

/* The bytes of a buffer: as many commands as they need. */

static const struct kv_member members[] = {
	{ .name = "mr", .type = KV_MEMBER_U32, .attr = KVERBS_A_MR_ID },
	{ .name = "offset", .type = KV_MEMBER_U64, .attr = KVERBS_A_MR_OFFSET },
	{ .name = "length", .type = KV_MEMBER_U64, .attr = KVERBS_A_MR_LENGTH },
	{ .name = "data", .type = KV_MEMBER_HEX, .attr = KVERBS_A_MR_DATA },
};

static const struct kv_shape content_shape = KV_SHAPE(struct kv_none, members);
static const struct kv_shape *const names[] = { &content_shape, NULL };

/* One command's part of a transfer; of a read, @to is its destination. */
struct piece {
	uint64_t offset;
	uint32_t length;
	const char *from;
	char *to;
};

static int on_content(struct nlattr *attrs, int len, void *arg)
{
	struct nlattr *data = nla_find(attrs, len, KVERBS_A_MR_DATA);
	struct piece *piece = arg;

	if (!piece->to)
		return 0;
	if (!data || nla_len(data) != (int)piece->length)
		return -EBADMSG;
	memcpy(piece->to, nla_data(data), piece->length);
	return 0;
}

static int move_piece(struct kv_nl *nl, uint32_t id, struct piece *piece)
{
	int cmd = piece->to ? KVERBS_CMD_MR_READ : KVERBS_CMD_MR_WRITE;
	struct nl_msg *msg = kv_nl_msg(nl, cmd, 0);

	kv_nl_put_u32(msg, KVERBS_A_MR_ID, id);
	kv_nl_put_u64(msg, KVERBS_A_MR_OFFSET, piece->offset);
	if (piece->to)
		kv_nl_put_u64(msg, KVERBS_A_MR_LENGTH, piece->length);
	else if (msg)
		nla_put(msg, KVERBS_A_MR_DATA, (int)piece->length, piece->from);
	return kv_nl_request(nl, msg, piece->to ? "kernel mr read" : "kernel mr write", names,
			     on_content, piece);
}

/* The module refuses a length of 0. */
static int move(struct kv_nl *nl, uint32_t id, uint64_t length, struct piece *piece)
{
	uint64_t left = length;
	int ret;

	do {
		piece->length = left < KVERBS_DATA_MAX ? (uint32_t)left : KVERBS_DATA_MAX;
		ret = move_piece(nl, id, piece);
		left -= piece->length;
		piece->offset += piece->length;
		if (piece->to)
			piece->to += piece->length;
		else
			piece->from += piece->length;
	} while (!ret && left);
	return ret;
}

int kv_nl_mr_write(struct kv_nl *nl, const void *arg, void *out, uint64_t *ns)
{
	const struct kv_mr_write *in = arg;

	return move(nl, in->id, in->length, &(struct piece){ in->offset, .from = in->data });
}

int kv_nl_mr_read(struct kv_nl *nl, const void *arg, void *out, uint64_t *ns)
{
	const struct kv_mr_read *in = arg;

	return move(nl, in->id, in->length, &(struct piece){ in->offset, .to = in->data });
}
