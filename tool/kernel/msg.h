/* SPDX-License-Identifier: MIT */
#pragma once

#include "kernel/link.h"
#include "model/backend.h"

/*
 * The operations of model/ops.def as commands to the module. Most follow from their rows; this
 * folder has those that are several commands, or none.
 */

/* The part that the messages about one noun share. */
struct kv_nl_noun {
	/* Has the names of the noun's attributes, its id among them; or NULL. */
	const struct kv_shape *shape;
	int id; /* attribute of the id; 0: the noun has none */
	/* Attribute of the verb's time; 0: the noun's commands call no verb that is timed. */
	int verb_ns;
	int cmd_get; /* of an object: the command that shows one object, or all */
};

/* The nouns of the objects by enum kv_type. */
extern const struct kv_nl_noun kv_nl_objects[KV_TYPES];
extern const struct kv_nl_noun kv_nl_run;

/* The operations that are no command, and those that are not one command. */
#define OP(...)
#define OWN(NAME, name, in_, out_, ...)							\
	int kv_nl_##name(struct kv_nl *nl, const struct kv_##in_ *in, struct kv_##out_ *out);
#include "model/ops.def"
int kv_nl_dev_get(struct kv_nl *nl, const struct kv_dev_name *in, struct kv_dev *out);
int kv_nl_buf_move(struct kv_nl *nl, enum kv_op op, const struct kv_buf_data *in);
int kv_nl_run_get(struct kv_nl *nl, const struct kv_run_which *in, struct kv_run_result *out);

int kv_nl_command(struct kv_nl *nl, enum kv_op op, const void *in, void *out);
int kv_nl_each(struct kv_backend *b, enum kv_type type,
	       int (*fn)(const union kv_object *object, void *arg), void *arg);
int kv_nl_dev_each(struct kv_backend *b, int (*fn)(const struct kv_dev *dev, void *arg), void *arg);

void kv_nl_tell_quota(struct kv_nl *nl);

/* Deadlines are times of kv_now_ns(); UINT64_MAX: no deadline. */
int kv_nl_wait_any(struct kv_nl *nl, uint64_t deadline_ns);
uint64_t kv_nl_deadline(int32_t timeout_ms);
