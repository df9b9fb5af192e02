// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "file/stale.h"

#define DIGITS 16

/* One that was just made may not be locked yet. */
#define YOUNG_S 60

static bool is_ours(const char *name)
{
	size_t prefix = strlen(KV_STALE_PREFIX);

	return !strncmp(name, KV_STALE_PREFIX, prefix) && strlen(name) == prefix + DIGITS &&
	       strspn(name + prefix, "0123456789abcdef") == DIGITS;
}

/* Whoever works at it has locked it; the lock goes with his process. */
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

/**
 * kv_stale_remove() - remove what processes that were killed have left in a folder
 * @dir: the folder
 *
 * Only on file systems that have no files without a name there is something. What
 * can't be removed stays.
 */
void kv_stale_remove(int dir)
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
