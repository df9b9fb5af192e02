/* SPDX-License-Identifier: MIT */
#pragma once

#include "batch/session.h"

/* Declarations for the nouns that are objects. */

/* The values of a command that is an operation of ops.def. */
struct kv_operation_args {
	struct kv_given given; /* the object, and the keys that were given */
	const char *name; /* name of a new object; NULL: none */
	uint32_t cq; /* of 'qp add' */
	union { /* the arguments of the operation */
		uint32_t id; /* of the object that the operation is about */
#define OP(NAME, name_, in_, out_, about_, ...) struct kv_##in_ name_;
#define START(...) /* no command of an object; its argument is large, and these are copied */
#include "model/ops.def"
	} in;
};

/* A check or preparation before the operation: returns 0, or a negative errno and fills @f. */
typedef int kv_prepare_fn(struct kv_session *s, struct kv_operation_args *a, struct kv_fault *f);

extern kv_prepare_fn *const kv_prepare[KV_OPS];

/* Makes an object from a command's @args; returns 0, or a negative errno and fills @f. */
typedef int kv_object_make_fn(struct kv_session *s, const void *args, union kv_object *object,
			      struct kv_fault *f);

int kv_object_add(struct kv_session *s, enum kv_type type, const char *name,
		  kv_object_make_fn *make, const void *args, union kv_object *object,
		  struct json_object *result, struct kv_fault *f);
int kv_object_dev(struct kv_session *s, const char **dev, struct kv_fault *f);
int kv_object_each(struct kv_session *s, enum kv_type type, void (*begin)(void *arg),
		   int (*fn)(const union kv_object *object, void *arg), void *arg);
void kv_object_whole(struct kv_session *s, enum kv_type type, const union kv_object *object,
		     struct json_object *result);
int kv_object_forget(struct kv_session *s, struct kv_fault *f);
void kv_object_begin(struct kv_session *s, enum kv_type type, uint32_t id,
		     struct json_object *result);
void kv_post_make_keys(void);
uint32_t kv_flush_each(struct kv_session *s, bool persistent);
int kv_content_rest(struct kv_session *s, uint32_t buf, uint64_t offset, uint64_t *length,
		    struct kv_fault *f);
int kv_qp_modify(struct kv_session *s, const void *args, struct json_object *result,
		 struct kv_fault *f);
int kv_qp_fault_step(struct kv_session *s, int error, struct kv_fault *f);
int kv_qp_fault_modify(struct kv_session *s, uint32_t id, const struct kv_qp_attr *attr, int error,
		       struct kv_fault *f);

#define KV_IWARP_CM "iWARP connects through the RDMA CM: 'conn listen' and 'conn connect'"
#define KV_IWARP_IMM "iWARP has no immediate data"

int kv_iwarp_check(struct kv_session *s, uint32_t qp, const char *why, struct kv_fault *f);
