// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "cli/interrupt.h"
#include "file/file.h"

/* Bytes between two system calls on the file: as many as one message to the module carries. */
#define CHUNK KVERBS_DATA_MAX

static uint8_t chunk[CHUNK];

static size_t next(const struct kv_bulk *m)
{
	uint64_t left = m->length - m->moved;

	return left < CHUNK ? left : CHUNK;
}

static off_t position(const struct kv_bulk *m)
{
	return (off_t)(m->offset + m->moved);
}

/**
 * kv_bulk_load() - load bytes of a file into a buffer
 * @m: the bytes to load; receives the number of loaded bytes. The end of the file before
 *	@m->length is no failure.
 *
 * Return: 0 or a negative errno; then @m->of_file says whose failure it is.
 */
int kv_bulk_load(struct kv_bulk *m)
{
	ssize_t n;
	int ret;

	for (m->moved = 0; m->moved < m->length; m->moved += (uint64_t)n) {
		do
			n = pread(m->fd, chunk, next(m), position(m));
		while (kv_interrupt_retry(n));
		m->of_file = n < 0;
		if (n <= 0)
			return n ? -errno : 0;
		ret = kv_op_buf_write(m->b, &(struct kv_buf_data){ m->buf, m->buf_offset + m->moved,
				      (uint64_t)n, .from = chunk }, NULL, NULL);
		if (ret)
			return ret;
		if (m->hash)
			kv_hash_add(m->hash, m->offset + m->moved, chunk, (size_t)n);
	}
	return 0;
}

/* Writes all of a chunk, or returns an errno. */
static int write_chunk(struct kv_bulk *m, size_t length)
{
	ssize_t n;

	for (size_t at = 0; at < length; at += (size_t)n) {
		do
			n = pwrite(m->fd, chunk + at, length - at, position(m));
		while (kv_interrupt_retry(n));
		if (n < 0)
			return -errno;
		m->moved += (uint64_t)n;
	}
	return 0;
}

/**
 * kv_bulk_save() - save bytes of a buffer into a file
 * @m: the bytes to save; receives the number of saved bytes. The bytes that the file has then are
 *	hashed.
 *
 * Return: 0 or a negative errno; then @m->of_file says whose failure it is.
 */
int kv_bulk_save(struct kv_bulk *m)
{
	int ret = 0;

	for (m->moved = 0; m->moved < m->length && !ret;) {
		size_t length = next(m);

		m->of_file = false;
		ret = kv_op_buf_read(m->b, &(struct kv_buf_data){ m->buf, m->buf_offset + m->moved,
				     length, .into = chunk }, NULL, NULL);
		if (ret)
			return ret;
		m->of_file = true;
		ret = write_chunk(m, length);
		if (!ret && m->hash)
			ret = kv_hash_step(m->hash, m->fd, length);
	}
	/* Writes early, so that the end is not long. Not all file systems can do this, and the end
	 * reports whether the writing worked.
	 */
	if (!ret && m->hash)
		sync_file_range(m->fd, (off_t)m->offset, (off_t)m->length, SYNC_FILE_RANGE_WRITE);
	return ret;
}
