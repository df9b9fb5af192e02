// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/interrupt.h"
#include "file/file.h"
#include "sys/io.h"
#include "sys/now.h"

/* sysfs gives each attribute the length of a page; the largest page has this many bytes. */
#define PAGE_LARGEST 65536

/* More than the longest tick, which is that of a kernel with HZ=100. */
#define TICK_NS 11000000

/* Files of /proc have length 0, files of sysfs that of a page; both take no room on a disk. */
static bool is_length_doubtful(const struct stat *st)
{
	return !st->st_size || (!st->st_blocks && st->st_size <= PAGE_LARGEST);
}

/* Reads the file to its end into @copy; @length receives the number of bytes. */
static int copy_content(const struct kv_source *s, int copy, uint64_t *length, struct kv_fault *f)
{
	static uint8_t chunk[65536];
	ssize_t n;

	*length = 0;
	for (;;) {
		n = read(s->fd, chunk, sizeof(chunk));
		if (kv_interrupt_seen())
			return kv_fault_set(f, -ECANCELED, "interrupted while %s was read",
					    s->name);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return kv_file_refuse("read", s->name, f);
		if (!n)
			return 0;
		*length += (uint64_t)n;
		if (*length > KV_SOURCE_COPY_MAX)
			return kv_fault_set(f, -EFBIG,
					    "%s has no known length and more than %u MiB, the most that is read ahead of such a file",
					    s->name, KV_SOURCE_COPY_MAX >> 20);
		if (kv_write_all(copy, chunk, (size_t)n))
			return kv_file_refuse("keep the content of", s->name, f);
	}
}

/*
 * If the content is longer or shorter than the file's length, a copy in memory replaces the file.
 * The copy has a length that is known before the first byte is sent.
 */
static int settle_length(struct kv_source *s, struct kv_fault *f)
{
	int copy = memfd_create("kverbs", MFD_CLOEXEC), ret;
	uint64_t length;

	if (copy < 0)
		return kv_file_refuse("make a copy of", s->name, f);
	ret = copy_content(s, copy, &length, f);
	if (ret || length == s->length) {
		close(copy);
		return ret;
	}
	close(s->fd);
	s->fd = copy;
	s->length = length;
	return 0;
}

static uint64_t to_ns(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec;
}

/*
 * Notes the time of the last change. The kernel's clock for such times has ticks, of 10 ms at
 * most: reading begins in a later tick, so that each change from then on has another time.
 */
static int note_change(struct kv_source *s, struct kv_fault *f)
{
	const uint64_t end = kv_now_ns() + TICK_NS;
	struct timespec now;
	struct stat st;

	if (fstat(s->fd, &st))
		return kv_file_refuse("look at", s->name, f);
	s->changed_ns = to_ns(&st.st_ctim);
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	while (to_ns(&now) <= s->changed_ns && kv_now_ns() < end)
		kv_sleep_ns(TICK_NS);
	return 0;
}

/**
 * kv_source_open() - open a file that is to be sent
 * @s: receives the source; kv_source_close() closes it
 * @dir: folder that a relative name starts from; AT_FDCWD: the working folder
 * @name: name of the file
 * @flags: O_NOFOLLOW, or 0
 *
 * A file whose length says nothing about its content, as in /proc and in sysfs, is read to its
 * end first, up to KV_SOURCE_COPY_MAX bytes; the bytes that were read are sent.
 *
 * Return: 0 or a negative errno: -EFBIG if such a file has more bytes; -ECANCELED if
 * a signal asks the tool to end.
 */
int kv_source_open(struct kv_source *s, int dir, const char *name, int flags, struct kv_fault *f)
{
	struct stat st;
	int ret = 0;

	/* Without O_NONBLOCK open() waits for a writer of a pipe. */
	s->fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
	s->name = name;
	if (s->fd < 0 && errno == ELOOP && flags & O_NOFOLLOW)
		return kv_fault_set(f, -ELOOP, "%s is a symbolic link, which is not followed",
				    name);
	if (s->fd < 0 || fstat(s->fd, &st))
		ret = kv_file_refuse("open", s->name, f);
	else if (!S_ISREG(st.st_mode))
		ret = kv_fault_set(f, S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL,
				   "%s is %s, and not a regular file", name,
				   S_ISDIR(st.st_mode) ? "a folder" :
							 "a device, a pipe or a socket");
	else
		s->length = (uint64_t)st.st_size;
	if (!ret && is_length_doubtful(&st))
		ret = settle_length(s, f);
	if (!ret)
		ret = note_change(s, f);
	if (ret)
		kv_source_close(s);
	return ret;
}

/**
 * kv_source_check() - is the file unchanged?
 *
 * Return: 0 or a negative errno: -ESTALE if the file has changed, as far as its length and the time
 * of its last change tell.
 */
int kv_source_check(const struct kv_source *s, struct kv_fault *f)
{
	struct stat st;

	if (fstat(s->fd, &st))
		return kv_file_refuse("look at", s->name, f);
	if ((uint64_t)st.st_size != s->length)
		return kv_fault_set(f, -ESTALE,
				    "%s %s while it was sent: it had %" PRIu64 " bytes, and has %" PRIu64,
				    s->name,
				    (uint64_t)st.st_size < s->length ? "became shorter" : "grew",
				    s->length, (uint64_t)st.st_size);
	if (to_ns(&st.st_ctim) != s->changed_ns)
		return kv_fault_set(f, -ESTALE, "%s was changed while it was sent", s->name);
	return 0;
}

/**
 * kv_source_short() - say that the file has ended too early
 * @at: bytes after which the file ended
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
 * kv_source_close() - close a source
 * @s: the source; may be closed already
 */
void kv_source_close(struct kv_source *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}
