/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <json-c/json.h>
#include "cli/fault.h"
#include "sys/temp.h"

/*
 * Every result is a JSON document first, and its text is made from the document.
 * So the two can't differ in content.
 */

/* The destination of a document. */
struct kv_out {
	struct kv_temp file; /* renamed when it is complete */
	bool to_stdout; /* the document goes to stdout, in place of text */
	/*
	 * JSON_C_TO_STRING_PRETTY; the caller may change it to JSON_C_TO_STRING_PLAIN, a line for
	 * each document.
	 */
	int flags;
	int error; /* the first failed write to the file, a negative errno; 0: none */
};

/* The name of a kind of documents, and the version of its members. */
struct kv_schema {
	const char *name; /* as "kverbs.lat" */
	unsigned int version;
};

int kv_out_open(struct kv_out *o, const char *option, const char *path, struct kv_fault *f);
void kv_out_write(struct kv_out *o, struct json_object *doc);
int kv_out_commit(struct kv_out *o, struct json_object *doc, struct kv_fault *f);
void kv_out_commit_fault(struct kv_out *o, struct json_object *doc, const struct kv_fault *why);
void kv_out_refuse(const char *path, struct json_object *doc, const struct kv_fault *why);
void kv_out_close(struct kv_out *o);

int kv_stdout_open(void);
int kv_stdout_flush(struct kv_fault *f);
int kv_stdout_close(int status);

/* json.c */

/* A tick of a counter may be a third of a nanosecond. */
#define KV_OUT_NS_DECIMALS 2

struct json_object *kv_out_document(const struct kv_schema *schema);
int kv_out_read(const char *path, struct json_object **doc, struct kv_fault *f);
struct json_object *kv_out_string(const char *value);
struct json_object *kv_out_real(double value, int decimals);
void kv_out_print(struct json_object *doc, int flags);

/*
 * Each adds a member to @obj. A @value or a string that is NULL becomes JSON's null, and so does a
 * time that is NAN. @obj owns a @value from then on. A fault becomes "error", with its "errno" and
 * its "text".
 */
void kv_out_put_as(struct json_object *obj, const char *key, bool fixed, struct json_object *value);

/* A literal needs no copy. */
static inline void kv_out_put(struct json_object *obj, const char *key, struct json_object *value)
{
	kv_out_put_as(obj, key, __builtin_constant_p(key), value);
}

static inline void kv_out_put_string(struct json_object *obj, const char *key, const char *value)
{
	kv_out_put(obj, key, value ? kv_out_string(value) : NULL);
}

static inline void kv_out_put_count(struct json_object *obj, const char *key, uint64_t value)
{
	kv_out_put(obj, key, json_object_new_uint64(value));
}

static inline void kv_out_put_bool(struct json_object *obj, const char *key, bool value)
{
	kv_out_put(obj, key, json_object_new_boolean(value));
}

static inline void kv_out_put_ns(struct json_object *obj, const char *key, double ns)
{
	kv_out_put(obj, key, kv_out_real(ns, KV_OUT_NS_DECIMALS));
}

void kv_out_put_fault(struct json_object *obj, const struct kv_fault *f);

/* stages.c: the time of each stage, see struct kv_times; nothing if no stage has a time */
void kv_out_put_stages(struct json_object *obj, const char *key, const uint64_t *stage_ns);

/*
 * Each gets a value from a document, or a part of one; @path is a JSON pointer, such as
 * "/environment/device" (RFC 6901). @obj still owns the value. If it is absent or null, the
 * functions return NULL, "-", 0 or NAN. A count has the type that %llu takes.
 */
struct json_object *kv_out_get(struct json_object *obj, const char *path);
struct json_object *kv_out_item(struct json_object *list, size_t i);
const char *kv_out_get_string(struct json_object *obj, const char *path);
unsigned long long kv_out_get_count(struct json_object *obj, const char *path);
double kv_out_get_real(struct json_object *obj, const char *path);

/* Names of errno values, such as "EINVAL". */
const char *kv_errno_name(int error);
int kv_errno_number(const char *name);
