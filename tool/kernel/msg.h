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
	const char *what; /* "kernel " and the noun's name, for the text of a failure */
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

/* An operation that is not one command: same arguments as kv_backend_ops.call. */
typedef int kv_nl_op_fn(struct kv_nl *nl, const void *in, void *out);

kv_nl_op_fn kv_nl_dev_get, kv_nl_counters;
kv_nl_op_fn kv_nl_buf_write, kv_nl_buf_read;
kv_nl_op_fn kv_nl_conn_wait, kv_nl_cq_wait, kv_nl_event_wait, kv_nl_run_wait;
kv_nl_op_fn kv_nl_run_peek, kv_nl_run_get;

int kv_nl_command(struct kv_nl *nl, enum kv_op op, const void *in, void *out);
int kv_nl_each(struct kv_backend *b, enum kv_type type,
	       int (*fn)(const union kv_object *object, void *arg), void *arg);
int kv_nl_dev_each(struct kv_backend *b, int (*fn)(const struct kv_dev *dev, void *arg), void *arg);

/* Deadlines are times of kv_now_ns(); UINT64_MAX: no deadline. */
int kv_nl_wait_any(struct kv_nl *nl, uint64_t deadline_ns);
uint64_t kv_nl_deadline(int32_t timeout_ms);
