// SPDX-License-Identifier: MIT
#include "kernel/msg.h"

/* The bytes of a buffer: as many commands as they need. */

static const struct kv_member members[] = {
	{ .name = "buf", .type = KV_MEMBER_U32, .attr = KVERBS_A_BUF_ID },
	{ .name = "offset", .type = KV_MEMBER_U64, .attr = KVERBS_A_BUF_OFFSET },
	{ .name = "length", .type = KV_MEMBER_U64, .attr = KVERBS_A_BUF_LENGTH },
	{ .name = "data", .type = KV_MEMBER_HEX, .attr = KVERBS_A_BUF_DATA },
};

static const struct kv_shape content_shape = KV_SHAPE(struct kv_none, members);
static const struct kv_shape *const names[] = { &content_shape, NULL };

/* One command's part of the bytes. */
static int move_piece(struct kv_nl *nl, uint32_t id, uint64_t offset, const struct kv_nl_bulk *bulk)
{
	int cmd = bulk->into ? KVERBS_CMD_BUF_READ : KVERBS_CMD_BUF_WRITE;
	struct nl_msg *msg = kv_nl_msg(nl, cmd, 0);

	kv_nl_put_u32(msg, KVERBS_A_BUF_ID, id);
	kv_nl_put_u64(msg, KVERBS_A_BUF_OFFSET, offset);
	if (bulk->into)
		kv_nl_put_u64(msg, KVERBS_A_BUF_LENGTH, bulk->length);
	return kv_nl_request_bulk(nl, msg, bulk->into ? "kernel buf read" : "kernel buf write",
				  names, bulk);
}

/* To the buffer, or from it: one of the two is there. The module refuses a length of 0. */
static int move(struct kv_nl *nl, uint32_t id, uint64_t offset, uint64_t length,
		const char *from, char *into)
{
	struct kv_nl_bulk bulk = { .attr = KVERBS_A_BUF_DATA };
	uint64_t done = 0;
	int ret;

	do {
		bulk.length = length - done < KVERBS_DATA_MAX ?
			      (uint32_t)(length - done) : KVERBS_DATA_MAX;
		bulk.from = from ? from + done : NULL;
		bulk.into = into ? into + done : NULL;
		ret = move_piece(nl, id, offset + done, &bulk);
		done += bulk.length;
	} while (!ret && done < length);
	return ret;
}

int kv_nl_buf_write(struct kv_nl *nl, const void *arg, void *out)
{
	const struct kv_buf_write *in = arg;

	return move(nl, in->id, in->offset, in->length, in->data, NULL);
}

int kv_nl_buf_read(struct kv_nl *nl, const void *arg, void *out)
{
	const struct kv_buf_read *in = arg;

	return move(nl, in->id, in->offset, in->length, NULL, in->data);
}
