// SPDX-License-Identifier: MIT
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>
#include "file/file.h"

/* Prefix of temporary names, on file systems without unnamed files; digits follow. */
#define PREFIX ".kverbs-"
#define DIGITS 16

/* A file that was just made may not be locked yet. */
#define YOUNG_S 60

/* Before the umask. */
#define MODE 0666

static bool is_ours(const char *name)
{
	size_t prefix = strlen(PREFIX);

	return !strncmp(name, PREFIX, prefix) && strlen(name) == prefix + DIGITS &&
	       strspn(name + prefix, "0123456789abcdef") == DIGITS;
}

/* The process that writes a file has locked the file; the lock ends with the process. */
static void remove_one(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && time(NULL) - st.st_mtime > YOUNG_S &&
	    !flock(fd, LOCK_EX | LOCK_NB))
		unlinkat(dir, name, 0);
	close(fd);
}

/*
 * Removes the temporary files that killed processes have left in a folder. Such files exist only on
 * file systems that have no files without a name. After an error the file stays.
 */
static void remove_stale(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!list) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(list))) {
		if (is_ours(entry->d_name))
			remove_one(dir, entry->d_name);
	}
	closedir(list);
}

/* Refuses a name before the transfer, not only after all of the file was sent. */
static int check_name(const struct kv_store *s, struct kv_fault *f)
{
	struct stat st;

	if (fstatat(s->dir, s->name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : kv_file_refuse("look at", s->name, f);
	if (!S_ISREG(st.st_mode))
		return kv_fault_set(f, S_ISDIR(st.st_mode) ? -EISDIR : -EEXIST,
				    "%s is there already, and is %s", s->name,
				    S_ISDIR(st.st_mode) ? "a folder" : "not a regular file");
	if (!s->replace)
		return kv_fault_set(f, -EEXIST, "%s is there already; --force replaces it",
				    s->name);
	return 0;
}

static int check_room(const struct kv_store *s, struct kv_fault *f)
{
	struct statvfs st;
	uint64_t room;

	if (fstatvfs(s->dir, &st))
		return kv_file_refuse("look for room for", s->name, f);
	/* File systems that keep no count report 0 blocks. */
	if (!st.f_blocks)
		return 0;
	room = (uint64_t)st.f_bavail * st.f_frsize;
	if (s->length > room)
		return kv_fault_set(f, -ENOSPC,
				    "there is no room for %s: it has %" PRIu64 " bytes, %" PRIu64 " are free",
				    s->name, s->length, room);
	return 0;
}

/* Makes a name that no other file has, and that the next process recognizes as ours. */
static int make_temp_name(struct kv_store *s)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -1;
	snprintf(s->temp, sizeof(s->temp), PREFIX "%016" PRIx64, number);
	return 0;
}

/* Not every file system has files without a name. */
static int open_temp(struct kv_store *s)
{
	s->fd = openat(s->dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, MODE);
	if (s->fd >= 0)
		return 0;
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
		return -1;
	remove_stale(s->dir);
	if (make_temp_name(s))
		return -1;
	s->fd = openat(s->dir, s->temp, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, MODE);
	if (s->fd < 0) {
		s->temp[0] = '\0';
		return -1;
	}
	/* While the file is locked, it is not stale. */
	return flock(s->fd, LOCK_EX | LOCK_NB);
}

/**
 * kv_store_open() - make a file that gets its name later
 * @s: receives the store; kv_store_close() closes it
 * @dir: folder of the file; the store owns it from now on, also on failure
 * @name: a name in @dir
 * @length: final length in bytes
 * @replace: a regular file of that name may be replaced
 */
int kv_store_open(struct kv_store *s, int dir, const char *name,
		  uint64_t length, bool replace, struct kv_fault *f)
{
	int ret;

	memset(s, 0, sizeof(*s));
	s->dir = dir;
	s->fd = -1;
	s->length = length;
	s->replace = replace;
	snprintf(s->name, sizeof(s->name), "%s", name);
	ret = check_name(s, f) ?: check_room(s, f);
	if (!ret && open_temp(s))
		ret = kv_file_refuse("make", s->name, f);
	if (ret)
		kv_store_close(s);
	return ret;
}

/* Gives the file a name. The first way needs CAP_DAC_READ_SEARCH. */
static int link_to(const struct kv_store *s, const char *name)
{
	char path[32];

	if (!linkat(s->fd, "", s->dir, name, AT_EMPTY_PATH))
		return 0;
	if (errno != ENOENT && errno != EPERM)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", s->fd);
	return linkat(AT_FDCWD, path, s->dir, name, AT_SYMLINK_FOLLOW);
}

/* Renames a file that has a temporary name, without replacing another file. */
static int move_beside(struct kv_store *s)
{
	if (!renameat2(s->dir, s->temp, s->dir, s->name, RENAME_NOREPLACE)) {
		s->temp[0] = '\0';
		return 0;
	}
	/* Not every file system supports RENAME_NOREPLACE. */
	if (errno != EINVAL)
		return -1;
	/* The temporary name goes when the store is closed. */
	return linkat(s->dir, s->temp, s->dir, s->name, 0);
}

static int give_name(struct kv_store *s)
{
	if (!s->replace)
		return s->temp[0] ? move_beside(s) : link_to(s, s->name);
	if (!s->temp[0]) {
		if (make_temp_name(s))
			return -1;
		if (link_to(s, s->temp)) {
			s->temp[0] = '\0';
			return -1;
		}
	}
	if (renameat(s->dir, s->temp, s->dir, s->name))
		return -1;
	s->temp[0] = '\0';
	return 0;
}

/**
 * kv_store_commit() - give a complete file its name
 *
 * The file and its name are on the disk before this returns.
 *
 * Return: 0 or a negative errno: -EEXIST if somebody else's file got the name before.
 */
int kv_store_commit(struct kv_store *s, struct kv_fault *f)
{
	struct stat st;

	if (fstat(s->fd, &st))
		return kv_file_refuse("look at", s->name, f);
	if ((uint64_t)st.st_size != s->length)
		return kv_fault_set(f, -EIO, "%s is not complete: %" PRIu64 " bytes of %" PRIu64 " are there",
				    s->name, (uint64_t)st.st_size, s->length);
	if (fsync(s->fd))
		return kv_file_refuse("write", s->name, f);
	if (give_name(s)) {
		if (errno == EEXIST)
			return kv_fault_set(f, -EEXIST, "another process has made %s meanwhile; it stays as it is",
					    s->name);
		return kv_file_refuse("give its name to", s->name, f);
	}
	/* Folders of some file systems can't be synced, and need not be. */
	if (fsync(s->dir) && errno != EINVAL)
		return kv_fault_set(f, -errno, "%s is complete, but its folder can't be written: %s",
				    s->name, strerror(errno));
	return 0;
}

/**
 * kv_store_close() - close a store; a file that was not committed is removed
 * @s: the store; may be closed already, but must have been opened
 */
void kv_store_close(struct kv_store *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	if (s->temp[0])
		unlinkat(s->dir, s->temp, 0);
	s->temp[0] = '\0';
	if (s->dir >= 0)
		close(s->dir);
	s->dir = -1;
}
