/* SPDX-License-Identifier: MIT */
#ifndef KV_NL_MSG_H
#define KV_NL_MSG_H

#include "model/backend.h"
#include "nl/link.h"

/*
 * The module's commands: a row for each operation of model/ops.def. This folder is all of the
 * tool that knows attributes; a file knows those of one noun.
 */

/**
 * struct kv_nl_noun - what the messages about one noun are made of
 * @what: "kernel " and its name, for the text of a failure
 * @object: what it is; NULL: it is no object
 * @names: attributes that requests have, up to NULL; or NULL
 * @cmd_get: of an object, the command that shows it, or all
 * @id: attribute
 * @verb_ns: attribute; 0: its commands call no verb that is timed
 */
struct kv_nl_noun {
	const char *what;
	const struct kv_nl_table *object;
	const struct kv_nl_table *const *names;
	int cmd_get;
	int id;
	int verb_ns;
};

/**
 * struct kv_nl_op - an operation as a command
 * @noun: what it is about
 * @what: what it is, for the text of a failure; NULL: the noun's
 * @cmd: enum kverbs_cmd
 * @by_id: what it takes begins with the noun's id
 * @in: what else it takes
 * @put: puts what @in can't tell; or NULL
 * @out: what it gives; NULL: nothing
 * @size: bytes of that
 * @call: does all of it; NULL: the above says how
 */
struct kv_nl_op {
	const struct kv_nl_noun *noun;
	const char *what;
	int cmd;
	bool by_id;
	const struct kv_nl_table *in;
	void (*put)(struct nl_msg *msg, const void *in);
	const struct kv_nl_table *out;
	size_t size;
	int (*call)(struct kv_nl *nl, const void *in, void *out, uint64_t *ns);
};

#define OP(NAME, name, in_, out_, about) extern const struct kv_nl_op kv_nl_op_##name;
#include "model/ops.def"

#define OBJECT(TYPE, type) extern const struct kv_nl_noun kv_nl_##type;
#include "model/objects.def"
#undef OBJECT

/* What all objects have. NEW needs a table @init, as GET one @object, of the file. */
#define KV_NL_OBJECT_OPS(TYPE, type, ...)						\
	const struct kv_nl_op kv_nl_op_##type##_new = {					\
		.noun = &kv_nl_##type, .cmd = KVERBS_CMD_##TYPE##_NEW, .in = &init,	\
		.out = &object, .size = sizeof(struct kv_##type), ##__VA_ARGS__		\
	};										\
	const struct kv_nl_op kv_nl_op_##type##_get = {					\
		.noun = &kv_nl_##type, .cmd = KVERBS_CMD_##TYPE##_GET, .by_id = true,	\
		.out = &object, .size = sizeof(struct kv_##type),			\
	};										\
	const struct kv_nl_op kv_nl_op_##type##_del = {					\
		.noun = &kv_nl_##type, .cmd = KVERBS_CMD_##TYPE##_DEL, .by_id = true,	\
	}

#define KV_NL_NOUN(TYPE, type)								\
	const struct kv_nl_noun kv_nl_##type = {					\
		.what = "kernel " #type, .object = &object, .names = names,		\
		.cmd_get = KVERBS_CMD_##TYPE##_GET, .id = KVERBS_A_##TYPE##_ID,		\
		.verb_ns = KVERBS_A_##TYPE##_VERB_NS,					\
	}

int kv_nl_call(struct kv_nl *nl, const struct kv_nl_op *op, const void *in, void *out,
	       uint64_t *ns);
int kv_nl_each(struct kv_nl *nl, const struct kv_nl_noun *noun,
	       int (*fn)(const union kv_object *object, void *arg), void *arg);
int kv_nl_dev_each(struct kv_nl *nl,
		   int (*fn)(const struct kv_dev *dev, void *arg), void *arg);

/* Deadlines are of kv_now_ns(); UINT64_MAX: none. */
int kv_nl_wait_any(struct kv_nl *nl, uint64_t deadline_ns);
uint64_t kv_nl_deadline(int32_t timeout_ms);

#endif
