// SPDX-License-Identifier: MIT
#define _GNU_SOURCE /* O_PATH */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/interrupt.h"
#include "user/user.h"

/* What stands in the buffers of MRs, registered or not. */

/**
 * kv_user_mr_write() - put bytes into the buffer; see model/ops.def
 * @b: the backend
 * @in: the MR, registered or not; where, and what
 * @out: nothing
 * @verb_ns: stays as it is
 *
 * Return: 0 or a negative errno.
 */
int kv_user_mr_write(struct kv_backend *b, const struct kv_mr_write *in,
		     struct kv_none *out, uint64_t *verb_ns)
{
	struct kv_user *u = (struct kv_user *)b;
	struct kv_user_mr *mr = kv_user_obj_find(u, KV_MR, in->id);
	int ret;

	if (!mr)
		return -ENOENT;
	ret = kv_user_mr_check_range(u, mr, in->offset, in->length);
	if (!ret)
		memcpy(mr->buf + in->offset, in->data, in->length);
	return ret;
}

/**
 * kv_user_mr_read() - take bytes from the buffer; see model/ops.def
 * @b: the backend
 * @in: the MR, registered or not; from where, and where to
 * @out: nothing
 * @verb_ns: stays as it is
 *
 * Return: 0 or a negative errno.
 */
int kv_user_mr_read(struct kv_backend *b, const struct kv_mr_read *in,
		    struct kv_none *out, uint64_t *verb_ns)
{
	struct kv_user *u = (struct kv_user *)b;
	struct kv_user_mr *mr = kv_user_obj_find(u, KV_MR, in->id);
	int ret;

	if (!mr)
		return -ENOENT;
	ret = kv_user_mr_check_range(u, mr, in->offset, in->length);
	if (!ret)
		memcpy(in->data, mr->buf + in->offset, in->length);
	return ret;
}

/* A regular file, open for this; the range in the file is one that can be. */
static int check_file(struct kv_user *u, const struct kv_mr_file *in, int mode)
{
	int flags = fcntl(in->fd, F_GETFL);
	struct stat st;

	if (flags < 0 || fstat(in->fd, &st))
		return kv_user_fail(u, -errno, "fd %d: %s", in->fd, strerror(errno));
	if (flags & O_PATH || ((flags & O_ACCMODE) != mode && (flags & O_ACCMODE) != O_RDWR))
		return kv_user_fail(u, -EBADF,
				    "fd %d is not open for %s",
				    in->fd, mode == O_RDONLY ? "reading" : "writing");
	if (!S_ISREG(st.st_mode))
		return kv_user_fail(u, -EINVAL, "fd %d is no regular file", in->fd);
	if (in->file_offset > INT64_MAX)
		return kv_user_fail(u, -ERANGE,
				    "file_offset is %" PRIu64 ": it must be 0 to %" PRId64,
				    in->file_offset, INT64_MAX);
	if (in->length > INT64_MAX - in->file_offset)
		return kv_user_fail(u, -EINVAL,
				    "file_offset %" PRIu64 " and length %" PRIu64 " name bytes that no file has",
				    in->file_offset, in->length);
	return 0;
}

/* All checks, and the bytes; NULL: *error says why not. */
static uint8_t *find_bytes(struct kv_user *u, const struct kv_mr_file *in, int mode, int *error)
{
	struct kv_user_mr *mr = kv_user_obj_find(u, KV_MR, in->id);

	*error = mr ? kv_user_mr_check_range(u, mr, in->offset, in->length) : -ENOENT;
	if (!*error)
		*error = check_file(u, in, mode);
	return *error ? NULL : mr->buf + in->offset;
}

/**
 * kv_user_mr_load() - fill the buffer from a file; see model/ops.def
 * @b: the backend
 * @in: the MR, registered or not; a regular file, open for reading; which bytes
 * @moved: receives how many came
 * @verb_ns: stays as it is
 *
 * Return: 0 or a negative errno.
 */
int kv_user_mr_load(struct kv_backend *b, const struct kv_mr_file *in,
		    struct kv_moved *moved, uint64_t *verb_ns)
{
	struct kv_user *u = (struct kv_user *)b;
	uint8_t *to;
	ssize_t n;
	int ret;

	to = find_bytes(u, in, O_RDONLY, &ret);
	if (!to)
		return ret;
	for (moved->length = 0; moved->length < in->length; moved->length += (size_t)n) {
		do
			n = pread(in->fd, to + moved->length, in->length - moved->length,
				  (off_t)(in->file_offset + moved->length));
		while (kv_interrupt_retry(n));
		if (n < 0)
			return kv_user_fail(u, -errno,
					    "fd %d can't be read: %s",
					    in->fd, strerror(errno));
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
 * kv_user_mr_save() - put the buffer into a file; see model/ops.def
 * @b: the backend
 * @in: the MR, registered or not; a regular file, open for writing; which bytes
 * @moved: receives how many went; fewer than asked for if there was no room for more
 * @verb_ns: stays as it is
 *
 * Return: 0 or a negative errno; also if there was no room for any.
 */
int kv_user_mr_save(struct kv_backend *b, const struct kv_mr_file *in,
		    struct kv_moved *moved, uint64_t *verb_ns)
{
	struct kv_user *u = (struct kv_user *)b;
	const uint8_t *from;
	ssize_t n;
	int ret;

	from = find_bytes(u, in, O_WRONLY, &ret);
	if (!from)
		return ret;
	for (moved->length = 0; moved->length < in->length; moved->length += (size_t)n) {
		do
			n = pwrite(in->fd, from + moved->length, in->length - moved->length,
				  (off_t)(in->file_offset + moved->length));
		while (kv_interrupt_retry(n));
		if (n < 0 && moved->length && is_full(errno))
			break;
		if (n < 0)
			return kv_user_fail(u, -errno,
					    "fd %d can't be written: %s",
					    in->fd, strerror(errno));
	}
	return 0;
}
