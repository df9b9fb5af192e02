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

/* A piece of the buffer, and of a file. */
struct piece {
	int32_t fd;
	uint64_t file_offset;
	uint64_t offset;
	uint64_t length;
};

static const struct kv_nl_field file_fields[] = {
	FIELD(struct piece, fd, FD, "file"),
	FIELD(struct piece, file_offset, FILE_OFFSET, "file_offset"),
	FIELD(struct piece, offset, OFFSET, "offset"),
	FIELD(struct piece, length, LENGTH, "length"),
};

static const struct kv_nl_field other_fields[] = {
	KV_NL_KNOWN(KVERBS_A_MR_DATA, "data"),
};

static const struct kv_nl_table init = KV_NL_TABLE(init_fields);
static const struct kv_nl_table object = KV_NL_TABLE(object_fields);
static const struct kv_nl_table reg_table = KV_NL_TABLE(reg_fields);
static const struct kv_nl_table file_table = KV_NL_TABLE(file_fields);
static const struct kv_nl_table other = KV_NL_TABLE(other_fields);
static const struct kv_nl_table *const names[] = {
	&object, &reg_table, &file_table, &other, NULL,
};

const struct kv_nl_noun kv_nl_mr = {
	.what = "kernel mr",
	.init = &init,
	.object = &object,
	.names = names,
	.cmd_new = KVERBS_CMD_MR_NEW,
	.cmd_get = KVERBS_CMD_MR_GET,
	.cmd_del = KVERBS_CMD_MR_DEL,
	.id = KVERBS_A_MR_ID,
	.verb_ns = KVERBS_A_MR_VERB_NS,
	.size = sizeof(struct kv_mr),
};

int kv_nl_mr_reg(struct kv_nl *nl, uint32_t id, const struct kv_mr_reg *reg,
		 struct kv_mr *mr, uint64_t *verb_ns)
{
	struct nl_msg *msg = kv_nl_msg_of(nl, &kv_nl_mr, KVERBS_CMD_MR_REG, id);

	kv_nl_put(msg, &reg_table, reg);
	return kv_nl_call(nl, &kv_nl_mr, msg, "kernel mr registration", mr,
			  verb_ns);
}

int kv_nl_mr_inv(struct kv_nl *nl, uint32_t id, uint32_t qp, uint64_t *verb_ns)
{
	struct nl_msg *msg = kv_nl_msg_of(nl, &kv_nl_mr, KVERBS_CMD_MR_INV, id);

	if (qp)
		kv_nl_put_u32(msg, KVERBS_A_MR_QP, qp);
	return kv_nl_call(nl, &kv_nl_mr, msg, "kernel mr invalidation", NULL,
			  verb_ns);
}

int kv_nl_mr_write(struct kv_nl *nl, uint32_t id, uint64_t offset,
		   const void *data, uint32_t length)
{
	struct nl_msg *msg = kv_nl_msg_of(nl, &kv_nl_mr, KVERBS_CMD_MR_WRITE, id);

	kv_nl_put_u64(msg, KVERBS_A_MR_OFFSET, offset);
	if (msg)
		nla_put(msg, KVERBS_A_MR_DATA, (int)length, data);
	return kv_nl_call(nl, &kv_nl_mr, msg, "kernel mr write", NULL, NULL);
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

int kv_nl_mr_read(struct kv_nl *nl, uint32_t id, uint64_t offset, void *data,
		  uint32_t length)
{
	struct nl_msg *msg = kv_nl_msg_of(nl, &kv_nl_mr, KVERBS_CMD_MR_READ, id);
	struct content content = { data, length };

	kv_nl_put_u64(msg, KVERBS_A_MR_OFFSET, offset);
	kv_nl_put_u64(msg, KVERBS_A_MR_LENGTH, length);
	return kv_nl_request(nl, msg, "kernel mr read", names, on_content,
			     &content);
}

static int on_moved(struct nlattr *attrs, int len, void *arg)
{
	return kv_nl_take_u64(attrs, len, KVERBS_A_MR_LENGTH, arg);
}

/* The module moves all of it in one command, however long it is. */
static int move_file(struct kv_nl *nl, int cmd, const char *what, uint32_t id,
		     const struct piece *piece, uint64_t *moved)
{
	struct nl_msg *msg = kv_nl_msg_of(nl, &kv_nl_mr, cmd, id);

	*moved = 0;
	kv_nl_put(msg, &file_table, piece);
	return kv_nl_request(nl, msg, what, names, on_moved, moved);
}

int kv_nl_mr_load(struct kv_nl *nl, uint32_t id, int fd, uint64_t file_offset,
		  uint64_t offset, uint64_t length, uint64_t *moved)
{
	const struct piece piece = { fd, file_offset, offset, length };

	return move_file(nl, KVERBS_CMD_MR_LOAD, "kernel mr load", id, &piece,
			 moved);
}

int kv_nl_mr_save(struct kv_nl *nl, uint32_t id, int fd, uint64_t file_offset,
		  uint64_t offset, uint64_t length, uint64_t *moved)
{
	const struct piece piece = { fd, file_offset, offset, length };

	return move_file(nl, KVERBS_CMD_MR_SAVE, "kernel mr save", id, &piece,
			 moved);
}
