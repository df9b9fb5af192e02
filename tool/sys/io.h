/* SPDX-License-Identifier: MIT */
#pragma once

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The first line of a file, without white space at its end. Returns 0 or a negative errno. */
static inline int kv_read_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	int ret = 0;
	size_t n;

	if (!file)
		return -errno;
	if (!fgets(line, (int)size, file))
		ret = -EIO;
	fclose(file);
	for (n = ret ? 0 : strlen(line); n && strchr(" \t\n", line[n - 1]); n--)
		line[n - 1] = '\0';
	return ret;
}

/* Writes all bytes, even if signals come. Returns 0 or a negative errno. */
static inline int kv_write_all(int fd, const void *data, size_t length)
{
	const char *at = data;

	while (length) {
		ssize_t n = write(fd, at, length);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			at += n;
			length -= (size_t)n;
		}
	}
	return 0;
}
