// SPDX-License-Identifier: MIT
#include <errno.h>
#include "object/content.h"
#include "object/object.h"
#include "object/text.h"

struct add_args {
	struct kv_given given;
	struct kv_mr_init init;
	const char *name;
};

#define ADD_AT(field) offsetof(struct add_args, field)

static const struct add_args add_init = {
	.init.max_access = KVERBS_ACCESS__ALL,
};

static const struct kv_key add_key[] = {
	{ "pd", KV_KEY_ID, ADD_AT(init.pd), .type = KV_PD, .must = true,
	  .help = "its protection domain" },
	{ "length", KV_KEY_SIZE, ADD_AT(init.length), .must = true,
	  .help = "bytes of the buffer, which starts zeroed" },
	{ "access", KV_KEY_FLAGS, ADD_AT(init.max_access),
	  .words = kv_word_access,
	  .help = "what 'mr reg' may grant; default: all" },
	KV_KEY_NAME(ADD_AT(name)),
	{ .name = NULL },
};

static int make(struct kv_session *s, const void *args,
		union kv_object *object, struct kv_fault *f)
{
	const struct add_args *a = args;
	struct kv_mr_init init = a->init;
	uint64_t ns;
	int ret;

	init.persistent = !s->batch;
	ret = kv_op_mr_new(s->b, &init, &object->mr, &ns);
	return ret ? kv_session_refuse(s, ret, f) : 0;
}

KV_OBJECT_ADD(add, KV_MR, struct add_args, make)

struct reg_args {
	struct kv_given given;
	struct kv_mr_reg reg;
};

#define REG_AT(field) offsetof(struct reg_args, reg.field)
#define HAS_ACCESS (1U << 0)
#define HAS_LENGTH (1U << 1)

static const struct kv_key reg_key[] = {
	{ "qp", KV_KEY_ID, REG_AT(qp), .type = KV_QP,
	  .help = "kernel: the QP that carries the request, in rts; user space needs none" },
	{ "access", KV_KEY_FLAGS, REG_AT(access), HAS_ACCESS,
	  .words = kv_word_access,
	  .help = "what is granted; default: all that 'mr add' allowed and the device has" },
	{ "offset", KV_KEY_SIZE, REG_AT(offset),
	  .help = "first byte in the buffer; default: 0" },
	{ "length", KV_KEY_SIZE, REG_AT(length), HAS_LENGTH,
	  .help = "bytes; default: the rest of the buffer" },
	{ .name = NULL },
};

/*
 * The kernel registers by a work request, and that needs a queue. User space does
 * not, but what is named there has to exist, too.
 */
static int check_qp(struct kv_session *s, uint32_t qp, struct kv_fault *f)
{
	union kv_object object;

	if (qp)
		return kv_session_get(s, KV_QP, qp, &object, f);
	if (s->space == KV_SPACE_USER)
		return 0;
	return kv_fault_set(f, -EINVAL, "'qp' is missing: in the kernel this is a work request, on a QP in rts");
}

/* All that the buffer was made for, and the device has: some refuse to be asked for atomics. */
static uint32_t default_access(struct kv_session *s, const struct kv_mr *mr)
{
	struct kv_dev dev;

	if (!(mr->max_access & KVERBS_ACCESS_REMOTE_ATOMIC) ||
	    kv_op_dev_get(s->b, &(struct kv_dev_name){ mr->dev }, &dev, NULL) ||
	    dev.can & KVERBS_CAN_ATOMIC)
		return mr->max_access;
	return mr->max_access & ~KVERBS_ACCESS_REMOTE_ATOMIC;
}

static int reg(struct kv_session *s, const void *args,
	       struct json_object *result, struct kv_fault *f)
{
	const struct reg_args *a = args;
	struct kv_mr_reg reg = a->reg;
	union kv_object object;
	int ret;

	ret = check_qp(s, reg.qp, f);
	if (!ret)
		ret = kv_session_get(s, KV_MR, a->given.id, &object, f);
	if (ret)
		return ret;
	if (!(a->given.bits & HAS_ACCESS))
		reg.access = default_access(s, &object.mr);
	if (!(a->given.bits & HAS_LENGTH)) {
		ret = kv_content_rest(&object.mr, reg.offset, &reg.length, f);
		if (ret)
			return ret;
	}
	reg.id = a->given.id;
	ret = kv_op_mr_reg(s->b, &reg, &object.mr, NULL);
	if (ret)
		return kv_session_refuse(s, ret, f);
	kv_object_whole(s, KV_MR, &object, result);
	return 0;
}

struct inv_args {
	struct kv_given given;
	uint32_t qp;
};

static const struct kv_key inv_key[] = {
	{ "qp", KV_KEY_ID, offsetof(struct inv_args, qp), .type = KV_QP,
	  .help = "kernel: the QP that carries the request, in rts; user space needs none" },
	{ .name = NULL },
};

static int inv(struct kv_session *s, const void *args,
	       struct json_object *result, struct kv_fault *f)
{
	const struct inv_args *a = args;
	union kv_object object;
	int ret;

	ret = check_qp(s, a->qp, f);
	if (ret)
		return ret;
	ret = kv_op_mr_inv(s->b, &(struct kv_mr_inv){ a->given.id, a->qp }, NULL, NULL);
	if (ret)
		return kv_session_refuse(s, ret, f);
	ret = kv_session_get(s, KV_MR, a->given.id, &object, f);
	if (!ret)
		kv_object_whole(s, KV_MR, &object, result);
	return ret;
}

KV_OBJECT_FUNCTIONS(KV_MR)

static const struct kv_command commands[] = {
	{ "add", "makes a buffer, and in the kernel an MR for it",
	  "In the kernel the MR is there at once and 'mr reg' fast-registers it. libibverbs has no MR before it is registered.",
	  .key = add_key, .size = sizeof(struct add_args), .init = &add_init,
	  .fn = add, .print = kv_text_object },
	{ "reg", "registers the buffer, or a part of it: peers reach exactly that",
	  .id = KV_ID_MUST, .type = KV_MR, .key = reg_key,
	  .size = sizeof(struct reg_args), .fn = reg,
	  .print = kv_text_object },
	{ "inv", "ends the registration", .id = KV_ID_MUST, .type = KV_MR,
	  .key = inv_key, .size = sizeof(struct inv_args), .fn = inv,
	  .print = kv_text_object },
	{ "write", "puts content into the buffer", .id = KV_ID_MUST,
	  .type = KV_MR, .key = kv_content_write_key,
	  .size = sizeof(struct kv_content_args), .fn = kv_content_write },
	{ "read", "tells the buffer's content",
	  "As text zeros at the end are left out, and what can't be printed is written as \\xNN.",
	  .id = KV_ID_MUST, .type = KV_MR, .key = kv_content_read_key,
	  .size = sizeof(struct kv_content_args), .fn = kv_content_read,
	  .print = kv_text_content },
	{ "load", "fills the buffer from a file, of any size", .id = KV_ID_MUST,
	  .type = KV_MR, .key = kv_content_move_key,
	  .size = sizeof(struct kv_content_args), .fn = kv_content_load,
	  .print = kv_text_object },
	{ "save", "writes the buffer to a file, of any size", .id = KV_ID_MUST,
	  .type = KV_MR, .key = kv_content_move_key,
	  .size = sizeof(struct kv_content_args), .fn = kv_content_save,
	  .print = kv_text_object },
	KV_OBJECT_COMMANDS(KV_MR, "shows one or all",
			   "frees the buffer, and the MR with it"),
	{ .name = NULL },
};

const struct kv_noun kv_noun_mr = {
	"mr", "buffer, and the memory region that makes it known", false,
	commands,
};
