// SPDX-License-Identifier: MIT
#define _GNU_SOURCE /* O_PATH */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "interrupt.h"
#include "user/user.h"

/* What stands in the buffers of MRs, registered or not. */

/**
 * kv_user_mr_write() - put bytes into the buffer; see struct kv_backend_ops
 * @b: the backend
 * @id: the MR, registered or not
 * @offset: where
 * @data: what
 * @length: bytes
 *
 * Return: 0 or a negative errno.
 */
int kv_user_mr_write(struct kv_backend *b, uint32_t id, uint64_t offset,
		     const void *data, uint64_t length)
{
	struct kv_user *u = (struct kv_user *)b;
	struct kv_user_mr *mr = kv_user_obj_find(u, KV_MR, id);
	int ret;

	if (!mr)
		return -ENOENT;
	ret = kv_user_mr_check_range(u, mr, offset, length);
	if (!ret)
		memcpy(mr->buf + offset, data, length);
	return ret;
}

/**
 * kv_user_mr_read() - take bytes from the buffer; see struct kv_backend_ops
 * @b: the backend
 * @id: the MR, registered or not
 * @offset: where
 * @data: where to
 * @length: bytes
 *
 * Return: 0 or a negative errno.
 */
int kv_user_mr_read(struct kv_backend *b, uint32_t id, uint64_t offset,
		    void *data, uint64_t length)
{
	struct kv_user *u = (struct kv_user *)b;
	struct kv_user_mr *mr = kv_user_obj_find(u, KV_MR, id);
	int ret;

	if (!mr)
		return -ENOENT;
	ret = kv_user_mr_check_range(u, mr, offset, length);
	if (!ret)
		memcpy(data, mr->buf + offset, length);
	return ret;
}

/* A regular file, open for this; the range in the file is one that can be. */
static int check_file(struct kv_user *u, int fd, int mode, uint64_t file_offset,
		      uint64_t length)
{
	int flags = fcntl(fd, F_GETFL);
	struct stat st;

	if (flags < 0 || fstat(fd, &st))
		return kv_user_fail(u, -errno, "fd %d: %s", fd, strerror(errno));
	if (flags & O_PATH || ((flags & O_ACCMODE) != mode && (flags & O_ACCMODE) != O_RDWR))
		return kv_user_fail(u, -EBADF,
				    "fd %d is not open for %s",
				    fd, mode == O_RDONLY ? "reading" : "writing");
	if (!S_ISREG(st.st_mode))
		return kv_user_fail(u, -EINVAL, "fd %d is no regular file", fd);
	if (file_offset > INT64_MAX)
		return kv_user_fail(u, -ERANGE,
				    "file_offset is %" PRIu64 ": it must be 0 to %" PRId64,
				    file_offset, INT64_MAX);
	if (length > INT64_MAX - file_offset)
		return kv_user_fail(u, -EINVAL,
				    "file_offset %" PRIu64 " and length %" PRIu64 " name bytes that no file has",
				    file_offset, length);
	return 0;
}

/* All checks, and the bytes; NULL: *error says why not. */
static uint8_t *find_bytes(struct kv_user *u, uint32_t id, int fd, int mode,
			   uint64_t file_offset, uint64_t offset,
			   uint64_t length, int *error)
{
	struct kv_user_mr *mr = kv_user_obj_find(u, KV_MR, id);

	*error = mr ? kv_user_mr_check_range(u, mr, offset, length) : -ENOENT;
	if (!*error)
		*error = check_file(u, fd, mode, file_offset, length);
	return *error ? NULL : mr->buf + offset;
}

/**
 * kv_user_mr_load() - fill the buffer from a file; see struct kv_backend_ops
 * @b: the backend
 * @id: the MR, registered or not
 * @fd: a regular file, open for reading
 * @file_offset: first byte in the file
 * @offset: first byte in the buffer
 * @length: bytes
 * @moved: receives how many came; less than @length if the file ended
 *
 * Return: 0 or a negative errno.
 */
int kv_user_mr_load(struct kv_backend *b, uint32_t id, int fd,
		    uint64_t file_offset, uint64_t offset, uint64_t length,
		    uint64_t *moved)
{
	struct kv_user *u = (struct kv_user *)b;
	uint8_t *to;
	ssize_t n;
	int ret;

	to = find_bytes(u, id, fd, O_RDONLY, file_offset, offset, length, &ret);
	if (!to)
		return ret;
	for (*moved = 0; *moved < length; *moved += (size_t)n) {
		do
			n = pread(fd, to + *moved, length - *moved,
				  (off_t)(file_offset + *moved));
		while (kv_interrupt_retry(n));
		if (n < 0)
			return kv_user_fail(u, -errno,
					    "fd %d can't be read: %s",
					    fd, strerror(errno));
		if (!n)
			break;
	}
	return 0;
}

static bool is_full(int error)
{
	return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

/**
 * kv_user_mr_save() - put the buffer into a file; see struct kv_backend_ops
 * @b: the backend
 * @id: the MR, registered or not
 * @fd: a regular file, open for writing
 * @file_offset: first byte in the file
 * @offset: first byte in the buffer
 * @length: bytes
 * @moved: receives how many went; less than @length if there was no room for more
 *
 * Return: 0 or a negative errno; also if there was no room for any.
 */
int kv_user_mr_save(struct kv_backend *b, uint32_t id, int fd,
		    uint64_t file_offset, uint64_t offset, uint64_t length,
		    uint64_t *moved)
{
	struct kv_user *u = (struct kv_user *)b;
	const uint8_t *from;
	ssize_t n;
	int ret;

	from = find_bytes(u, id, fd, O_WRONLY, file_offset, offset, length, &ret);
	if (!from)
		return ret;
	for (*moved = 0; *moved < length; *moved += (size_t)n) {
		do
			n = pwrite(fd, from + *moved, length - *moved,
				   (off_t)(file_offset + *moved));
		while (kv_interrupt_retry(n));
		if (n < 0 && *moved && is_full(errno))
			break;
		if (n < 0)
			return kv_user_fail(u, -errno,
					    "fd %d can't be written: %s",
					    fd, strerror(errno));
	}
	return 0;
}
