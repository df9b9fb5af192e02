/* SPDX-License-Identifier: MIT */
#ifndef KV_FILE_SOURCE_H
#define KV_FILE_SOURCE_H

#include <stdint.h>
#include "cli/fault.h"

/* What is kept in memory of a file whose length says nothing about its content, in bytes. */
#define KV_SOURCE_COPY_MAX (64U << 20)

/**
 * struct kv_source - a file that is sent
 * @fd: of it, or of a copy of its content; -1: none
 * @name: as it was named, for messages; must live as long
 * @length: bytes it had when it was opened, which are those that are sent
 */
struct kv_source {
	int fd;
	const char *name;
	uint64_t length;
};

int kv_source_open(struct kv_source *s, int dir, const char *name, int flags, struct kv_fault *f);
int kv_source_check(const struct kv_source *s, struct kv_fault *f);
int kv_source_short(const struct kv_source *s, uint64_t at, struct kv_fault *f);
void kv_source_close(struct kv_source *s);

#endif
