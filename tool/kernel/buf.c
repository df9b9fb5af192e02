// SPDX-License-Identifier: MIT
#include "kernel/msg.h"
#include "rules/buf.h"

/* The bytes of a buffer, moved by as many commands as they need. */

static const struct kv_member content_member[] = {
	{ .name = "data", .type = KV_MEMBER_HEX, .attr = KVERBS_A_BUF_DATA },
};

static const struct kv_shape content = KV_SHAPE(struct kv_none, content_member);
static const struct kv_shape *const names[] = {
	&kv_shape_buf_data, &kv_shape_buf, &content, NULL,
};

/* Moves one command's part of the bytes. In a write the data tell the length. */
static int move_piece(struct kv_nl *nl, uint32_t id, uint64_t offset, const struct kv_nl_bulk *bulk)
{
	const struct kv_buf_data piece = { .offset = offset, .length = bulk->length };
	int cmd = bulk->into ? KVERBS_CMD_BUF_READ : KVERBS_CMD_BUF_WRITE;
	struct nl_msg *msg = kv_nl_msg(nl, cmd, 0);

	kv_nl_put_u32(msg, KVERBS_A_BUF_ID, id);
	kv_nl_put(msg, &kv_shape_buf_data, &piece, bulk->into ? 0 : KVERBS_A_BUF_LENGTH);
	return kv_nl_request_bulk(nl, msg, names, bulk);
}

/* Moves bytes to or from the buffer. */
int kv_nl_buf_move(struct kv_nl *nl, enum kv_op op, const struct kv_buf_data *in)
{
	struct kv_nl_bulk bulk = { .attr = KVERBS_A_BUF_DATA };
	struct kv_refusal why;
	uint64_t done = 0;
	int ret;

	/* The module's policy refuses it, too, by an attribute that the command does not have. */
	if (kv_buf_check_length(in->length, &why))
		return kv_backend_fail(&nl->base, why.error, "%s", why.text);
	do {
		bulk.length = in->length - done < KVERBS_DATA_MAX ?
			      (uint32_t)(in->length - done) : KVERBS_DATA_MAX;
		if (op == KV_OP_BUF_WRITE)
			bulk.from = (const char *)in->from + done;
		else
			bulk.into = (char *)in->into + done;
		ret = move_piece(nl, in->id, in->offset + done, &bulk);
		done += bulk.length;
	} while (!ret && done < in->length);
	return ret;
}
