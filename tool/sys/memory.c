// SPDX-License-Identifier: MIT
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "sys/memory.h"

/*
 * Each CPU counts by itself first. Reading this file adds these counts to those of /proc/zoneinfo:
 * vmstat_refresh() in mm/vmstat.c.
 */
#define REFRESH "/proc/sys/vm/stat_refresh"

#define SLABS "/sys/kernel/slab"

static void fold_counters(void)
{
	int fd = open(REFRESH, O_RDONLY | O_CLOEXEC);
	char c;

	if (fd < 0)
		return;
	while (read(fd, &c, 1) < 0 && errno == EINTR)
		;
	close(fd);
}

/**
 * kv_memory_shrink() - have the kernel's allocator give back what it keeps of freed objects
 *
 * Else new objects take the places of freed ones, and memory grows by less than they need. See
 * Documentation/ABI/testing/sysfs-kernel-slab.
 */
void kv_memory_shrink(void)
{
	DIR *dir = opendir(SLABS);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char path[sizeof(SLABS) + sizeof(entry->d_name) + sizeof("//shrink")];
		int fd;

		/* A link is another name of a cache that is listed, too. */
		if (entry->d_type != DT_DIR || !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		snprintf(path, sizeof(path), SLABS "/%s/shrink", entry->d_name);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		/* A cache that refuses keeps what it has. */
		(void)!write(fd, "1", 1);
		close(fd);
	}
	if (dir)
		closedir(dir);
}

/**
 * kv_memory_used() - memory in use by the kernel and by all processes
 * @bytes: receives it: the pages that Linux manages, without those that are free, those that each
 *	CPU keeps for its next allocations, and the page cache of files
 *
 * It counts all that drivers allocate, memory for DMA included, which no sum of /proc/meminfo does.
 *
 * Return: 0 or a negative errno.
 */
int kv_memory_used(uint64_t *bytes)
{
	uint64_t managed = 0, unused = 0, files = 0, shared = 0, v;
	FILE *f;
	char line[256];

	fold_counters();
	f = fopen("/proc/zoneinfo", "re");
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, " managed %" SCNu64, &v) == 1)
			managed += v;
		else if (sscanf(line, " pages free %" SCNu64, &v) == 1 ||
			 sscanf(line, " count: %" SCNu64, &v) == 1)
			unused += v;
		else if (sscanf(line, " nr_file_pages %" SCNu64, &v) == 1)
			files += v;
		else if (sscanf(line, " nr_shmem %" SCNu64, &v) == 1)
			shared += v;
	}
	fclose(f);
	*bytes = (managed + shared - unused - files) * (uint64_t)sysconf(_SC_PAGESIZE);
	return managed ? 0 : -ENODATA;
}

/**
 * kv_memory_available() - memory that can be had without swapping
 *
 * Return: bytes; UINT64_MAX if Linux does not say.
 */
uint64_t kv_memory_available(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	uint64_t kib = 0;
	char line[128];

	while (f && !kib && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) != 1)
			kib = 0;
	if (f)
		fclose(f);
	return kib ? kib << 10 : UINT64_MAX;
}

/* So many bytes every host has: to look for more takes longer than to touch them. */
#define UNCHECKED (1 << 20)

/**
 * kv_memory_for() - memory that is available for a purpose
 * @bytes: that it needs
 *
 * Return: kv_memory_available(), or UINT64_MAX if it needs so few that none is looked for.
 */
uint64_t kv_memory_for(uint64_t bytes)
{
	return bytes > UNCHECKED ? kv_memory_available() : UINT64_MAX;
}
