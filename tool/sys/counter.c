// SPDX-License-Identifier: MIT
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sys/counter.h"

#define FOLDER "/sys/class/infiniband/%s/ports/1/hw_counters"

static int read_counter(const char *folder, const char *name, uint64_t *value)
{
	char path[512], line[32], *end;
	FILE *file;
	int ret = 0;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) >= sizeof(path))
		return -ENAMETOOLONG;
	file = fopen(path, "re");
	if (!file)
		return -errno;
	if (fgets(line, sizeof(line), file)) {
		errno = 0;
		*value = strtoull(line, &end, 10);
		if (errno || end == line)
			ret = -EINVAL;
	} else {
		ret = -ENODATA;
	}
	fclose(file);
	return ret;
}

static int by_name(const void *a, const void *b)
{
	const struct kv_counter *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int fail(struct kv_backend *b, int error, const char *dev)
{
	snprintf(b->err, sizeof(b->err), "%s space: cannot read the counters of %s: %s",
		 b->ops->space, dev, strerror(-error));
	return error;
}

/**
 * kv_counters_read() - what the driver of a device here has counted so far
 * @b: who asks; an operation of the backends that are here
 * @dev: name of the device
 * @c: receives it
 *
 * Drivers may answer from a copy that is some milliseconds old.
 *
 * Return: 0 or a negative errno; -EOPNOTSUPP: this device counts nothing.
 */
int kv_counters_read(struct kv_backend *b, const char *dev, struct kv_counters *c)
{
	char folder[256];
	struct dirent *entry;
	DIR *dir;

	memset(c, 0, sizeof(*c));
	snprintf(folder, sizeof(folder), FOLDER, dev);
	dir = opendir(folder);
	if (!dir)
		return fail(b, errno == ENOENT ? -EOPNOTSUPP : -errno, dev);
	while (c->counters < KV_COUNTERS_MAX && (entry = readdir(dir))) {
		struct kv_counter *counter = &c->counter[c->counters];

		/* A setting among them, not a count. */
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "lifespan"))
			continue;
		if (strlen(entry->d_name) >= sizeof(counter->name) ||
		    read_counter(folder, entry->d_name, &counter->value))
			continue;
		strcpy(counter->name, entry->d_name);
		c->counters++;
	}
	closedir(dir);
	qsort(c->counter, c->counters, sizeof(c->counter[0]), by_name);
	return c->counters ? 0 : fail(b, -EOPNOTSUPP, dev);
}
