/* SPDX-License-Identifier: MIT */
#ifndef KV_SERVE_FILE_H
#define KV_SERVE_FILE_H

#include "serve/service.h"

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
