// SPDX-License-Identifier: MIT
#define _GNU_SOURCE /* O_PATH */
/* Content from and to files that we have open. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include "contract.h"

#define PATH "/tmp/contract-file"
#define SMALL "/tmp/contract-small"
/* More than one message could carry, and no multiple of a page. */
#define BYTES 300001

static int fd;
static char *pattern;

static int load(struct link *l, uint32_t mr, int from, uint64_t file_offset,
		uint64_t offset, uint64_t length, uint64_t *moved)
{
	return call_mr_load(&l->nl, mr, from, file_offset, offset, length, moved);
}

static int save(struct link *l, uint32_t mr, int to, uint64_t file_offset,
		uint64_t offset, uint64_t length, uint64_t *moved)
{
	return call_mr_save(&l->nl, mr, to, file_offset, offset, length, moved);
}

static int must_open(const char *path, int flags)
{
	int got = open(path, flags, 0600);

	if (got < 0)
		bail_out("%s: %s", path, strerror(errno));
	return got;
}

/* The file holds this many bytes, and at @at what the pattern has at @from. */
static bool file_holds(const char *path, off_t size, off_t at,
		       size_t from, size_t length)
{
	char *got = malloc(length);
	int in = must_open(path, O_RDONLY);
	struct stat st;
	bool same;

	same = !fstat(in, &st) && st.st_size == size &&
	       pread(in, got, length, at) == (ssize_t)length &&
	       !memcmp(got, pattern + from, length);
	close(in);
	free(got);
	return same;
}

static void test_good(struct link *l, uint32_t mr)
{
	char zero[100] = "";
	uint64_t moved;
	int other;

	done(l, load(l, mr, fd, 0, 0, BYTES, &moved), "a whole file is loaded");
	result(moved == BYTES && holds(l, mr, 0, pattern, LENGTH) &&
	       holds(l, mr, BYTES - 100, pattern + BYTES - 100, 100), "all of it is there");
	other = must_open(PATH "2", O_RDWR | O_CREAT | O_TRUNC);
	done(l, save(l, mr, other, 0, 0, BYTES, &moved), "and saved");
	result(moved == BYTES && file_holds(PATH "2", BYTES, 0, 0, BYTES), "as it was");

	done(l, load(l, mr, fd, 1000, 10, 50, &moved), "a piece of it is loaded");
	result(moved == 50 && holds(l, mr, 0, pattern, 10) &&
	       holds(l, mr, 10, pattern + 1000, 50) &&
	       holds(l, mr, 60, pattern + 60, 100), "these bytes, and no other");
	done(l, save(l, mr, other, BYTES, 10, 50, &moved), "a piece is saved behind the end");
	result(moved == 50 && file_holds(PATH "2", BYTES + 50, BYTES, 1000, 50) &&
	       file_holds(PATH "2", BYTES + 50, 0, 0, BYTES), "the file grows by it");
	result(lseek(fd, 0, SEEK_CUR) == 0, "the file's own position stays");

	must(l, call_mr_write(&l->nl, mr, 0, zero, sizeof(zero)), "write");
	done(l, load(l, mr, fd, BYTES - 50, 0, 100, &moved), "a file that ends");
	result(moved == 50 && holds(l, mr, 0, pattern + BYTES - 50, 50) &&
	       holds(l, mr, 50, zero, 50), "gives what it has");
	done(l, load(l, mr, fd, BYTES + 1000, 0, 100, &moved), "a file that has ended before");
	result(!moved && holds(l, mr, 0, pattern + BYTES - 50, 50), "gives nothing");
	close(other);
}

static void test_full(struct link *l, uint32_t mr)
{
	uint64_t moved;
	int small;

	mkdir(SMALL, 0700);
	if (mount("none", SMALL, "tmpfs", 0, "size=64k"))
		bail_out("mount: %s", strerror(errno));
	must(l, load(l, mr, fd, 0, 0, BYTES, &moved), "load");
	small = must_open(SMALL "/file", O_RDWR | O_CREAT);
	done(l, save(l, mr, small, 0, 0, BYTES, &moved), "a file system that gets full");
	result(moved == 65536 && file_holds(SMALL "/file", 65536, 0, 0, 65536),
	       "takes what it can");
	refused(l, save(l, mr, small, 65536, 0, 100, &moved), -ENOSPC, "",
		"and says so when it can take nothing");
	close(small);
	umount(SMALL);
	rmdir(SMALL);
}

static int send_load(struct link *l, uint32_t mr, uint32_t from, uint64_t file_offset)
{
	struct nl_msg *msg = call_msg_of(&l->nl, KV_MR, KVERBS_CMD_MR_LOAD, mr);

	nla_put_u32(msg, KVERBS_A_MR_FD, from);
	nla_put_u64(msg, KVERBS_A_MR_FILE_OFFSET, file_offset);
	return send_msg(l, msg);
}

static void test_bad(struct link *l, uint32_t mr)
{
	int ro = must_open(PATH, O_RDONLY), wo = must_open(PATH, O_WRONLY);
	int dir = must_open("/tmp", O_RDONLY), path = must_open(PATH, O_PATH);
	int null = must_open("/dev/null", O_RDWR), closed, pipes[2];
	uint64_t moved;

	if (pipe(pipes))
		bail_out("pipe: %s", strerror(errno));
	closed = dup(fd);
	close(closed);
	refused(l, load(l, mr, closed, 0, 0, 100, &moved), -EBADF,
		"kernel mr load: file: ", "a file that is not open");
	refused(l, load(l, mr, -1, 0, 0, 100, &moved), -ERANGE,
		"kernel mr load: file: integer out of range", "no file at all");
	refused(l, load(l, mr, wo, 0, 0, 100, &moved), -EBADF, "reading",
		"loading from a file that is open for writing only");
	refused(l, save(l, mr, ro, 0, 0, 100, &moved), -EBADF, "writing",
		"saving to a file that is open for reading only");
	refused(l, load(l, mr, path, 0, 0, 100, &moved), -EBADF, "",
		"loading from a path");
	refused(l, load(l, mr, pipes[0], 0, 0, 100, &moved), -EINVAL, "regular file",
		"loading from a pipe");
	refused(l, save(l, mr, pipes[1], 0, 0, 100, &moved), -EINVAL, "regular file",
		"saving to a pipe");
	refused(l, load(l, mr, dir, 0, 0, 100, &moved), -EINVAL, "regular file",
		"loading from a folder");
	refused(l, save(l, mr, null, 0, 0, 100, &moved), -EINVAL, "regular file",
		"saving to a device");
	refused(l, load(l, mr, nl_socket_get_fd(l->nl.sock), 0, 0, 100, &moved), -EINVAL,
		"regular file", "loading from the socket itself");
	refused(l, load(l, mr, fd, 0, BYTES - 50, 100, &moved), -EINVAL,
		"beyond the end of the buffer", "loading beyond the end");
	refused(l, save(l, mr, fd, 0, BYTES, 1, &moved), -EINVAL,
		"beyond the end of the buffer", "saving from the end on");
	refused(l, load(l, mr, fd, 0, ~0ULL, 100, &moved), -EINVAL,
		"beyond the end of the buffer", "loading far beyond the end");
	refused(l, load(l, mr, fd, 0, 0, 0, &moved), -ERANGE, "length: ", "loading nothing");
	refused(l, load(l, mr, fd, 1ULL << 63, 0, 100, &moved), -ERANGE, "file_offset: ",
		"an offset that no file has");
	refused(l, load(l, mr, fd, INT64_MAX, 0, 100, &moved), -EINVAL,
		"beyond the end of any file", "loading from where no file can reach");
	refused(l, save(l, mr, fd, INT64_MAX, 0, 100, &moved), -EINVAL,
		"beyond the end of any file", "and saving there");
	refused(l, RAW(l, KVERBS_CMD_MR_LOAD, KVERBS_A_MR_ID, mr), -EINVAL,
		"fd is missing", "loading from nothing");
	refused(l, RAW(l, KVERBS_CMD_MR_SAVE, KVERBS_A_MR_ID, mr), -EINVAL,
		"fd is missing", "saving to nothing");
	refused(l, load(l, 2000000000, fd, 0, 0, 100, &moved), -ENOENT,
		"no mr with this id among yours", "loading into an unknown mr");
	result(file_holds(PATH, BYTES, 0, 0, BYTES) && holds(l, mr, 0, pattern, LENGTH),
	       "none of these has changed a byte");
	done(l, send_load(l, mr, (uint32_t)fd, 1), "without a length: what is left of the buffer");
	result(holds(l, mr, 0, pattern + 1, LENGTH), "is loaded");
	close(pipes[0]);
	close(pipes[1]);
	close(null);
	close(path);
	close(dir);
	close(wo);
	close(ro);
}

void test_file(void)
{
	struct link l;
	uint32_t mr;
	size_t i;

	pattern = malloc(BYTES);
	for (i = 0; i < BYTES; i++)
		pattern[i] = (char)(i * 2654435761U >> 13);
	fd = must_open(PATH, O_RDWR | O_CREAT | O_TRUNC);
	if (pwrite(fd, pattern, BYTES, 0) != BYTES)
		bail_out("%s: %s", PATH, strerror(errno));
	link_open(&l);
	mr = make_mr(&l, make_pd(&l), BYTES);
	test_good(&l, mr);
	test_full(&l, mr);
	test_bad(&l, mr);
	link_close(&l);
	close(fd);
	unlink(PATH);
	unlink(PATH "2");
	free(pattern);
}
