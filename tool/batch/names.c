// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "batch/names.h"

#define FOLDER "/run/kverbs"

/* The names; while they are written; and the file that their writers lock. */
#define NAMES "names"
#define NEW "names.new"
#define LOCK "lock"

/* The text that identifies a load of the module. */
#define LOAD 80

/* A line of the file; an object belongs to a network namespace. */
struct line {
	char *text;
	enum kv_type type;
	uint32_t id;
	uintmax_t netns;
};

static int refuse(const char *does, const char *file, struct kv_fault *f)
{
	return kv_fault_set(f, -errno, "cannot %s %s/%s: %s", does, FOLDER, file, strerror(errno));
}

/* An inode's number; 0: there is no such file. */
static uintmax_t inode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_ino;
}

/*
 * The first line of the file. The inodes of sysfs have numbers that are not used again before the
 * next boot, and each load of the module makes a new one.
 */
static void identify_load(char text[LOAD])
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	char boot[40] = "";

	if (file) {
		if (!fgets(boot, sizeof(boot), file))
			boot[0] = '\0';
		fclose(file);
	}
	boot[strcspn(boot, "\n")] = '\0';
	snprintf(text, LOAD, "%s %ju\n", boot, inode_of("/sys/module/kverbs"));
}

/* A name that others can change may stand for any object. */
static int check_owner(int fd, const char *file, struct kv_fault *f)
{
	struct stat st;

	if (fstat(fd, &st))
		return refuse("look at", file, f);
	if (!st.st_uid && !(st.st_mode & (S_IWGRP | S_IWOTH)))
		return 0;
	return kv_fault_set(f, -EPERM, "%s/%s can be written by others than root: remove the file, with its names",
			    FOLDER, file);
}

/* @folder: receives the open folder; -1: there is none */
static int open_folder(int *folder, struct kv_fault *f)
{
	int ret;

	*folder = open(FOLDER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*folder < 0)
		return errno == ENOENT ? 0 : refuse("open", "", f);
	ret = check_owner(*folder, "", f);
	if (ret)
		close(*folder);
	return ret;
}

/* @in: receives the file, behind its first line; NULL: there are no names of this load */
static int open_names(int folder, FILE **in, struct kv_fault *f)
{
	int fd = openat(folder, NAMES, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char load[LOAD], line[LOAD];
	int ret;

	*in = NULL;
	if (fd < 0)
		return errno == ENOENT ? 0 : refuse("open", NAMES, f);
	ret = check_owner(fd, NAMES, f);
	if (!ret)
		*in = fdopen(fd, "r");
	if (!*in) {
		close(fd);
		return ret ? ret : kv_fault_no_memory(f);
	}
	identify_load(load);
	if (fgets(line, sizeof(line), *in) && !strcmp(line, load))
		return 0;
	fclose(*in);
	*in = NULL;
	return 0;
}

/* @in: NULL: it is empty; @line: the caller frees its text */
static bool read_line(FILE *in, struct line *line)
{
	char type[16];
	struct kv_why why;
	uint32_t number;

	line->text = NULL;
	while (in && fscanf(in, "%ms %15s %" SCNu32 " %ju", &line->text, type, &line->id,
			    &line->netns) == 4) {
		if (!kv_parse_enum(type, kv_enum_type, &number, &why)) {
			line->type = number;
			return true;
		}
		free(line->text);
		line->text = NULL;
	}
	free(line->text);
	return false;
}

/**
 * kv_names_each() - read the names of this network namespace
 * @fn: called for each of them
 * @arg: for @fn
 * @f: receives the reason of a failure
 *
 * Return: 0, if there are none, too, or a negative errno.
 */
int kv_names_each(kv_names_fn *fn, void *arg, struct kv_fault *f)
{
	uintmax_t netns = inode_of("/proc/self/ns/net");
	struct line line;
	FILE *in = NULL;
	int folder, ret = open_folder(&folder, f);

	if (ret || folder < 0)
		return ret;
	ret = open_names(folder, &in, f);
	while (read_line(in, &line)) {
		if (line.netns == netns)
			fn(line.text, line.type, line.id, arg);
		free(line.text);
	}
	if (in)
		fclose(in);
	close(folder);
	return ret;
}

static void write_line(FILE *out, const struct line *line)
{
	fprintf(out, "%s %s %" PRIu32 " %ju\n", line->text, kv_enum_name(kv_enum_type, line->type),
		line->id, line->netns);
}

/* Copies the names whose objects exist, and adds @added; @added->text: NULL: none. */
static int copy(FILE *in, FILE *out, const struct line *added, kv_names_exists_fn *exists,
		void *arg, struct kv_fault *f)
{
	struct line line;
	char load[LOAD];
	int ret = 0;

	identify_load(load);
	fputs(load, out);
	while (!ret && read_line(in, &line)) {
		bool here = line.netns == added->netns;

		if (!here || exists(line.type, line.id, arg)) {
			write_line(out, &line);
			if (here && added->text && !strcmp(line.text, added->text))
				ret = kv_names_refuse(line.text, line.type, line.id, f);
		}
		free(line.text);
	}
	if (added->text)
		write_line(out, added);
	return ret;
}

/* With the folder locked. */
static int replace(int folder, const struct line *added, kv_names_exists_fn *exists, void *arg,
		   struct kv_fault *f)
{
	FILE *in, *out;
	int fd, ret = open_names(folder, &in, f);

	if (ret)
		return ret;
	unlinkat(folder, NEW, 0);
	fd = openat(folder, NEW, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out) {
		ret = refuse("write", NEW, f);
		if (fd >= 0)
			close(fd);
	} else {
		ret = copy(in, out, added, exists, arg, f);
		/* Both tell a full file system. */
		if ((ferror(out) | fclose(out)) && !ret)
			ret = refuse("write", NEW, f);
		if (!ret && renameat(folder, NEW, folder, NAMES))
			ret = refuse("write", NAMES, f);
		if (ret)
			unlinkat(folder, NEW, 0);
	}
	if (in)
		fclose(in);
	return ret;
}

/**
 * kv_names_update() - name an object, and forget the names of objects that are gone
 * @text: the name; NULL: there is none to add
 * @type: type of the object
 * @id: id of the object
 * @exists: looks for an object
 * @arg: for @exists
 * @f: receives the reason of a failure
 *
 * Return: 0 or a negative errno; -EINVAL if an object that exists has the name.
 */
int kv_names_update(const char *text, enum kv_type type, uint32_t id, kv_names_exists_fn *exists,
		    void *arg, struct kv_fault *f)
{
	const struct line added = { (char *)text, type, id, inode_of("/proc/self/ns/net") };
	int folder, lock, ret;

	if (text && mkdir(FOLDER, 0755) && errno != EEXIST)
		return refuse("make", "", f);
	ret = open_folder(&folder, f);
	if (ret || folder < 0)
		return ret;
	lock = openat(folder, LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (lock < 0 || flock(lock, LOCK_EX))
		ret = refuse("lock", LOCK, f);
	else
		ret = replace(folder, &added, exists, arg, f);
	if (lock >= 0)
		close(lock);
	close(folder);
	return ret;
}
