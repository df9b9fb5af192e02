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

int kv_user_mr_write(struct kv_user *u, void *obj, const struct kv_mr_write *in,
		     struct kv_none *out, uint64_t *ns)
{
	struct kv_user_mr *mr = obj;
	int ret = kv_user_mr_check_range(u, mr, in->offset, in->length);

	if (!ret)
		memcpy(mr->buf + in->offset, in->data, in->length);
	return ret;
}

int kv_user_mr_read(struct kv_user *u, void *obj, const struct kv_mr_read *in,
		    struct kv_none *out, uint64_t *ns)
{
	struct kv_user_mr *mr = obj;
	int ret = kv_user_mr_check_range(u, mr, in->offset, in->length);

	if (!ret)
		memcpy(in->data, mr->buf + in->offset, in->length);
	return ret;
}

/* A regular file, open for this; the range in the file is one that can be. */
static int check_file(struct kv_user *u, const struct kv_user_mr *mr,
		      const struct kv_mr_file *in, int mode)
{
	int flags = fcntl(in->fd, F_GETFL);
	struct stat st;
	int ret;

	ret = kv_user_mr_check_range(u, mr, in->offset, in->length);
	if (ret)
		return ret;
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

static bool is_full(int error)
{
	return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

int kv_user_mr_load(struct kv_user *u, void *obj, const struct kv_mr_file *in,
		    struct kv_moved *moved, uint64_t *ns)
{
	struct kv_user_mr *mr = obj;
	uint8_t *to = mr->buf + in->offset;
	ssize_t n;
	int ret;

	ret = check_file(u, mr, in, O_RDONLY);
	if (ret)
		return ret;
	for (moved->length = 0; moved->length < in->length; moved->length += (size_t)n) {
		do
			n = pread(in->fd, to + moved->length, in->length - moved->length,
				  (off_t)(in->file_offset + moved->length));
		while (kv_interrupt_retry(n));
		if (n < 0)
			return kv_user_fail(u, -errno, "fd %d can't be read: %s", in->fd,
					    strerror(errno));
		if (!n)
			break;
	}
	return 0;
}

/* Fewer bytes than asked for if there is no room for more; an error if there is none for any. */
int kv_user_mr_save(struct kv_user *u, void *obj, const struct kv_mr_file *in,
		    struct kv_moved *moved, uint64_t *ns)
{
	struct kv_user_mr *mr = obj;
	const uint8_t *from = mr->buf + in->offset;
	ssize_t n;
	int ret;

	ret = check_file(u, mr, in, O_WRONLY);
	if (ret)
		return ret;
	for (moved->length = 0; moved->length < in->length; moved->length += (size_t)n) {
		do
			n = pwrite(in->fd, from + moved->length, in->length - moved->length,
				   (off_t)(in->file_offset + moved->length));
		while (kv_interrupt_retry(n));
		if (n < 0 && moved->length && is_full(errno))
			break;
		if (n < 0)
			return kv_user_fail(u, -errno, "fd %d can't be written: %s", in->fd,
					    strerror(errno));
	}
	return 0;
}
