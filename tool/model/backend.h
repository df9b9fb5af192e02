/* SPDX-License-Identifier: MIT */
#pragma once

#include <string.h>
#include "model/structs.h"

/*
 * A backend makes objects and runs in one space. This host has two backends, one over netlink and
 * one over libibverbs; neither uses the other. An object is named by an id, never 0. Closing a
 * backend destroys the objects that are left.
 *
 * The operations are the rows of ops.def. Each returns 0 or a negative errno. A failed operation
 * leaves a text in kv_backend.err that names the cause; if a verb failed, kv_backend.failed has
 * its stage.
 */

enum kv_op {
#define OP(NAME, name, in, out, about, ...) KV_OP_##NAME,
#include "model/ops.def"
	KV_OPS,
};

struct kv_backend;
struct kv_member;

struct kv_backend_ops {
	const char *space; /* "kernel" or "user" */
	void (*close)(struct kv_backend *b);
	/* Performs an operation; the kv_op_*() below call it. */
	int (*call)(struct kv_backend *b, enum kv_op op, const void *in, void *out);
	/* Calls @fn for each device; stops when @fn returns non-zero, and returns that value. */
	int (*dev_each)(struct kv_backend *b, int (*fn)(const struct kv_dev *dev, void *arg),
			void *arg);
	/*
	 * Calls @fn for each object, in the order of the ids; stops when @fn returns non-zero,
	 * and returns that value. -EINTR: objects came or went meanwhile, call it again.
	 */
	int (*each)(struct kv_backend *b, enum kv_type type,
		    int (*fn)(const union kv_object *object, void *arg), void *arg);
	/*
	 * Is a device being removed whose removal waits until we release the device?
	 * NULL: no removal waits for us.
	 */
	bool (*dev_gone)(struct kv_backend *b, const char *dev);
};

/* How long the verbs of an operation took. */
struct kv_times {
	uint64_t verb_ns; /* all of them; 0: none was called */
	/* The time of each stage; all 0: there is one verb only, or stages are not measured. */
	uint64_t stage_ns[KVERBS_STAGE_MAX + 1];
};

struct kv_backend {
	const struct kv_backend_ops *ops;
	char err[512]; /* text of the last failure */
	uint32_t failed; /* enum kverbs_stage of the verb that failed; 0: no verb has failed */
	struct kv_times times; /* of the last operation */
	/*
	 * The attribute that the last failure is about, NULL: no attribute. If an object does not
	 * exist: its id, as an argument or as the first member of the object's own shape.
	 */
	const struct kv_member *refused;
	uint32_t refused_value; /* its value, if the module refused it */
};

int kv_backend_fail(struct kv_backend *b, int error, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Resets the fault and the times before an operation. */
static inline void kv_backend_begin(struct kv_backend *b)
{
	b->failed = KVERBS_STAGE_UNSPEC;
	b->refused = NULL;
	memset(&b->times, 0, sizeof(b->times));
}

static inline int kv_op_call(struct kv_backend *b, enum kv_op op, const void *in, void *out,
			     uint64_t *ns)
{
	int ret;

	kv_backend_begin(b);
	ret = b->ops->call(b, op, in, out);
	if (ns)
		*ns = b->times.verb_ns;
	return ret;
}

/*
 * kv_op_NAME(b, in, out, ns): @in and @out have the types of the row, NULL for struct kv_none;
 * @ns, or NULL: receives the time of the verb itself, in nanoseconds, 0 if no verb was called.
 */
#define OP(NAME, name, in_, out_, about, ...)						\
	static inline int kv_op_##name(struct kv_backend *b, const struct kv_##in_ *in,	\
				       struct kv_##out_ *out, uint64_t *ns)		\
	{										\
		return kv_op_call(b, KV_OP_##NAME, in, out, ns);			\
	}
#include "model/ops.def"

static inline int kv_op_get(struct kv_backend *b, enum kv_type type, uint32_t id,
			    union kv_object *object)
{
	return kv_op_call(b, KV_OP_PD_GET + type, &(struct kv_id){ id }, object, NULL);
}

static inline int kv_op_del(struct kv_backend *b, enum kv_type type, uint32_t id, uint64_t *ns)
{
	return kv_op_call(b, KV_OP_PD_DEL + type, &(struct kv_id){ id }, NULL, ns);
}

/* On failure *b is NULL, the return value is a negative errno, and err has the text. */
int kv_backend_kern_open(struct kv_backend **b, char *err, size_t size);
int kv_backend_user_open(struct kv_backend **b, char *err, size_t size);
