/* SPDX-License-Identifier: MIT */
#ifndef KV_OBJECT_OBJECT_H
#define KV_OBJECT_OBJECT_H

#include "batch/session.h"

/* What the nouns that are objects have in common. */

/* Makes an object as a command's @args say; returns 0, or a negative errno and fills @f. */
typedef int kv_object_make_fn(struct kv_session *s, const void *args,
			      union kv_object *object, struct kv_fault *f);

int kv_object_add(struct kv_session *s, enum kv_type type, const char *name,
		  kv_object_make_fn *make, const void *args,
		  union kv_object *object, struct json_object *result,
		  struct kv_fault *f);
int kv_object_dev(struct kv_session *s, const char **dev, struct kv_fault *f);
int kv_object_each(struct kv_session *s, enum kv_type type,
		   void (*begin)(void *arg),
		   int (*fn)(const union kv_object *object, void *arg),
		   void *arg);
void kv_object_whole(struct kv_session *s, enum kv_type type,
		     const union kv_object *object,
		     struct json_object *result);
void kv_object_part(struct kv_session *s, enum kv_type type, uint32_t id,
		    struct json_object *result);
void kv_object_begin(struct kv_session *s, enum kv_type type, uint32_t id,
		     struct json_object *result);
int kv_object_show(struct kv_session *s, enum kv_type type,
		   const struct kv_given *given, struct json_object *result,
		   struct kv_fault *f);
int kv_object_del(struct kv_session *s, enum kv_type type,
		  const struct kv_given *given, struct json_object *result,
		  struct kv_fault *f);

extern const struct kv_key kv_no_key[];

/* The function of a command that makes an object, by way of @make. */
#define KV_OBJECT_ADD(fn, t, args_type, make)				\
	static int fn(struct kv_session *s, const void *args,		\
		      struct json_object *result, struct kv_fault *f)	\
	{								\
		const args_type *a = args;				\
		union kv_object object;					\
									\
		return kv_object_add(s, t, a->name, make, a, &object,	\
				     result, f);			\
	}

/* The functions of 'show' and 'del', and the rows of a noun's table for them. */
#define KV_OBJECT_FUNCTIONS(t)						\
	static int show(struct kv_session *s, const void *args,		\
			struct json_object *result, struct kv_fault *f)	\
	{								\
		return kv_object_show(s, t, args, result, f);		\
	}								\
									\
	static int del(struct kv_session *s, const void *args,		\
		       struct json_object *result, struct kv_fault *f)	\
	{								\
		return kv_object_del(s, t, args, result, f);		\
	}

#define KV_OBJECT_COMMANDS(t, shows, deletes)				\
	{ "show", shows, .id = KV_ID_MAY, .type = t, .key = kv_no_key,	\
	  .size = sizeof(struct kv_given), .fn = show,			\
	  .print = kv_text_objects },					\
	{ "del", deletes, .id = KV_ID_MUST, .type = t, .key = kv_no_key, \
	  .size = sizeof(struct kv_given), .fn = del }

#endif
