/* SPDX-License-Identifier: MIT */
#ifndef KV_FILE_HASH_H
#define KV_FILE_HASH_H

#include <stdint.h>
#include <nettle/sha2.h>

#define KV_HASH_BYTES SHA256_DIGEST_SIZE

/* In hexadecimal, with its end. */
#define KV_HASH_TEXT (2 * KV_HASH_BYTES + 1)

/**
 * struct kv_hash - the SHA-256 of a file, taken in steps
 * @sha256: what it is so far
 * @done: bytes that are in it, from the file's beginning on
 */
struct kv_hash {
	struct sha256_ctx sha256;
	uint64_t done;
};

void kv_hash_init(struct kv_hash *h);
int kv_hash_step(struct kv_hash *h, int fd, uint64_t length);
void kv_hash_finish(struct kv_hash *h, uint8_t digest[KV_HASH_BYTES]);
void kv_hash_format(char text[KV_HASH_TEXT], const uint8_t digest[KV_HASH_BYTES]);

#endif
