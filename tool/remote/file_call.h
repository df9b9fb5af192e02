/* SPDX-License-Identifier: MIT */
#ifndef KV_REMOTE_FILE_CALL_H
#define KV_REMOTE_FILE_CALL_H

#include "file/file.h"
#include "file/name.h"
#include "remote/codec.h"

/* What goes to a server and comes back of a file; see struct kv_file_ops. */

struct kv_file_open {
	char name[KV_FILE_NAME_MAX + 1];
};

struct kv_file_create {
	char name[KV_FILE_NAME_MAX + 1];
	uint64_t length;
	uint8_t digest[KV_HASH_BYTES];
	bool replace;
};

struct kv_file_finish {
	uint8_t digest[KV_HASH_BYTES];
};

struct kv_file_close {
	char why[512]; /* "": nothing has failed */
};

struct kv_file_opened {
	uint64_t length;
};

struct kv_file_hashed {
	uint64_t done;
	uint8_t digest[KV_HASH_BYTES]; /* zeros before all is done */
};

extern const struct kv_shape kv_shape_file_open;
extern const struct kv_shape kv_shape_file_create;
extern const struct kv_shape kv_shape_file_piece;
extern const struct kv_shape kv_shape_file_finish;
extern const struct kv_shape kv_shape_file_close;
extern const struct kv_shape kv_shape_file_opened;
extern const struct kv_shape kv_shape_file_hashed;

#endif
