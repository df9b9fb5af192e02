// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "file/source.h"

/**
 * kv_source_open() - open a file that is to be sent
 * @s: receives it; kv_source_close() closes it
 * @dir: folder that a relative name starts from; AT_FDCWD: the working one
 * @name: of the file
 * @flags: O_NOFOLLOW, or 0
 * @f: receives why not
 *
 * Return: 0 or a negative errno.
 */
int kv_source_open(struct kv_source *s, int dir, const char *name, int flags,
		   struct kv_fault *f)
{
	struct stat st;
	int ret = 0;

	/* Without O_NONBLOCK a pipe waits for somebody who writes. */
	s->fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
	s->name = name;
	if (s->fd < 0 && errno == ELOOP && flags & O_NOFOLLOW)
		return kv_fault_set(f, -ELOOP, "%s is a symbolic link, which is not followed",
				    name);
	if (s->fd < 0 || fstat(s->fd, &st))
		ret = kv_fault_set(f, -errno, "cannot open %s: %s", name,
				   strerror(errno));
	else if (!S_ISREG(st.st_mode))
		ret = kv_fault_set(f, S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL,
				   "%s is %s, and not a regular file", name,
				   S_ISDIR(st.st_mode) ? "a folder" :
							 "a device, a pipe or a socket");
	else
		s->length = (uint64_t)st.st_size;
	if (ret)
		kv_source_close(s);
	return ret;
}

/**
 * kv_source_check() - is the file still as long as it was?
 * @s: the file
 * @f: receives why not
 *
 * What else may have changed in it, the hash tells.
 *
 * Return: 0 or a negative errno: -ESTALE if it is not.
 */
int kv_source_check(const struct kv_source *s, struct kv_fault *f)
{
	struct stat st;

	if (fstat(s->fd, &st))
		return kv_fault_set(f, -errno, "cannot look at %s: %s", s->name,
				    strerror(errno));
	if ((uint64_t)st.st_size != s->length)
		return kv_fault_set(f, -ESTALE,
				    "%s %s while it was sent: it had %" PRIu64 " bytes, and has %" PRIu64,
				    s->name,
				    (uint64_t)st.st_size < s->length ? "became shorter" : "grew",
				    s->length, (uint64_t)st.st_size);
	return 0;
}

/**
 * kv_source_short() - say that the file has ended before its end
 * @s: the file
 * @at: bytes after which nothing came
 * @f: receives it
 *
 * Return: -ESTALE
 */
int kv_source_short(const struct kv_source *s, uint64_t at, struct kv_fault *f)
{
	return kv_fault_set(f, -ESTALE,
			    "%s became shorter while it was sent: it had %" PRIu64 " bytes, and ends after %" PRIu64,
			    s->name, s->length, at);
}

/**
 * kv_source_close() - close it
 * @s: open or not
 */
void kv_source_close(struct kv_source *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}
