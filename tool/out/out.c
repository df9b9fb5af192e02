// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <iconv.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <libsmartcols.h>
#include "out/errname.h"
#include "out/out.h"

/* For results, which anybody may read. mkstemp() gives 0600. */
#define FILE_MODE 0644

static int no_memory(struct kv_fault *f)
{
	return kv_fault_set(f, -ENOMEM, "no memory");
}

/* results/compare.json should not fail because nobody made results/ yet. */
static int make_parent(const char *path, struct kv_fault *f)
{
	char *copy = strdup(path);
	char *dir;
	int ret = 0;

	if (!copy)
		return no_memory(f);
	dir = dirname(copy);
	if (mkdir(dir, 0777) && errno != EEXIST)
		ret = kv_fault_set(f, -errno,
				   "--json %s: cannot make the folder %s: %s",
				   path, dir, strerror(errno));
	free(copy);
	return ret;
}

static int open_temp(struct kv_out *o, struct kv_fault *f)
{
	mode_t mask = umask(0);

	umask(mask);
	if (asprintf(&o->temp, "%s.XXXXXX", o->path) < 0) {
		o->temp = NULL;
		return no_memory(f);
	}
	o->fd = mkostemp(o->temp, O_CLOEXEC);
	if (o->fd < 0) {
		int error = errno;

		free(o->temp);
		o->temp = NULL;
		return kv_fault_set(f, -error, "--json %s: cannot write there: %s",
				    o->path, strerror(error));
	}
	if (fchmod(o->fd, FILE_MODE & ~mask))
		return kv_fault_set(f, -errno, "--json %s: %s", o->path,
				    strerror(errno));
	return 0;
}

/**
 * kv_out_open() - find out whether a document can be written, before measuring
 * @o: receives where to; kv_out_close() closes it
 * @path: a file, "-" for stdout, or NULL for nowhere
 * @f: receives why not
 *
 * Return: 0 or a negative errno.
 */
int kv_out_open(struct kv_out *o, const char *path, struct kv_fault *f)
{
	struct stat st;
	int ret;

	memset(o, 0, sizeof(*o));
	o->fd = -1;
	if (!path)
		return 0;
	if (!strcmp(path, "-")) {
		o->to_stdout = true;
		return 0;
	}
	if (!*path)
		return kv_fault_usage(f, "--json is empty; it takes a file, or - for standard output");
	/* A link stays one; what it points to is replaced. */
	o->path = realpath(path, NULL);
	if (!o->path)
		o->path = strdup(path);
	if (!o->path)
		return no_memory(f);
	if (!stat(o->path, &st) && !S_ISREG(st.st_mode)) {
		/* A device or a pipe can't be replaced. */
		o->fd = open(o->path, O_WRONLY | O_CLOEXEC);
		if (o->fd >= 0)
			return 0;
		ret = kv_fault_set(f, -errno, "--json %s: cannot write there: %s",
				   path, strerror(errno));
		goto err_close;
	}
	ret = make_parent(o->path, f);
	if (!ret)
		ret = open_temp(o, f);
	if (ret)
		goto err_close;
	return 0;

err_close:
	kv_out_close(o);
	return ret;
}

static int write_all(int fd, const char *text, size_t length)
{
	while (length) {
		ssize_t n = write(fd, text, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		length -= (size_t)n;
	}
	return 0;
}

/**
 * kv_out_commit() - write a document
 * @o: where to; either all of it is there afterwards, or what was there before
 * @doc: the document
 * @f: receives why not
 *
 * Return: 0 or a negative errno.
 */
int kv_out_commit(struct kv_out *o, struct json_object *doc,
		  struct kv_fault *f)
{
	const char *text;
	size_t length;
	int ret;

	if (!o->to_stdout && o->fd < 0)
		return 0;
	text = json_object_to_json_string_length(
		doc,
		JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
			JSON_C_TO_STRING_NOSLASHESCAPE,
		&length);
	if (!text)
		return no_memory(f);
	if (o->to_stdout) {
		/* main() sees to it that this reached its end. */
		fwrite(text, 1, length, stdout);
		putchar('\n');
		return 0;
	}
	ret = write_all(o->fd, text, length);
	if (!ret)
		ret = write_all(o->fd, "\n", 1);
	if (!ret && o->temp && fsync(o->fd))
		ret = -errno;
	/* Some file systems only say here that they are full. */
	if (close(o->fd) && !ret)
		ret = -errno;
	o->fd = -1;
	if (!ret && o->temp && rename(o->temp, o->path))
		ret = -errno;
	if (ret)
		return kv_fault_set(f, ret, "cannot write %s: %s", o->path,
				    strerror(-ret));
	free(o->temp);
	o->temp = NULL;
	return 0;
}

/**
 * kv_out_commit_fault() - write the document of a command that has failed without a result
 * @o: where to; a file that is there already has a result, and stays as it is
 * @doc: receives the fault, as kv_out_put_fault() does it; stays the caller's
 * @why: why it failed
 *
 * If it can't be written that is told on stderr, beside what the caller tells there.
 */
void kv_out_commit_fault(struct kv_out *o, struct json_object *doc, const struct kv_fault *why)
{
	struct kv_fault f;

	kv_out_put_fault(doc, why);
	if (o->temp && !access(o->path, F_OK))
		return;
	if (kv_out_commit(o, doc, &f))
		kv_fault_print(&f);
}

/**
 * kv_out_close() - leave nothing half written
 * @o: committed or not
 */
void kv_out_close(struct kv_out *o)
{
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
	if (o->temp)
		unlink(o->temp);
	free(o->temp);
	o->temp = NULL;
	free(o->path);
	o->path = NULL;
}

/**
 * kv_out_put() - add a member
 * @obj: to this object
 * @key: its name
 * @value: NULL is JSON's null; @obj owns it from now on
 */
void kv_out_put(struct json_object *obj, const char *key,
		struct json_object *value)
{
	json_object_object_add(obj, key, value);
}

static bool is_ascii(const char *text)
{
	while (*text && !(*text & 0x80))
		text++;
	return !*text;
}

/**
 * kv_out_string() - make a string
 * @value: what somebody typed, or what a file is called
 *
 * JSON is UTF-8; a byte that is none is written as people read it, \xNN.
 *
 * Return: the string, or NULL if there is no memory.
 */
struct json_object *kv_out_string(const char *value)
{
	size_t left = strlen(value), room = 4 * left + 1;
	struct json_object *string = NULL;
	char *in = (char *)value, *text, *out;
	iconv_t utf8;

	/* Most strings are; to open a converter takes thousands of instructions. */
	if (is_ascii(value))
		return json_object_new_string_len(value, (int)left);
	text = malloc(room);
	out = text;
	utf8 = iconv_open("UTF-8", "UTF-8");
	if (!text || utf8 == (iconv_t)-1)
		goto out;
	while (left && iconv(utf8, &in, &left, &out, &room) == (size_t)-1) {
		out += sprintf(out, "\\x%02x", (unsigned char)*in++);
		room -= 4;
		left--;
	}
	string = json_object_new_string_len(text, (int)(out - text));
out:
	if (utf8 != (iconv_t)-1)
		iconv_close(utf8);
	free(text);
	return string;
}

/**
 * kv_out_put_string() - add a string
 * @obj: to this object
 * @key: its name
 * @value: NULL becomes null
 */
void kv_out_put_string(struct json_object *obj, const char *key,
		       const char *value)
{
	kv_out_put(obj, key, value ? kv_out_string(value) : NULL);
}

/**
 * kv_out_print() - print a document on stdout
 * @doc: the document
 * @flags: JSON_C_TO_STRING_PRETTY or JSON_C_TO_STRING_PLAIN
 */
void kv_out_print(struct json_object *doc, int flags)
{
	puts(json_object_to_json_string_ext(doc,
					    flags | JSON_C_TO_STRING_SPACED |
						    JSON_C_TO_STRING_NOSLASHESCAPE));
	fflush(stdout);
}

/**
 * kv_out_put_count() - add a number of things
 * @obj: to this object
 * @key: its name
 * @value: all 64 bits of it arrive
 */
void kv_out_put_count(struct json_object *obj, const char *key, uint64_t value)
{
	kv_out_put(obj, key, json_object_new_uint64(value));
}

/**
 * kv_out_put_bool() - add true or false
 * @obj: to this object
 * @key: its name
 * @value: which
 */
void kv_out_put_bool(struct json_object *obj, const char *key, bool value)
{
	kv_out_put(obj, key, json_object_new_boolean(value));
}

/**
 * kv_out_real() - make a number with a fraction
 * @value: the number; NAN becomes null
 * @decimals: how many digits of the fraction mean something
 *
 * Return: the number, or NULL for null.
 */
struct json_object *kv_out_real(double value, int decimals)
{
	char text[64];

	if (!isfinite(value))
		return NULL;
	snprintf(text, sizeof(text), "%.*f", decimals, value);
	return json_object_new_double_s(value, text);
}

/**
 * kv_out_put_fault() - add what went wrong
 * @obj: receives it as "error": "errno", the name, and "text", the sentence
 * @f: what went wrong
 */
void kv_out_put_fault(struct json_object *obj, const struct kv_fault *f)
{
	struct json_object *error = json_object_new_object();

	kv_out_put_string(error, "errno", kv_errno_name(f->error));
	kv_out_put_string(error, "text", f->text);
	kv_out_put(obj, "error", error);
}

/**
 * kv_out_put_ns() - add a length of time
 * @obj: the object
 * @key: its name
 * @ns: nanoseconds; NAN: null
 */
void kv_out_put_ns(struct json_object *obj, const char *key, double ns)
{
	kv_out_put(obj, key, kv_out_real(ns, KV_OUT_NS_DECIMALS));
}

/**
 * kv_out_get() - look into a document
 * @obj: the document, or a part of it
 * @path: JSON pointer, such as "/capsule/device" (RFC 6901)
 *
 * Return: what is there, still owned by @obj; NULL if nothing is, or null.
 */
struct json_object *kv_out_get(struct json_object *obj, const char *path)
{
	struct json_object *found;

	return !obj || json_pointer_get(obj, path, &found) ? NULL : found;
}

/**
 * kv_out_get_string() - look for a string
 * @obj: the document, or a part of it
 * @path: JSON pointer
 *
 * Return: the string, owned by @obj; "-" if there is none.
 */
const char *kv_out_get_string(struct json_object *obj, const char *path)
{
	struct json_object *found = kv_out_get(obj, path);

	return found ? json_object_get_string(found) : "-";
}

/**
 * kv_out_get_count() - look for a number of things
 * @obj: the document, or a part of it
 * @path: JSON pointer
 *
 * Return: the number; 0 if there is none.
 */
uint64_t kv_out_get_count(struct json_object *obj, const char *path)
{
	return json_object_get_uint64(kv_out_get(obj, path));
}

/**
 * kv_out_get_real() - look for a number with a fraction
 * @obj: the document, or a part of it
 * @path: JSON pointer
 *
 * Return: the number; NAN if there is none.
 */
double kv_out_get_real(struct json_object *obj, const char *path)
{
	struct json_object *found = kv_out_get(obj, path);

	return found ? json_object_get_double(found) : NAN;
}
