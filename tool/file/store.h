/* SPDX-License-Identifier: MIT */
#ifndef KV_FILE_STORE_H
#define KV_FILE_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include "cli/fault.h"

/**
 * struct kv_store - a file that is received: it has its name when all of it is there
 * @dir: the folder it is to be in; -1: none
 * @fd: of what is there so far, for reading and writing; -1: none
 * @name: what it is to be called
 * @temp: what it is called meanwhile; "": it has no name, and goes when @fd is closed,
 *	however the process ends
 * @length: bytes it is to have
 * @replace: a file of that name may be replaced
 */
struct kv_store {
	int dir;
	int fd;
	char name[256];
	char temp[32];
	uint64_t length;
	bool replace;
};

int kv_store_open(struct kv_store *s, int dir, const char *name,
		  uint64_t length, bool replace, struct kv_fault *f);
int kv_store_commit(struct kv_store *s, struct kv_fault *f);
int kv_store_full(const struct kv_store *s, int error, struct kv_fault *f);
void kv_store_close(struct kv_store *s);

#endif
