// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "kernel/msg.h"

/* What stands in buffers: as many commands as it takes. */

static const struct kv_member members[] = {
	{ .name = "mr", .type = KV_MEMBER_U32, .attr = KVERBS_A_MR_ID },
	{ .name = "offset", .type = KV_MEMBER_U64, .attr = KVERBS_A_MR_OFFSET },
	{ .name = "length", .type = KV_MEMBER_U64, .attr = KVERBS_A_MR_LENGTH },
	{ .name = "data", .type = KV_MEMBER_HEX, .attr = KVERBS_A_MR_DATA },
};

static const struct kv_shape content_shape = KV_SHAPE(struct kv_none, members);
static const struct kv_shape *const names[] = { &content_shape, NULL };

/* Of what is left of a transfer, what one message carries. */
static uint32_t piece(uint64_t length)
{
	return length < KVERBS_DATA_MAX ? (uint32_t)length : KVERBS_DATA_MAX;
}

static struct nl_msg *msg_at(struct kv_nl *nl, int cmd, uint32_t id, uint64_t offset)
{
	struct nl_msg *msg = kv_nl_msg(nl, cmd, 0);

	kv_nl_put_u32(msg, KVERBS_A_MR_ID, id);
	kv_nl_put_u64(msg, KVERBS_A_MR_OFFSET, offset);
	return msg;
}

/* A length of 0 is the module's to refuse. */
int kv_nl_mr_write(struct kv_nl *nl, const void *arg, void *out, uint64_t *ns)
{
	const struct kv_mr_write *in = arg;
	uint64_t done = 0;
	struct nl_msg *msg;
	uint32_t now;
	int ret;

	do {
		now = piece(in->length - done);
		msg = msg_at(nl, KVERBS_CMD_MR_WRITE, in->id, in->offset + done);
		if (msg)
			nla_put(msg, KVERBS_A_MR_DATA, (int)now, (const char *)in->data + done);
		ret = kv_nl_request(nl, msg, "kernel mr write", names, NULL, NULL);
		done += now;
	} while (!ret && done < in->length);
	return ret;
}

struct content {
	void *to;
	uint32_t length;
};

static int on_content(struct nlattr *attrs, int len, void *arg)
{
	struct nlattr *data = nla_find(attrs, len, KVERBS_A_MR_DATA);
	struct content *content = arg;

	if (!data || nla_len(data) != (int)content->length)
		return -EBADMSG;
	memcpy(content->to, nla_data(data), content->length);
	return 0;
}

int kv_nl_mr_read(struct kv_nl *nl, const void *arg, void *out, uint64_t *ns)
{
	const struct kv_mr_read *in = arg;
	struct content content;
	struct nl_msg *msg;
	uint64_t done = 0;
	int ret;

	do {
		content.to = (char *)in->data + done;
		content.length = piece(in->length - done);
		msg = msg_at(nl, KVERBS_CMD_MR_READ, in->id, in->offset + done);
		kv_nl_put_u64(msg, KVERBS_A_MR_LENGTH, content.length);
		ret = kv_nl_request(nl, msg, "kernel mr read", names, on_content, &content);
		done += content.length;
	} while (!ret && done < in->length);
	return ret;
}
