// SPDX-License-Identifier: MIT
/*
 * The code of the module that our messages reach, where the kernel has KCOV and the module
 * was built for it. KCOV looks at the work items that carry our commands out: not at handlers,
 * which carry out what need not wait if nothing is queued before it, not at the work items
 * that send events, and not at interrupts.
 */
#include <fcntl.h>
#include <linux/kcov.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>
#include "fuzz.h"

#define ENTRIES (256 * 1024)
/* More than a module of ours will ever have; a power of two. */
#define SLOTS 65536

static uint64_t *trace;
static uint64_t seen[SLOTS];
static unsigned int points;

/**
 * kcov_open() - begin to look
 * @job: number of this process: two can't have the same handle
 *
 * Return: false if this kernel can't.
 */
bool kcov_open(unsigned int job)
{
	static const char path[] = "/sys/kernel/debug/kcov";
	struct kcov_remote_arg remote = {
		.trace_mode = KCOV_TRACE_PC,
		.area_size = ENTRIES,
		.common_handle = KCOV_SUBSYSTEM_COMMON | (job + 1),
	};
	int fd;

	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 && !mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL))
		fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (!ioctl(fd, KCOV_INIT_TRACE, ENTRIES)) {
		trace = mmap(NULL, ENTRIES * sizeof(*trace), PROT_READ | PROT_WRITE, MAP_SHARED,
			     fd, 0);
		if (trace == MAP_FAILED || ioctl(fd, KCOV_REMOTE_ENABLE, &remote))
			trace = NULL;
	}
	if (!trace)
		close(fd);
	return trace;
}

/**
 * kcov_start() - forget what was reached since kcov_take()
 */
void kcov_start(void)
{
	if (trace)
		__atomic_store_n(trace, 0, __ATOMIC_RELAXED);
}

static bool add(uint64_t pc)
{
	unsigned int i = (unsigned int)(pc * 0x9e3779b97f4a7c15 >> 48) % SLOTS;

	for (; seen[i]; i = (i + 1) % SLOTS)
		if (seen[i] == pc)
			return false;
	/* Never full: the search above must end. */
	if (points >= SLOTS / 2)
		return false;
	seen[i] = pc;
	points++;
	return true;
}

/**
 * kcov_take() - note what was reached since kcov_start()
 *
 * Return: how many points were reached for the first time.
 */
unsigned int kcov_take(void)
{
	unsigned int fresh = 0;
	uint64_t i, n;

	if (!trace)
		return 0;
	n = __atomic_load_n(trace, __ATOMIC_RELAXED);
	for (i = 1; i <= n && i < ENTRIES; i++)
		fresh += add(trace[i]);
	return fresh;
}

/**
 * kcov_points() - how many points were ever reached
 *
 * Return: that.
 */
unsigned int kcov_points(void)
{
	return points;
}

static void save_section(FILE *file, const char *name)
{
	char path[128];
	unsigned long long at;
	FILE *section;

	snprintf(path, sizeof(path), "/sys/module/kverbs/sections/%s", name);
	section = fopen(path, "r");
	if (!section)
		return;
	if (fscanf(section, "%llx", &at) == 1)
		fprintf(file, "section %s %llx\n", name, at);
	fclose(section);
}

/**
 * kcov_save() - write down what was reached, for tests/fuzz/coverage
 * @path: the file: where the module's code is, and the points
 *
 * Return: 0 or -1.
 */
int kcov_save(const char *path)
{
	FILE *file = fopen(path, "w");
	unsigned int i;

	if (!file)
		return -1;
	save_section(file, ".text");
	save_section(file, ".text.unlikely");
	for (i = 0; i < SLOTS; i++)
		if (seen[i])
			fprintf(file, "pc %llx\n", (unsigned long long)seen[i]);
	return fclose(file) ? -1 : 0;
}
