/* SPDX-License-Identifier: MIT */
#ifndef KV_OBJECT_CONTENT_H
#define KV_OBJECT_CONTENT_H

#include "batch/session.h"

/* What buffers hold: the commands mr write, read, load and save. */

/**
 * struct kv_content_args - what they take
 * @given: the MR, and what was given
 * @offset: first byte in the buffer
 * @file_offset: first byte in the file
 * @length: bytes
 * @text: content as text
 * @hex: content as hexadecimal digits
 * @file: name of a file
 * @format: how to tell content, see kv_content_read_key
 */
struct kv_content_args {
	struct kv_given given;
	uint64_t offset;
	uint64_t file_offset;
	uint64_t length;
	const char *text;
	const char *hex;
	const char *file;
	uint32_t format;
};

extern const struct kv_key kv_content_write_key[];
extern const struct kv_key kv_content_read_key[];
extern const struct kv_key kv_content_move_key[];

int kv_content_rest(const struct kv_mr *mr, uint64_t offset, uint64_t *length,
		    struct kv_fault *f);
int kv_content_write(struct kv_session *s, const void *args,
		     struct json_object *result, struct kv_fault *f);
int kv_content_read(struct kv_session *s, const void *args,
		    struct json_object *result, struct kv_fault *f);
int kv_content_load(struct kv_session *s, const void *args,
		    struct json_object *result, struct kv_fault *f);
int kv_content_save(struct kv_session *s, const void *args,
		    struct json_object *result, struct kv_fault *f);

#endif
