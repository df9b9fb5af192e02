// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sys/temp.h"

/* The mode of a result, which all users may read. mkostemp() gives 0600. */
#define FILE_MODE 0644

static int open_beside(struct kv_temp *t)
{
	mode_t mask = umask(0);

	umask(mask);
	if (asprintf(&t->name, "%s.XXXXXX", t->path) < 0) {
		t->name = NULL;
		return -ENOMEM;
	}
	t->fd = mkostemp(t->name, O_CLOEXEC);
	if (t->fd < 0) {
		int error = errno;

		free(t->name);
		t->name = NULL;
		return -error;
	}
	return fchmod(t->fd, FILE_MODE & ~mask) ? -errno : 0;
}

/**
 * kv_temp_open() - begin a file
 * @t: receives it; kv_temp_close() closes it
 * @path: the final file; a device or a pipe can't be replaced, and is written itself
 *
 * Return: 0 or a negative errno: then it is closed.
 */
int kv_temp_open(struct kv_temp *t, const char *path)
{
	struct stat st;
	int ret = 0;

	/* A symbolic link is kept; its target file is replaced. */
	*t = (struct kv_temp){ .path = realpath(path, NULL) ?: strdup(path), .fd = -1 };
	if (!t->path)
		return -ENOMEM;
	if (stat(t->path, &st) || S_ISREG(st.st_mode)) {
		ret = open_beside(t);
	} else {
		t->fd = open(t->path, O_WRONLY | O_CLOEXEC);
		ret = t->fd < 0 ? -errno : 0;
	}
	if (ret)
		kv_temp_close(t);
	return ret;
}

/**
 * kv_temp_rename() - give the file its name
 * @t: the file; its descriptor stays open
 *
 * Return: 0 or a negative errno.
 */
int kv_temp_rename(struct kv_temp *t)
{
	if (t->name && rename(t->name, t->path))
		return -errno;
	free(t->name);
	t->name = NULL;
	return 0;
}

/**
 * kv_temp_close() - close the file; remove it if it has not got its name
 * @t: the file, open or not
 */
void kv_temp_close(struct kv_temp *t)
{
	if (t->fd >= 0)
		close(t->fd);
	if (t->name)
		unlink(t->name);
	free(t->name);
	free(t->path);
	*t = (struct kv_temp){ .fd = -1 };
}
