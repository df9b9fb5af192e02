// SPDX-License-Identifier: MIT
#include <errno.h>
#include <unistd.h>
#include "cli/interrupt.h"
#include "file/file.h"

/* Bytes of one read; larger reads are no faster. */
#define CHUNK 65536

/** kv_hash_init() - start the hash of a file */
void kv_hash_init(struct kv_hash *h)
{
	sha256_init(&h->sha256);
	h->done = 0;
}

/**
 * kv_hash_step() - hash the next bytes of a file
 * @h: the hash; afterwards includes all bytes of the step
 * @fd: the file, open for reading; the file position is not used
 *
 * Return: 0; -ENODATA if the file ended before; or the errno of pread().
 */
int kv_hash_step(struct kv_hash *h, int fd, uint64_t length)
{
	static uint8_t chunk[CHUNK];
	ssize_t n;

	for (; length; length -= (uint64_t)n) {
		do
			n = pread(fd, chunk, length < CHUNK ? length : CHUNK, (off_t)h->done);
		while (kv_interrupt_retry(n));
		if (n < 0)
			return -errno;
		if (!n)
			return -ENODATA;
		sha256_update(&h->sha256, (size_t)n, chunk);
		h->done += (uint64_t)n;
	}
	return 0;
}

/**
 * kv_hash_add() - hash bytes of a file that were read already
 * @offset: place of the first byte in the file, at most @h->done
 * @from: the bytes; those that are in the hash already are left out
 */
void kv_hash_add(struct kv_hash *h, uint64_t offset, const uint8_t *from, size_t length)
{
	uint64_t known = h->done - offset;

	if (known >= length)
		return;
	sha256_update(&h->sha256, length - known, from + known);
	h->done += length - known;
}

/**
 * kv_hash_finish() - write the digest
 * @h: the hash, which begins anew
 */
void kv_hash_finish(struct kv_hash *h, uint8_t digest[KV_HASH_BYTES])
{
	sha256_digest(&h->sha256, KV_HASH_BYTES, digest);
	h->done = 0;
}
