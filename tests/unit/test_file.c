// SPDX-License-Identifier: MIT
/* Files that are sent and received: names, hashes, and what is left in the folder. */
#define _GNU_SOURCE
#include "test.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "file/file.h"

static char folder[64];
/* Features that file systems lack: also a length, and the room on a disk for it. */
static bool no_tmpfile, no_noreplace, no_length;
/* In place of the length. */
static off_t claimed;

/* In place of the C library's. */
int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0666;

	if (no_tmpfile && (flags & O_TMPFILE) == O_TMPFILE) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return (int)syscall(SYS_openat, dir, path, flags, mode);
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to,
	      unsigned int flags)
{
	if (no_noreplace && flags & RENAME_NOREPLACE) {
		errno = EINVAL;
		return -1;
	}
	return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}

/* As many of the next reads a signal interrupts. */
static int interrupts;

ssize_t pread(int fd, void *to, size_t size, off_t offset)
{
	if (interrupts) {
		interrupts--;
		errno = EINTR;
		return -1;
	}
	return syscall(SYS_pread64, fd, to, size, offset);
}

int fstat(int fd, struct stat *st)
{
	int ret = fstatat(fd, "", st, AT_EMPTY_PATH);

	if (!ret && no_length) {
		st->st_size = claimed;
		st->st_blocks = 0;
	}
	return ret;
}

static int open_folder(void)
{
	int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(dir >= 0);
	return dir;
}

static int make_folder(void **state)
{
	no_tmpfile = no_noreplace = no_length = false;
	claimed = 0;
	strcpy(folder, "/tmp/kverbs-unit-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

/* Files in the folder, hidden ones too. */
static unsigned int count_files(void)
{
	DIR *dir = opendir(folder);
	unsigned int n = 0;
	struct dirent *entry;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		n += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(dir);
	return n;
}

static void put_file(const char *name, const char *text)
{
	int dir = open_folder();
	int fd = openat(dir, name, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	close(dir);
}

static void assert_file(const char *name, const char *text)
{
	int dir = open_folder();
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	char found[64] = "";

	assert_true(fd >= 0);
	assert_int_equal(read(fd, found, sizeof(found) - 1), strlen(text));
	assert_string_equal(found, text);
	close(fd);
	close(dir);
}

static void assert_text(const struct kv_fault *f, const char *part)
{
	if (!strstr(f->text, part))
		fail_msg("'%s' does not say '%s'", f->text, part);
}

static void test_name(void **state)
{
	static const char *const good[] = {
		"a", "file.tar.gz", "with space", "-x", "gr\xc3\xbc\xc3\x9f.txt", "\xe6\x96\x87",
		"\xf0\x9f\x98\x80", "~", "a..b",
	};
	static const struct {
		const char *name;
		const char *says;
	} bad[] = {
		{ "", "is empty" },
		{ ".", "begins with a dot" },
		{ "..", "begins with a dot" },
		{ ".profile", "begins with a dot" },
		{ "a/b", "has a '/'" },
		{ "../a", "has a '/'" },
		{ "/etc/passwd", "has a '/'" },
		{ "a\nb", "can't be printed" },
		{ "a\x1b[31m", "can't be printed" },
		{ "a\x7f", "can't be printed" },
		{ "a\xc2\x9b", "can't be printed" },
		{ "a\xe2\x80\xae""b", "can't be printed" },
		{ "a\xef\xbb\xbf", "can't be printed" },
		{ "a\xd8\x9c""b", "can't be printed" }, /* U+061C */
		{ "a\xc2\xad""b", "can't be printed" }, /* U+00AD */
		{ "a\xf3\xa0\x80\x81""b", "can't be printed" }, /* U+E0001 */
		{ "a\xe3\x85\xa4""b", "can't be printed" }, /* U+3164 */
		{ "a\xff", "no UTF-8" },
		{ "a\x80", "no UTF-8" },
		{ "\xc3", "no UTF-8" },
		{ "\xe6\x96", "no UTF-8" },
		{ "\xc0\xaf", "no UTF-8" },
		{ "\xe0\x80\xaf", "no UTF-8" },
		{ "\xed\xa0\x80", "no UTF-8" },
		{ "\xf4\x90\x80\x80", "no UTF-8" },
	};
	char name[KV_FILE_NAME_MAX + 2];
	struct kv_why why;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(kv_file_name_check(good[i], &why), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(kv_file_name_check(bad[i].name, &why), -EINVAL);
		assert_says(&why, bad[i].says);
	}
	memset(name, 'x', sizeof(name));
	name[KV_FILE_NAME_MAX + 1] = '\0';
	assert_int_equal(kv_file_name_check(name, &why), -EINVAL);
	assert_says(&why, "255");
	name[KV_FILE_NAME_MAX] = '\0';
	assert_int_equal(kv_file_name_check(name, &why), 0);
}

/* FIPS 180-2, appendix B, and what sha256sum says of nothing. */
static void test_hash(void **state)
{
	static const struct {
		const char *content;
		const char *digest;
	} known[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};
	uint8_t digest[KV_HASH_BYTES];
	char text[KV_HASH_TEXT];
	struct kv_hash h;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t length = strlen(known[i].content);
		int dir, fd;

		put_file("f", known[i].content);
		dir = open_folder();
		fd = openat(dir, "f", O_RDONLY | O_CLOEXEC);
		kv_hash_init(&h);
		/* In two steps, and then one too far. */
		assert_int_equal(kv_hash_step(&h, fd, length / 2), 0);
		assert_int_equal(kv_hash_step(&h, fd, length - length / 2), 0);
		assert_true(h.done == length);
		assert_int_equal(kv_hash_step(&h, fd, 1), -ENODATA);
		kv_hash_finish(&h, digest);
		kv_bytes_hex(text, digest, KV_HASH_BYTES);
		assert_string_equal(text, known[i].digest);
		assert_true(h.done == 0);
		close(fd);
		close(dir);
	}
	kv_hash_init(&h);
	assert_int_equal(kv_hash_step(&h, -1, 1), -EBADF);

	/* Bytes that were read already; some of them come twice. */
	kv_hash_add(&h, 0, (const uint8_t *)"ab", 2);
	kv_hash_add(&h, 0, (const uint8_t *)"xy", 2);
	kv_hash_add(&h, 1, (const uint8_t *)"xc", 2);
	assert_true(h.done == 3);
	kv_hash_finish(&h, digest);
	kv_bytes_hex(text, digest, KV_HASH_BYTES);
	assert_string_equal(text, known[1].digest);
}

/* More than is read at once. */
static void test_hash_long(void **state)
{
	uint8_t digest[KV_HASH_BYTES];
	char text[KV_HASH_TEXT], path[80];
	struct kv_hash h;
	int fd;

	snprintf(path, sizeof(path), "%s/XXXXXX", folder);
	fd = mkstemp(path);
	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	kv_hash_init(&h);
	assert_int_equal(kv_hash_step(&h, fd, 1 << 20), 0);
	kv_hash_finish(&h, digest);
	kv_bytes_hex(text, digest, KV_HASH_BYTES);
	/* head -c 1048576 /dev/zero | sha256sum */
	assert_string_equal(text, "30e14955ebf1352266dc2ff8067e68104607e750abb9d3b36582b8af909fcb58");
	close(fd);
}

static void store(const char *text, bool replace)
{
	struct kv_fault f;
	struct kv_store s;

	assert_int_equal(kv_store_open(&s, open_folder(), "f", strlen(text), replace, &f), 0);
	assert_int_equal(pwrite(s.fd, text, strlen(text), 0), strlen(text));
	assert_int_equal(kv_store_commit(&s, &f), 0);
	kv_store_close(&s);
	assert_file("f", text);
	assert_int_equal(count_files(), 1);
}

static void refuse_store(bool replace, int error, const char *says)
{
	unsigned int files = count_files();
	struct kv_fault f;
	struct kv_store s;

	assert_int_equal(kv_store_open(&s, open_folder(), "f", 3, replace, &f), error);
	assert_text(&f, says);
	assert_int_equal(count_files(), files);
}

static void check_store(void)
{
	struct kv_fault f;
	struct kv_store s;

	/* Nothing of what is not committed is left, and no name before. */
	assert_int_equal(kv_store_open(&s, open_folder(), "f", 3, false, &f), 0);
	assert_int_equal(pwrite(s.fd, "abc", 3, 0), 3);
	assert_int_equal(count_files(), no_tmpfile);
	kv_store_close(&s);
	assert_int_equal(count_files(), 0);
	kv_store_close(&s);

	/* Nor of what is not complete. */
	assert_int_equal(kv_store_open(&s, open_folder(), "f", 3, false, &f), 0);
	assert_int_equal(pwrite(s.fd, "ab", 2, 0), 2);
	assert_int_equal(kv_store_commit(&s, &f), -EIO);
	assert_text(&f, "2 bytes of 3");
	kv_store_close(&s);
	assert_int_equal(count_files(), 0);

	store("abc", false);
	refuse_store(false, -EEXIST, "--force");
	assert_file("f", "abc");
	store("defg", true);
	store("", true);

	/* Somebody else comes first: his file stays. */
	assert_int_equal(kv_store_open(&s, open_folder(), "g", 3, false, &f), 0);
	assert_int_equal(pwrite(s.fd, "abc", 3, 0), 3);
	put_file("g", "his");
	assert_int_equal(kv_store_commit(&s, &f), -EEXIST);
	assert_text(&f, "another process");
	kv_store_close(&s);
	assert_file("g", "his");
	assert_int_equal(count_files(), 2);
}

static void test_store(void **state)
{
	check_store();
}

static void test_store_with_name(void **state)
{
	no_tmpfile = true;
	check_store();
}

static void test_store_without_noreplace(void **state)
{
	no_tmpfile = no_noreplace = true;
	check_store();
}

/* The file of a killed process is removed, unless another process works at it. */
static void test_stale(void **state)
{
	const struct timespec old[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	static const char *const name[] = {
		".kverbs-0123456789abcdef", ".kverbs-0123456789abcdee",
		".kverbs-0123456789abcded", ".kverbs-0123456789abcde", ".kverbs-0123456789abcdeg0",
	};
	struct kv_fault f;
	struct kv_store s;
	int dir, held;

	dir = open_folder();
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		put_file(name[i], "abc");
		/* The second is young. */
		if (i != 1)
			assert_int_equal(utimensat(dir, name[i], old, 0), 0);
	}
	held = openat(dir, name[2], O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(held, LOCK_EX), 0);
	no_tmpfile = true;
	assert_int_equal(kv_store_open(&s, open_folder(), "f", 3, false, &f), 0);
	assert_int_equal(faccessat(dir, name[0], F_OK, 0), -1);
	assert_int_equal(count_files(), 5);
	kv_store_close(&s);
	assert_int_equal(count_files(), 4);
	close(held);
	close(dir);
}

static void test_store_refused(void **state)
{
	char path[128], link[128];
	struct kv_fault f;
	struct kv_store s;

	snprintf(path, sizeof(path), "%s/f", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	refuse_store(false, -EISDIR, "a folder");
	refuse_store(true, -EISDIR, "a folder");
	assert_int_equal(rmdir(path), 0);

	/* Neither it nor what it points to. */
	put_file("other", "abc");
	snprintf(link, sizeof(link), "%s/other", folder);
	assert_int_equal(symlink(link, path), 0);
	refuse_store(false, -EEXIST, "not a regular file");
	refuse_store(true, -EEXIST, "not a regular file");
	assert_file("other", "abc");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("nowhere", path), 0);
	refuse_store(true, -EEXIST, "not a regular file");

	assert_int_equal(kv_store_open(&s, open_folder(), "g", UINT64_MAX, false, &f), -ENOSPC);
	assert_text(&f, "no room");
}

static void test_source(void **state)
{
	struct kv_source s;
	char path[128];
	struct kv_fault f;
	int dir;

	put_file("f", "abc");
	dir = open_folder();
	assert_int_equal(kv_source_open(&s, dir, "f", O_NOFOLLOW, &f), 0);
	assert_true(s.length == 3);
	assert_int_equal(kv_source_check(&s, &f), 0);
	put_file("f", "abcd");
	assert_int_equal(kv_source_check(&s, &f), -ESTALE);
	assert_text(&f, "grew while it was sent: it had 3 bytes, and has 4");
	put_file("f", "ab");
	assert_int_equal(kv_source_check(&s, &f), -ESTALE);
	assert_text(&f, "became shorter");
	kv_source_close(&s);
	/* As long as before, and in the next moment. */
	assert_int_equal(kv_source_open(&s, dir, "f", 0, &f), 0);
	put_file("f", "xy");
	assert_int_equal(kv_source_check(&s, &f), -ESTALE);
	assert_text(&f, "f was changed while it was sent");
	kv_source_close(&s);
	kv_source_close(&s);

	assert_int_equal(kv_source_open(&s, dir, "g", 0, &f), -ENOENT);
	assert_int_equal(kv_source_open(&s, dir, ".", 0, &f), -EISDIR);
	snprintf(path, sizeof(path), "%s/link", folder);
	assert_int_equal(symlink("f", path), 0);
	assert_int_equal(kv_source_open(&s, dir, "link", O_NOFOLLOW, &f), -ELOOP);
	assert_text(&f, "symbolic link");
	assert_int_equal(kv_source_open(&s, dir, "link", 0, &f), 0);
	kv_source_close(&s);
	/* Nobody writes into it: that must not be waited for. */
	snprintf(path, sizeof(path), "%s/pipe", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(kv_source_open(&s, dir, "pipe", 0, &f), -EINVAL);
	assert_text(&f, "a pipe");
	close(dir);
}

/* A signal that does not ask for the end, such as SIGWINCH. */
static void test_hash_interrupted(void **state)
{
	uint8_t digest[KV_HASH_BYTES];
	char text[KV_HASH_TEXT];
	struct kv_hash h;
	int dir, fd;

	put_file("f", "abc");
	dir = open_folder();
	fd = openat(dir, "f", O_RDONLY);
	assert_true(fd >= 0);
	kv_hash_init(&h);
	interrupts = 2;
	assert_int_equal(kv_hash_step(&h, fd, 3), 0);
	assert_int_equal(interrupts, 0);
	kv_hash_finish(&h, digest);
	kv_bytes_hex(text, digest, KV_HASH_BYTES);
	assert_string_equal(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	close(fd);
	close(dir);
}

/* The source has this text, under its length, wherever it comes from. */
static void assert_source(const struct kv_source *s, const char *text)
{
	char found[64] = "";

	assert_true(s->length == strlen(text));
	assert_int_equal(pread(s->fd, found, sizeof(found) - 1, 0), strlen(text));
	assert_string_equal(found, text);
}

/* As in /proc, where each file has the length 0, and in sysfs, where it is a page. */
static void test_source_without_length(void **state)
{
	static const off_t lengths[] = { 0, 2, 4096, 65536 };
	struct kv_source s;
	struct kv_fault f;
	int dir;

	put_file("f", "abc");
	put_file("empty", "");
	dir = open_folder();
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		no_length = true;
		claimed = lengths[i];
		assert_int_equal(kv_source_open(&s, dir, "f", O_NOFOLLOW, &f), 0);
		assert_source(&s, "abc");
		no_length = false;
		assert_int_equal(kv_source_check(&s, &f), 0);
		/* Sent is what was read. */
		put_file("f", "abcd");
		assert_source(&s, "abc");
		assert_int_equal(kv_source_check(&s, &f), 0);
		put_file("f", "abc");
		kv_source_close(&s);
	}
	assert_int_equal(kv_source_open(&s, dir, "empty", O_NOFOLLOW, &f), 0);
	assert_source(&s, "");
	put_file("empty", "a");
	assert_int_equal(kv_source_check(&s, &f), -ESTALE);
	assert_text(&f, "grew while it was sent: it had 0 bytes, and has 1");
	kv_source_close(&s);

	/* A length that is right needs no copy: then a change is seen. */
	no_length = true;
	claimed = 3;
	assert_int_equal(kv_source_open(&s, dir, "f", O_NOFOLLOW, &f), 0);
	no_length = false;
	put_file("f", "abcd");
	assert_int_equal(kv_source_check(&s, &f), -ESTALE);
	kv_source_close(&s);
	close(dir);
}

/* As much as is read ahead, and one byte more. */
static void test_source_copy_max(void **state)
{
	struct kv_source s;
	struct kv_fault f;
	int dir, fd;

	dir = open_folder();
	fd = openat(dir, "f", O_CREAT | O_WRONLY | O_CLOEXEC);
	assert_int_equal(ftruncate(fd, KV_SOURCE_COPY_MAX), 0);
	no_length = true;
	assert_int_equal(kv_source_open(&s, dir, "f", O_NOFOLLOW, &f), 0);
	assert_true(s.length == KV_SOURCE_COPY_MAX);
	kv_source_close(&s);
	assert_int_equal(ftruncate(fd, KV_SOURCE_COPY_MAX + 1), 0);
	assert_int_equal(kv_source_open(&s, dir, "f", O_NOFOLLOW, &f), -EFBIG);
	assert_text(&f, "f has no known length and more than 64 MiB");
	assert_int_equal(s.fd, -1);
	close(fd);
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name),
		cmocka_unit_test_setup_teardown(test_hash, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_hash_interrupted, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_hash_long, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_store, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_store_with_name, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_store_without_noreplace, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_stale, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_store_refused, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_source, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_source_without_length, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_source_copy_max, make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
