/* SPDX-License-Identifier: MIT */
#ifndef KV_SERVE_FILE_H
#define KV_SERVE_FILE_H

#include "file/file.h"

/* The longest file that is taken if nothing else is said. */
#define KV_SERVE_FILE_BYTES (4ULL << 30)

/**
 * struct kv_serve_files - what a server lets its clients do with files
 * @dir: the folder that they are in; -1: there is none, and no client gets any
 * @read_only: they can be fetched, and none can be put
 * @bytes: the longest that is taken
 */
struct kv_serve_files {
	int dir;
	bool read_only;
	uint64_t bytes;
};

struct kv_service;

void kv_serve_file_init(struct kv_service *s, const struct kv_serve_files *files);
void kv_serve_file_exit(struct kv_service *s);
int kv_serve_file_open(struct kv_service *s);
int kv_serve_file_create(struct kv_service *s);
int kv_serve_file_load(struct kv_service *s);
int kv_serve_file_save(struct kv_service *s);
int kv_serve_file_hash(struct kv_service *s);
int kv_serve_file_finish(struct kv_service *s);
int kv_serve_file_close(struct kv_service *s);

#endif
