// SPDX-License-Identifier: MIT
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "out/out.h"
#include "sys/io.h"

/* Is a file missing because its folder is? Then the fault tells that. */
static int refuse_open(const char *option, const char *path, int error, struct kv_fault *f)
{
	char *copy = strdup(path);
	const char *folder = copy ? dirname(copy) : NULL;

	/* In /proc no file can be made, although its folder is there. */
	if (error == -ENOENT && folder && access(folder, F_OK))
		kv_fault_set(f, error, "%s=%s: there is no folder %s; 'mkdir -p' makes it",
			     option, path, folder);
	else
		kv_fault_set(f, error, "%s=%s: cannot write there: %s", option, path,
			     strerror(-error));
	free(copy);
	return error;
}

/**
 * kv_out_open() - open the file of a result before measuring, to find faults early
 * @o: receives the destination; kv_out_close() closes it
 * @option: that names the file
 * @path: a file, "-" for stdout, or NULL for nowhere
 */
int kv_out_open(struct kv_out *o, const char *option, const char *path, struct kv_fault *f)
{
	int ret;

	memset(o, 0, sizeof(*o));
	o->file.fd = -1;
	o->flags = JSON_C_TO_STRING_PRETTY;
	o->to_stdout = path && !strcmp(path, "-");
	if (!path || o->to_stdout)
		return 0;
	ret = kv_temp_open(&o->file, path);
	return ret ? refuse_open(option, path, ret, f) : 0;
}

/**
 * kv_out_write() - write one of several documents
 * @o: the destination; kv_out_commit() reports a failure
 */
void kv_out_write(struct kv_out *o, struct json_object *doc)
{
	const char *text;
	size_t length;

	/* main() checks that standard output was written. */
	if (o->to_stdout)
		kv_out_print(doc, o->flags);
	if (o->file.fd < 0 || o->error)
		return;
	text = json_object_to_json_string_length(doc,
		o->flags | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE, &length);
	o->error = text ? kv_write_all(o->file.fd, text, length) : -ENOMEM;
	if (!o->error)
		o->error = kv_write_all(o->file.fd, "\n", 1);
}

/**
 * kv_out_commit() - write the last document
 * @o: the destination; afterwards the file has the whole document or its old content
 * @doc: the document; NULL: kv_out_write() has written all
 */
int kv_out_commit(struct kv_out *o, struct json_object *doc, struct kv_fault *f)
{
	int ret;

	if (doc)
		kv_out_write(o, doc);
	if (o->file.fd < 0)
		return 0;
	ret = o->error;
	if (!ret && o->file.name && fsync(o->file.fd))
		ret = -errno;
	/* Some file systems report only at close() that they are full. */
	if (close(o->file.fd) && !ret)
		ret = -errno;
	o->file.fd = -1;
	ret = ret ?: kv_temp_rename(&o->file);
	return ret ? kv_fault_set(f, ret, "cannot write %s: %s", o->file.path, strerror(-ret)) : 0;
}

/**
 * kv_out_commit_fault() - write the document of a command that has failed without a result
 * @o: the destination; an existing file has an older result, and is not changed
 * @doc: receives the fault by kv_out_put_fault() if it has none; the caller keeps owning it
 *
 * If the document can't be written, that fault is printed on stderr, beside the caller's fault.
 */
void kv_out_commit_fault(struct kv_out *o, struct json_object *doc, const struct kv_fault *why)
{
	struct kv_fault f;

	if (!kv_out_get(doc, "/error"))
		kv_out_put_fault(doc, why);
	if (o->file.name && !access(o->file.path, F_OK))
		return;
	if (kv_out_commit(o, doc, &f))
		kv_fault_print(&f);
}

/**
 * kv_out_refuse() - write the document of a command that is refused before it begins
 * @path: the file of --json, "-" for stdout, or NULL
 * @doc: the document, which this function frees
 *
 * If the file can't be written, the fault that the caller prints is all that is told.
 */
void kv_out_refuse(const char *path, struct json_object *doc, const struct kv_fault *why)
{
	struct kv_fault ignored;
	struct kv_out out;

	if (!kv_out_open(&out, "--json", path, &ignored))
		kv_out_commit_fault(&out, doc, why);
	kv_out_close(&out);
	json_object_put(doc);
}

/**
 * kv_out_close() - close the destination; remove a file that was not committed
 * @o: the destination, committed or not
 */
void kv_out_close(struct kv_out *o)
{
	kv_temp_close(&o->file);
}

/* The errno of the first failed write; 0: none has failed. A stream keeps no errno. */
static int first_error;

/* Writes all bytes, or as many as possible before an error. */
static ssize_t write_out(void *cookie, const char *data, size_t length)
{
	size_t done = 0;

	while (done < length) {
		ssize_t n = write(STDOUT_FILENO, data + done, length - done);

		if (n < 0 && !first_error)
			first_error = errno;
		if (n < 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

/** kv_stdout_open() - from now on keep the errno of failed writes to standard output */
int kv_stdout_open(void)
{
	static const cookie_io_functions_t functions = { .write = write_out };
	FILE *out = fopencookie(NULL, "w", functions);

	if (!out)
		return -ENOMEM;
	setvbuf(out, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
	stdout = out;
	return 0;
}

/**
 * kv_stdout_flush() - write all output so far to standard output
 *
 * Output that can't be written is dropped, so that the fault is printed once.
 */
int kv_stdout_flush(struct kv_fault *f)
{
	int error;

	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	error = first_error ? first_error : EIO;
	first_error = 0;
	__fpurge(stdout);
	clearerr(stdout);
	return kv_fault_set(f, -error, "cannot write to standard output: %s", strerror(error));
}

/**
 * kv_stdout_close() - write the remaining output; print a fault if any output was lost
 * @status: the tool's exit status so far
 *
 * Return: @status, or KV_EXIT_FAILED if it was KV_EXIT_DONE and output is missing
 */
int kv_stdout_close(int status)
{
	struct kv_fault fault;

	if (!kv_stdout_flush(&fault))
		return status;
	kv_fault_print(&fault);
	return status == KV_EXIT_DONE ? KV_EXIT_FAILED : status;
}
