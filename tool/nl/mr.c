// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include "nl/msg.h"

#define FIELD(type, member, NAME, ...) \
	KV_NL_FIELD(type, member, KVERBS_A_MR_##NAME, __VA_ARGS__)

static const struct kv_nl_field init_fields[] = {
	FIELD(struct kv_mr_init, pd, PD, "pd", KV_NL_UNLESS_0),
	FIELD(struct kv_mr_init, length, LENGTH, "length"),
	FIELD(struct kv_mr_init, max_access, MAX_ACCESS, "max_access"),
	FIELD(struct kv_mr_init, persistent, PERSISTENT, "persistent"),
};

static const struct kv_nl_field object_fields[] = {
	FIELD(struct kv_mr, id, ID, "mr"),
	FIELD(struct kv_mr, dev, DEV, "device"),
	FIELD(struct kv_mr, persistent, PERSISTENT, "persistent"),
	FIELD(struct kv_mr, pd, PD, "pd"),
	FIELD(struct kv_mr, length, LENGTH, "length"),
	FIELD(struct kv_mr, max_access, MAX_ACCESS, "max_access"),
	FIELD(struct kv_mr, access, ACCESS, "access", KV_NL_IF(struct kv_mr, registered)),
	FIELD(struct kv_mr, offset, OFFSET, "offset"),
	FIELD(struct kv_mr, reg_length, REG_LENGTH, NULL),
	FIELD(struct kv_mr, lkey, LKEY, NULL),
	FIELD(struct kv_mr, rkey, RKEY, NULL),
	FIELD(struct kv_mr, iova, IOVA, NULL),
};

static const struct kv_nl_field reg_fields[] = {
	FIELD(struct kv_mr_reg, qp, QP, "qp", KV_NL_UNLESS_0),
	FIELD(struct kv_mr_reg, access, ACCESS, "access"),
	FIELD(struct kv_mr_reg, offset, OFFSET, "offset"),
	FIELD(struct kv_mr_reg, length, LENGTH, "length"),
};

static const struct kv_nl_field inv_fields[] = {
	FIELD(struct kv_mr_inv, qp, QP, "qp", KV_NL_UNLESS_0),
};

static const struct kv_nl_field file_fields[] = {
	FIELD(struct kv_mr_file, fd, FD, "file"),
	FIELD(struct kv_mr_file, file_offset, FILE_OFFSET, "file_offset"),
	FIELD(struct kv_mr_file, offset, OFFSET, "offset"),
	FIELD(struct kv_mr_file, length, LENGTH, "length"),
};

static const struct kv_nl_field moved_fields[] = {
	FIELD(struct kv_moved, length, LENGTH, NULL),
};

static const struct kv_nl_field other_fields[] = {
	KV_NL_KNOWN(KVERBS_A_MR_DATA, "data"),
};

static const struct kv_nl_table init = KV_NL_TABLE(init_fields);
static const struct kv_nl_table object = KV_NL_TABLE(object_fields);
static const struct kv_nl_table reg = KV_NL_TABLE(reg_fields);
static const struct kv_nl_table inv = KV_NL_TABLE(inv_fields);
static const struct kv_nl_table file = KV_NL_TABLE(file_fields);
static const struct kv_nl_table moved = KV_NL_TABLE(moved_fields);
static const struct kv_nl_table other = KV_NL_TABLE(other_fields);
static const struct kv_nl_table *const names[] = {
	&object, &reg, &file, &other, NULL,
};

KV_NL_NOUN(MR, mr);
KV_NL_OBJECT_OPS(MR, mr);

const struct kv_nl_op kv_nl_op_mr_reg = {
	.noun = &kv_nl_mr,
	.what = "kernel mr registration",
	.cmd = KVERBS_CMD_MR_REG,
	.by_id = true,
	.in = &reg,
	.out = &object,
	.size = sizeof(struct kv_mr),
};

const struct kv_nl_op kv_nl_op_mr_inv = {
	.noun = &kv_nl_mr,
	.what = "kernel mr invalidation",
	.cmd = KVERBS_CMD_MR_INV,
	.by_id = true,
	.in = &inv,
};

/* The module moves all of it in one command, however long it is. */
const struct kv_nl_op kv_nl_op_mr_load = {
	.noun = &kv_nl_mr,
	.what = "kernel mr load",
	.cmd = KVERBS_CMD_MR_LOAD,
	.by_id = true,
	.in = &file,
	.out = &moved,
	.size = sizeof(struct kv_moved),
};

const struct kv_nl_op kv_nl_op_mr_save = {
	.noun = &kv_nl_mr,
	.what = "kernel mr save",
	.cmd = KVERBS_CMD_MR_SAVE,
	.by_id = true,
	.in = &file,
	.out = &moved,
	.size = sizeof(struct kv_moved),
};

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
static int write_mr(struct kv_nl *nl, const void *arg, void *out, uint64_t *ns)
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

const struct kv_nl_op kv_nl_op_mr_write = { .call = write_mr };

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

static int read_mr(struct kv_nl *nl, const void *arg, void *out, uint64_t *ns)
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

const struct kv_nl_op kv_nl_op_mr_read = { .call = read_mr };
