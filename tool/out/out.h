/* SPDX-License-Identifier: MIT */
#ifndef KV_OUT_OUT_H
#define KV_OUT_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <json-c/json.h>
#include "cli/fault.h"

/*
 * Every result is a JSON document first; what is printed as text is made from
 * that document. So neither can say what the other does not.
 */

/**
 * struct kv_out - where a document goes
 * @path: the file that is to be, after symbolic links; NULL: none
 * @temp: what is written until all is in it; NULL: @path itself
 * @fd: of the file that is written; -1: none
 * @to_stdout: the document goes to stdout, in place of text
 */
struct kv_out {
	char *path;
	char *temp;
	int fd;
	bool to_stdout;
};

int kv_out_open(struct kv_out *o, const char *path, struct kv_fault *f);
int kv_out_commit(struct kv_out *o, struct json_object *doc, struct kv_fault *f);
void kv_out_commit_fault(struct kv_out *o, struct json_object *doc, const struct kv_fault *why);
void kv_out_close(struct kv_out *o);

int kv_stdout_open(void);
int kv_stdout_flush(struct kv_fault *f);
int kv_stdout_close(int status);

/* json.c */

/* A tick of a counter may be a third of a nanosecond. */
#define KV_OUT_NS_DECIMALS 2

struct json_object *kv_out_string(const char *value);
struct json_object *kv_out_real(double value, int decimals);
void kv_out_print(struct json_object *doc, int flags);

/*
 * Each adds a member to @obj. A @value, or a string, of NULL becomes JSON's null, and so does a
 * length of time of NAN; @obj owns a @value from then on. A fault is "error", with the "errno" and
 * the "text".
 */
void kv_out_put(struct json_object *obj, const char *key, struct json_object *value);
void kv_out_put_string(struct json_object *obj, const char *key, const char *value);
void kv_out_put_count(struct json_object *obj, const char *key, uint64_t value);
void kv_out_put_bool(struct json_object *obj, const char *key, bool value);
void kv_out_put_ns(struct json_object *obj, const char *key, double ns);
void kv_out_put_fault(struct json_object *obj, const struct kv_fault *f);

/* stages.c: what each stage took, see struct kv_times; nothing, if none is told */
void kv_out_put_stages(struct json_object *obj, const char *key, const uint64_t *stage_ns);

/*
 * Each looks into a document, or a part of it; @path is a JSON pointer, such as "/capsule/device"
 * (RFC 6901). What they return @obj still owns. If nothing is there, or null, that is NULL, "-", 0
 * or NAN. A count is of the type that %llu takes.
 */
struct json_object *kv_out_get(struct json_object *obj, const char *path);
const char *kv_out_get_string(struct json_object *obj, const char *path);
unsigned long long kv_out_get_count(struct json_object *obj, const char *path);
double kv_out_get_real(struct json_object *obj, const char *path);

/* Names of errno, as "EINVAL". */
const char *kv_errno_name(int error);
int kv_errno_number(const char *name);

#endif
