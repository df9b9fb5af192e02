/* SPDX-License-Identifier: MIT */
#ifndef KV_TESTS_FAKE_BACKEND_H
#define KV_TESTS_FAKE_BACKEND_H

#include "model/backend.h"

/*
 * A space that is none: objects are entries of an array, what is posted completes
 * at once. kv_backend_kern_open() and kv_backend_user_open() give one each.
 */

#define FAKE_MAX 64
#define FAKE_BYTES 4096

/**
 * struct fake_world - what tests look at, and what they order
 * @open: backends that are open
 * @objects: that exist in them
 * @fail_state: a QP refuses to go there; -1: nowhere
 * @refuse: the refusal of each modify of a QP; NULL: they are looked at
 * @lists_changing: so many lists are changed while they are taken
 * @in_use: no object can be destroyed
 * @late_polls: so many polls find nothing
 * @refusal: requests are refused with -EINVAL and this text; NULL: they are not
 * @failed: enum kverbs_stage of the verb that @refusal is of; 0: none was called
 * @posted: of a list only so many requests are posted, and then it is -ENOMEM; 0: all are
 * @waits: how often an event was waited for
 * @longest_ms: of these waits
 * @event: comes next, if its type is not 0
 * @signal: comes with it, if it is not 0
 * @answer: the state of a connection that was asked for, enum kverbs_conn_state;
 *	0: nothing
 * @requests: of peers that wait to be taken
 * @late_runs: runs don't end before they are cancelled
 * @large_dev: the device has as many ports, with as many GIDs, as there is room for
 * @broken_port: number of a port that can't be queried; 0: none
 */
struct fake_world {
	int open;
	int objects;
	int fail_state;
	const char *refuse;
	int lists_changing;
	bool in_use;
	int late_polls;
	const char *refusal;
	uint32_t failed;
	uint32_t posted;
	int waits;
	int longest_ms;
	struct kv_event event;
	int signal;
	uint32_t answer;
	int requests;
	bool late_runs;
	bool large_dev;
	uint32_t broken_port;
};

extern struct fake_world fake_world;

void fake_world_reset(void);
void fake_run_forget(void);

/* An object, or NULL and why is in @b. */
union kv_object *fake_find(struct kv_backend *b, enum kv_type type,
			   uint32_t id);
union kv_object *fake_make(struct kv_backend *b, enum kv_type type,
			   bool persistent);

/* The operations of model/ops.def, a function each. */
#define OP(NAME, name, in_, out_, about, ...)							\
	int fake_##name(struct kv_backend *b, const struct kv_##in_ *in, struct kv_##out_ *out);
#define GET(...)
#define DEL(...)
#include "model/ops.def"

int fake_get(struct kv_backend *b, enum kv_type type, uint32_t id, union kv_object *object);
int fake_del(struct kv_backend *b, enum kv_type type, uint32_t id);

#endif
